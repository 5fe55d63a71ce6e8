/* Each design shows the fault that it is for: the oracle, asked with that fault put in, gives another answer. */
#include "plan_case.h"

#include "../../oracle/write.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void plan_and_open(answer *a, plan_case *x) {
    answer_open(a, plan_made(x, OR_GENAI));
}

static void close_all(answer *a) {
    at_plan *plan = (at_plan *)a->plan;
    answer_close(a);
    at_plan_free(plan);
}

/* The answer of a row as it is, copied. */
static double *right_row(answer *a, int64_t token, int64_t head) {
    const size_t bytes = (size_t)a->problem.v_head_size * sizeof(double);
    double *copy = malloc(bytes);
    memcpy(copy, answer_row(a, token, head)->o, bytes);
    return copy;
}

Test(design, names_and_parameters_are_unique_and_angles_come_first) {
    size_t count;
    const at_design *const *design = at_designs(&count);
    cr_assert_geq(count, 8);
    for (size_t i = 0; i < count; i++) {
        const at_design_parameter *p = design[i]->parameter;
        cr_expect_eq(at_design_by_name(design[i]->name), design[i], "%s", design[i]->name);
        cr_assert(strcmp(p[0].name, "angle") == 0 && strcmp(p[1].name, "base") == 0);
        size_t n = 0;
        for (; p[n].name != NULL; n++) {
            for (size_t k = 0; k < n; k++) cr_expect_str_neq(p[k].name, p[n].name, "%s", design[i]->name);
        }
        cr_expect_leq(n, AT_DESIGN_PARAMETERS);
    }
    cr_expect_null(at_design_by_name("uniform"));
}

Test(design, every_design_fits_every_geometry_that_has_what_it_needs) {
    size_t count;
    const at_design *const *design = at_designs(&count);
    for (size_t i = 0; i < count; i++) {
        int fitting = 0;
        for (int g = 0; g < GEOMETRIES; g++) {
            plan_case x;
            plan_case_start(&x, geometries[g], design[i]->name);
            const char *why = plan_complaint(&x, OR_GENAI);
            fitting += why[0] == 0;
            if (why[0] != 0) cr_expect_eq(geometries[g].rotary_dim, 0, "%s: %s", design[i]->name, why);
        }
        cr_expect_geq(fitting, GEOMETRIES - 1, "%s fits %d", design[i]->name, fitting);
    }
}

Test(design, a_parameter_that_the_design_lacks_is_refused) {
    plan_case x;
    plan_case_start(&x, tiny, "uniform_codes");
    plan_case_set(&x, "marker", 1);
    cr_expect_str_eq(plan_complaint(&x, OR_GENAI), "data design uniform_codes has no parameter \"marker\"");
    plan_case_start(&x, tiny, "uniform_codes");
    plan_case_set(&x, "angle", 3);
    cr_expect_not_null(strstr(plan_complaint(&x, OR_GENAI), "angle is 0, 1 or 2"));
}

/* uniform_codes */

Test(design, codes_tell_one_key_more_or_less_in_every_row_that_has_one) {
    static const int64_t windows[] = {0, 1, 2, 15, 16, 17, 38, 39};
    for (size_t w = 0; w < sizeof windows / sizeof *windows; w++) {
        plan_case x;
        answer a;
        plan_case_start(&x, glm, "uniform_codes");
        x.attr[WINDOW].i = windows[w];
        plan_and_open(&a, &x);
        for (int64_t t = 0; t < 3; t++) {
            double *right = right_row(&a, t, 0);
            a.problem.window_before = windows[w] + 1;
            cr_expect_gt(distance(right, answer_row(&a, t, 0)->o, 128), 0.25, "window %d, token %d: wider",
                         (int)windows[w], (int)t);
            a.problem.window_before = windows[w] - 1;
            if (windows[w] > 0) cr_expect_gt(distance(right, answer_row(&a, t, 0)->o, 128), 0.25, "narrower");
            a.problem.window_before = windows[w];
            cr_expect_eq(distance(right, answer_row(&a, t, 0)->o, 128), 0);
            free(right);
        }
        close_all(&a);
    }
}

