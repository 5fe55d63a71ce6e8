/* Rotations worked by hand, and where the roundings of the declared ways part. */
#include "../rope.h"

#include "scene.h"

#include <criterion/criterion.h>
#include <math.h>

/* hs 12, off 4, R 4; position 3 has cos 1/2, 1/4 and sin 2, -1; x counts 1, 2, ... */
static const int32_t past[] = {3}, fresh[] = {1};
static const shape twelve = {OR_F16, 1, 12, 4, 16, 1, 1, past, fresh};

static scene *rotating(int interleaved) {
    scene *s = scene_new(&twelve, 0);
    const double cos[] = {0.5, 0.25}, sin[] = {2, -1};
    for (int i = 0; i < 2; i++) {
        s->cos[3 * 2 + i] = or_round(OR_F16, cos[i]);
        s->sin[3 * 2 + i] = or_round(OR_F16, sin[i]);
    }
    RESOLVE(s, OR_GENAI, INT("do_rotary", 1), INT("rotary_offset", 4), INT("rotary_interleaved", interleaved));
    return s;
}

Test(rope, both_pairings_turn_the_channels_from_the_offset_on) {
    static const double want[2][12] = {
        {1, 2, 3, 4, -11.5, 9.5, 13.5, -4, 9, 10, 11, 12}, /* pairs (4, 6) and (5, 7) */
        {1, 2, 3, 4, -9.5, 13, 9.75, -5, 9, 10, 11, 12},   /* pairs (4, 5) and (6, 7) */
    };
    double x[12], got[12];
    for (int d = 0; d < 12; d++) x[d] = d + 1;
    for (int interleaved = 0; interleaved < 2; interleaved++) {
        scene *s = rotating(interleaved);
        or_rotate(got, x, &s->p, 3);
        for (int d = 0; d < 12; d++)
            cr_assert_eq(got[d], want[interleaved][d], "interleaved %d channel %d: %g", interleaved, d, got[d]);
        scene_free(s);
    }
}

Test(rope, without_rotation_everything_passes) {
    scene *s = rotating(0);
    RESOLVE(s, OR_GENAI, INT("do_rotary", 0));
    double x[12], got[12];
    for (int d = 0; d < 12; d++) x[d] = d + 1;
    or_rotate(got, x, &s->p, 3);
    for (int d = 0; d < 12; d++) cr_assert_eq(got[d], x[d]);
    scene_free(s);
}

Test(rope, a_sum_is_rounded_once_where_double_alone_would_round_twice) {
    static const struct {
        double a, b;
        uint16_t once, twice;
    } rows[] = {
        {1 + 0x1p-11, 0x1p-60, 0x3c01, 0x3c00},  {1 + 0x1p-11, -0x1p-60, 0x3c00, 0x3c00},
        {1 + 0x3p-11, -0x1p-60, 0x3c01, 0x3c02}, {-1 - 0x1p-11, -0x1p-60, 0xbc01, 0xbc00},
        {0x1p-60, 1 + 0x1p-11, 0x3c01, 0x3c00},  {65520, -0x1p-40, 0x7bff, 0x7c00},
        {1 + 0x1p-11, 0x1p-12, 0x3c01, 0x3c01},  {INFINITY, 1, 0x7c00, 0x7c00},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cr_assert_eq(or_round_sum(OR_F16, (or_products){rows[i].a, rows[i].b}), rows[i].once, "row %zu", i);
        cr_assert_eq(or_round(OR_F16, rows[i].a + rows[i].b), rows[i].twice, "row %zu", i);
    }
}

Test(rope, each_declared_way_rounds_where_it_says) {
    static const struct {
        or_rope rope;
        double a, b, want;
    } rows[] = {
        {OR_ROPE_EXACT, 1 + 0x1p-11, 0x1p-12, 1 + 0x3p-12},
        {OR_ROPE_UNSAID, 1 + 0x1p-11, 0x1p-12, 1 + 0x3p-12},
        {OR_ROPE_ROUND, 1 + 0x1p-11, 0x1p-11, 1 + 0x1p-10},
        {OR_ROPE_SEP, 1 + 0x1p-11, 0x1p-11, 1},
        {OR_ROPE_FMA, 1 + 0x1p-11, 0x1p-11, 1 + 0x1p-10},
        {OR_ROPE_ROUND, 0x1p-11, 1 + 0x1p-11, 1 + 0x1p-10},
        {OR_ROPE_FMA, 0x1p-11, 1 + 0x1p-11, 1},
        {OR_ROPE_SEP, 0x1p-11, 1 + 0x1p-11, 1},
        {OR_ROPE_FMA, 70000, -70000, -INFINITY},
        {OR_ROPE_ROUND, 70000, -70000, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        cr_assert_eq(or_rotated(OR_F16, rows[i].rope, (or_products){rows[i].a, rows[i].b}), rows[i].want, "row %zu", i);
    cr_assert(isnan(or_rotated(OR_F16, OR_ROPE_SEP, (or_products){70000, -70000})), "inf - inf");
}
