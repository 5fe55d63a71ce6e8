/* Attention worked by hand: what is visible, and what becomes of it. */
#include "../attend.h"

#include "scene.h"

#include <criterion/criterion.h>
#include <math.h>

static const or_arithmetic exact = {.rope = OR_ROPE_EXACT};

/* One element of the answer for the cache as the scene has it. */
static double answer(const scene *s, int64_t token, int64_t head, int64_t channel) {
    or_attention *a = or_attention_new(&s->p, s->cache, &exact);
    const double o = or_attend(a, token, head)->o[channel];
    or_attention_free(a);
    return o;
}

static int64_t keys_of(const scene *s, int64_t token) {
    or_attention *a = or_attention_new(&s->p, s->cache, &exact);
    const int64_t keys = or_attend(a, token, 0)->keys;
    or_attention_free(a);
    return keys;
}

/* One sequence; q and the cache are 0, and position j holds j + 1 in channel 0. */
static const int32_t none[] = {0}, six[] = {6}, forty[] = {40}, one[] = {1}, two[] = {2};
static scene *counting(const int32_t *past, const int32_t *fresh, int64_t pages) {
    const shape of = {OR_F16, 1, 8, 0, 16, pages, 1, past, fresh};
    scene *s = scene_new(&of, 0);
    for (int32_t j = 0; j < past[0] + fresh[0]; j++) scene_cached(s, 0, j, 0, j + 1);
    RESOLVE(s, OR_GENAI, FLOAT("scale", 1));
    return s;
}

Test(attend, windows_are_as_measured_in_both_dialects) {
    static const struct {
        or_dialect dialect;
        int64_t w;
        double mean[6];
    } rows[] = {
        {OR_ONNXRUNTIME, 0, {1, 1.5, 2, 2.5, 3, 3.5}},
        {OR_ONNXRUNTIME, 1, {1, 2, 3, 4, 5, 6}},
        {OR_ONNXRUNTIME, 2, {1, 1.5, 2.5, 3.5, 4.5, 5.5}},
        {OR_ONNXRUNTIME, -5, {1, 1.5, 2, 2.5, 3, 3.5}},
        {OR_GENAI, 0, {1, 2, 3, 4, 5, 6}},
        {OR_GENAI, 1, {1, 1.5, 2.5, 3.5, 4.5, 5.5}},
        {OR_GENAI, 2, {1, 1.5, 2, 3, 4, 5}},
        {OR_GENAI, -1, {1, 1.5, 2, 2.5, 3, 3.5}},
    };
    scene *s = counting(none, six, 1);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        RESOLVE(s, rows[i].dialect, INT("local_window_size", rows[i].w));
        for (int t = 0; t < 6; t++)
            cr_assert_float_eq(answer(s, t, 0, 0), rows[i].mean[t], 1e-15, "row %zu token %d", i, t);
    }
    scene_free(s);
}

Test(attend, a_window_ends_at_the_same_place_across_pages_and_past_the_context) {
    static const int64_t windows[] = {0, 1, 2, 15, 16, 17, 40, 41, 42, INT64_MAX};
    scene *s = counting(forty, two, 3);
    for (size_t i = 0; i < sizeof windows / sizeof windows[0]; i++) {
        RESOLVE(s, OR_GENAI, INT("local_window_size", windows[i]));
        for (int t = 0; t < 2; t++) {
            const int64_t context = 41 + t, want = windows[i] < context ? windows[i] + 1 : context;
            cr_assert_eq(keys_of(s, t), want, "W %ld token %d", (long)windows[i], t);
        }
    }
    scene_free(s);
}

Test(attend, a_causal_token_sees_nothing_after_itself_another_sees_its_sequence) {
    scene *s = counting(none, six, 1);
    cr_assert_float_eq(answer(s, 1, 0, 0), 1.5, 1e-15);
    RESOLVE(s, OR_GENAI, INT("is_causal", 0));
    cr_assert_float_eq(answer(s, 1, 0, 0), 3.5, 1e-15);
    RESOLVE(s, OR_GENAI, INT("is_causal", 0), INT("local_window_size", 1));
    cr_assert_float_eq(answer(s, 5, 0, 0), 5.5, 1e-15);
    cr_assert_float_eq(answer(s, 3, 0, 0), 4.5, 1e-15, "3 to 6");
    scene_free(s);
}

