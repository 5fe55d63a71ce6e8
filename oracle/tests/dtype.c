/* Both 16-bit types, exhaustively: every pattern, and both sides of every rounding boundary. */
#include "../dtype.h"

#include <criterion/criterion.h>
#include <math.h>

#define EACH_TYPE(t) for (or_dtype t = OR_F16; t <= OR_BF16; t++)

typedef struct {
    int exponent_bits, mantissa_bits;
} layout;
static layout layout_of(or_dtype t) {
    return t == OR_F16 ? (layout){5, 10} : (layout){8, 7};
}
static uint16_t inf_of(or_dtype t) {
    return t == OR_F16 ? 0x7c00 : 0x7f80;
}

/* The IEEE 754 definition of a format, literally. */
static double defined_value(or_dtype t, uint16_t bits) {
    const layout l = layout_of(t);
    const int exponent = bits >> l.mantissa_bits & ((1 << l.exponent_bits) - 1),
              mantissa = bits & ((1 << l.mantissa_bits) - 1);
    const int bias = (1 << (l.exponent_bits - 1)) - 1;
    const double sign = bits & 0x8000 ? -1 : 1;
    if (exponent == (1 << l.exponent_bits) - 1) return mantissa ? copysign(NAN, sign) : sign * INFINITY;
    if (exponent == 0) return sign * ldexp(mantissa, 1 - bias - l.mantissa_bits);
    return sign * ldexp((1 << l.mantissa_bits) + mantissa, exponent - bias - l.mantissa_bits);
}

static bool same(double a, double b) {
    if (isnan(a) || isnan(b)) return isnan(a) && isnan(b) && signbit(a) == signbit(b);
    return a == b && signbit(a) == signbit(b);
}

Test(dtype, every_pattern_decodes_to_what_the_format_defines) {
    static uint16_t bits[65536];
    static double row[65536];
    for (int i = 0; i < 65536; i++) bits[i] = (uint16_t)i;
    EACH_TYPE(t) {
        or_decode_row(row, t, bits, 65536);
        for (int i = 0; i < 65536; i++) {
            cr_assert(same(or_decode(t, bits[i]), defined_value(t, bits[i])), "%s 0x%04x", or_dtype_name(t), i);
            cr_assert(same(row[i], defined_value(t, bits[i])), "row of %s 0x%04x", or_dtype_name(t), i);
        }
    }
}

Test(dtype, every_pattern_comes_back_from_its_value) {
    EACH_TYPE(t) for (int i = 0; i < 65536; i++) {
        const uint16_t bits = (uint16_t)i, back = or_round(t, or_decode(t, bits));
        if (or_class(t, bits) == OR_NAN)
            cr_assert(or_class(t, back) == OR_NAN && (back & 0x8000) == (bits & 0x8000), "%s 0x%04x", or_dtype_name(t),
                      i);
        else
            cr_assert_eq(back, bits, "%s 0x%04x became 0x%04x", or_dtype_name(t), i, back);
    }
}

Test(dtype, classes_part_the_patterns) {
    EACH_TYPE(t) for (int i = 0; i < 65536; i++) {
        const double x = defined_value(t, (uint16_t)i);
        const unsigned want = isnan(x) ? OR_NAN : !isinf(x) ? OR_FINITE : x > 0 ? OR_PLUS_INF : OR_MINUS_INF;
        cr_assert_eq(or_class(t, (uint16_t)i), want, "%s 0x%04x", or_dtype_name(t), i);
    }
}

/* Between every two neighbours: the middle goes to the even one, the next double on either side to its own. */
typedef uint16_t rounding(or_dtype, double);
static long boundary_faults(or_dtype t, rounding *round) {
    long faults = 0;
    for (uint16_t m = 0; m < inf_of(t); m++) {
        const double below = defined_value(t, m);
        const double step = m + 1 == inf_of(t) ? below - defined_value(t, (uint16_t)(m - 1))
                                               : defined_value(t, (uint16_t)(m + 1)) - below;
        const double middle = below + step / 2;
        const uint16_t up = (uint16_t)(m + 1), even = m & 1 ? up : m;
        faults += round(t, middle) != even;
        faults += round(t, nextafter(middle, 0)) != m;
        faults += round(t, nextafter(middle, INFINITY)) != up;
        faults += round(t, -middle) != (even | 0x8000);
        faults += round(t, -nextafter(middle, 0)) != (m | 0x8000);
        faults += round(t, -nextafter(middle, INFINITY)) != (up | 0x8000);
    }
    return faults;
}

Test(dtype, every_boundary_rounds_to_even_and_its_neighbours_to_their_side) {
    EACH_TYPE(t) cr_assert_eq(boundary_faults(t, or_round), 0);
}

static uint16_t twice(or_dtype t, double x) {
    return or_round(t, (float)x);
}
static uint16_t truncated(or_dtype t, double x) {
    const uint16_t bits = or_round(t, x);
    return fabs(or_decode(t, bits)) > fabs(x) ? (uint16_t)(bits - 1) : bits;
}

Test(dtype, rounding_twice_or_cutting_off_is_seen_at_the_boundaries) {
    EACH_TYPE(t) {
        cr_assert_gt(boundary_faults(t, twice), 10000);
        cr_assert_gt(boundary_faults(t, truncated), 10000);
    }
}

