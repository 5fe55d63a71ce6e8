/* One entry, many cases: axes, ranges, labels, ids. */
#include "../attributes.h"
#include "cases_scratch.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

TestSuite(cases_expand, .init = scratch_open, .fini = scratch_close);

#define OPEN_CASE "cases:\n  - {name: one, why: A reason., geometry: tiny, past: 4, new: 1, "

static void expect_ids(const char *rest, const char *const *id) {
    at_cases *cases = scratch_load(rest);
    size_t n = 0;
    for (; id[n] != NULL; n++)
        cr_expect(n < at_cases_count(cases) && strcmp(at_cases_at(cases, n)->id, id[n]) == 0, "%s", id[n]);
    cr_expect_eq(at_cases_count(cases), n);
    at_cases_free(cases);
}

#define EXPECT_IDS(rest, ...) expect_ids(rest, (const char *const[]){__VA_ARGS__, NULL})

Test(cases_expand, a_matrix_is_crossed_in_the_order_of_the_file) {
    EXPECT_IDS(OPEN_CASE "matrix: {dtype: [float16, bfloat16], block_size: [16, 32]}}\n",
               "suite/one/dtype=float16,block_size=16", "suite/one/dtype=float16,block_size=32",
               "suite/one/dtype=bfloat16,block_size=16", "suite/one/dtype=bfloat16,block_size=32");
}

Test(cases_expand, a_zip_goes_in_step_and_is_crossed_with_the_matrix) {
    EXPECT_IDS(OPEN_CASE "matrix: {block_size: [16, 32]}, zip: {softcap: [1, 2.5], scale: [0.5, absent]}}\n",
               "suite/one/block_size=16,softcap=1,scale=0.5", "suite/one/block_size=16,softcap=2.5,scale=absent",
               "suite/one/block_size=32,softcap=1,scale=0.5", "suite/one/block_size=32,softcap=2.5,scale=absent");
}

Test(cases_expand, ranges_include_both_ends_and_take_steps_down_too) {
    EXPECT_IDS(OPEN_CASE "matrix: {local_window_size: [-1..1, 7, 20..4..-8]}}\n", "suite/one/local_window_size=-1",
               "suite/one/local_window_size=0", "suite/one/local_window_size=1", "suite/one/local_window_size=7",
               "suite/one/local_window_size=20", "suite/one/local_window_size=12", "suite/one/local_window_size=4");
    EXPECT_IDS(OPEN_CASE "matrix: {softcap: 3..3}}\n", "suite/one/softcap=3");
    EXPECT_IDS(OPEN_CASE "matrix: {softcap: 0..9..6}}\n", "suite/one/softcap=0", "suite/one/softcap=6");
}

Test(cases_expand, a_range_is_only_one_where_values_are_listed) {
    cr_expect_str_eq(scratch_refusal(PLAIN_CASE ", local_window_size: 1..3}\n"),
                     "2:85: local_window_size is '1..3'; give an integer");
}

Test(cases_expand, maps_and_lists_stand_in_ids_by_their_labels) {
    at_cases *cases = scratch_load("cases:\n  - {name: one, why: A reason., geometry: tiny, matrix: {sequences: "
                                   "[{label: prefill, value: [{past: 0, new: 5}]}, "
                                   "{label: mixed, value: [{past: 0, new: 5}, {past: 9, new: 1}]}]}}\n");
    cr_assert_eq(at_cases_count(cases), 2);
    cr_expect_str_eq(at_cases_at(cases, 1)->id, "suite/one/sequences=mixed");
    cr_expect_eq(at_cases_at(cases, 0)->sequences, 1);
    cr_expect_eq(at_cases_at(cases, 1)->sequence[1].past, 9);
    at_cases_free(cases);
}

Test(cases_expand, a_label_lets_a_scalar_have_what_an_id_may_not) {
    EXPECT_IDS(OPEN_CASE "matrix: {kv_cache_layout: [{label: latent, value: LATENT}, {label: empty, value: ''}]}}\n",
               "suite/one/kv_cache_layout=latent", "suite/one/kv_cache_layout=empty");
}

