/* The row that a token writes, and everything that it must leave alone. */
#include "../write.h"

#include "scene.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static const or_rope ways[] = {OR_ROPE_UNSAID, OR_ROPE_EXACT, OR_ROPE_ROUND, OR_ROPE_SEP, OR_ROPE_FMA};

/* Two sequences across pages, 24 channels, [8, 24) rotated. */
static const int32_t past[] = {14, 3}, fresh[] = {4, 2};
static shape shape_of(or_dtype t) {
    return (shape){t, 1, 24, 16, 16, 2, 2, past, fresh};
}

static scene *writing(or_dtype t, uint64_t seed, int interleaved) {
    const shape of = shape_of(t);
    scene *s = scene_new(&of, seed);
    RESOLVE(s, OR_GENAI, INT("do_rotary", 1), INT("rotary_offset", 8), INT("rotary_interleaved", interleaved));
    return s;
}

Test(write, a_row_worked_by_hand_lies_at_its_slot) {
    scene *s = writing(OR_F16, 0, 0);
    const int64_t position = 17; /* token 3 */
    for (int d = 0; d < 24; d++) scene_key(s, 3, d, d);
    for (int i = 0; i < 8; i++) {
        s->cos[position * 8 + i] = or_round(OR_F16, 0.5);
        s->sin[position * 8 + i] = or_round(OR_F16, i < 4 ? 1 : -2);
    }
    or_write_all(s->cache, &s->p);
    const uint16_t *row = s->cache + (s->table[1] * 16 + 1) * 24;
    for (int d = 0; d < 8; d++) cr_assert_eq(or_decode(OR_F16, row[d]), d);
    for (int i = 0; i < 8; i++) {
        const double x = 8 + i, y = 16 + i, sin = i < 4 ? 1 : -2;
        cr_assert_eq(or_decode(OR_F16, row[8 + i]), x / 2 - y * sin);
        cr_assert_eq(or_decode(OR_F16, row[16 + i]), y / 2 + x * sin);
    }
    scene_free(s);
}

static bool row_changed(const scene *s, const uint16_t *before, int64_t slot) {
    return memcmp(s->cache + slot * 24, before + slot * 24, 24 * sizeof *before) != 0;
}

Test(write, rows_without_a_slot_write_nothing_and_no_other_byte_changes) {
    static const struct {
        int token;
        int32_t slot;
    } rows[] = {{0, -1}, {1, -9}, {2, 80}, {5, INT32_MAX}};
    scene *s = writing(OR_BF16, 5, 0);
    cr_assert_eq(s->blocks * 16, 80);
    uint16_t before[80 * 24];
    memcpy(before, s->cache, sizeof before);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) s->slots[rows[i].token] = rows[i].slot;
    s->slots[3] = 60, s->slots[4] = 2;
    or_write_all(s->cache, &s->p);
    for (int64_t i = 0; i < 80; i++) cr_assert_eq(row_changed(s, before, i), i == 60 || i == 2, "slot %ld", (long)i);
    scene_free(s);
}

Test(write, a_token_past_the_last_sequence_writes_nothing) {
    scene *s = writing(OR_F16, 5, 0);
    uint16_t before[80 * 24];
    memcpy(before, s->cache, sizeof before);
    s->start[1] = s->start[2] = 0;
    or_write_all(s->cache, &s->p);
    for (int64_t i = 0; i < 80; i++) cr_assert_not(row_changed(s, before, i), "slot %ld", (long)i);
    scene_free(s);
}

Test(write, channels_outside_the_span_keep_every_bit_of_every_pattern) {
    for (or_dtype t = OR_F16; t <= OR_BF16; t++) {
        scene *s = writing(t, 7, 1);
        or_written row[24];
        for (uint32_t bits = 0; bits < 65536; bits += 8) {
            for (uint32_t d = 0; d < 8; d++) s->key[d] = (uint16_t)(bits + d);
            or_written_row(row, &s->p, &(or_arithmetic){.rope = OR_ROPE_EXACT}, 0);
            for (uint32_t d = 0; d < 8; d++) {
                cr_assert(!row[d].rotated && row[d].bits == bits + d &&
                          row[d].classes == or_class(t, (uint16_t)(bits + d)));
                cr_assert(or_written_accepts(&row[d], t, (uint16_t)(bits + d)));
                cr_assert_not(or_written_accepts(&row[d], t, (uint16_t)((bits + d) ^ 1)), "another payload or value");
                cr_assert_not(or_written_accepts(&row[d], t, (uint16_t)((bits + d) ^ 0x8000)),
                              "another sign, of 0 too");
            }
        }
        scene_free(s);
    }
}

