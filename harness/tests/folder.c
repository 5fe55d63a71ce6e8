/* Cases in files: what is read, what is refused and where, and answers that come back. */
#include "../folder.h"

#include "../judge.h"
#include "cases_scratch.h"
#include "plan_case.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static plan_case x;
static char directory[700];
static at_folder *folder;
static at_error err;

static const char *in(const char *file) {
    static char path[1100];
    snprintf(path, sizeof path, "%s/%s", directory, file);
    return path;
}

static void export_case(const plan_case *c) {
    at_plan *plan = plan_made(c, OR_GENAI);
    cr_assert_eq(at_folder_write(plan, directory, &err), AT_OK, "%s", err.text);
    at_plan_free(plan);
}

static void remove_all(const char *path) {
    DIR *d = opendir(path);
    char entry[1500];
    for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL;) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
        snprintf(entry, sizeof entry, "%s/%s", path, e->d_name);
        if (unlink(entry) != 0) remove_all(entry);
    }
    if (d != NULL) closedir(d);
    rmdir(path);
}

static void open(void) {
    scratch_open();
    strcpy(directory, scratch_path("case"));
    plan_case_crowd(&x);
    x.c.why = "Three sequences.";
    export_case(&x);
}

static void close_folder(void) {
    at_folder_free(folder);
    folder = NULL;
    remove_all(directory);
    scratch_close();
}

TestSuite(folder, .init = open, .fini = close_folder);

static char *contents_of(const char *file, size_t *bytes) {
    char *text = calloc(1, 1 << 20);
    FILE *f = fopen(in(file), "rb");
    cr_assert_not_null(f, "%s", file);
    *bytes = fread(text, 1, (1 << 20) - 1, f);
    fclose(f);
    return text;
}

static void put(const char *file, const void *data, size_t bytes) {
    FILE *f = fopen(in(file), "wb");
    cr_assert_not_null(f, "%s", file);
    cr_assert_eq(fwrite(data, 1, bytes, f), bytes);
    cr_assert_eq(fclose(f), 0);
}

/* Reads; the folder is freed with the next read. */
static at_status reading(const or_dialect *dialect) {
    at_folder_free(folder);
    err.text[0] = 0;
    return at_folder_read(&folder, directory, dialect, &err);
}

static const at_record *judged_answer(const char *implementation) {
    static at_record record;
    uint16_t *output = NULL, *cache = NULL;
    at_record_clear(&record);
    cr_assert_eq(at_folder_output(&output, folder, directory, implementation, OR_OUTPUT, &err), AT_OK, "%s", err.text);
    cr_assert_eq(at_folder_output(&cache, folder, directory, implementation, OR_KEY_CACHE_OUT, &err), AT_OK, "%s",
                 err.text);
    const int64_t rows = folder->problem.tokens * folder->problem.heads;
    int64_t *row = calloc((size_t)rows + 1, sizeof *row);
    for (int64_t i = 0; i < rows; i++) row[i] = i;
    const at_question question = {.problem = &folder->problem,
                                  .cache_before = folder->call.in[OR_KEY_CACHE].data,
                                  .row = row,
                                  .rows = rows,
                                  .mode = OR_RIGOROUS};
    const at_answer answer = {output, cache};
    cr_assert_eq(at_judge(&record, &question, &answer, &err), AT_OK);
    free(row);
    free(output);
    free(cache);
    return &record;
}