Test(design, codes_tell_a_sequence_from_the_next) {
    plan_case x;
    answer a;
    plan_case_start(&x, glm, "uniform_codes");
    x.sequence[1] = x.sequence[0];
    x.c.sequences = 2;
    plan_and_open(&a, &x);
    double *first = right_row(&a, 0, 0);
    cr_expect_gt(distance(first, answer_row(&a, 3, 0)->o, 128), 1);
    free(first);
    close_all(&a);
}

/* A row of the fresh key, rotated, is the code itself, V in the rotated span included. */
Test(design, quarter_turns_bring_fresh_codes_to_their_exact_values) {
    for (int interleaved = 0; interleaved <= 1; interleaved++) {
        plan_case x;
        answer a;
        plan_case_start(&x, overlapping, "uniform_codes");
        x.c.expect = AT_EXPECT_EXACT, x.attr[INTERLEAVED].i = interleaved;
        plan_case_set(&x, "angle", 1);
        plan_and_open(&a, &x);
        const uint16_t *row = cached_row(&a, 0, 41), *key = a.problem.key + 64;
        cr_expect_eq(or_decode(OR_F16, row[0]), (37 * 41) % 256 - 128);
        for (int d = 1; d < 16; d++)
            cr_expect_eq(or_decode(OR_F16, row[d]), 41 >> (d - 1) & 1 ? 64 : -64, "channel %d", d);
        for (int d = 16; d < 64; d++) cr_expect_eq(or_decode(OR_F16, row[d]), d % 251, "channel %d", d);
        cr_expect_neq(memcmp(key, row, 128), 0, "before RoPE it is something else");
        close_all(&a);
    }
}

/* edge_markers */

Test(design, markers_show_one_key_more_in_a_long_context) {
    plan_case x;
    answer a;
    plan_case_start(&x, tiny, "edge_markers");
    x.sequence[0] = (at_sequence){4096, 1}, x.attr[WINDOW].i = 4000;
    plan_and_open(&a, &x);
    double *right = right_row(&a, 0, 0);
    a.problem.window_before++;
    cr_expect_gt(distance(right, answer_row(&a, 0, 0)->o, 16), 1, "%g", distance(right, answer_row(&a, 0, 0)->o, 16));
    free(right);
    close_all(&a);
    plan_case_start(&x, tiny, "uniform_codes");
    x.sequence[0] = (at_sequence){4096, 1}, x.attr[WINDOW].i = 4000;
    plan_and_open(&a, &x);
    right = right_row(&a, 0, 0);
    a.problem.window_before++;
    cr_expect_lt(distance(right, answer_row(&a, 0, 0)->o, 16), 0.1, "codes show little there");
    free(right);
    close_all(&a);
}

Test(design, markers_stand_where_nobody_may_look_and_codes_do_not) {
    plan_case x;
    answer a;
    plan_case_start(&x, tiny, "edge_markers");
    x.attr[WINDOW].i = 10, x.c.poison = AT_POISON_NAN;
    plan_and_open(&a, &x);
    cr_expect_geq(fabs(or_decode(OR_F16, cached_row(&a, 0, 29)[0])), 4096,
                  "the last that the first new token does not see");
    cr_expect_leq(fabs(or_decode(OR_F16, cached_row(&a, 0, 20)[0])), 128);
    close_all(&a);
    plan_case_start(&x, tiny, "uniform_codes");
    x.attr[WINDOW].i = 10, x.c.poison = AT_POISON_NAN;
    plan_and_open(&a, &x);
    cr_expect_eq(or_class(OR_F16, cached_row(&a, 0, 29)[0]), OR_NAN);
    cr_expect_eq(or_class(OR_F16, cached_row(&a, 0, 30)[0]), OR_FINITE);
    close_all(&a);
}

/* one_hot */