Test(write, the_cache_holds_the_bits_of_the_written_row) {
    scene *s = writing(OR_BF16, 11, 1);
    or_write_all(s->cache, &s->p);
    for (int64_t token = 0; token < 6; token++) {
        or_written row[24];
        or_written_row(row, &s->p, &(or_arithmetic){0}, token);
        for (int d = 0; d < 24; d++) cr_assert_eq(s->cache[s->slots[token] * 24 + d], row[d].bits);
    }
    scene_free(s);
}

/* x cos - y sin, as the first channel of a head of two. */
typedef struct {
    uint16_t x, y, cos, sin;
} quad;

static or_written element(or_dtype t, or_rope rope, quad q) {
    const int32_t start[] = {0, 1}, none[] = {0};
    const uint16_t key[] = {q.x, q.y};
    const or_problem p = {.dtype = t,
                          .tokens = 1,
                          .sequences = 1,
                          .heads = 1,
                          .head_size = 2,
                          .v_head_size = 2,
                          .rotary_dim = 2,
                          .block_size = 16,
                          .key = key,
                          .cumulative_sequence_length = start,
                          .past_seqlens = none,
                          .cos_cache = &q.cos,
                          .sin_cache = &q.sin};
    or_written row[2];
    or_written_row(row, &p, &(or_arithmetic){.rope = rope}, 0);
    return row[0];
}

static quad quad_of(or_dtype t, double x, double y, double cos, double sin) {
    return (quad){or_round(t, x), or_round(t, y), or_round(t, cos), or_round(t, sin)};
}

static quad random_quad(or_dtype t, uint64_t *state, double amplitude) {
    const double angle = 4 * scene_uniform(state);
    return quad_of(t, amplitude * scene_uniform(state), amplitude * scene_uniform(state), cos(angle), sin(angle));
}

static uint16_t in_float(or_dtype t, quad q, bool fused) {
    const float x = (float)or_decode(t, q.x), y = (float)or_decode(t, q.y), c = (float)or_decode(t, q.cos),
                s = (float)or_decode(t, q.sin);
    const float ys = y * s, xc = x * c;
    return or_round(t, fused ? fmaf(x, c, -ys) : xc - ys);
}

static uint16_t rounded_at_each_step(or_dtype t, quad q) {
    const double xc = or_decode(t, q.x) * or_decode(t, q.cos), ys = or_decode(t, q.y) * or_decode(t, q.sin);
    return or_round(t, or_decode(t, or_round(t, xc)) - or_decode(t, or_round(t, ys)));
}

Test(write, whatever_a_kernel_in_float_writes_is_accepted) {
    static const or_rope ways_in_float[] = {OR_ROPE_UNSAID, OR_ROPE_EXACT, OR_ROPE_ROUND};
    static const double amplitudes[2][4] = {{1, 60000, 0x1p-14, 0x1p-22}, {1, 1e30, 0x1p-126, 0x1p-131}};
    uint64_t state = 17;
    for (int n = 0; n < 200000; n++) {
        const or_dtype t = n & 1 ? OR_F16 : OR_BF16;
        const quad q = random_quad(t, &state, amplitudes[t == OR_BF16][n / 2 % 4]);
        for (int i = 0; i < 3; i++) {
            const or_written w = element(t, ways_in_float[i], q);
            cr_assert(or_written_accepts(&w, t, in_float(t, q, false)), "%s x 0x%04x", or_dtype_name(t), q.x);
            cr_assert(or_written_accepts(&w, t, in_float(t, q, true)), "%s x 0x%04x", or_dtype_name(t), q.x);
            cr_assert(or_written_accepts(&w, t, w.bits));
        }
    }
}