Test(attend, unmapped_pages_hide_their_positions) {
    scene *s = counting(forty, one, 3);
    cr_assert_eq(keys_of(s, 0), 41);
    s->table[1] = -1;
    cr_assert_eq(keys_of(s, 0), 25);
    cr_assert_float_eq(answer(s, 0, 0, 0), (16 * 17 / 2 + 33 * 9 + 8 * 9 / 2) / 25.0, 1e-14);
    s->table[1] = (int32_t)s->blocks;
    cr_assert_eq(keys_of(s, 0), 25, "a page that does not exist");
    s->p.max_blocks = 1;
    cr_assert_eq(keys_of(s, 0), 16, "columns that do not exist");
    scene_free(s);
}

Test(attend, a_token_that_sees_nothing_gives_zeros) {
    scene *s = counting(forty, one, 3);
    for (int i = 0; i < 3; i++) s->table[i] = -1;
    or_attention *a = or_attention_new(&s->p, s->cache, &exact);
    const or_row *r = or_attend(a, 0, 0);
    cr_assert_eq(r->keys, 0);
    for (int d = 0; d < 8; d++) cr_assert(r->o[d] == 0 && !signbit(r->o[d]) && r->classes[d] == OR_FINITE);
    or_attention_free(a);
    scene_free(s);
}

Test(attend, a_token_past_the_last_sequence_gives_zeros_whatever_came_before) {
    scene *s = counting(none, six, 1);
    for (int d = 0; d < 8; d++) scene_query(s, 2, 0, d, 1);
    s->start[1] = 3;
    or_attention *a = or_attention_new(&s->p, s->cache, &exact);
    cr_assert_eq(or_attend(a, 2, 0)->keys, 3);
    const or_row *r = or_attend(a, 3, 0);
    cr_assert(r->keys == 0 && r->max == -INFINITY);
    for (int d = 0; d < 8; d++) cr_assert(r->o[d] == 0 && r->q[d] == 0 && r->classes[d] == OR_FINITE);
    or_attention_free(a);
    scene_free(s);
}

Test(attend, a_batch_of_nothing_is_zeros) {
    scene *s = counting(none, six, 1);
    s->p.sequences = 0;
    cr_assert_eq(answer(s, 0, 0, 0), 0);
    scene_free(s);
}

/* Two keys, a and b, of scores s_a > s_b; the value marks a. */
static scene *two_keys(double q, double k_a, double k_b) {
    const shape of = {OR_F16, 1, 8, 0, 16, 1, 1, none, two};
    scene *s = scene_new(&of, 0);
    scene_query(s, 1, 0, 1, q);
    scene_cached(s, 0, 0, 1, k_a);
    scene_cached(s, 0, 1, 1, k_b);
    scene_cached(s, 0, 0, 0, 1);
    return s;
}

Test(attend, softcap_comes_after_the_scale) {
    scene *s = two_keys(250, 400, 0.16);
    RESOLVE(s, OR_GENAI, FLOAT("scale", 0.01), FLOAT("softcap", 1));
    const double b = (double)0.01f * 250 * or_decode(OR_F16, or_round(OR_F16, 0.16)), want = 1 / (1 + exp(tanh(b) - 1));
    cr_assert_float_eq(answer(s, 1, 0, 0), want, 1e-9);
    cr_assert_float_eq(want, 0.650, 5e-4, "capped before the scale it would be 0.500, and 1.000 without");
    RESOLVE(s, OR_GENAI, FLOAT("scale", 0.01), FLOAT("softcap", 0));
    cr_assert_float_eq(answer(s, 1, 0, 0), 1, 1e-15);
    RESOLVE(s, OR_GENAI, FLOAT("scale", 0.01), FLOAT("softcap", -1));
    cr_assert_float_eq(answer(s, 1, 0, 0), 1, 1e-15, "a negative softcap is off");
    scene_free(s);
}

