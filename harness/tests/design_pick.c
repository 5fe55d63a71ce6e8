/* Designs whose queries pick one key: right ones find it, wrong ones another. */
#include "plan_case.h"

#include "../../oracle/write.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

Test(design, one_hot_picks_the_same_keys_under_a_negative_scale) {
    plan_case x;
    answer plus, minus;
    plan_case_start(&x, mla, "one_hot");
    plan_and_open(&plus, &x);
    x.attr[SCALE].f = -x.attr[SCALE].f;
    plan_and_open(&minus, &x);
    for (int64_t i = 0; i < 48; i++) cr_expect_eq(only_key(&plus, i / 16, i % 16), only_key(&minus, i / 16, i % 16));
    close_all(&plus), close_all(&minus);
}

Test(design, one_hot_rows_of_a_short_sequence_do_not_depend_on_the_others) {
    plan_case x;
    answer alone, together;
    plan_case_start(&x, glm, "one_hot");
    plan_and_open(&alone, &x);
    x.sequence[1] = (at_sequence){.past = 4000, .fresh = 1}, x.c.sequences = 2;
    plan_and_open(&together, &x);
    for (int64_t j = 0; j < 43; j++) cr_expect_arr_eq(cached_row(&alone, 0, j), cached_row(&together, 0, j), 192 * 2);
    cr_expect_arr_eq(alone.problem.query, together.problem.query, 3 * 2 * 192 * 2);
    close_all(&alone), close_all(&together);
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
                x.sequence[0] = (at_sequence){.past = pasts[p], .fresh = 2}, x.c.dtype = t;
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