Test(write, products_that_underflow_in_float_may_tip_a_tie) {
    const quad q =
        quad_of(OR_BF16, 0x1p-133, 0x1p-133, 0.5, -0x1p-22); /* 2^-134 + 2^-155, of which float keeps the first */
    const or_written w = element(OR_BF16, OR_ROPE_EXACT, q);
    cr_assert(w.bits == 1 && in_float(OR_BF16, q, false) == 0);
    cr_assert(or_written_accepts(&w, OR_BF16, 0) && or_written_accepts(&w, OR_BF16, 1));
    cr_assert_not(or_written_accepts(&w, OR_BF16, 2));
}

/* 1 + more, half way between two numbers of the type. */
Test(write, a_tie_that_float_holds_goes_to_the_even_side_alone) {
    static const struct {
        double more, even, odd; /* than 1, in units of its last place */
    } ties[] = {{0.5, 0, 1}, {1.5, 2, 1}, {2.5, 2, 3}};
    for (or_dtype t = OR_F16; t <= OR_BF16; t++) {
        const double step = t == OR_F16 ? 0x1p-10 : 0x1p-7;
        for (size_t i = 0; i < sizeof ties / sizeof ties[0]; i++) {
            const or_written w = element(t, OR_ROPE_EXACT, quad_of(t, 1, -ties[i].more * step, 1, 1));
            cr_assert(or_written_accepts(&w, t, or_round(t, 1 + ties[i].even * step)), "%s", or_dtype_name(t));
            cr_assert_not(or_written_accepts(&w, t, or_round(t, 1 + ties[i].odd * step)), "%s", or_dtype_name(t));
        }
    }
}

Test(write, one_step_off_is_rejected_but_beside_a_rounding_boundary) {
    uint64_t state = 23;
    for (or_dtype t = OR_F16; t <= OR_BF16; t++) {
        int rejected = 0;
        for (int n = 0; n < 10000; n++) {
            const or_written w = element(t, OR_ROPE_EXACT, random_quad(t, &state, 1));
            rejected += !or_written_accepts(&w, t, (uint16_t)(w.bits + 1)) &&
                        !or_written_accepts(&w, t, (uint16_t)(w.bits - 1));
        }
        cr_assert_gt(rejected, 9900, "%s", or_dtype_name(t));
    }
}

Test(write, a_declared_rounding_is_the_only_one_accepted) {
    uint64_t state = 29;
    for (or_dtype t = OR_F16; t <= OR_BF16; t++) {
        int apart = 0, seen = 0;
        for (int n = 0; n < 10000; n++) {
            const quad q = random_quad(t, &state, 1);
            const or_written sep = element(t, OR_ROPE_SEP, q), exact = element(t, OR_ROPE_EXACT, q),
                             any = element(t, OR_ROPE_UNSAID, q);
            const or_written fma = element(t, OR_ROPE_FMA, q);
            const uint16_t got = rounded_at_each_step(t, q);
            cr_assert(or_written_accepts(&sep, t, got));
            cr_assert(or_written_accepts(&any, t, got) && or_written_accepts(&any, t, or_round(t, fma.lo)));
            cr_assert(fma.lo == fma.hi && sep.lo == sep.hi);
            if (got == exact.bits) continue;
            apart++;
            cr_assert_not(or_written_accepts(&sep, t, exact.bits), "declared as rounded at each step, and was not");
            seen += !or_written_accepts(&exact, t, got);
        }
        cr_assert_gt(apart, 2000);
        cr_assert_gt(seen, apart * 99 / 100, "%d of %d", seen, apart);
    }
}

Test(write, wrong_rotations_are_rejected_almost_everywhere) {
    uint64_t state = 31;
    int sign = 0, swapped = 0, none = 0;
    for (int n = 0; n < 1000; n++) {
        const quad q = random_quad(OR_F16, &state, 1);
        const or_written w = element(OR_F16, OR_ROPE_UNSAID, q);
        sign += !or_written_accepts(&w, OR_F16,
                                    element(OR_F16, OR_ROPE_EXACT, (quad){q.x, q.y, q.cos, q.sin ^ 0x8000}).bits);
        swapped += !or_written_accepts(&w, OR_F16, element(OR_F16, OR_ROPE_EXACT, (quad){q.y, q.x, q.cos, q.sin}).bits);
        none += !or_written_accepts(&w, OR_F16, q.x);
    }
    cr_assert(sign > 990 && swapped > 990 && none > 990, "%d %d %d", sign, swapped, none);
}