Test(attend, the_scale_weighs_the_scores_and_may_be_zero_or_negative) {
    scene *s = two_keys(1, 2, 1);
    static const double scales[] = {1, 0.25, -1, 0};
    for (size_t i = 0; i < 4; i++) {
        RESOLVE(s, OR_GENAI, FLOAT("scale", scales[i]));
        cr_assert_float_eq(answer(s, 1, 0, 0), 1 / (1 + exp(-scales[i])), 1e-15, "scale %g", scales[i]);
    }
    RESOLVE(s, OR_GENAI, INT("v_head_size", 0));
    cr_assert_float_eq(answer(s, 1, 0, 0), 1 / (1 + exp(-1 / sqrt(8))), 1e-7, "absent: 1/sqrt(head_size)");
    scene_free(s);
}

Test(attend, a_common_offset_of_the_scores_does_not_count) {
    scene *s = two_keys(1, log(2), 0);
    for (int j = 0; j < 2; j++) scene_cached(s, 0, j, 2, 50000);
    scene_query(s, 1, 0, 2, -1);
    RESOLVE(s, OR_GENAI, FLOAT("scale", 1));
    const double apart = or_decode(OR_F16, or_round(OR_F16, log(2)));
    cr_assert_float_eq(answer(s, 1, 0, 0), 1 / (1 + exp(-apart)), 1e-11);
    scene_free(s);
}

Test(attend, reads_go_through_the_table_and_never_through_slots_or_keys) {
    scene *s = counting(none, two, 1);
    scene_key(s, 1, 0, 999);
    s->slots[1] = -1;
    or_write_slot(&s->p, 1);
    cr_assert_float_eq(answer(s, 1, 0, 0), 1.5, 1e-15, "the fresh key is not looked at");
    scene_free(s);
}

Test(attend, a_page_that_two_sequences_name_is_seen_by_both) {
    static const int32_t past[] = {3, 3}, fresh[] = {1, 1};
    const shape of = {OR_BF16, 1, 8, 0, 16, 1, 2, past, fresh};
    scene *s = scene_new(&of, 41);
    RESOLVE(s, OR_GENAI, FLOAT("scale", 0));
    const double own = answer(s, 1, 0, 3);
    s->table[1] = s->table[0];
    cr_assert_eq(answer(s, 1, 0, 3), answer(s, 0, 0, 3));
    cr_assert_neq(answer(s, 1, 0, 3), own);
    scene_free(s);
}

Test(attend, each_head_asks_with_its_own_query) {
    const shape of = {OR_F16, 3, 8, 0, 16, 1, 1, none, (const int32_t[]){3}};
    scene *s = scene_new(&of, 0);
    for (int h = 0; h < 3; h++) {
        scene_query(s, 2, h, h + 1, 200);
        scene_cached(s, 0, h, h + 1, 1);
        scene_cached(s, 0, h, 0, 10 + h);
    }
    RESOLVE(s, OR_GENAI, FLOAT("scale", 4));
    for (int h = 0; h < 3; h++) cr_assert_float_eq(answer(s, 2, h, 0), 10 + h, 1e-12);
    scene_free(s);
}

Test(attend, a_rotated_query_finds_the_position_that_it_turns_to) {
    for (int interleaved = 0; interleaved < 2; interleaved++) {
        const shape of = {OR_F16, 1, 20, 16, 16, 3, 1, forty, one};
        scene *s = scene_new(&of, 0);
        /* keys carry a constant rotated at j, q the same constant turned back by 17, so that position 40 points at 23
         */
        RESOLVE(s, OR_GENAI, INT("do_rotary", 1), INT("rotary_offset", 4), INT("rotary_interleaved", interleaved),
                FLOAT("scale", 8));
        for (int j = 0; j < 41; j++) {
            scene_cached(s, 0, j, 0, j);
            for (int i = 0; i < 8; i++) {
                const double angle = j / pow(100, i / 8.0);
                scene_cached(s, 0, j, 4 + (interleaved ? 2 * i : i), 2 * cos(angle));
                scene_cached(s, 0, j, 4 + (interleaved ? 2 * i + 1 : i + 8), 2 * sin(angle));
            }
        }
        for (int i = 0; i < 8; i++) {
            const double angle = -17 / pow(100, i / 8.0);
            scene_query(s, 0, 0, 4 + (interleaved ? 2 * i : i), 2 * cos(angle));
            scene_query(s, 0, 0, 4 + (interleaved ? 2 * i + 1 : i + 8), 2 * sin(angle));
        }
        cr_assert_float_eq(answer(s, 0, 0, 0), 23, 1e-2, "interleaved %d: %g", interleaved, answer(s, 0, 0, 0));
        scene_free(s);
    }
}

