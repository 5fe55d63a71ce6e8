/* Which rows are judged, and which may be judged exactly. */
#include "plan_case.h"

#include <criterion/criterion.h>
#include <string.h>

Test(plan, means_of_a_power_of_two_are_accepted_as_exact) {
    static const int64_t keys[] = {1, 2, 4, 8, 16, 32};
    for (size_t w = 0; w < sizeof keys / sizeof *keys; w++) {
        for (int dialect = 0; dialect < OR_DIALECTS; dialect++) {
            plan_case x;
            plan_case_start(&x, glm, "uniform_codes");
            x.attr[WINDOW].i = dialect == OR_GENAI ? keys[w] - 1 : keys[w], x.c.expect = AT_EXPECT_EXACT;
            for (x.c.dtype = AT_F16; x.c.dtype <= AT_BF16; x.c.dtype++) at_plan_free(plan_made(&x, dialect));
        }
    }
}

Test(plan, an_exact_value_that_roundings_could_move_is_refused_by_name) {
    plan_case x;
    plan_case_start(&x, tiny, "uniform_codes");
    x.sequence[0] = (at_sequence){.past = 255, .fresh = 1}, x.c.expect = AT_EXPECT_EXACT;
    at_plan_free(plan_made(&x, OR_GENAI));
    x.sequence[0].past = 272; /* weights of 1/273, which a kernel may round before it sums */
    const char *why = plan_complaint(&x, OR_GENAI);
    cr_expect_not_null(strstr(why, "output of token 0, head 0, channel"), "%s", why);
    cr_expect_not_null(strstr(why, "where the rounded float16 changes"), "%s", why);
    x.c.expect = AT_EXPECT_BUDGET;
    at_plan_free(plan_made(&x, OR_GENAI));
    plan_case_start(&x, glm, "edge_markers"); /* 16 keys and big markers: ties themselves */
    x.attr[WINDOW].i = 15, x.c.expect = AT_EXPECT_EXACT;
    cr_expect_not_null(strstr(plan_complaint(&x, OR_GENAI), "where the rounded float16 changes"));
}

Test(plan, rows_that_see_nothing_are_exact) {
    plan_case x;
    at_unmapped hole = {0, 0, -1};
    plan_case_start(&x, tiny, "uniform_codes");
    x.sequence[0] = (at_sequence){.past = 2, .fresh = 3}, x.c.unmapped = &hole, x.c.unmappeds = 1,
    x.c.padded_tokens = 1;
    x.c.expect = AT_EXPECT_EXACT;
    answer a;
    plan_and_open(&a, &x);
    for (int64_t t = 0; t < 4; t++) cr_expect(answer_row(&a, t, 0)->keys == 0 && answer_row(&a, t, 0)->o[5] == 0);
    close_all(&a);
}

Test(plan, the_check_of_exact_values_leaves_the_cache_as_it_was) {
    plan_case x;
    plan_case_start(&x, glm, "uniform_codes");
    x.c.poison = AT_POISON_NAN, x.attr[WINDOW].i = 15;
    at_plan *budget = plan_made(&x, OR_GENAI);
    x.c.expect = AT_EXPECT_EXACT;
    at_plan *exact = plan_made(&x, OR_GENAI);
    cr_expect_str_eq(budget->digest[OR_KEY_CACHE], exact->digest[OR_KEY_CACHE]);
    at_plan_free(budget), at_plan_free(exact);
}

static bool has(const at_plan *plan, int64_t token) {
    for (int64_t i = 0; i < plan->rows; i++) {
        if (plan->row[i] / plan->problem.heads == token) return true;
    }
    return false;
}

Test(plan, all_rows_are_judged_unless_a_sample_is_asked_for) {
    plan_case x;
    plan_case_crowd(&x);
    x.c.padded_tokens = 1;
    at_plan *plan = plan_made(&x, OR_GENAI);
    cr_assert_eq(plan->rows, 12);
    for (int64_t i = 0; i < 12; i++) cr_expect_eq(plan->row[i], i);
    at_plan_free(plan);
}

Test(plan, a_sample_has_the_ends_and_the_edges_of_pages_and_windows) {
    plan_case x;
    plan_case_start(&x, tiny, "normal");
    x.sequence[0] = (at_sequence){.past = 3, .fresh = 60}, x.sequence[1] = (at_sequence){.past = 0, .fresh = 30},
    x.c.sequences = 2;
    x.attr[WINDOW].i = 21, x.c.sample_rows = 60;
    at_plan *plan = plan_made(&x, OR_GENAI);
    cr_assert_eq(plan->rows, 60);
    for (int64_t i = 1; i < 60; i++) cr_expect_lt(plan->row[i - 1], plan->row[i]);
    cr_expect(plan->row[0] == 0 && plan->row[59] == 179);
    static const int64_t positions[] = {15, 16, 21, 22, 31, 32, 37, 62};
    for (size_t i = 0; i < sizeof positions / sizeof *positions; i++)
        cr_expect(has(plan, positions[i] - 3), "position %d", (int)positions[i]);
    cr_expect(has(plan, 59) && has(plan, 60), "the last of one sequence and the first of the next");
    at_plan_free(plan);
}

Test(plan, a_sample_follows_the_seed) {
    plan_case x;
    at_plan *a, *b;
    int differ = 0;
    plan_case_start(&x, tiny, "uniform_codes");
    x.sequence[0] = (at_sequence){.past = 0, .fresh = 500}, x.c.sample_rows = 20;
    cr_assert_eq(at_plan_make(&a, &x.c, OR_GENAI, 1, NULL), AT_OK);
    cr_assert_eq(at_plan_make(&b, &x.c, OR_GENAI, 2, NULL), AT_OK);
    for (int i = 0; i < 20; i++) differ += a->row[i] != b->row[i];
    cr_expect_gt(differ, 0);
    at_plan_free(a), at_plan_free(b);
}
