#include "sample.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* What a script element holds, by its id; malloc'ed. */
static char *element(const char *page, const char *id) {
    char open[100];
    snprintf(open, sizeof open, "<script type=\"application/json\" id=\"%s\">", id);
    const char *start = strstr(page, open), *end;
    cr_assert_not_null(start, "no element %s", id);
    start += strlen(open);
    cr_assert_not_null(end = strstr(start, "</script>"));
    return strndup(start, (size_t)(end - start));
}

static json_t *parsed(const char *text) {
    json_error_t where;
    json_t *tree = json_loads(text, JSON_REJECT_DUPLICATES, &where);
    cr_assert_not_null(tree, "%s at %d", where.text, where.position);
    return tree;
}

static json_t *data_of(const at_journal *j) {
    char *page = sample_report(j, "html"), *text = element(page, "data");
    json_t *tree = parsed(text);
    free(text);
    free(page);
    return tree;
}

/* A member of a row of the pool, by the names in `fields`. */
static json_t *member(const json_t *data, const char *kind, const json_t *row, const char *name) {
    json_t *fields = json_object_get(json_object_get(data, "fields"), kind);
    cr_assert_eq(json_array_size(fields), json_array_size(row), "%s: as many names as values", kind);
    for (size_t i = 0; i < json_array_size(fields); i++) {
        const json_t *field = json_array_get(fields, i);
        if (strcmp(json_string_value(json_array_get(field, 0)), name) != 0) continue;
        json_t *value = json_array_get(row, i);
        bool text = strcmp(json_string_value(json_array_get(field, 1)), "text") == 0;
        return text ? json_array_get(json_object_get(data, "pool"), (size_t)json_integer_value(value)) : value;
    }
    cr_assert_fail("%s has no %s", kind, name);
    return NULL;
}

static const json_t *pooled(const json_t *data, const json_t *number) {
    return json_array_get(json_object_get(data, "pool"), (size_t)json_integer_value(number));
}

static const json_t *attempt(const json_t *data, size_t i) {
    return json_array_get(json_object_get(data, "attempts"), i);
}

static const char *case_text(const json_t *data, size_t i, const char *name) {
    return json_string_value(member(data, "case", pooled(data, json_array_get(attempt(data, i), 0)), name));
}

static const char *way_text(const json_t *data, size_t i, const char *name) {
    return json_string_value(member(data, "way", pooled(data, json_array_get(attempt(data, i), 1)), name));
}

static const json_t *tensor(const json_t *data, size_t i, size_t k) {
    return pooled(data, json_array_get(json_array_get(attempt(data, i), 9), k));
}

Test(html, the_page_asks_for_nothing_beside_it) {
    static const char *const asks[] = {"<link",  "<img",           "<iframe", " src=",     "@import", "url(",
                                       "fetch(", "XMLHttpRequest", "import(", "innerHTML", "eval("};
    at_journal *j = sample_journal();
    char *page = sample_report(j, "html");
    for (size_t i = 0; i < sizeof asks / sizeof *asks; i++) cr_expect_null(strstr(page, asks[i]), "%s", asks[i]);
    cr_expect_not_null(strstr(page, "content=\"default-src 'none';"), "the browser is told to refuse as well");
    cr_expect_eq(sample_count(page, "<script "), 4);
    cr_expect_eq(sample_count(page, "</script>"), 4);
    free(page);
    at_journal_free(j);
}

Test(html, the_verdict_needs_no_script_and_no_part_of_the_template_is_left) {
    at_journal *j = sample_journal();
    sample_tensor(sample_attempt(j, "a/1", AT_FAIL), "output", 2);
    char *page = sample_report(j, "html");
    cr_expect_not_null(strstr(page, "<h1 data-word=\"FAILED\">FAILED <small>v1"));
    cr_expect_not_null(strstr(page, "<p class=\"line\">on CPU execution (no GPU seen): 0 of 1 cases passed, 1 failed"));
    static const char *const parts[] = {"{{word",  "{{line",    "{{subject",  "{{data",  "{{mutants",
                                        "{{bench", "{{scripts", "{{page.css", "{{vendor"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) cr_expect_null(strstr(page, parts[i]), "%s", parts[i]);
    cr_expect_not_null(strstr(page, "Leon Sorokin"), "the plotting library's licence note goes along");
    free(page);
    at_journal_free(j);
}

