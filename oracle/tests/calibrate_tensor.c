/* A tensor core's step, bit for bit as MMA-Sim found it: the products and the accumulator are cut to `fraction` bits
 * below the largest exponent among them, towards zero; their sum is exact, and cut to float32. */
#include "calibrate.h"

#include <math.h>
#include <string.h>

enum { NOTHING = -16000 }; /* the exponent of 0 */

static int32_t exponent_of(float x, int least) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    const int32_t e = (int32_t)(bits >> 23 & 255) - 127;
    return x == 0 ? NOTHING : e < least ? least : e;
}

static int least_exponent(or_dtype t) {
    return t == OR_F16 ? -14 : -126;
}

static double power(int32_t e) {
    const uint64_t bits = (uint64_t)(1023 + e) << 52;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static float cut(double x) {
    if (fabs(x) < 0x1p-126) return (float)(trunc(x * 0x1p149) * 0x1p-149);
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits &= ~UINT64_C(0) << 29;
    memcpy(&x, &bits, sizeof x);
    return (float)x;
}

static int32_t larger(int32_t a, int32_t b) {
    return a > b ? a : b;
}

float tensor_dot(float a, const float *x, const float *y, int64_t count, or_dtype t, const kernel *kernel) {
    const int least = least_exponent(t);
    int32_t top = exponent_of(a, -126);
    for (int64_t i = 0; i < count; i++) top = larger(top, exponent_of(x[i], least) + exponent_of(y[i], least));
    if (top <= NOTHING / 2) return 0;
    const double grid = power(kernel->fraction - top), step = power(top - kernel->fraction);
    int64_t sum = (int32_t)((double)a * grid);
    for (int64_t i = 0; i < count; i++) sum += (int32_t)((double)x[i] * y[i] * grid);
    return cut((double)sum * step);
}

/* Channels in strips, so that the inner loops run along them. */
enum { STRIP = 64 };

static void strip(float *a, int width, const float *x, const float *y, int64_t stride, int64_t count, int least,
                  int fraction) {
    int32_t top[STRIP];
    int64_t sum[STRIP];
    double grid[STRIP];
    for (int d = 0; d < width; d++) top[d] = exponent_of(a[d], -126);
    for (int64_t j = 0; j < count; j++) {
        const int32_t e = exponent_of(x[j], least);
        for (int d = 0; d < width; d++) top[d] = larger(top[d], e + exponent_of(y[j * stride + d], least));
    }
    for (int d = 0; d < width; d++) {
        grid[d] = top[d] <= NOTHING / 2 ? 0 : power(fraction - top[d]);
        sum[d] = (int32_t)((double)a[d] * grid[d]);
    }
    for (int64_t j = 0; j < count; j++)
        for (int d = 0; d < width; d++) sum[d] += (int32_t)((double)x[j] * y[j * stride + d] * grid[d]);
    for (int d = 0; d < width; d++) a[d] = grid[d] == 0 ? 0 : cut((double)sum[d] / grid[d]);
}

void tensor_rows(float *a, int64_t width, const float *x, const float *y, int64_t stride, int64_t count, or_dtype t,
                 const kernel *kernel) {
    for (int64_t d = 0; d < width; d += STRIP)
        strip(a + d, (int)(width - d < STRIP ? width - d : STRIP), x, y + d, stride, count, least_exponent(t),
              kernel->fraction);
}
