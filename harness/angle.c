/* Angles without libm, whose last bits differ between hosts: x - n pi/2 in two steps, then Taylor's series. */
#include "angle.h"

/* pi/2 in two parts. The first has 32 bits, so that its product with n < 2^20 is exact. */
static const double half_pi_high = 0x1.921FB544p+0, half_pi_low = 0x1.0B4611A626331p-34,
                    two_over_pi = 0x1.45F306DC9C883p-1;

/* Sum over k of (-z)^k first! / (first + 2k)!, by Horner; twelve terms leave less than 2^-60 for z < 0.62. */
static double series(double z, int first) {
    double sum = 1;
    for (int k = 12; k > 0; k--) sum = 1 - z / (double)((first + 2 * k - 1) * (first + 2 * k)) * sum;
    return sum;
}

void at_cos_sin(double *cos, double *sin, double x) {
    const int64_t n = (int64_t)(x * two_over_pi + 0.5);
    const double r = (x - (double)n * half_pi_high) - (double)n * half_pi_low;
    const double c = series(r * r, 0), s = r * series(r * r, 1);
    *cos = n & 1 ? -s : c;
    *sin = n & 1 ? c : s;
    if (n & 2) *cos = -*cos, *sin = -*sin;
}

static double power(double x, int64_t n) {
    double product = 1;
    for (; n > 0; n--) product *= x;
    return product;
}

/* Newton on x^n = 1 / base. From 1 it comes down to the root; the first step that rises is the last correction. */
double at_inverse_root(double base, int64_t n) {
    double x = 1;
    for (;;) {
        const double slope = power(x, n - 1);
        const double next = x - (slope * x - 1 / base) / ((double)n * slope);
        if (!(next < x)) return next;
        x = next;
    }
}

static void standard(uint16_t *cos, uint16_t *sin, or_dtype t, int64_t positions, int64_t pairs, double base,
                     double length) {
    const double ratio = pairs > 0 ? at_inverse_root(base, pairs) : 1;
    double frequency = 1;
    for (int64_t i = 0; i < pairs; i++, frequency *= ratio) {
        for (int64_t p = 0; p < positions; p++) {
            double c, s;
            at_cos_sin(&c, &s, (double)p * frequency);
            cos[p * pairs + i] = or_round(t, length * c);
            sin[p * pairs + i] = or_round(t, length * s);
        }
    }
}

/* The digits of p in base 4 count quarter turns, one a pair; where pairs are few they are folded. */
static unsigned quarters(int64_t p, int64_t pairs, int64_t pair) {
    unsigned turns = (unsigned)pair;
    for (int64_t digit = pair; digit < 16; digit += pairs) turns += (unsigned)(p >> (2 * digit)) & 3;
    return turns & 3;
}

static void coded(uint16_t *cos, uint16_t *sin, or_dtype t, int64_t positions, int64_t pairs, at_angle angle) {
    static const double cosine[] = {1, 0, -1, 0}, sine[] = {0, 1, 0, -1};
    for (int64_t p = 0; p < positions; p++) {
        for (int64_t i = 0; i < pairs; i++) {
            const unsigned turns = angle == AT_ANGLE_QUARTERS ? quarters(p, pairs, i) : 0;
            cos[p * pairs + i] = or_round(t, cosine[turns]);
            sin[p * pairs + i] = or_round(t, sine[turns]);
        }
    }
}

void at_angle_table(uint16_t *cos, uint16_t *sin, or_dtype t, int64_t positions, int64_t pairs, at_angle angle,
                    double base) {
    if (angle == AT_ANGLE_STANDARD || angle == AT_ANGLE_LONGER) {
        standard(cos, sin, t, positions, pairs, base, angle == AT_ANGLE_LONGER ? 1.25 : 1);
    } else {
        coded(cos, sin, t, positions, pairs, angle);
    }
}
