/* The bound of a row: against its formula written down plainly, by its symmetries, and by what must widen it. */
#include "../budget.h"

#include "scene.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

static const int32_t past[] = {40}, fresh[] = {1};
static const shape one_row = {OR_F16, 1, 64, 16, 16, 3, 1, past, fresh};
enum { HS = 64, VHS = 48 };

static const or_arithmetic plain = {.rope = OR_ROPE_EXACT,
                                    .dot = OR_DOT_F32,
                                    .exp = OR_EXP_LIBM,
                                    .tanh = OR_TANH_LIBM,
                                    .p = OR_F32,
                                    .partial = OR_F32,
                                    .tile = 1,
                                    .splits = 1};
static const or_arithmetic tiled = {.rope = OR_ROPE_EXACT,
                                    .dot = OR_DOT_TENSOR,
                                    .exp = OR_EXP2_APPROX,
                                    .tanh = OR_TANH_APPROX,
                                    .p = OR_F16,
                                    .partial = OR_F32,
                                    .tile = 64,
                                    .splits = 1};

/* V in the first 48 channels, RoPE in the last 16. */
static scene *scene_of(or_dtype t, uint64_t seed) {
    shape of = one_row;
    of.dtype = t;
    scene *s = scene_new(&of, seed);
    RESOLVE(s, OR_GENAI, INT("v_head_size", VHS), FLOAT("scale", 0.5), INT("do_rotary", 1), INT("rotary_offset", VHS));
    return s;
}

static void bound_of(double *bound, const scene *s, const or_arithmetic *how, or_mode mode) {
    or_attention *a = or_attention_new(&s->p, s->cache, how);
    or_budget *b = or_budget_new(&s->p, s->cache, how, mode);
    or_budget_row(b, or_attend(a, 0, 0), 0, 0, bound);
    or_budget_free(b);
    or_attention_free(a);
}

static double cached(const scene *s, const or_row *r, int64_t j, int64_t i) {
    return or_decode(s->p.dtype, s->cache[r->slot[j] * HS + i]);
}

/* The formula, for float32 lanes, libm and no rotation, term by term. */

static double exponent_error(const scene *s, const or_row *r, int64_t j, double rescalings) {
    const double u = 0x1p-24;
    double products = 0;
    for (int64_t i = 0; i < HS; i++) products += fabs(r->q[i] * cached(s, r, j, i));
    const double ds = 0.5 * (11 + 2) * u * products + u * fabs(r->s[j]); /* 64 channels in eight sums: 8 + 3 */
    return ds + 2 * 0x1p-23 * (rescalings + 1) + u * (r->max - r->logit[j]);
}

static double rises(const or_row *r, int64_t from, int64_t step) {
    double n = 0, top = -INFINITY;
    for (int64_t j = from; j >= 0 && j < r->keys; j += step)
        if (r->logit[j] > top) top = r->logit[j], n++;
    return n;
}

/* Over every piece that starts somewhere and runs to the end. */
static double most_rises(const or_row *r) {
    double most = 0;
    for (int64_t j = 0; j < r->keys; j++) most = fmax(most, fmax(rises(r, j, 1), rises(r, j, -1)));
    return most;
}

static double plainly(const scene *s, const or_row *r, int64_t d) {
    const double u = 0x1p-24, n = (double)r->keys, N = most_rises(r);
    double weights = 0, far = 0, all = 0, den = 0;
    for (int64_t j = 0; j < r->keys; j++) {
        const double p = r->weight[j], v = cached(s, r, j, d), D = exponent_error(s, r, j, N);
        weights += p * fabs(v - r->o[d]) * expm1(D);
        far = fmax(far, fabs(v - r->o[d]));
        all += p * fabs(v);
        den += p * exp(-D);
    }
    const double chain = (n + N + 2) * u * (all + fabs(r->o[d]));
    return fmin(weights / den, far) + chain + 4 * u * fabs(r->o[d]) + 0x1p-126 * n * (far + fabs(r->o[d])) +
           (n + 4) * 0x1p-149;
}

Test(budget, mode_r_is_its_formula) {
    scene *s = scene_of(OR_F16, 3);
    RESOLVE(s, OR_GENAI, INT("v_head_size", VHS), FLOAT("scale", 0.5));
    double bound[VHS];
    bound_of(bound, s, &plain, OR_RIGOROUS);
    or_attention *a = or_attention_new(&s->p, s->cache, &plain);
    const or_row *r = or_attend(a, 0, 0);
    for (int64_t d = 0; d < VHS; d++) {
        const double want = plainly(s, r, d);
        cr_assert_float_eq(bound[d], want, 1e-9 * want, "channel %d: %.17g for %.17g", (int)d, bound[d], want);
    }
    or_attention_free(a);
    scene_free(s);
}