Test(folder, an_exported_case_reads_back_as_the_same_call) {
    at_plan *plan = plan_made(&x, OR_GENAI);
    cr_assert_eq(reading(NULL), AT_OK, "%s", err.text);
    cr_expect_str_eq(folder->name, "suite/case");
    cr_expect_str_eq(folder->note, "Three sequences.");
    cr_expect_eq(folder->node.dialect, OR_GENAI);
    for (int i = 0; i < OR_INPUTS; i++) {
        const or_tensor *a = &plan->call.in[i], *b = &folder->call.in[i];
        cr_assert(a->dtype == b->dtype && (a->dtype == OR_ABSENT || a->rank == b->rank), "%s", or_input_name(i));
        if (a->dtype == OR_ABSENT) continue;
        cr_expect_eq(memcmp(a->shape, b->shape, a->rank * sizeof *a->shape), 0);
        cr_expect_eq(memcmp(a->data, b->data, at_tensor_bytes(a)), 0, "%s", or_input_name(i));
    }
    const or_problem *p = &plan->problem, *q = &folder->problem;
    cr_expect(p->scale == q->scale && p->window_before == q->window_before && p->heads == q->heads &&
              p->v_head_size == q->v_head_size);
    cr_expect(p->rotary_dim == q->rotary_dim && p->rotary_offset == q->rotary_offset &&
              p->interleaved == q->interleaved);
    at_plan_free(plan);
}

Test(folder, the_oracle_s_answer_beside_it_passes_and_one_flipped_bit_fails) {
    size_t bytes;
    cr_assert_eq(reading(NULL), AT_OK, "%s", err.text);
    cr_expect_eq(judged_answer("oracle")->verdict, AT_PASS);
    static const char *const files[] = {"oracle/output.bin", "oracle/key_cache_out.bin"};
    for (int i = 0; i < 2; i++) {
        char *data = contents_of(files[i], &bytes);
        data[21] ^= 0x20; /* the high byte of an element */
        put(files[i], data, bytes);
        const at_record *r = judged_answer("oracle");
        cr_expect_eq(r->verdict, AT_FAIL, "%s", files[i]);
        cr_expect_str_eq(r->finding[0].detector, i == 0 ? "value" : "write-set");
        data[21] ^= 0x20;
        put(files[i], data, bytes);
        free(data);
    }
    cr_expect_eq(judged_answer("oracle")->verdict, AT_PASS);
}

Test(folder, a_dialect_asked_for_comes_before_the_one_that_is_written) {
    const or_dialect other = OR_ONNXRUNTIME;
    cr_assert_eq(reading(&other), AT_OK, "%s", err.text);
    cr_expect_eq(folder->node.dialect, OR_ONNXRUNTIME);
    cr_expect_eq(folder->problem.window_before, 16);
    cr_expect_eq(judged_answer("oracle")->verdict, AT_FAIL, "a window of one key less");
}

