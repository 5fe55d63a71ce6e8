#include "../coverage.h"
#include "sample.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static void shows(const char *text, const char *part) {
    cr_expect_not_null(strstr(text, part), "no \"%s\" in\n%s", part, text);
}

static at_record *refusal(at_journal *j, const char *id, const char *rule, const char *gates, at_verdict v) {
    at_record *r = sample_attempt(j, id, v);
    sample_set(&r->expect, "refusal"), sample_set(&r->rule, rule), sample_set(&r->gate, gates),
        sample_set(&r->mode, "refuse");
    return r;
}

static at_journal *a_run(void) {
    at_journal *j = sample_journal();
    at_record *r = sample_attempt(j, "window/1", AT_PASS);
    r->tags = sample_list("window", NULL), r->covers = sample_list("read.window", "S1", NULL);
    r->axes = sample_list("dtype=float16", "block=16", NULL);
    r = sample_attempt(j, "window/1", AT_FAIL);
    sample_set(&r->mode, "replay");
    r->covers = sample_list("read.window", NULL), r->axes = sample_list("dtype=float16", "block=16", NULL);
    r = sample_attempt(j, "window/2", AT_PASS);
    r->covers = sample_list("read.window", NULL), r->axes = sample_list("dtype=bfloat16", "block=32", NULL);
    r = sample_attempt(j, "window/3", AT_UNSUPPORTED);
    r->covers = sample_list("write.nan", "S2", NULL), r->axes = sample_list("dtype=float16", "block=32", NULL);
    refusal(j, "refuse/1", "kv-heads", "supports create", AT_PASS);
    refusal(j, "refuse/2", "kv-heads", "supports", AT_FAIL);
    refusal(j, "refuse/3", "layout", "create", AT_UNSUPPORTED);
    j->header.universe =
        sample_list("rule:kv-heads@supports", "rule:kv-heads@create", "rule:layout@create", "clause:read.window",
                    "clause:write.nan", "scenario:S1", "scenario:S2", "scenario:S10", "axis:dtype=float16",
                    "axis:dtype=bfloat16", "axis:block=16", "axis:block=32", "axis:block=64", "mode:advance", NULL);
    j->header.suites = sample_list("window", "decode", NULL);
    return j;
}

static const at_item *item(const at_coverage *c, const char *key) {
    for (size_t i = 0; i < c->items; i++) {
        if (strcmp(c->item[i].key, key) == 0) return &c->item[i];
    }
    cr_assert_fail("no item %s", key);
    return NULL;
}

Test(coverage, cases_and_attempts_are_counted_where_they_were_executed) {
    static const struct {
        const char *key;
        int64_t cases, attempts, passed;
        bool declared;
    } row[] = {
        {"suite:window", 2, 3, 2, true},
        {"suite:decode", 0, 0, 0, true},
        {"suite:refuse", 2, 2, 1, false},
        {"tag:window", 1, 1, 1, false},
        {"clause:read.window", 2, 3, 2, true},
        {"clause:write.nan", 0, 0, 0, true},
        {"scenario:S1", 1, 1, 1, true},
        {"scenario:S2", 0, 0, 0, true},
        {"rule:kv-heads@supports", 2, 2, 1, true},
        {"rule:kv-heads@create", 1, 1, 1, true},
        {"rule:layout@create", 0, 0, 0, true},
        {"axis:dtype=float16", 1, 2, 1, true},
        {"axis:block=64", 0, 0, 0, true},
        {"mode:eager", 2, 2, 2, false},
        {"mode:replay", 1, 1, 0, false},
        {"mode:refuse", 2, 2, 1, false},
        {"mode:advance", 0, 0, 0, true},
    };
    at_journal *j = a_run();
    at_coverage c;
    at_error err;
    cr_assert_eq(at_coverage_of(&c, j, &err), AT_OK, "%s", err.text);
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const at_item *found = item(&c, row[i].key);
        cr_expect_eq(found->cases, row[i].cases, "%s: %ld cases", row[i].key, (long)found->cases);
        cr_expect_eq(found->attempts, row[i].attempts, "%s: %ld attempts", row[i].key, (long)found->attempts);
        cr_expect_eq(found->passed, row[i].passed, "%s: %ld passed", row[i].key, (long)found->passed);
        cr_expect_eq(found->declared, row[i].declared, "%s", row[i].key);
    }
    at_coverage_free(&c);
    at_journal_free(j);
}