Test(html, data_says_what_the_journal_says) {
    at_journal *j = sample_journal();
    at_record *r = sample_attempt(j, "window/edge/dtype=float16", AT_FAIL);
    sample_set(&r->why, "One key more."), sample_set(&r->output_digest, "0123456789abcdef0123");
    sample_set(&r->message, "value: too large");
    sample_finding(r, "value", "too large"), sample_finding(r, "canary", "gone");
    r->axes = sample_list("dtype=float16", "mode=eager", NULL);
    r->explanation = sample_list("zeros: nothing but zeros", NULL),
    r->shapes = sample_list("query float16 [3, 64]", NULL);
    sample_tensor(r, "output", 1.5)->ulps = INT64_MAX;
    json_t *d = data_of(j);
    const json_t *a = attempt(d, 0), *t = tensor(d, 0, 0), *findings = json_array_get(a, 10);
    cr_expect_str_eq(case_text(d, 0, "id"), "window/edge/dtype=float16");
    cr_expect_str_eq(case_text(d, 0, "why"), "One key more.");
    cr_expect_str_eq(way_text(d, 0, "mode"), "eager");
    cr_expect_str_eq(way_text(d, 0, "before"), "attest repro ");
    cr_expect_str_eq(way_text(d, 0, "after"), " --mode eager");
    cr_expect_eq(json_integer_value(json_array_get(a, 2)), AT_FAIL);
    cr_expect(json_is_null(pooled(d, json_array_get(a, 3))), "the finding has the message already");
    cr_expect_str_eq(json_string_value(pooled(d, json_array_get(a, 4))), "0123456789abcdef");
    cr_expect_eq(json_integer_value(json_array_get(a, 5)), 2);
    cr_assert_eq(json_array_size(findings), 4);
    cr_expect_str_eq(json_string_value(pooled(d, json_array_get(findings, 2))), "canary");
    cr_expect_str_eq(json_string_value(pooled(d, json_array_get(findings, 3))), "gone");
    const json_t *explained = pooled(d, json_array_get(a, 11)),
                 *shapes = pooled(d, member(d, "case", pooled(d, json_array_get(a, 0)), "shapes"));
    cr_expect_str_eq(json_string_value(pooled(d, json_array_get(explained, 0))), "zeros: nothing but zeros");
    cr_expect_str_eq(json_string_value(pooled(d, json_array_get(shapes, 0))), "query float16 [3, 64]");
    cr_expect_str_eq(json_string_value(member(d, "tensor", t, "tensor")), "output");
    cr_expect_eq(json_number_value(member(d, "tensor", t, "excess")), 1.5);
    cr_expect_eq(json_number_value(member(d, "tensor", t, "high")), 1.6);
    cr_expect_eq(json_integer_value(member(d, "tensor", t, "channel")), 77);
    cr_expect_str_eq(json_string_value(member(d, "tensor", t, "ulps")), "9223372036854775807", "no double holds it");
    json_decref(d);
    at_journal_free(j);
}

Test(html, verdicts_faults_and_coverage_come_from_the_same_tables_as_other_reports) {
    at_journal *j = sample_journal();
    sample_attempt(j, "a/1", AT_PASS);
    sample_finding(sample_attempt(j, "a/2", AT_FAIL), "value", "wrong");
    sample_finding(sample_attempt(j, "a/3", AT_FAIL), "value", "wrong");
    j->header.universe = sample_list("clause:read.window", NULL);
    json_t *d = data_of(j), *verdicts = json_object_get(d, "verdicts"),
           *fault = json_array_get(json_object_get(d, "faults"), 0);
    cr_expect_eq(json_array_size(verdicts), AT_VERDICTS);
    cr_expect_eq(json_integer_value(json_object_get(json_array_get(verdicts, AT_FAIL), "attempts")), 2);
    cr_expect_eq(json_integer_value(json_object_get(json_array_get(verdicts, AT_FAIL), "status")), AT_FAILED);
    cr_expect_eq(json_array_size(json_object_get(d, "faults")), 1);
    cr_expect_eq(json_integer_value(json_array_get(fault, 0)), 1, "its first attempt");
    cr_expect_eq(json_integer_value(json_array_get(fault, 1)), 2);
    const json_t *item = json_array_get(json_object_get(d, "items"), 0);
    cr_expect_str_eq(json_string_value(json_array_get(item, 0)), "clause:read.window");
    cr_expect_eq(json_integer_value(json_array_get(item, 1)), 1, "declared");
    cr_expect_eq(json_integer_value(json_array_get(item, 3)), 0, "never attempted");
    json_decref(d);
    at_journal_free(j);
}