/* case.json with the first `from` replaced. */
static void edit(const char *from, const char *to) {
    size_t bytes;
    char *text = contents_of("case.json", &bytes), *at = strstr(text, from), *out = calloc(1, bytes + strlen(to) + 1);
    cr_assert_not_null(at, "no '%s' in %s", from, text);
    sprintf(out, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    put("case.json", out, strlen(out));
    free(out);
    free(text);
}

static void expect_refused(const char *words) {
    cr_expect_eq(reading(NULL), AT_USAGE, "%s", words);
    cr_expect_null(folder);
    cr_expect_not_null(strstr(err.text, words), "'%s' does not say '%s'", err.text, words);
    cr_expect_eq(strncmp(err.text, directory, strlen(directory)), 0, "no place: %s", err.text);
    cr_expect_null(strchr(err.text, '\n'));
}

Test(folder, a_malformed_case_json_is_refused_with_its_place) {
    static const struct {
        const char *from, *to, *words;
    } wrong[] = {
        {"{", "", "/case.json:2:7: "},
        {"\"name\":", "\"name\" ", "/case.json:2:"},
        {"\"note\"", "\"name\"", "duplicate"},
        {"\"dialect\": \"onnx-genai\"", "\"dialect\": \"vllm\"",
         "/case.json: dialect is neither onnx-genai nor onnxruntime"},
        {"\"dialect\": \"onnx-genai\",", "",
         "/case.json: no dialect; give --dialect onnx-genai or --dialect onnxruntime"},
        {"\"attributes\"", "\"attribute\"", "/case.json: no object 'attributes'"},
        {"\"inputs\"", "\"input\"", "/case.json: no object 'inputs'"},
        {"\"outputs\"", "\"output\"", "/case.json: no object 'outputs'"},
        {"\"num_heads\": 2", "\"num_heads\": 2.5", "/case.json: attributes.num_heads is not of the schema's type"},
        {"\"num_heads\": 2", "\"num_heads\": \"2\"", "/case.json: attributes.num_heads is not of the schema's type"},
        {"\"kv_cache_layout\": \"LATENT\"", "\"kv_cache_layout\": 1",
         "/case.json: attributes.kv_cache_layout is not of"},
        {"\"softcap\"", "\"soft_cap\"", "/case.json: attributes.soft_cap is no attribute of PagedAttention"},
        {"\"query\"", "\"q\"", "/case.json: inputs.q is no input of PagedAttention"},
        {"\"output\": {", "\"out\": {", "/case.json: outputs.out is no output of PagedAttention"},
        {"\"dtype\": \"float16\"", "\"dtype\": \"half\"",
         "/case.json: inputs.query.dtype is none of float16, bfloat16"},
        {"\"dtype\": \"float16\"", "\"dtype\": 10", "/case.json: inputs.query.dtype is none of"},
        {"\"dtype\": \"float16\"", "\"dtype\": \"float32\"", "query.bin: 640 bytes, and case.json says 1280"},
        {"\"shape\": [\n    5,\n    64\n   ]", "\"shape\": 320",
         "/case.json: inputs.query.shape is no list of up to 8 numbers"},
        {"\"shape\": [\n    5,", "\"shape\": [1, 1, 1, 1, 1, 1, 1, 5,",
         "/case.json: inputs.query.shape is no list of up to 8 numbers"},
        {"\"shape\": [\n    5,", "\"shape\": [\n    -5,", "/case.json: inputs.query.shape[0] is no size"},
        {"\"shape\": [\n    5,", "\"shape\": [\n    5.0,", "/case.json: inputs.query.shape[0] is no size"},
        {"\"shape\": [\n    5,", "\"shape\": [\n    3000000000,", "/case.json: inputs.query.shape[0] is no size"},
        {"\"shape\": [\n    5,", "\"shape\": [\n    2000000000, 2000000000,",
         "/case.json: inputs.query.shape[1] is no size"},
        {"\"shape\": [\n    5,", "\"shape\": [\n    6,", "query.bin: 640 bytes, and case.json says 768"},
        {"\"shape\": [\n    5,\n    64", "\"shape\": [\n    10,\n    32",
         "onnx-genai refuses this call by query-hidden: query columns"},
        {"\"kv_num_heads\": 1", "\"kv_num_heads\": 2",
         "/case.json: onnx-genai refuses this call by kv-heads: LATENT and kv_num_heads != 1"},
        {"\"scale\"", "\"qk_norm_epsilon\"", "/case.json: onnx-genai refuses this call by scale-required"},
    };
    size_t bytes;
    char *text = contents_of("case.json", &bytes);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        edit(wrong[i].from, wrong[i].to);
        expect_refused(wrong[i].words);
        put("case.json", text, bytes);
    }
    cr_expect_eq(reading(NULL), AT_OK, "%s", err.text);
    free(text);
}

Test(folder, a_cache_out_of_another_shape_or_type_is_refused) {
    size_t bytes;
    char *text = contents_of("case.json", &bytes), *at = strstr(text, "\"key_cache_out\"");
    cr_assert_not_null(at);
    char *size = strstr(at, "16,");
    memcpy(size, "1 ,", 3);
    put("case.json", text, bytes);
    expect_refused("/case.json: outputs.key_cache_out has not the type and shape of key_cache");
    memcpy(size, "16,", 3);
    memcpy(strstr(at, "float16"), "int16  ", 7);
    put("case.json", text, bytes);
    expect_refused("/case.json: outputs.key_cache_out.dtype is none of");
    free(text);
}