Test(coverage, what_nobody_executed_is_listed_in_the_order_that_people_count) {
    at_journal *j = a_run();
    char *text = sample_report(j, "coverage");
    shows(text, "## Scenarios: 1 of 3\n\nNot covered: <code>S2</code>, <code>S10</code>.\n");
    shows(text, "## Clauses of the contract: 1 of 2\n\nNot covered: <code>write.nan</code>.\n");
    shows(text, "## Refusal rules by gate: 2 of 3\n\nNot covered: <code>layout@create</code>.\n");
    shows(text, "| rule | cases | attempts | answered |\n|---|--:|--:|--:|\n| kv-heads@create | 1 | 1 | 1 |\n| "
                "kv-heads@supports | 2 | 2 | 1 |\n");
    shows(text, "## Suites: 2 of 3\n\nNot covered: <code>decode</code>.\n");
    shows(text, "## Tags: 1 of 1\n\n| tag |");
    free(text);
    at_journal_free(j);
}

Test(coverage, values_that_never_met_are_listed) {
    at_journal *j = a_run();
    char *text = sample_report(j, "coverage");
    shows(text, "\npairs: 2 of 6 valid (33.3 %)\n");
    shows(text, "| block × dtype | 2 | 6 | 0 | 16 × bfloat16, 32 × float16, 64 × bfloat16, 64 × float16 |");
    free(text);
    at_journal_free(j);
}

Test(coverage, a_case_that_is_refused_covers_its_clause_as_a_refusal_and_passes_no_gate) {
    at_journal *j = a_run();
    at_coverage c;
    at_error err;
    at_record *r = refusal(j, "refuse/4", "required.slot_mapping", "execute", AT_PASS);
    r->covers = sample_list("dialect.slots", "S2", NULL), sample_set(&r->dialect, "onnx-genai");
    r = sample_attempt(j, "slots/1", AT_PASS);
    r->covers = sample_list("dialect.slots", NULL), sample_set(&r->dialect, "onnxruntime");
    cr_assert_eq(at_coverage_of(&c, j, &err), AT_OK, "%s", err.text);
    cr_expect_eq(item(&c, "clause:dialect.slots")->cases, 1);
    cr_expect_eq(item(&c, "refused:dialect.slots")->cases, 1);
    cr_expect_eq(item(&c, "scenario:S2")->cases, 1);
    for (size_t i = 0; i < c.items; i++) cr_expect_null(strstr(c.item[i].key, "gate:onnx-genai"), "%s", c.item[i].key);
    cr_expect_eq(item(&c, "gate:onnxruntime@supports")->passed, 1);
    cr_expect_eq(item(&c, "gate:onnxruntime@create")->passed, 1);
    cr_expect_eq(item(&c, "gate:onnxruntime@execute")->passed, 1);
    at_coverage_free(&c);
    at_journal_free(j);
}

/* Adds a word to the header's universe. */
static void declare(at_journal *j, const char *word) {
    size_t n = 0;
    while (j->header.universe[n] != NULL) n++;
    j->header.universe = realloc(j->header.universe, (n + 2) * sizeof *j->header.universe);
    j->header.universe[n] = NULL, j->header.universe[n + 1] = NULL;
    sample_set(&j->header.universe[n], word);
}