Test(html, what_attempts_share_is_written_once) {
    at_journal *j = sample_journal();
    for (int i = 0; i < 5000; i++) sample_tensor(sample_attempt(j, "window/edge", AT_PASS), "output", 0.5);
    char *page = sample_report(j, "html"), *text = element(page, "data");
    cr_expect_eq(sample_count(text, "window/edge"), 1);
    cr_expect_eq(sample_count(text, "attest repro"), 1);
    cr_expect_lt(strlen(text), 5000 * 40);
    free(text);
    free(page);
    at_journal_free(j);
}

Test(html, figures_that_json_lacks_are_strings) {
    at_journal *j = sample_journal();
    at_tensor_report *t = sample_tensor(sample_attempt(j, "a/1", AT_FAIL), "output", INFINITY);
    t->got = NAN, t->low = -INFINITY;
    json_t *d = data_of(j);
    cr_expect_str_eq(json_string_value(member(d, "tensor", tensor(d, 0, 0), "excess")), "inf");
    cr_expect_str_eq(json_string_value(member(d, "tensor", tensor(d, 0, 0), "got")), "nan");
    cr_expect_str_eq(json_string_value(member(d, "tensor", tensor(d, 0, 0), "low")), "-inf");
    json_decref(d);
    at_journal_free(j);
}

Test(html, a_line_without_the_id_is_kept_whole) {
    at_journal *j = sample_journal();
    sample_set(&sample_attempt(j, "a/1", AT_PASS)->repro, "make again");
    sample_set(&sample_attempt(j, "", AT_PASS)->repro, "make again");
    sample_set(&sample_attempt(j, "a/3", AT_PASS)->repro, NULL);
    json_t *d = data_of(j);
    for (size_t i = 0; i < 2; i++) {
        cr_expect_str_eq(way_text(d, i, "before"), "make again");
        cr_expect_null(way_text(d, i, "after"));
    }
    cr_expect_null(way_text(d, 2, "before"));
    json_decref(d);
    at_journal_free(j);
}

Test(html, a_hostile_journal_stays_data) {
    at_journal *j = sample_journal();
    at_record *r = sample_attempt(j, hostile, AT_FAIL);
    sample_set(&r->why, "</script><!--<script>"), sample_set(&r->mode, "\\\"");
    sample_finding(r, hostile, hostile);
    r->explanation = sample_list(hostile, NULL), r->shapes = sample_list(hostile, NULL);
    sample_set(&j->header.subject, "</title><script>alert(1)</script>");
    char *page = sample_report(j, "html"), *text = element(page, "data");
    cr_expect_null(strchr(text, '<'), "nothing in the data can end its element");
    cr_expect_null(strstr(page, "<script>"));
    cr_expect_not_null(strstr(page, "<title>FAILED: &lt;/title&gt;&lt;script&gt;alert(1)"));
    cr_expect_eq(sample_count(page, "</script>"), 4);
    json_t *d = parsed(text);
    cr_expect_str_eq(case_text(d, 0, "why"), "</script><!--<script>");
    cr_expect_str_eq(way_text(d, 0, "mode"), "\\\"");
    cr_expect_not_null(strstr(case_text(d, 0, "id"), "\\u202eend]]>-->"), "what cannot be seen is written out");
    json_decref(d);
    free(text);
    free(page);
    at_journal_free(j);
}

static void fill(at_journal *j, int attempts, at_verdict verdict) {
    for (int i = 0; i < attempts; i++) {
        char text[300];
        snprintf(text, sizeof text, "window/edge-%d/dialect=onnxruntime,dtype=float16,local_window_size=%d", i % 50,
                 i / 2);
        at_record *r = sample_attempt(j, text, verdict);
        for (int k = 0; verdict == AT_FAIL && k < AT_RECORD_FINDINGS; k++) {
            snprintf(
                text, sizeof text,
                "output: token %d (sequence 1, position 17, page 1, slot 33), head %d: want 0.5, got 0.25 (0x3400)", i,
                k);
            sample_finding(r, "value", text);
        }
        at_tensor_report *t = sample_tensor(r, "output", 1.0 / (i / 2 + 2));
        t->absolute = 1.0 / (i + 3), t->want = 1.0 / (i + 5);
        snprintf(text, sizeof text, "%064x", (unsigned)i * 2654435761u);
        sample_set(&r->output_digest, text), sample_set(&r->inputs_digest, text);
        r->seconds = 1e-3 / (i + 7);
    }
}