/* The row's weight is on one key, the others are 0 in float32, and the answer is that key's value. */
static int64_t only_key(answer *a, int64_t token, int64_t head) {
    const or_row *r = answer_row(a, token, head);
    int64_t best = 0;
    for (int64_t j = 0; j < r->keys; j++) {
        if (r->logit[j] > r->logit[best]) best = j;
    }
    for (int64_t j = 0; j < r->keys; j++) {
        cr_assert(j == best || expf((float)(r->logit[j] - r->max)) == 0, "keys %d and %d: %g apart", (int)j, (int)best,
                  r->max - r->logit[j]);
    }
    for (int64_t d = 0; d < a->problem.v_head_size; d++) {
        const uint16_t value = cached_row(a, or_sequence_of(&a->problem, token), r->position[best])[d];
        cr_assert_eq(or_decode(a->problem.dtype, or_round(a->problem.dtype, r->o[d])),
                     or_decode(a->problem.dtype, value));
    }
    return r->position[best];
}

Test(design, one_hot_answers_with_one_row_in_every_geometry_and_type) {
    for (int g = 0; g < GEOMETRIES; g++) {
        for (at_dtype t = AT_F16; t <= AT_BF16; t++) {
            plan_case x;
            answer a;
            plan_case_start(&x, geometries[g], "one_hot");
            x.c.dtype = t, x.c.expect = AT_EXPECT_EXACT;
            plan_and_open(&a, &x);
            for (int64_t t = 0; t < 3; t++) {
                for (int64_t h = 0; h < geometries[g].heads; h++) only_key(&a, t, h);
            }
            close_all(&a);
        }
    }
}

Test(design, one_hot_gives_heads_and_tokens_keys_of_their_own) {
    static const float scales[] = {1, -1, 0.0781f, 0.001f};
    for (size_t s = 0; s < sizeof scales / sizeof *scales; s++) {
        plan_case x;
        answer a;
        int seen[1003] = {0}, different = 0;
        plan_case_start(&x, mla, "one_hot");
        x.sequence[0].past = 1000, x.attr[SCALE].f = scales[s];
        plan_and_open(&a, &x);
        for (int64_t i = 0; i < 48; i++) different += seen[only_key(&a, i / 16, i % 16)]++ == 0;
        cr_expect_geq(different, 40, "scale %g: %d keys", scales[s], different);
        close_all(&a);
    }
}

Test(design, one_hot_picks_only_what_is_seen) {
    plan_case x;
    answer a;
    at_unmapped hole = {0, 1, -1};
    plan_case_start(&x, mla, "one_hot");
    x.attr[WINDOW].i = 35, x.c.unmapped = &hole, x.c.unmappeds = 1;
    plan_and_open(&a, &x);
    for (int64_t i = 0; i < 48; i++) {
        const int64_t j = only_key(&a, i / 16, i % 16);
        cr_expect(j >= 5 && (j < 16 || j >= 32), "%d", (int)j);
    }
    close_all(&a);
}

Test(design, one_hot_refuses_what_lets_no_key_lead) {
    plan_case x;
    plan_case_start(&x, tiny, "one_hot");
    x.attr[SCALE].f = 0;
    cr_expect_str_eq(plan_complaint(&x, OR_GENAI),
                     "data design one_hot does not fit: with this scale no key can lead by enough");
    plan_case_start(&x, tiny, "one_hot");
    x.attr[SOFTCAP].f = 50;
    cr_expect_str_eq(plan_complaint(&x, OR_GENAI),
                     "data design one_hot does not fit: softcap lets no key lead by enough");
}

/* rope_retrieval */

typedef void bend(answer *);

static void negate_sines(answer *a) {
    uint16_t *sin = (uint16_t *)a->problem.sin_cache;
    const or_tensor *t = &a->plan->call.in[OR_SIN_CACHE];
    for (int64_t i = 0; i < t->shape[0] * t->shape[1]; i++) sin[i] ^= 0x8000;
}
static void pair_otherwise(answer *a) {
    a->problem.interleaved = !a->problem.interleaved;
}
static void rotate_nothing(answer *a) {
    a->problem.rotary_dim = 0;
}
static void shift_span(answer *a) {
    a->problem.rotary_offset -= 2;
}
static void take_row_before(answer *a) {
    a->problem.cos_cache -= a->problem.rotary_dim / 2;
    a->problem.sin_cache -= a->problem.rotary_dim / 2;
}