Test(write, a_position_off_by_one_or_another_pairing_is_rejected) {
    scene *s = writing(OR_F16, 37, 0), *other = writing(OR_F16, 37, 1);
    or_written right[24], late[24], adjacent[24];
    const or_arithmetic how = {.rope = OR_ROPE_UNSAID};
    or_written_row(right, &s->p, &how, 2);
    or_written_row(adjacent, &other->p, &how, 2);
    s->past[0]--;
    or_written_row(late, &s->p, &how, 2);
    int by_position = 0, by_pairing = 0;
    for (int d = 8; d < 24; d++) {
        by_position += !or_written_accepts(&right[d], OR_F16, late[d].bits);
        by_pairing += !or_written_accepts(&right[d], OR_F16, adjacent[d].bits);
    }
    cr_assert(by_position >= 14 && by_pairing >= 14, "%d %d of 16", by_position, by_pairing);
    scene_free(s), scene_free(other);
}

Test(write, classes_are_those_of_the_arithmetic) {
    enum { N = OR_NAN, P = OR_PLUS_INF, M = OR_MINUS_INF, F = OR_FINITE };
    static const struct {
        double x, y, cos, sin;
        unsigned classes[5]; /* in the order of `ways` */
    } rows[] = {
        {1, 1, 1, 1, {F, F, F, F, F}},
        {NAN, 1, 1, 1, {N, N, N, N, N}},
        {INFINITY, 1, 1, 1, {P, P, P, P, P}},
        {1, INFINITY, 1, 1, {M, M, M, M, M}},
        {INFINITY, INFINITY, 1, 1, {N, N, N, N, N}},
        {INFINITY, 1, 0, 1, {N, N, N, N, N}},
        {40000, -40000, 1, 1, {P, P, P, P, P}},        /* 80000 has no place in float16        */
        {65504, -32, 1, 0.5, {P, P, P, P, P}},         /* 65520: a tie that goes to infinity   */
        {-40000, 20000, 2, -2, {F | M, F, F, M, F}},   /* -80000 + 40000                       */
        {40000, 40000, 2, 2, {F | N | M, F, F, N, M}}, /* 80000 - 80000                        */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (int w = 0; w < 5; w++) {
            const or_written got =
                element(OR_F16, ways[w], quad_of(OR_F16, rows[i].x, rows[i].y, rows[i].cos, rows[i].sin));
            cr_assert_eq(got.classes, rows[i].classes[w], "row %zu way %d: %u", i, w, got.classes);
        }
}

Test(write, infinity_and_nan_are_accepted_by_class_and_nowhere_else) {
    const or_written inf = element(OR_F16, OR_ROPE_EXACT, quad_of(OR_F16, INFINITY, 1, 1, 1));
    cr_assert(or_written_accepts(&inf, OR_F16, 0x7c00));
    cr_assert_not(or_written_accepts(&inf, OR_F16, 0xfc00));
    cr_assert_not(or_written_accepts(&inf, OR_F16, 0x7bff));
    const or_written nan = element(OR_F16, OR_ROPE_EXACT, quad_of(OR_F16, NAN, 1, 1, 1));
    cr_assert(or_written_accepts(&nan, OR_F16, 0xfe01), "whatever the sign and the payload");
    cr_assert_not(or_written_accepts(&nan, OR_F16, 0), "a zero where NaN is due");
    const or_written one = element(OR_F16, OR_ROPE_UNSAID, quad_of(OR_F16, 1, 0, 1, 0));
    cr_assert_not(or_written_accepts(&one, OR_F16, 0x7e00));
}

Test(write, a_product_beyond_float_may_end_as_anything) {
    const or_written w = element(OR_BF16, OR_ROPE_EXACT, quad_of(OR_BF16, 3e38, 3e38, 4, 4));
    cr_assert_eq(w.classes, OR_FINITE | OR_NAN | OR_PLUS_INF | OR_MINUS_INF);
}

Test(write, the_two_zeros_of_a_rotated_channel_are_one) {
    const or_written w = element(OR_F16, OR_ROPE_EXACT, quad_of(OR_F16, 0, 0, 1, 1));
    cr_assert(or_written_accepts(&w, OR_F16, 0) && or_written_accepts(&w, OR_F16, 0x8000));
}