Test(dtype, overflow_begins_half_a_step_above_the_largest) {
    cr_assert_eq(or_round(OR_F16, 65504), 0x7bff);
    cr_assert_eq(or_round(OR_F16, nextafter(65520, 0)), 0x7bff);
    cr_assert_eq(or_round(OR_F16, 65520), 0x7c00);
    cr_assert_eq(or_round(OR_F16, -65520), 0xfc00);
    cr_assert_eq(or_round(OR_BF16, nextafter(0x1.ffp127, 0)), 0x7f7f);
    cr_assert_eq(or_round(OR_BF16, 0x1.ffp127), 0x7f80);
    EACH_TYPE(t) {
        cr_assert_eq(or_round(t, 1e308), inf_of(t));
        cr_assert_eq(or_round(t, -INFINITY), 0x8000 | inf_of(t));
    }
}

Test(dtype, what_is_too_small_becomes_zero_and_keeps_its_sign) {
    cr_assert_eq(or_round(OR_F16, 0x1p-25), 0);
    cr_assert_eq(or_round(OR_F16, nextafter(0x1p-25, 1)), 1);
    cr_assert_eq(or_round(OR_F16, -0x1p-26), 0x8000);
    cr_assert_eq(or_round(OR_BF16, 0x1p-134), 0);
    cr_assert_eq(or_round(OR_BF16, -nextafter(0x1p-134, 1)), 0x8001);
    EACH_TYPE(t) {
        cr_assert_eq(or_round(t, 0x1p-1074), 0);
        cr_assert_eq(or_round(t, -0.0), 0x8000);
    }
}

Test(dtype, units_are_half_the_step_above_one) {
    EACH_TYPE(t) {
        const uint16_t one = or_round(t, 1);
        cr_assert_eq(or_unit(t), (or_decode(t, (uint16_t)(one + 1)) - 1) / 2);
    }
}

Test(dtype, ulps_count_steps_along_the_ordered_values) {
    static const struct {
        uint16_t a, b;
        int64_t steps;
    } rows[] = {
        {0x3c00, 0x3c00, 0},         {0x3c00, 0x3c01, 1},         {0x3c01, 0x3bff, 2},         {0x0000, 0x8000, 0},
        {0x0001, 0x8001, 2},         {0x7bff, 0x7c00, 1},         {0x7c00, 0xfc00, 2 * 31744}, {0x7e00, 0xfe01, 0},
        {0x7e00, 0x3c00, INT64_MAX}, {0x3c00, 0x7e00, INT64_MAX},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        cr_assert_eq(or_ulps(OR_F16, rows[i].a, rows[i].b), rows[i].steps, "0x%04x 0x%04x", rows[i].a, rows[i].b);
    cr_assert_eq(or_ulps(OR_BF16, 0x7f80, 0x7f7f), 1);
    cr_assert_eq(or_ulps(OR_BF16, 0x7f81, 0x3f80), INT64_MAX);
}

/* What lies inside rounds to the pattern, what lies outside does not. The two zeros share one. */
static long preimage_faults(or_dtype t, double widen) {
    long faults = 0;
    for (int i = 0; i < 65536; i++) {
        const uint16_t bits = (uint16_t)i;
        if (or_class(t, bits) != OR_FINITE) continue;
        double lo, hi;
        or_preimage(t, bits, &lo, &hi);
        lo -= widen, hi += widen;
        const double x = defined_value(t, bits);
        faults += !(lo < x && x < hi);
        faults += or_decode(t, or_round(t, nextafter(lo, INFINITY))) != x;
        faults += or_decode(t, or_round(t, nextafter(hi, -INFINITY))) != x;
        faults += or_decode(t, or_round(t, nextafter(lo, -INFINITY))) == x;
        faults += or_decode(t, or_round(t, nextafter(hi, INFINITY))) == x;
    }
    return faults;
}

Test(dtype, preimages_hold_all_that_rounds_to_a_pattern_and_no_more) {
    EACH_TYPE(t) cr_assert_eq(preimage_faults(t, 0), 0);
    EACH_TYPE(t) cr_assert_gt(preimage_faults(t, 0x1p-20), 1000);
}

Test(dtype, the_largest_ends_where_overflow_begins) {
    double lo, hi;
    or_preimage(OR_F16, 0x7bff, &lo, &hi);
    cr_assert(lo == 65488 && hi == 65520);
    or_preimage(OR_F16, 0xfbff, &lo, &hi);
    cr_assert(lo == -65520 && hi == -65488);
    or_preimage(OR_F16, 0x8000, &lo, &hi);
    cr_assert(lo == -0x1p-25 && hi == 0x1p-25);
}

Test(dtype, names_and_sizes_are_those_of_the_schema) {
    static const struct {
        or_dtype t;
        const char *name;
        size_t size;
    } rows[] = {{OR_ABSENT, "absent", 0}, {OR_F16, "float16", 2},           {OR_BF16, "bfloat16", 2},
                {OR_F32, "float32", 4},   {OR_F64, "float64", 8},           {OR_I8, "int8", 1},
                {OR_U8, "uint8", 1},      {OR_F8E4M3FN, "float8e4m3fn", 1}, {OR_I32, "int32", 4},
                {OR_I64, "int64", 8}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cr_assert_str_eq(or_dtype_name(rows[i].t), rows[i].name);
        cr_assert_eq(or_dtype_size(rows[i].t), rows[i].size);
    }
}