Test(folder, a_call_without_key_cache_out_is_read_and_its_cache_is_due_in_the_size_of_key_cache) {
    size_t bytes;
    uint16_t *cache = NULL;
    char *text = contents_of("case.json", &bytes), *at = strstr(text, "\"key_cache_out\""), *comma = at;
    while (*comma != ',') comma--;
    snprintf(comma, (size_t)(text + bytes - comma), "}}");
    put("case.json", text, strlen(text));
    cr_assert_eq(reading(NULL), AT_OK, "%s", err.text);
    cr_expect_eq(judged_answer("oracle")->verdict, AT_PASS);
    put("oracle/key_cache_out.bin", "", 0);
    cr_expect_eq(at_folder_output(&cache, folder, directory, "oracle", OR_KEY_CACHE_OUT, &err), AT_USAGE);
    cr_expect_not_null(strstr(err.text, "oracle/key_cache_out.bin: 0 bytes, and case.json says "));
    cr_expect_null(cache);
    free(text);
}

/* Entry i of an int32 file becomes `value`. */
static void put_integer(const char *file, size_t i, int32_t value) {
    size_t bytes;
    char *data = contents_of(file, &bytes);
    memcpy(data + i * sizeof value, &value, sizeof value);
    put(file, data, bytes);
    free(data);
}

Test(folder, lengths_and_slots_that_no_call_has_are_refused_with_their_place) {
    static const struct {
        const char *file;
        size_t entry;
        int32_t value;
        const char *words;
    } wrong[] = {
        {"cumulative_sequence_length.bin", 0, 1, "/cumulative_sequence_length.bin: begins with 1, not 0"},
        {"cumulative_sequence_length.bin", 2, 2,
         "/cumulative_sequence_length.bin: [2] is 2; it may not fall, nor pass the 5 tokens"},
        {"cumulative_sequence_length.bin", 3, 6, "/cumulative_sequence_length.bin: [3] is 6; it may not fall"},
        {"past_seqlens.bin", 1, -1, "/past_seqlens.bin: [1] is -1"},
        {"past_seqlens.bin", 0, 41, ": cos_cache has 43 rows, and sequence 0 has 44 positions"},
        {"past_seqlens.bin", 0, 1000000, ": cos_cache has 43 rows, and sequence 0 has 1000003 positions"},
        {"past_seqlens.bin", 0, INT32_MAX, ": cos_cache has 43 rows, and sequence 0 has 2147483650 positions"},
        {"slot_mapping.bin", 1, -2, "/slot_mapping.bin: tokens 1 and 4 write different rows to slot "},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        size_t bytes;
        char *data = contents_of(wrong[i].file, &bytes);
        int32_t value = wrong[i].value;
        if (value == -2) memcpy(&value, data + 4 * sizeof value, sizeof value); /* another token's slot */
        put_integer(wrong[i].file, wrong[i].entry, value);
        expect_refused(wrong[i].words);
        put(wrong[i].file, data, bytes);
        free(data);
    }
    put_integer("slot_mapping.bin", 1, INT32_MAX); /* skipped */
    put_integer("block_table.bin", 0, INT32_MIN);  /* not mapped */
    expect_refused("/case.json: the inputs beside it are not those it was written with");
    edit("\"inputs_sha256\"", "\"once\"");
    cr_expect_eq(reading(NULL), AT_OK, "%s", err.text);
}

Test(folder, files_that_are_missing_or_of_another_size_are_named) {
    size_t bytes;
    uint16_t *output = NULL;
    char *data = contents_of("key.bin", &bytes);
    put("key.bin", data, bytes - 1);
    expect_refused("/key.bin: 319 bytes, and case.json says 320");
    unlink(in("key.bin"));
    expect_refused("/key.bin: No such file or directory");
    put("key.bin", data, bytes);
    cr_assert_eq(reading(NULL), AT_OK);
    cr_expect_eq(at_folder_output(&output, folder, directory, "nobody", OR_OUTPUT, &err), AT_USAGE);
    cr_expect_not_null(strstr(err.text, "/nobody/output.bin: No such file or directory"));
    unlink(in("case.json"));
    expect_refused("/case.json: No such file or directory");
    char *huge = calloc(1, (1 << 20) + 1);
    put("case.json", huge, (1 << 20) + 1);
    expect_refused("/case.json: 1048577 bytes; a case.json has at most 1048576");
    free(huge);
    free(data);
}