Test(budget, twice_the_values_have_twice_the_bound) {
    for (int mode = OR_RIGOROUS; mode <= OR_STATISTICAL; mode++) {
        double once[VHS], twice[VHS];
        scene *s = scene_of(OR_F16, 5);
        for (int64_t i = 0; i < VHS; i++) scene_query(s, 0, 0, i, 0);
        bound_of(once, s, &tiled, (or_mode)mode);
        for (int64_t j = 0; j < 41; j++)
            for (int64_t i = 0; i < VHS; i++)
                scene_cached(s, 0, j, i, 2 * or_decode(OR_F16, s->cache[or_slot_of(&s->p, 0, j) * HS + i]));
        bound_of(twice, s, &tiled, (or_mode)mode);
        for (int64_t d = 0; d < VHS; d++)
            cr_assert_float_eq(twice[d], 2 * once[d], 1e-9 * once[d], "%g, %g", twice[d], once[d]);
        scene_free(s);
    }
}

/* exp(-8) is a normal float16, and a 40th of it is not: of channel 7 a kernel that divides first may lose half a step.
 */
Test(budget, a_rounded_weight_may_have_been_divided_by_the_sum_before) {
    scene *s = scene_of(OR_F16, 5);
    RESOLVE(s, OR_GENAI, INT("v_head_size", VHS), FLOAT("scale", 0.5));
    for (int64_t i = 0; i < HS; i++) scene_query(s, 0, 0, i, i == 40 ? 16 : 0);
    for (int64_t j = 0; j < 41; j++) scene_cached(s, 0, j, 40, j == 5 ? -1 : 0), scene_cached(s, 0, j, 7, j == 5);
    or_arithmetic rounded = plain;
    rounded.p = OR_F16;
    double bound[VHS], without[VHS];
    bound_of(bound, s, &rounded, OR_RIGOROUS);
    bound_of(without, s, &plain, OR_RIGOROUS);
    cr_expect(without[7] < 0x1p-29 && bound[7] > 0x1p-25 && bound[7] < 0x1p-24, "%g, %g", without[7], bound[7]);
    scene_free(s);
}

Test(budget, a_token_of_nobody_has_no_budget) {
    scene *s = scene_of(OR_F16, 5);
    s->start[1] = 0;
    double bound[VHS];
    bound[0] = 1;
    bound_of(bound, s, &plain, OR_RIGOROUS);
    for (int64_t d = 0; d < VHS; d++) cr_assert_eq(bound[d], 0);
    scene_free(s);
}

Test(budget, weights_do_not_count_where_all_values_are_one) {
    scene *s = scene_of(OR_F16, 5);
    for (int64_t j = 0; j < 41; j++) scene_cached(s, 0, j, 7, 1);
    double bound[VHS];
    bound_of(bound, s, &plain, OR_RIGOROUS);
    cr_expect_lt(bound[7], 2 * (41 + 41 + 8) * 0x1p-24);
    cr_expect_gt(bound[7], 2 * 41 * 0x1p-24);
    scene_free(s);
}

Test(budget, equal_keys_round_alike_and_mode_s_knows) {
    double r[VHS], s_[VHS];
    scene *s = scene_of(OR_F16, 5);
    for (int64_t j = 1; j < 41; j++)
        for (int64_t i = 0; i < HS; i++)
            scene_cached(s, 0, j, i, or_decode(OR_F16, s->cache[or_slot_of(&s->p, 0, 0) * HS + i]));
    bound_of(r, s, &tiled, OR_RIGOROUS);
    bound_of(s_, s, &tiled, OR_STATISTICAL);
    for (int64_t d = 0; d < VHS; d++)
        cr_assert_geq(s_[d], 0x1p-11 * fabs(or_decode(OR_F16, s->cache[or_slot_of(&s->p, 0, 0) * HS + d])));
    scene_free(s);
}

Test(budget, mode_s_is_sharper_than_mode_r_where_p_is_rounded) {
    double r[VHS], sharper[VHS];
    scene *s = scene_of(OR_BF16, 11);
    s->p.scale = 0.02; /* many keys count */
    or_arithmetic how = tiled;
    how.p = OR_BF16;
    bound_of(r, s, &how, OR_RIGOROUS);
    bound_of(sharper, s, &how, OR_STATISTICAL);
    double wide = 0, narrow = 0;
    for (int64_t d = 0; d < VHS; d++) wide += r[d], narrow += sharper[d];
    cr_assert_lt(narrow, 0.8 * wide, "%g for %g", narrow, wide);
    scene_free(s);
}