static at_pairs pairs_of(const at_journal *j) {
    at_coverage c;
    at_error err;
    cr_assert_eq(at_coverage_of(&c, j, &err), AT_OK, "%s", err.text);
    at_pairs n = at_pairs_of_all(&c);
    at_coverage_free(&c);
    return n;
}

Test(coverage, pairs_that_a_rule_forbids_are_neither_owed_nor_missing) {
    at_journal *j = a_run();
    declare(j, "impossible:dtype=bfloat16*block=16|64: no such kernel");
    at_pairs n = pairs_of(j);
    cr_expect(n.met == 2 && n.valid == 4 && n.impossible == 2 && n.contradicted == 0);
    char *text = sample_report(j, "coverage"), *json = sample_report(j, "coverage-json");
    shows(text, "\npairs: 2 of 4 valid (50.0 %)\n");
    shows(text, "| block × dtype | 2 | 4 | 2 | 32 × float16, 64 × float16 |");
    shows(text, "\nImpossible are 2 pairs:\n\n| value | with | why |\n|---|---|---|\n"
                "| dtype=bfloat16 | block=16\\|64 | no such kernel |\n");
    shows(json, "\"met\":2,\"of\":4,\"never\":[[\"32\",\"float16\"],[\"64\",\"float16\"]],"
                "\"impossible\":[[\"16\",\"bfloat16\"],[\"64\",\"bfloat16\"]]}");
    shows(json, "\"pairs_met\":2,\"pairs_valid\":4,\"pairs_impossible\":2");
    shows(json, "\"dtype=bfloat16*block=16|64: no such kernel\"");
    free(text);
    free(json);
    at_journal_free(j);
}

Test(coverage, a_star_forbids_all_values_and_several_axes_may_stand_in_a_rule) {
    at_journal *j = a_run();
    declare(j, "axis:mode=refuse");
    declare(j, "impossible:mode=refuse*block|dtype=*: nothing is computed");
    at_pairs n = pairs_of(j);
    cr_expect(n.met == 2 && n.valid == 6 && n.impossible == 5);
    at_journal_free(j);
}

Test(coverage, what_a_rule_forbids_and_an_attempt_had_is_a_contradiction_and_no_coverage) {
    at_journal *j = a_run();
    declare(j, "impossible:block=16*dtype=float16: so they say");
    at_pairs n = pairs_of(j);
    cr_expect(n.met == 1 && n.valid == 5 && n.impossible == 1 && n.contradicted == 1);
    at_journal_free(j);
}

Test(coverage, rules_that_cannot_be_read_forbid_nothing_and_do_no_harm) {
    static const char *const rule[] = {"impossible:",
                                       "impossible:*",
                                       "impossible:block=16*dtype",
                                       "impossible:block=16*=:",
                                       "impossible:block=16*dtype=float16",
                                       "impossible:block=99*dtype=float16: no",
                                       "impossible:block=16*dtype=float: no",
                                       "impossible:block=1*dtype=float16: no",
                                       "impossible:block=16*dtype=|: no"};
    at_journal *j = a_run();
    for (size_t i = 0; i < sizeof rule / sizeof *rule; i++) declare(j, rule[i]);
    char *name = malloc(100001);
    memset(name, 'n', 100000), memcpy(name, "impossible:", 11), name[100000] = 0;
    declare(j, name);
    name[60000] = '*', name[70000] = '=', name[80000] = ':';
    declare(j, name);
    at_pairs n = pairs_of(j);
    cr_expect(n.met == 2 && n.valid == 6 && n.impossible == 0);
    char *text = sample_report(j, "coverage");
    cr_expect_lt(strlen(text), 8000);
    free(text);
    free(name);
    at_journal_free(j);
}

Test(coverage, values_that_the_header_does_not_list_are_not_counted_as_pairs) {
    at_journal *j = a_run();
    at_record *r = sample_attempt(j, "window/9", AT_PASS);
    r->axes = sample_list("dtype=float16", "block=48", NULL);
    at_pairs n = pairs_of(j);
    cr_expect(n.met == 2 && n.valid == 6);
    at_journal_free(j);
}