/* How many of the answers of all rows move by 40 and more in some channel. */
static int moved(geometry g, int interleaved, bend *fault) {
    plan_case x;
    answer a;
    int count = 0;
    plan_case_start(&x, g, "rope_retrieval");
    x.attr[INTERLEAVED].i = interleaved, x.c.expect = AT_EXPECT_EXACT;
    plan_and_open(&a, &x);
    double *right[12];
    for (int i = 0; i < 12; i++) right[i] = right_row(&a, i % 3, i / 3);
    fault(&a);
    or_write_all(a.cache, &a.problem);
    for (int i = 0; i < 12; i++) {
        count += distance(right[i], answer_row(&a, i % 3, i / 3)->o, g.v_head_size) >= 40;
        free(right[i]);
    }
    close_all(&a);
    return count;
}

static void leave(answer *a) {
    (void)a;
}

Test(design, retrieval_finds_another_key_when_rope_is_wrong) {
    static const geometry shapes[] = {{192, 128, 128, 64, 4}, {576, 512, 512, 64, 4}, {64, 48, 32, 32, 4}};
    for (size_t g = 0; g < sizeof shapes / sizeof *shapes; g++) {
        for (int interleaved = 0; interleaved <= 1; interleaved++) {
            cr_expect_eq(moved(shapes[g], interleaved, leave), 0);
            cr_expect_geq(moved(shapes[g], interleaved, negate_sines), 11, "shape %d, interleaved %d: %d", (int)g,
                          interleaved, moved(shapes[g], interleaved, negate_sines));
            cr_expect_geq(moved(shapes[g], interleaved, pair_otherwise), 11, "shape %d, interleaved %d: %d", (int)g,
                          interleaved, moved(shapes[g], interleaved, pair_otherwise));
            cr_expect_geq(moved(shapes[g], interleaved, rotate_nothing), 11, "shape %d, interleaved %d: %d", (int)g,
                          interleaved, moved(shapes[g], interleaved, rotate_nothing));
            cr_expect_geq(moved(shapes[g], interleaved, shift_span), 9, "shape %d, interleaved %d: %d", (int)g,
                          interleaved, moved(shapes[g], interleaved, shift_span));
            cr_expect_geq(moved(shapes[g], interleaved, take_row_before), 10, "shape %d, interleaved %d: %d", (int)g,
                          interleaved, moved(shapes[g], interleaved, take_row_before));
        }
    }
}

Test(design, retrieval_picks_one_key_at_every_past_and_with_quarter_turns) {
    static const int64_t pasts[] = {0, 1, 15, 16, 17, 4095};
    for (size_t p = 0; p < sizeof pasts / sizeof *pasts; p++) {
        for (int quarters = 0; quarters <= 1; quarters++) {
            for (at_dtype t = AT_F16; t <= AT_BF16; t++) {
                plan_case x;
                answer a;
                plan_case_start(&x, glm, "rope_retrieval");
                x.sequence[0] = (at_sequence){pasts[p], 2}, x.c.dtype = t;
                plan_case_set(&x, "angle", quarters);
                plan_and_open(&a, &x);
                for (int64_t i = 0; i < 4; i++) {
                    const int64_t own = pasts[p] + i / 2, j = only_key(&a, i / 2, i % 2);
                    cr_expect(own == 0 || j != own, "a token that picks itself does not show the sign of its position");
                }
                close_all(&a);
            }
        }
    }
}

Test(design, retrieval_refuses_what_has_no_rotation) {
    plan_case x;
    plan_case_start(&x, unrotated, "rope_retrieval");
    cr_expect_str_eq(plan_complaint(&x, OR_GENAI), "data design rope_retrieval does not fit: nothing is rotated");
    plan_case_start(&x, glm, "rope_retrieval");
    plan_case_set(&x, "angle", 2);
    cr_expect_str_eq(plan_complaint(&x, OR_GENAI), "data design rope_retrieval does not fit: nothing is rotated");
}

