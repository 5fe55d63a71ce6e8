/* Designs with scores at chosen heights. */
#include "plan_case.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

static double share_of(answer *a, double scale, double softcap) {
    a->problem.scale = scale, a->problem.softcap = softcap;
    return answer_row(a, 0, 0)->o[1];
}

Test(design, saturate_tells_the_three_readings_of_softcap_apart) {
    for (int negative = 0; negative <= 1; negative++) {
        plan_case x;
        answer a;
        plan_case_start(&x, glm, "saturate");
        x.sequence[0] = (at_sequence){.past = 1, .fresh = 1}, x.attr[SCALE].f = 0.01f, x.attr[SOFTCAP].f = 1;
        if (negative) {
            plan_case_set(&x, "high", -1e5);
            plan_case_set(&x, "low", -40);
        }
        plan_and_open(&a, &x);
        const double low = 1 - 1 / (1 + exp(-(1 - tanh(0.4)))), right = share_of(&a, 0.01, 1);
        cr_expect_float_eq(right, negative ? 1 - low : low, 1e-3, "%g; the low key's weight", right);
        cr_expect_float_eq(low, 0.350, 5e-4);
        cr_expect_float_eq(share_of(&a, 0.01, 0), negative, 1e-6, "uncapped, one key has it all");
        /* tanh first: both scores are at the cap, 0.01 * 1 */
        a.problem.scale = 1, a.problem.softcap = 1;
        cr_expect_float_eq(answer_row(&a, 0, 0)->o[1], 0.5, 1e-6);
        close_all(&a);
    }
}

Test(design, two_keys_weigh_a_third_and_two_thirds_far_below_zero) {
    static const float scales[] = {0.0721687824f, 1, -1, 0.0416666679f};
    for (size_t s = 0; s < sizeof scales / sizeof *scales; s++) {
        for (at_dtype t = AT_F16; t <= AT_BF16; t++) {
            plan_case x;
            answer a;
            plan_case_start(&x, glm, "two_keys");
            x.sequence[0] = (at_sequence){.past = 1, .fresh = 1}, x.attr[SCALE].f = scales[s], x.c.dtype = t;
            plan_and_open(&a, &x);
            const or_row *r = answer_row(&a, 0, 0);
            cr_expect_lt(r->max, -5e4);
            cr_expect_float_eq(r->o[3], 2.0 / 3, 2e-3, "scale %g: %g", scales[s], r->o[3]);
            cr_expect_eq(expf((float)r->max), 0, "without its maximum the row is 0 / 0");
            close_all(&a);
        }
    }
}

Test(design, two_keys_may_lie_beyond_float16_too) {
    plan_case x;
    answer a;
    plan_case_start(&x, glm, "two_keys");
    plan_case_set(&x, "logit", 8000);
    plan_and_open(&a, &x);
    const or_row *r = answer_row(&a, 0, 0);
    cr_expect_gt(r->s[0] / a.problem.scale, 65504);
    cr_expect_float_eq(r->o[3], 1 / (1 + 21.0 / (2 * 20)), 2e-3, "20 odd keys of 41: %g", r->o[3]);
    close_all(&a);
}

Test(design, rising_moves_the_maximum_all_along) {
    plan_case x;
    answer a;
    plan_case_start(&x, glm, "rising");
    x.sequence[0].past = 1000;
    plan_and_open(&a, &x);
    const or_row *r = answer_row(&a, 0, 0);
    double *right = right_row(&a, 0, 0), *first = calloc(128, sizeof *first);
    for (int64_t j = 1; j < r->keys; j++) cr_assert_float_eq(r->logit[j] - r->logit[j - 1], 0.25, 0.01);
    /* not rescaled, every key weighs exp of its rise alone: 1 */
    for (int64_t j = 0; j < r->keys; j++) {
        for (int d = 0; d < 128; d++) first[d] += or_decode(OR_F16, cached_row(&a, 0, j)[d]) / (double)r->keys;
    }
    cr_expect_gt(distance(right, first, 128), 10);
    free(right), free(first);
    close_all(&a);
}