Test(attend, the_declared_rotation_makes_the_query) {
    const shape of = {OR_BF16, 2, 16, 16, 16, 1, 1, (const int32_t[]){5}, one};
    scene *s = scene_new(&of, 43);
    RESOLVE(s, OR_GENAI, INT("do_rotary", 1));
    double q[5][16];
    for (int rope = 0; rope < 5; rope++) {
        or_attention *a = or_attention_new(&s->p, s->cache, &(or_arithmetic){.rope = (or_rope)rope});
        for (int d = 0; d < 16; d++) q[rope][d] = or_attend(a, 0, 1)->q[d];
        or_attention_free(a);
    }
    int apart = 0;
    for (int d = 0; d < 16; d++) {
        cr_assert_eq(q[OR_ROPE_UNSAID][d], q[OR_ROPE_EXACT][d]);
        cr_assert_eq(q[OR_ROPE_ROUND][d], or_decode(OR_BF16, or_round(OR_BF16, q[OR_ROPE_EXACT][d])));
        for (int rope = OR_ROPE_ROUND; rope <= OR_ROPE_FMA; rope++)
            cr_assert_eq(q[rope][d], or_decode(OR_BF16, or_round(OR_BF16, q[rope][d])), "a value of the type");
        apart += q[OR_ROPE_SEP][d] != q[OR_ROPE_ROUND][d];
    }
    cr_assert_gt(apart, 0);
    scene_free(s);
}

Test(attend, a_row_says_what_it_was_made_of) {
    scene *s = counting(forty, one, 3);
    s->table[1] = -1;
    RESOLVE(s, OR_GENAI, FLOAT("scale", 0.5), FLOAT("softcap", 2), INT("local_window_size", 30), INT("v_head_size", 4));
    scene_query(s, 0, 0, 0, 0.25);
    or_attention *a = or_attention_new(&s->p, s->cache, &exact);
    const or_row *r = or_attend(a, 0, 0);
    cr_assert_eq(r->keys, 15, "10 to 15 and 32 to 40");
    double sum = 0;
    for (int64_t i = 0; i < r->keys; i++) {
        const int64_t j = i < 6 ? 10 + i : 26 + i;
        cr_assert_eq(r->position[i], j);
        cr_assert_eq(r->slot[i], s->table[j / 16] * 16 + j % 16);
        cr_assert_float_eq(r->s[i], 0.5 * 0.25 * (double)(j + 1), 1e-15);
        cr_assert_float_eq(r->logit[i], 2 * tanh(r->s[i] / 2), 1e-15);
        cr_assert_float_eq(r->weight[i], exp(r->logit[i] - r->max) * r->weight[14], 1e-15);
        sum += r->weight[i];
    }
    cr_assert_float_eq(sum, 1, 1e-15);
    cr_assert_eq(r->max, r->logit[14]);
    or_attention_free(a);
    scene_free(s);
}

Test(attend, sizes_that_no_memory_holds_give_nothing) {
    static const struct { int64_t hs, vhs; } rows[] = {{INT64_MAX / 2, 1}, {1, INT64_MAX / 2}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const int32_t past[] = {INT32_MAX}, start[] = {0, INT32_MAX}, table[] = {0};
        const or_problem p = {.dtype = OR_F16,
                              .sequences = 1,
                              .heads = 1,
                              .head_size = rows[i].hs,
                              .v_head_size = rows[i].vhs,
                              .block_size = 16,
                              .blocks = 1,
                              .max_blocks = 1,
                              .cumulative_sequence_length = start,
                              .past_seqlens = past,
                              .block_table = table};
        cr_assert_null(or_attention_new(&p, NULL, &exact), "row %zu", i);
    }
    or_attention_free(NULL);
}