Test(folder, a_place_that_cannot_be_written_is_named) {
    at_plan *plan = plan_made(&x, OR_GENAI);
    cr_expect_eq(at_folder_write(plan, in("no/such/place"), &err), AT_INFRASTRUCTURE);
    cr_expect_not_null(strstr(err.text, "no/such/place: No such file or directory"));
    cr_expect_eq(at_folder_write(plan, in("case.json"), &err), AT_INFRASTRUCTURE);
    cr_expect_not_null(strstr(err.text, "case.json/case.json: Not a directory"));
    at_plan_free(plan);
}

Test(folder, freeing_nothing_is_fine) {
    at_folder_free(NULL);
    cr_expect_null(folder);
}

/* The recorded answers of two GPU kernels: oracle/vectors. */
static void each_vector(void (*each)(const char *name, const char *implementation, or_dialect own)) {
    static const char *const implementations[OR_DIALECTS] = {"onnx-genai", "onnxruntime"};
    char vectors[400];
    const char *up = strstr(__FILE__, "harness/tests/");
    snprintf(vectors, sizeof vectors, "%.*soracle/vectors", (int)(up - __FILE__), __FILE__);
    struct dirent **entry;
    const int n = scandir(vectors, &entry, NULL, alphasort);
    cr_assert_geq(n, 24, "%s", vectors);
    close_folder();
    for (int i = 0; i < n; i++) {
        snprintf(directory, sizeof directory, "%s/%.200s", vectors, entry[i]->d_name);
        for (int d = 0; d < OR_DIALECTS; d++) {
            char output[64];
            snprintf(output, sizeof output, "%s/output.bin", implementations[d]);
            if (access(in(output), F_OK) == 0) each(entry[i]->d_name, implementations[d], (or_dialect)d);
        }
        free(entry[i]);
    }
    free(entry);
    at_folder_free(folder);
    open(); /* what teardown expects */
    folder = NULL;
}

static int judged, rejected;

static void in_its_dialect(const char *name, const char *implementation, or_dialect own) {
    const bool drops_nan = strcmp(name, "latent_nan_visible_f16") == 0 && own == OR_GENAI;
    cr_assert_eq(reading(&own), AT_OK, "%s", err.text);
    const at_record *r = judged_answer(implementation);
    cr_expect_eq(r->verdict, drops_nan ? AT_FAIL : AT_PASS, "%s %s: %s", name, implementation,
                 r->message ? r->message : "");
    if (drops_nan)
        cr_expect(r->tensor[1].mismatches == 128 && strstr(r->message, "output, wrong class") != NULL, "%s",
                  r->message);
    judged++;
}

Test(folder, recorded_answers_are_accepted_in_their_dialect_but_for_a_nan_that_one_drops) {
    each_vector(in_its_dialect);
    cr_expect_eq(judged, 43);
}

static void in_the_other_dialect(const char *name, const char *implementation, or_dialect own) {
    const or_dialect other = own == OR_GENAI ? OR_ONNXRUNTIME : OR_GENAI;
    cr_assert_eq(reading(&other), AT_OK, "%s", err.text);
    const or_attr *window = or_attribute(&folder->node, "local_window_size", OR_INT);
    const bool differs =
        (window != NULL && window->i >= 0) || (strcmp(name, "latent_nan_visible_f16") == 0 && own == OR_GENAI);
    cr_expect_eq(judged_answer(implementation)->verdict, differs ? AT_FAIL : AT_PASS, "%s %s", name, implementation);
    rejected += differs;
}

Test(folder, recorded_answers_are_rejected_in_the_other_dialect_where_the_window_is_on) {
    each_vector(in_the_other_dialect);
    cr_expect_eq(rejected, 13);
}