#define HOW(rope, dot, exp, tanh, p, partial, sum, tile, splits)                                                       \
    { OR_ROPE_##rope, OR_DOT_##dot, OR_EXP##exp, OR_TANH_##tanh, OR_##p, OR_##partial, sum, tile, splits }
static const struct {
    const char *what;
    or_arithmetic narrow, wide;
} wider[] = {
    {"dot f32", HOW(EXACT, F32, _LIBM, LIBM, F32, F32, 0, 64, 1), HOW(EXACT, UNSAID, _LIBM, LIBM, F32, F32, 0, 64, 1)},
    {"dot tensor", HOW(EXACT, TENSOR, _LIBM, LIBM, F32, F32, 0, 0, 1),
     HOW(EXACT, UNSAID, _LIBM, LIBM, F32, F32, 0, 0, 1)},
    {"rope", HOW(EXACT, F32, _LIBM, LIBM, F32, F32, 0, 64, 1), HOW(UNSAID, F32, _LIBM, LIBM, F32, F32, 0, 64, 1)},
    {"exp, libm to fast", HOW(EXACT, F32, _LIBM, LIBM, F32, F32, 0, 64, 1),
     HOW(EXACT, F32, _FAST, LIBM, F32, F32, 0, 64, 1)},
    {"exp, fast", HOW(EXACT, F32, _FAST, LIBM, F32, F32, 0, 64, 1), HOW(EXACT, F32, _UNSAID, LIBM, F32, F32, 0, 64, 1)},
    {"exp, base 2", HOW(EXACT, F32, 2_APPROX, LIBM, F32, F32, 0, 64, 1),
     HOW(EXACT, F32, _UNSAID, LIBM, F32, F32, 0, 64, 1)},
    {"tanh", HOW(EXACT, F32, _LIBM, LIBM, F32, F32, 0, 64, 1), HOW(EXACT, F32, _LIBM, APPROX, F32, F32, 0, 64, 1)},
    {"tanh, any", HOW(EXACT, F32, _LIBM, LIBM, F32, F32, 0, 64, 1), HOW(EXACT, F32, _LIBM, UNSAID, F32, F32, 0, 64, 1)},
    {"P f32", HOW(EXACT, F32, _LIBM, LIBM, F32, F32, 0, 64, 1), HOW(EXACT, F32, _LIBM, LIBM, F16, F32, 0, 64, 1)},
    {"P rounded", HOW(EXACT, F32, _LIBM, LIBM, F16, F32, 0, 64, 1),
     HOW(EXACT, F32, _LIBM, LIBM, ABSENT, F32, 0, 64, 1)},
    {"P and its sum", HOW(EXACT, F32, _LIBM, LIBM, F16, F32, 1, 64, 1),
     HOW(EXACT, F32, _LIBM, LIBM, ABSENT, F32, 1, 64, 1)},
    {"tile", HOW(EXACT, F32, _LIBM, LIBM, F32, F32, 0, 64, 1), HOW(EXACT, F32, _LIBM, LIBM, F32, F32, 0, 0, 1)},
    {"splits", HOW(EXACT, F32, _LIBM, LIBM, F32, F32, 0, 64, 4), HOW(EXACT, F32, _LIBM, LIBM, F32, F32, 0, 64, 0)},
    {"one split", HOW(EXACT, F32, _LIBM, LIBM, F32, F32, 0, 64, 1), HOW(EXACT, F32, _LIBM, LIBM, F32, F32, 0, 64, 2)},
    {"partials", HOW(EXACT, F32, _LIBM, LIBM, F32, F32, 0, 64, 4), HOW(EXACT, F32, _LIBM, LIBM, F32, F16, 0, 64, 4)},
    {"partials, any", HOW(EXACT, F32, _LIBM, LIBM, F32, F32, 0, 64, 4),
     HOW(EXACT, F32, _LIBM, LIBM, F32, ABSENT, 0, 64, 4)},
};

Test(budget, what_is_not_said_is_the_widest) {
    for (int mode = OR_RIGOROUS; mode <= OR_STATISTICAL; mode++)
        for (size_t i = 0; i < sizeof wider / sizeof wider[0]; i++) {
            double narrow[VHS], wide[VHS];
            scene *s = scene_of(OR_F16, 7);
            RESOLVE(s, OR_GENAI, INT("v_head_size", VHS), FLOAT("scale", 0.5), INT("do_rotary", 1),
                    INT("rotary_offset", VHS), FLOAT("softcap", 5));
            bound_of(narrow, s, &wider[i].narrow, (or_mode)mode);
            bound_of(wide, s, &wider[i].wide, (or_mode)mode);
            double more = 0;
            for (int64_t d = 0; d < VHS; d++) {
                cr_assert_geq(wide[d], narrow[d], "%s, mode %d, channel %d", wider[i].what, mode, (int)d);
                more += wide[d] - narrow[d];
            }
            cr_expect_gt(more, 0, "%s changes nothing in mode %d", wider[i].what, mode);
            scene_free(s);
        }
}

/* q = 1 + 1/1024, a float16 halfway case once cos is 1 + 1/1024 too: the float32 rotation may land on either side. */
Test(budget, a_query_that_is_rounded_at_a_tie_has_more_budget) {
    or_arithmetic how = plain;
    how.rope = OR_ROPE_ROUND;
    double clear[VHS], tie[VHS];
    scene *s = scene_of(OR_F16, 7);
    const int64_t at = 40 * 8;
    s->cos[at] = or_round(OR_F16, 1), s->sin[at] = 0;
    scene_query(s, 0, 0, VHS + 8, 0);
    scene_query(s, 0, 0, VHS, 1 + 0x1p-10);
    bound_of(clear, s, &how, OR_RIGOROUS);
    s->cos[at] = or_round(OR_F16, 1 + 0x1p-10), s->sin[at] = or_round(OR_F16, 0x1p-10);
    scene_query(s, 0, 0, VHS + 8, 0.5 + 0x1p-10); /* x c - y s = 1 + 2^-9 + 2^-20 - 2^-11 - 2^-20: a tie */
    bound_of(tie, s, &how, OR_RIGOROUS);
    for (int64_t d = 0; d < VHS; d++) cr_assert_gt(tie[d], 2 * clear[d], "%g, %g", tie[d], clear[d]);
    scene_free(s);
}

Test(budget, each_rise_of_the_running_maximum_costs) {
    double level[VHS], rising[VHS];
    scene *s = scene_of(OR_F16, 7);
    for (int64_t i = 0; i < HS; i++) scene_query(s, 0, 0, i, 0);
    scene_query(s, 0, 0, HS - 1, 1);
    or_arithmetic one_tile = plain;
    one_tile.tile = 64;
    for (int64_t j = 0; j < 41; j++) scene_cached(s, 0, j, HS - 1, (double)j / 64);
    bound_of(rising, s, &plain, OR_RIGOROUS);
    bound_of(level, s, &one_tile, OR_RIGOROUS);
    for (int64_t d = 0; d < VHS; d++) cr_assert_gt(rising[d], 1.5 * level[d]);
    scene_free(s);
}

Test(budget, an_infinite_value_leaves_the_other_channels_their_bounds) {
    double clean[VHS], bound[VHS];
    scene *s = scene_of(OR_F16, 7);
    for (int64_t i = 0; i < VHS; i++) scene_query(s, 0, 0, i, 0);
    bound_of(clean, s, &plain, OR_RIGOROUS);
    s->p.query = s->query;
    scene_query(s, 0, 0, 3, 0x1p-24);
    scene_cached(s, 0, 5, 3, 65504);
    bound_of(bound, s, &plain, OR_RIGOROUS);
    for (int64_t d = 0; d < VHS; d++)
        if (d != 3) cr_assert_float_eq(bound[d], clean[d], 0.05 * clean[d]);
    scene_free(s);
}

Test(budget, the_slope_is_the_derivative_by_the_scale) {
    scene *s = scene_of(OR_F16, 13);
    or_attention *a = or_attention_new(&s->p, s->cache, &plain);
    or_budget *b = or_budget_new(&s->p, s->cache, &plain, OR_STATISTICAL);
    double before[VHS], bound[VHS], slope[VHS];
    const or_row *r = or_attend(a, 0, 0);
    or_budget_row(b, r, 0, 0, bound);
    for (int64_t d = 0; d < VHS; d++) {
        before[d] = r->o[d], slope[d] = or_budget_slope(b)[d];
        cr_expect(or_budget_without_p(b)[d] > 0 && or_budget_without_p(b)[d] <= bound[d]);
    }
    s->p.scale *= 1 + 1e-6;
    r = or_attend(a, 0, 0);
    for (int64_t d = 0; d < VHS; d++) cr_expect_float_eq((r->o[d] - before[d]) / 1e-6, slope[d], 1e-4, "%g", slope[d]);
    or_budget_free(b);
    or_attention_free(a);
    scene_free(s);
}

Test(budget, nothing_is_freed_for_nothing) {
    or_budget_free(NULL);
}