static size_t bytes_of(const at_journal *j) {
    char *page = sample_report(j, "html");
    size_t bytes = strlen(page);
    free(page);
    return bytes;
}

Test(html, twenty_thousand_attempts_stay_under_eight_megabytes_and_five_seconds) {
    at_journal *j = sample_journal();
    fill(j, 20000, AT_PASS);
    clock_t start = clock();
    cr_expect_lt(bytes_of(j), 8000000);
    cr_expect_lt((double)(clock() - start) / CLOCKS_PER_SEC, 5.0);
    at_journal_free(j);
}

Test(html, a_kernel_that_fails_everywhere_does_not_bring_all_its_findings) {
    at_journal *j = sample_journal();
    fill(j, 20000, AT_FAIL);
    cr_expect_lt(bytes_of(j), 10000000);
    json_t *d = data_of(j);
    cr_expect_eq(json_array_size(json_array_get(attempt(d, 0), 10)), 2 * AT_RECORD_FINDINGS);
    cr_expect_eq(json_array_size(json_array_get(attempt(d, 19999), 10)), 2, "its first is never left out");
    cr_expect_eq(json_integer_value(json_array_get(attempt(d, 19999), 5)), AT_RECORD_FINDINGS);
    json_decref(d);
    at_journal_free(j);
}

/* ---- files beside the reports ---- */

/* What element `id` holds with a file of that name and text beside the reports. */
static char *with_beside(const char *name, const char *id, const char *text, size_t bytes) {
    char directory[] = "/tmp/attest-html-XXXXXX", path[100], command[200];
    at_error err;
    at_journal *j = sample_journal();
    cr_assert_not_null(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *f = fopen(path, "w");
    fwrite(text, 1, bytes, f);
    fclose(f);
    cr_assert_eq(at_report_write_all(j, directory, &err), AT_OK, "%s", err.text);
    snprintf(path, sizeof path, "%s/index.html", directory);
    char *page = sample_slurp(path, NULL), *held = element(page, id);
    cr_expect_eq(sample_count(page, "</script>"), 4);
    free(page);
    snprintf(command, sizeof command, "rm -rf '%s'", directory);
    cr_assert_eq(system(command), 0);
    at_journal_free(j);
    return held;
}

static void becomes(const char *text, const char *due) {
    static const char *const file[][2] = {{"mutants.json", "mutants-data"}, {"bench.json", "bench-data"}};
    for (size_t i = 0; i < 2; i++) {
        char *held = with_beside(file[i][0], file[i][1], text, strlen(text));
        cr_expect_str_eq(held, due, "%s", file[i][0]);
        free(held);
    }
}

Test(html, files_beside_the_reports_go_in) {
    becomes("{\n \"tier\": \"quick\",\n \"mutants\": [\n  1\n ]\n}\n", "{\"tier\": \"quick\",\"mutants\": [1]}");
    becomes("{\"why\": \"a  b</script><script>\"}", "{\"why\": \"a  b\\u003c/script>\\u003cscript>\"}");
}

Test(html, files_that_are_missing_or_broken_are_null) {
    char *page = NULL;
    becomes("", "null");
    becomes("{\"tier\": ", "null");
    becomes("{} <script>", "null");
    size_t bytes = (4 << 20) + 1;
    char *large = malloc(bytes), *mutants;
    cr_assert_not_null(large);
    memset(large, ' ', bytes);
    large[0] = '[', large[bytes - 1] = ']';
    mutants = with_beside("mutants.json", "mutants-data", large, bytes);
    cr_expect_str_eq(mutants, "null");
    free(mutants);
    free(large);
    at_journal *j = sample_journal();
    page = sample_report(j, "html");
    mutants = element(page, "mutants-data");
    cr_expect_str_eq(mutants, "null");
    free(mutants);
    free(page);
    at_journal_free(j);
}