/* saturate, two_keys, rising */

static double share_of(answer *a, double scale, double softcap) {
    a->problem.scale = scale, a->problem.softcap = softcap;
    return answer_row(a, 0, 0)->o[1];
}

Test(design, saturate_tells_the_three_readings_of_softcap_apart) {
    for (int negative = 0; negative <= 1; negative++) {
        plan_case x;
        answer a;
        plan_case_start(&x, glm, "saturate");
        x.sequence[0] = (at_sequence){1, 1}, x.attr[SCALE].f = 0.01f, x.attr[SOFTCAP].f = 1;
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
            x.sequence[0] = (at_sequence){1, 1}, x.attr[SCALE].f = scales[s], x.c.dtype = t;
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

/* large_values */

Test(design, large_values_overflow_sums_and_not_means) {
    plan_case x;
    answer a;
    plan_case_start(&x, tiny, "large_values");
    x.sequence[0] = (at_sequence){1023, 1}, x.c.expect = AT_EXPECT_EXACT;
    plan_and_open(&a, &x);
    const or_row *r = answer_row(&a, 0, 0);
    for (int d = 0; d < 16; d++) {
        cr_expect(r->o[d] >= 30000 - 1e-6 && r->o[d] <= 60000, "%g", r->o[d]);
        cr_expect_gt(r->o[d] * (double)r->keys, 65504);
    }
    cr_expect_float_eq(r->o[1], 45000, 1e-6, "half of the positions are odd");
    close_all(&a);
}

/* all_bits */

Test(design, all_bits_writes_every_pattern_of_the_type) {
    static bool seen[2][65536];
    for (int finite = 0; finite <= 1; finite++) {
        plan_case x;
        plan_case_start(&x, glm, "all_bits");
        x.sequence[0] = (at_sequence){5, 300}, x.sequence[1] = (at_sequence){0, 212};
        x.c.sequences = 2, x.c.sample_rows = 1;
        plan_case_set(&x, "finite", finite);
        at_plan *plan = plan_made(&x, OR_GENAI);
        for (int64_t i = 0; i < 512 * 192; i++) {
            if (i % 192 < 128) seen[finite][plan->problem.key[i]] = true;
        }
        at_plan_free(plan);
    }
    for (int bits = 0; bits < 65536; bits++) {
        cr_assert(seen[0][bits], "%04x", (unsigned)bits);
        cr_assert_eq(seen[1][bits], or_class(OR_F16, (uint16_t)bits) == OR_FINITE, "%04x", (unsigned)bits);
    }
}

/* normal, special, rope_overflow */

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
    x.sequence[0] = (at_sequence){30, 1};
    plan_and_open(&before, &x);
    at_plan *first = (at_plan *)before.plan;
    x.sequence[0] = (at_sequence){0, 31};
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

Test(design, poison_is_what_it_says_in_both_types) {
    for (or_dtype t = OR_F16; t <= OR_BF16; t++) {
        cr_expect_eq(at_poison_bits(AT_POISON_ZERO, t, 5), 0);
        cr_expect_eq(or_class(t, at_poison_bits(AT_POISON_INF, t, 5)), OR_PLUS_INF);
        cr_expect_eq(or_class(t, at_poison_bits(AT_POISON_LARGEST, t, 5)), OR_FINITE);
        cr_expect_eq(or_class(t, (uint16_t)(at_poison_bits(AT_POISON_LARGEST, t, 5) + 1)), OR_PLUS_INF);
        for (uint64_t i = 0; i < 1024; i++) cr_expect_eq(or_class(t, at_poison_bits(AT_POISON_NAN, t, i)), OR_NAN);
        cr_expect_neq(at_poison_bits(AT_POISON_NAN, t, 1), at_poison_bits(AT_POISON_NAN, t, 2));
    }
}