Test(cases_expand, an_axis_named_like_an_attribute_goes_to_the_node) {
    at_cases *cases = scratch_load(OPEN_CASE "matrix: {num_heads: [3, absent]}}\n");
    cr_expect_eq(at_attribute_of(at_cases_at(cases, 0), "num_heads", AT_INT)->i, 3);
    cr_expect_null(at_attribute_of(at_cases_at(cases, 1), "num_heads", AT_INT));
    at_cases_free(cases);
}

Test(cases_expand, an_axis_wins_over_the_defaults) {
    at_cases *cases =
        scratch_load("defaults: {block_size: 64, softcap: 9, geometry: tiny}\ncases:\n"
                     "  - {name: one, why: A reason., past: 4, new: 1, matrix: {block_size: [32], softcap: [7]}}\n");
    cr_expect_eq(at_cases_at(cases, 0)->block_size, 32);
    cr_expect_eq(at_attribute_of(at_cases_at(cases, 0), "softcap", AT_FLOAT)->f, 7.0f);
    at_cases_free(cases);
}

Test(cases_expand, ids_hold_nothing_that_a_shell_or_a_pattern_reads) {
    at_cases *cases = scratch_load(
        OPEN_CASE "matrix: {softcap: [0.5, -1, 1e3], dtype: [float16, bfloat16], local_window_size: -2..5}}\n");
    for (size_t i = 0; i < at_cases_count(cases); i++) {
        const char *id = at_cases_at(cases, i)->id;
        cr_expect_eq(strspn(id, "abcdefghijklmnopqrstuvwxyz0123456789._=,/+-"), strlen(id), "%s", id);
        cr_expect(at_case_matches(at_cases_at(cases, i), id));
    }
    at_cases_free(cases);
}

Test(cases_expand, ids_do_not_change_when_cases_are_added_around) {
    static const char one[] =
        "  - {name: one, why: A reason., geometry: tiny, past: 4, new: 1, matrix: {softcap: [1, 2]}}\n";
    char text[1024];
    snprintf(text, sizeof text, "cases:\n%s", one);
    at_cases *before = scratch_load(text);
    snprintf(text, sizeof text, "cases:\n  - {name: zero, why: A reason., geometry: tiny, past: 4, new: 1}\n%s", one);
    at_cases *after = scratch_load(text);
    for (size_t i = 0; i < at_cases_count(before); i++) {
        const at_case *a = at_cases_at(before, i), *b = at_cases_find(after, a->id);
        cr_assert_not_null(b, "%s", a->id);
        cr_expect_str_eq(a->hash, b->hash);
    }
    at_cases_free(before);
    at_cases_free(after);
}

Test(cases_expand, the_limit_on_cases_is_for_all_files_together) {
    at_limits few = at_default_limits;
    few.cases = 3;
    at_cases *cases = NULL;
    at_error err;
    at_cases_free(scratch_load(
        "cases:\n  - {name: one, why: A reason., geometry: tiny, past: 4, new: 1, matrix: {softcap: 1..3}}\n"));
    cr_expect_eq(at_cases_load(&cases, scratch_path("suite.yaml"), &few, &err), AT_OK);
    at_cases_free(cases);
    few.cases = 2;
    cr_expect_eq(at_cases_load(&cases, scratch_path("suite.yaml"), &few, &err), AT_USAGE);
    cr_expect_not_null(strstr(err.text, "more than 2 cases in all"), "%s", err.text);
    cr_expect_null(cases);
}

Test(cases_expand, the_limit_on_memory_stops_an_expansion) {
    at_limits little = at_default_limits;
    little.memory = 200 * 1000;
    at_cases *cases = NULL;
    at_error err;
    at_cases_free(scratch_load("cases:\n  - {name: one, why: A reason., geometry: tiny, past: 4, new: 1, copies: 1000, "
                               "matrix: {softcap: 1..300}}\n"));
    cr_expect_eq(at_cases_load(&cases, scratch_path("suite.yaml"), &little, &err), AT_USAGE);
    cr_expect_not_null(strstr(err.text, "suite.yaml:6:5: the cases take more memory than the limit"), "%s", err.text);
}
