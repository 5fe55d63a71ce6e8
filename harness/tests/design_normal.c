/* Normals, and normals with one element that is not finite. */
#include "plan_case.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

Test(design, normal_logits_have_the_deviation_that_is_asked_for) {
    static const float scales[] = {0.0721687824f, 1, 0.0781f, -1};
    for (size_t s = 0; s < sizeof scales / sizeof *scales; s++) {
        plan_case x;
        answer a;
        double sum = 0, squares = 0, n = 0;
        plan_case_start(&x, glm, "normal");
        x.sequence[0].past = 500, x.attr[SCALE].f = scales[s];
        plan_and_open(&a, &x);
        for (int i = 0; i < 6; i++) {
            const or_row *r = answer_row(&a, i / 2, i % 2);
            for (int64_t j = 0; j < r->keys; j++) sum += r->logit[j], squares += r->logit[j] * r->logit[j], n++;
        }
        cr_expect_float_eq(sqrt(squares / n - sum / n * sum / n), 0.5, 0.05, "scale %g", scales[s]);
        close_all(&a);
    }
}

Test(design, a_normal_row_is_cached_as_rope_would_leave_it) {
    plan_case x;
    answer before, after;
    plan_case_start(&x, glm, "normal");
    x.sequence[0] = (at_sequence){.past = 30, .fresh = 1};
    plan_and_open(&before, &x);
    at_plan *first = (at_plan *)before.plan;
    x.sequence[0] = (at_sequence){.past = 0, .fresh = 31};
    plan_and_open(&after, &x);
    for (int64_t j = 0; j < 31; j++)
        cr_expect_arr_eq(cached_row(&before, 0, j), cached_row(&after, 0, j), 192 * 2, "position %d", (int)j);
    close_all(&after);
    answer_close(&before);
    at_plan_free(first);
}

Test(design, a_special_element_shows_in_the_rows_that_see_it_alone) {
    for (int kind = -1; kind <= 1; kind++) {
        plan_case x;
        answer a;
        plan_case_start(&x, glm, "special");
        x.sequence[1] = x.sequence[0], x.c.sequences = 2;
        plan_case_set(&x, "kind", kind);
        plan_case_set(&x, "position", 41);
        plan_case_set(&x, "channel", 3);
        plan_and_open(&a, &x);
        cr_expect_eq(answer_row(&a, 0, 0)->classes[3], OR_FINITE, "token 0 is at 40");
        cr_expect_neq(answer_row(&a, 1, 0)->classes[3], OR_FINITE);
        cr_expect_neq(answer_row(&a, 2, 1)->classes[3], OR_FINITE);
        cr_expect_eq(answer_row(&a, 4, 0)->classes[3], OR_FINITE, "the other sequence");
        close_all(&a);
    }
}

Test(design, a_special_element_may_lie_in_a_query_or_an_old_row) {
    plan_case x;
    answer a;
    plan_case_start(&x, glm, "special");
    plan_case_set(&x, "position", 42);
    plan_case_set(&x, "head", 1);
    plan_and_open(&a, &x);
    cr_expect_eq(answer_row(&a, 2, 0)->classes[0], OR_FINITE);
    cr_expect_eq(answer_row(&a, 2, 1)->classes[0], OR_NAN);
    close_all(&a);
    plan_case_start(&x, glm, "special");
    plan_case_set(&x, "position", 17);
    plan_and_open(&a, &x);
    cr_expect_eq(or_class(OR_F16, cached_row(&a, 0, 17)[0]), OR_NAN);
    close_all(&a);
    plan_case_start(&x, glm, "special");
    plan_case_set(&x, "position", 43);
    cr_expect_not_null(strstr(plan_complaint(&x, OR_GENAI), "no such sequence, position"));
}

Test(design, rope_overflow_writes_infinities_where_it_is_told_to) {
    for (at_dtype t = AT_F16; t <= AT_BF16; t++) {
        plan_case x;
        answer a;
        plan_case_start(&x, glm, "rope_overflow");
        x.c.dtype = t;
        plan_case_set(&x, "position", 41);
        plan_and_open(&a, &x);
        int infinite[43] = {0};
        for (int64_t j = 40; j < 43; j++) {
            for (int d = 0; d < 192; d++) infinite[j] += or_class((or_dtype)t, cached_row(&a, 0, j)[d]) == OR_PLUS_INF;
        }
        cr_expect(infinite[40] == 0 && infinite[41] > 0 && infinite[42] == 0);
        for (int d = 0; d < 192; d++) cr_expect_eq(or_class((or_dtype)t, a.problem.key[192 + d]), OR_FINITE);
        close_all(&a);
    }
}
