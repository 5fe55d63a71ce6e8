/* list, check and show: what they print and what they say of words they do not know. */
#include "../commands.h"

#include "../plan.h"
#include "cases_scratch.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static at_error err;
static const char *words[2];
static char printed[1 << 16], suite[400];
static at_options options;

static void setup(void) {
    scratch_open();
    at_cases_free(scratch_load("clauses: {S1: A window edge.}\n" PLAIN_CASE
                               ", covers: [S1], matrix: {dtype: [float16, bfloat16]}}\n"
                               "  - {name: two, why: Another reason., geometry: tiny, past: 4, new: 1, kv_num_heads: 2,"
                               " expect: {refuse: kv-heads, gates: [create]}, dialect: onnx-genai}\n"));
    strcpy(suite, scratch_path("suite.yaml"));
    options = (at_options){
        .cases = suite, .word = words, .seed = 5, .tier = AT_QUICK, .shards = 1, .shard = 1, .color = "never"};
}

TestSuite(command_cases, .init = setup, .fini = scratch_close);

/* Runs a command with its standard output in `printed`. */
static at_status run(at_status (*command)(at_options *, at_error *), const char *word) {
    const int terminal = dup(STDOUT_FILENO);
    FILE *file = tmpfile();
    words[0] = word, options.words = word != NULL;
    err.text[0] = 0;
    fflush(stdout);
    dup2(fileno(file), STDOUT_FILENO);
    const at_status st = command(&options, &err);
    fflush(stdout);
    dup2(terminal, STDOUT_FILENO);
    close(terminal);
    rewind(file);
    printed[fread(printed, 1, sizeof printed - 1, file)] = 0;
    fclose(file);
    return st;
}

Test(command_cases, list_prints_ids_or_objects_a_line_each) {
    cr_assert_eq(run(at_command_list, NULL), AT_OK, "%s", err.text);
    cr_expect_str_eq(printed, "suite/one/dtype=float16\nsuite/one/dtype=bfloat16\nsuite/two\n");
    options.json = true;
    cr_assert_eq(run(at_command_list, NULL), AT_OK);
    json_t *object = json_loads(printed, JSON_DISABLE_EOF_CHECK, NULL);
    cr_expect_str_eq(json_string_value(json_object_get(object, "id")), "suite/one/dtype=float16");
    cr_expect_eq(json_integer_value(json_object_get(object, "line")), 7);
    json_decref(object);
    cr_expect_eq(run(at_command_list, "suite"), AT_USAGE);
    cr_expect_not_null(strstr(err.text, "list takes no words; -k 'suite' filters"));
}

Test(command_cases, show_prints_digests_of_all_inputs_that_depend_on_the_seed) {
    char before[65] = "";
    options.json = true;
    for (options.seed = 5; options.seed <= 6; options.seed++) {
        cr_assert_eq(run(at_command_show, "suite/one/dtype=bfloat16"), AT_OK, "%s", err.text);
        json_t *object = json_loads(printed, 0, NULL), *inputs = json_object_get(object, "inputs");
        const char *digest = json_string_value(json_object_get(object, "inputs_sha256"));
        cr_assert(digest != NULL && strlen(digest) == 64, "%s", printed);
        cr_expect_str_neq(digest, before);
        strcpy(before, digest);
        cr_expect_eq(json_integer_value(json_object_get(object, "seed")), (json_int_t)options.seed);
        cr_expect_str_eq(json_string_value(json_object_get(object, "dialect")), "onnx-genai");
        cr_expect_eq(json_object_size(inputs), 9);
        const json_t *query = json_object_get(inputs, "query"),
                     *output = json_object_get(json_object_get(object, "outputs"), "output");
        cr_expect_str_eq(json_string_value(json_object_get(query, "dtype")), "bfloat16");
        cr_expect_eq(json_integer_value(json_array_get(json_object_get(query, "shape"), 1)), 64);
        cr_expect_eq(strlen(json_string_value(json_object_get(query, "sha256"))), 64);
        cr_expect(output != NULL && json_object_get(output, "sha256") == NULL);
        json_decref(object);
    }
}

Test(command_cases, show_of_a_refusal_has_shapes_and_no_digests) {
    options.json = true;
    cr_assert_eq(run(at_command_show, "suite/two"), AT_OK, "%s", err.text);
    json_t *object = json_loads(printed, 0, NULL);
    cr_expect_null(json_object_get(object, "inputs_sha256"));
    cr_expect_null(json_object_get(json_object_get(json_object_get(object, "inputs"), "query"), "sha256"));
    json_decref(object);
    options.json = false;
    cr_assert_eq(run(at_command_show, "suite/two"), AT_OK);
    cr_expect_not_null(strstr(printed, "expected: refused by kv-heads: LATENT and kv_num_heads != 1"));
    cr_expect_not_null(strstr(printed, "modes refuse\n"));
}

Test(command_cases, show_for_people_says_why_what_and_in_which_modes) {
    static const char *const lines[] = {"suite/one/dtype=float16\n  A reason.\n",
                                        "covers S1\n",
                                        "modes eager replay\n",
                                        "past 4, new 1\n",
                                        "  num_heads                    2\n",
                                        "  kv_cache_layout              \"LATENT\"\n",
                                        "  query                        float16   [1, 64]  sha256 ",
                                        "within the derived budget on 2 rows\n"};
    cr_assert_eq(run(at_command_show, "suite/one/dtype=float16"), AT_OK, "%s", err.text);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        cr_expect_not_null(strstr(printed, lines[i]), "%s in %s", lines[i], printed);
}

Test(command_cases, show_needs_one_id_that_there_is) {
    cr_expect_eq(run(at_command_show, NULL), AT_USAGE);
    cr_expect_not_null(strstr(err.text, "show needs one ID; attest list has them"));
    cr_expect_eq(run(at_command_show, "suite/three"), AT_USAGE);
    cr_expect_not_null(strstr(err.text, "no case 'suite/three'; attest list -k '*suite/three*' looks for it"));
}

Test(command_cases, check_counts_plans_and_in_a_set_of_suites_names_rules_without_a_case) {
    cr_expect_eq(run(at_command_check, NULL), AT_OK, "a suite by itself owes nobody a case of each rule: %s", err.text);
    scratch_write("index.yaml", "schema: 1\nabout: What must be here.\nsuites: [suite]\n");
    *strrchr(suite, '/') = 0;
    cr_expect_eq(run(at_command_check, NULL), AT_USAGE);
    cr_expect_not_null(strstr(printed, "rule kv-heads has no case at supports\n"));
    cr_expect_null(strstr(printed, "rule kv-heads has no case at create\n"));
    cr_expect_not_null(strstr(printed, "rule block-size has no case at execute\n"));
    cr_expect_not_null(strstr(printed, "3 cases in 1 suites; 3 planned; "));
    options.pattern = (const char *[]){"suite/one"}, options.patterns = 1;
    cr_expect_eq(run(at_command_check, NULL), AT_OK, "%s", err.text);
    cr_expect_str_eq(printed, "3 cases in 1 suites; 2 planned; 0 faults\n");
}
