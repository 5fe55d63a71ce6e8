#include "../angle.h"
#include "../digest.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

static double worst_of(double (*x_of)(int), int count) {
    long double worst = 0;
    for (int i = 0; i < count; i++) {
        double c, s;
        const double x = x_of(i);
        at_cos_sin(&c, &s, x);
        worst = fmaxl(worst, fmaxl(fabsl(c - cosl(x)), fabsl(s - sinl(x))));
    }
    return (double)worst;
}

static double whole_numbers(int i) {
    return i;
}
static double fractions(int i) {
    return i * 0.0007548776662466927;
}
static double near_quarters(int i) {
    return nextafter(i * 1.5707963267948966, i % 2 ? INFINITY : 0);
}

Test(angle, cosine_and_sine_are_within_2_to_the_minus_50_of_libm) {
    cr_expect_lt(worst_of(whole_numbers, 1 << 20), 0x1p-50, "whole numbers: %g", worst_of(whole_numbers, 1 << 20));
    cr_expect_lt(worst_of(fractions, 1 << 20), 0x1p-50, "fractions: %g", worst_of(fractions, 1 << 20));
    cr_expect_lt(worst_of(near_quarters, 600000), 0x1p-50, "beside quarter turns: %g", worst_of(near_quarters, 600000));
}

Test(angle, inverse_roots_are_within_4_units_of_the_last_place) {
    static const double bases[] = {1, 2, 100, 10000, 500000, 1e6};
    for (size_t b = 0; b < sizeof bases / sizeof *bases; b++) {
        for (int n = 1; n <= 256; n *= 2) {
            const long double exact = powl(bases[b], -1.0L / n);
            cr_expect_lt(fabsl(at_inverse_root(bases[b], n) - exact), 4 * 0x1p-53L * exact, "base %g, n %d", bases[b],
                         n);
        }
    }
}

/* Against long double throughout. An angle is off by less than 2^-30 here, so that the rounded entry differs next to a
 * tie alone. */
static int differing(or_dtype t, int64_t positions, int64_t first, int64_t pairs, double base) {
    uint16_t *cos = calloc((size_t)(positions * pairs), sizeof *cos),
             *sin = calloc((size_t)(positions * pairs), sizeof *sin);
    int count = 0;
    at_angle_table(cos, sin, t, positions, pairs, AT_ANGLE_STANDARD, base);
    for (int64_t p = first; p < positions; p++) {
        for (int64_t i = 0; i < pairs; i++) {
            const long double x = p * powl(base, -(long double)i / pairs);
            const int64_t at = p * pairs + i;
            const int64_t off =
                or_ulps(t, cos[at], or_round(t, (double)cosl(x))) + or_ulps(t, sin[at], or_round(t, (double)sinl(x)));
            cr_assert_leq(off, 2, "position %d, pair %d", (int)p, (int)i);
            count += off > 0;
        }
    }
    free(cos);
    free(sin);
    return count;
}

Test(angle, tables_are_libm_s_up_to_position_131071) {
    cr_expect_leq(differing(OR_F16, 4096, 0, 32, 10000), 1);
    cr_expect_leq(differing(OR_BF16, 4096, 0, 8, 500000), 1);
    cr_expect_leq(differing(OR_F16, 131072, 130000, 32, 10000), 1);
}

Test(angle, a_slightly_other_base_gives_another_table) {
    enum { N = 1024 * 32 };
    static uint16_t a[N], b[N], unused[N];
    int differ = 0;
    at_angle_table(a, unused, OR_F16, 1024, 32, AT_ANGLE_STANDARD, 10000);
    at_angle_table(b, unused, OR_F16, 1024, 32, AT_ANGLE_STANDARD, 10010);
    for (int i = 0; i < N; i++) differ += a[i] != b[i];
    cr_expect_gt(differ, N / 4);
}

Test(angle, quarter_turns_spell_every_position) {
    enum { POSITIONS = 131072, PAIRS = 9 };
    static uint16_t cos[POSITIONS * PAIRS], sin[POSITIONS * PAIRS];
    static bool seen[1 << 18];
    at_angle_table(cos, sin, OR_BF16, POSITIONS, PAIRS, AT_ANGLE_QUARTERS, 1);
    for (int p = 0; p < POSITIONS; p++) {
        int spelled = 0;
        for (int i = 0; i < PAIRS; i++) {
            const double c = or_decode(OR_BF16, cos[p * PAIRS + i]), s = or_decode(OR_BF16, sin[p * PAIRS + i]);
            cr_assert_eq(c * c + s * s, 1);
            cr_assert(c == 0 || s == 0);
            spelled = spelled << 2 | (c == 1 ? 0 : s == 1 ? 1 : c == -1 ? 2 : 3);
        }
        cr_assert_not(seen[spelled], "position %d repeats a row", p);
        seen[spelled] = true;
    }
}

Test(angle, identity_turns_nothing) {
    uint16_t cos[40], sin[40];
    at_angle_table(cos, sin, OR_F16, 10, 4, AT_ANGLE_IDENTITY, 10000);
    for (int i = 0; i < 40; i++) cr_assert(cos[i] == 0x3C00 && sin[i] == 0);
}

Test(angle, the_longer_ones_are_the_standard_ones_times_five_quarters) {
    uint16_t cos[40], sin[40], longer_cos[40], longer_sin[40];
    at_angle_table(cos, sin, OR_F16, 10, 4, AT_ANGLE_STANDARD, 10000);
    at_angle_table(longer_cos, longer_sin, OR_F16, 10, 4, AT_ANGLE_LONGER, 10000);
    cr_expect(longer_cos[0] == or_round(OR_F16, 1.25) && longer_sin[0] == 0, "position 0 is not left as it is");
    for (int i = 0; i < 40; i++) {
        const double c = or_decode(OR_F16, cos[i]), s = or_decode(OR_F16, sin[i]);
        cr_expect_float_eq(or_decode(OR_F16, longer_cos[i]), 1.25 * c, 0x1p-10);
        cr_expect_float_eq(or_decode(OR_F16, longer_sin[i]), 1.25 * s, 0x1p-10);
    }
}

Test(angle, tables_are_the_same_bits_on_every_host) {
    enum { N = 2048 * 32 };
    static uint16_t cos[N], sin[N];
    char digest[AT_DIGEST_TEXT];
    at_angle_table(cos, sin, OR_F16, 2048, 32, AT_ANGLE_STANDARD, 10000);
    cr_assert_eq(at_digest(digest, cos, sizeof cos, NULL), AT_OK);
    cr_expect_str_eq(digest, "a2b196667470e0e93bbd9aa706a057d2a95be43b6bf52960fb8f7af0be49b3d3");
    cr_assert_eq(at_digest(digest, sin, sizeof sin, NULL), AT_OK);
    cr_expect_str_eq(digest, "cde829a2e0ce4597533e622552e0566e5b697aaa859e88e6a7b09e60f0263278");
}