Test(coverage, a_share_is_rounded_down_so_that_all_means_all) {
    cr_expect_eq(at_pairs_percent(&(at_pairs){.met = 1999, .valid = 2000}), 99.9);
    cr_expect_eq(at_pairs_percent(&(at_pairs){.met = 2000, .valid = 2000}), 100);
    cr_expect_eq(at_pairs_percent(&(at_pairs){0}), 0);
}

Test(coverage, json_has_all_of_it) {
    at_journal *j = a_run();
    char *text = sample_report(j, "coverage-json");
    json_error_t where;
    json_t *tree = json_loads(text, JSON_REJECT_DUPLICATES, &where);
    cr_assert_not_null(tree, "%s at %d", where.text, where.position);
    cr_expect_eq(json_array_size(json_object_get(tree, "items")), 21);
    cr_expect_eq(json_array_size(json_object_get(tree, "uncovered")), 7);
    json_t *pair = json_array_get(json_object_get(tree, "pairs"), 0);
    cr_expect_eq(json_integer_value(json_object_get(pair, "met")), 2);
    cr_expect_eq(json_integer_value(json_object_get(pair, "of")), 6);
    cr_expect_eq(json_array_size(json_object_get(pair, "never")), 4);
    cr_expect_str_eq(json_string_value(json_array_get(json_array_get(json_object_get(pair, "never"), 0), 0)), "16");
    json_decref(tree);
    free(text);
    at_journal_free(j);
}

Test(coverage, long_lists_of_pairs_are_cut_in_markdown_and_whole_in_json) {
    at_journal *j = sample_journal();
    j->header.universe = calloc(42, sizeof *j->header.universe);
    for (int i = 0; i < 41; i++) {
        char value[32];
        snprintf(value, sizeof value, "axis:%s=%d", i < 20 ? "a" : "b", i);
        sample_set(&j->header.universe[i], value);
    }
    char *text = sample_report(j, "coverage"), *json = sample_report(j, "coverage-json");
    shows(text, "| a × b | 0 | 420 | 0 | 0 × 20, ");
    shows(text, " and 380 more (coverage.json) |");
    shows(json, "[\"19\",\"40\"]");
    free(text);
    free(json);
    at_journal_free(j);
}

Test(coverage, names_as_long_as_a_file_do_no_harm) {
    at_journal *j = sample_journal();
    char *name = malloc(100001);
    memset(name, 'n', 100000), name[100000] = 0;
    at_record *r = sample_attempt(j, "a/1", AT_PASS);
    r->tags = sample_list(name, NULL), r->axes = sample_list(name, "=", "", "x=", NULL);
    char *text = sample_report(j, "coverage");
    cr_expect_lt(strlen(text), 4000);
    shows(text, "nnn...");
    free(text);
    free(name);
    at_journal_free(j);
}

Test(coverage, more_axis_values_than_pairs_are_counted_for_is_an_error) {
    at_journal *j = sample_journal();
    at_coverage c;
    at_error err;
    j->header.universe = calloc(AT_AXIS_VALUES + 2, sizeof *j->header.universe);
    for (int i = 0; i <= AT_AXIS_VALUES; i++) {
        char value[32];
        snprintf(value, sizeof value, "axis:a=%d", i);
        sample_set(&j->header.universe[i], value);
    }
    cr_expect_eq(at_coverage_of(&c, j, &err), AT_USAGE);
    cr_expect_not_null(strstr(err.text, "1025 values"), "%s", err.text);
    sample_set(&j->header.universe[AT_AXIS_VALUES], NULL);
    cr_expect_eq(at_coverage_of(&c, j, &err), AT_OK, "%s", err.text);
    at_coverage_free(&c);
    at_journal_free(j);
}
