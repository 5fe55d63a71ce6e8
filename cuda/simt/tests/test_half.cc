/* test_half.cc: conversions against the definition: the nearest multiple of the result's last place, in double, ties to
 * even. ATTEST_SLOW=1 goes through all 2^32 floats (minutes). */
#include <criterion/criterion.h>

#include "../half.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint32_t bits(float x) {
    uint32_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}
static float of_bits(uint32_t u) {
    float x;
    memcpy(&x, &u, sizeof x);
    return x;
}

struct Format {
    const char *name;
    int mantissa, least, most; /* bits stored, exponents of the smallest and the largest normal power of two */
};
static const Format f16 = {"f16", 10, -14, 15}, bf16 = {"bf16", 7, -126, 127};

/* The value of 16 bits, NaN as NaN. */
static double value(const Format &f, uint32_t u) {
    const double sign = u >> 15 ? -1 : 1, mantissa = double(u & ((1u << f.mantissa) - 1));
    const int exponent = int((u & 0x7fff) >> f.mantissa), bias = -f.least + 1;
    if (exponent == f.most + bias + 1) return mantissa == 0 ? sign * double(INFINITY) : double(NAN);
    if (exponent == 0) return sign * ldexp(mantissa, f.least - f.mantissa);
    return sign * ldexp(mantissa + (1 << f.mantissa), exponent - bias - f.mantissa);
}

/* What a float should become, as a value. */
static double rounded(const Format &f, float x) {
    if (x == 0 || isinf(x)) return x;
    const int exponent = ilogb(x) < f.least ? f.least : ilogb(x);
    const double unit = ldexp(1, exponent - f.mantissa), r = nearbyint(x / unit) * unit;
    return fabs(r) >= ldexp(1, f.most + 1) ? copysign(double(INFINITY), r) : r;
}

static void check(const Format &f, uint32_t u) {
    const float x = of_bits(u);
    const uint32_t got = f.mantissa == 10 ? __float2half_rn(x).__x : __float2bfloat16_rn(x).__x;
    if (isnan(x)) {
        cr_assert_eq(got, 0x7fff, "%s of NaN 0x%08x: 0x%04x", f.name, u, got);
        return;
    }
    if (value(f, got) == rounded(f, x) && got >> 15 == u >> 31) return;
    cr_assert_fail("%s of 0x%08x (%g): 0x%04x = %g, not %g", f.name, u, double(x), got, value(f, got), rounded(f, x));
}

Test(half, all_65536_values_become_the_float_they_are) {
    for (uint32_t u = 0; u < 65536; u++) {
        const uint16_t h = uint16_t(u);
        const float got[] = {__half2float(__half{h}), __bfloat162float(__nv_bfloat16{h})};
        const double want[] = {value(f16, u), value(bf16, u)};
        for (int i = 0; i < 2; i++)
            cr_assert(isnan(want[i]) ? isnan(got[i]) : double(got[i]) == want[i] && bits(got[i]) >> 31 == u >> 15,
                      "0x%04x, format %d: %g, not %g", u, i, double(got[i]), want[i]);
    }
}

Test(half, floats_round_to_nearest_even_at_every_boundary_of_every_value) {
    for (uint32_t u = 0; u < 65536; u++) {
        const double low = value(f16, u), high = value(f16, u + 1);
        if (u % 0x8000 <= 0x7bff) { /* the largest one's upper neighbour is where infinity begins */
            const float middle = float(isinf(high) ? copysign(65520, low) : (low + high) / 2);
            for (int d = -1; d <= 1; d++) check(f16, bits(middle) + uint32_t(d));
            check(f16, bits(float(low)));
        }
        for (uint32_t d = 0; d < 3; d++) check(bf16, (u << 16 | 0x7fffu) + d);
        check(bf16, u << 16);
    }
}

Test(half, floats_at_a_prime_stride_round_to_nearest_even) {
    for (uint64_t u = 0; u < uint64_t{1} << 32; u += 4099) {
        check(f16, uint32_t(u));
        check(bf16, uint32_t(u));
    }
}

Test(half, all_floats_round_to_nearest_even, .disabled = getenv("ATTEST_SLOW") == NULL) {
    for (uint64_t u = 0; u < uint64_t{1} << 32; u++) {
        check(f16, uint32_t(u));
        check(bf16, uint32_t(u));
    }
}
