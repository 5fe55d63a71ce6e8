/* float16 is 1 + 5 + 10 bits, bfloat16 1 + 8 + 7: both are exact in float, and floats are exact in double. */
#include "dtype.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

typedef struct {
    int mantissa; /* stored bits of it            */
    int least;    /* exponent of the least normal */
    uint16_t inf; /* magnitudes above it are NaN  */
} format;

static const format *format_of(or_dtype t) {
    static const format f16 = {10, -14, 0x7c00}, bf16 = {7, -126, 0x7f80};
    return t == OR_F16 ? &f16 : &bf16;
}

static const struct {
    const char *name;
    size_t size;
} dtypes[] = {
    [OR_ABSENT] = {"absent", 0}, [OR_F16] = {"float16", 2},           [OR_BF16] = {"bfloat16", 2},
    [OR_F32] = {"float32", 4},   [OR_F64] = {"float64", 8},           [OR_I8] = {"int8", 1},
    [OR_U8] = {"uint8", 1},      [OR_F8E4M3FN] = {"float8e4m3fn", 1}, [OR_I32] = {"int32", 4},
    [OR_I64] = {"int64", 8},
};

const char *or_dtype_name(or_dtype t) {
    return dtypes[t].name;
}

size_t or_dtype_size(or_dtype t) {
    return dtypes[t].size;
}

static inline float as_float(uint32_t bits) {
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static inline uint32_t bits_of(float f) {
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

/* The exponent's bias grows from 15 to 127, by 112; an exponent of 31 becomes 255; and one of 0, which has no hidden
 * bit, is read as 1 and that bit is taken off. Without branches rows of it vectorise, without subnormal floats a
 * flushing host is right too. */
static inline double from_f16(uint16_t bits) {
    const uint32_t magnitude = bits & 0x7fffu, sign = (uint32_t)(bits & 0x8000) << 16;
    const uint32_t least = magnitude < 0x400, beyond = magnitude >= 0x7c00;
    const float x = as_float((magnitude << 13) + ((112 + least + 112 * beyond) << 23)) - as_float(least * (113u << 23));
    return as_float(bits_of(x) | sign);
}

static inline double from_bf16(uint16_t bits) {
    return as_float((uint32_t)bits << 16);
}

double or_decode(or_dtype t, uint16_t bits) {
    return t == OR_F16 ? from_f16(bits) : from_bf16(bits);
}

void or_decode_row(double *x, or_dtype t, const uint16_t *bits, size_t n) {
    if (t == OR_F16)
        for (size_t i = 0; i < n; i++) x[i] = from_f16(bits[i]);
    else
        for (size_t i = 0; i < n; i++) x[i] = from_bf16(bits[i]);
}

/* |x| in steps of the exponent's binade, to even; a carry out of the mantissa is the next exponent's first value. */
uint16_t or_round(or_dtype t, double x) {
    const format *f = format_of(t);
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    const uint16_t sign = (uint16_t)(bits >> 48 & 0x8000);
    if (isnan(x)) return (uint16_t)(sign | f->inf | 1u << (f->mantissa - 1));

    const int exponent = (int)(bits >> 52 & 0x7ff) - 1023;
    const uint64_t significand = (bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52;
    const int above = exponent > f->least ? exponent - f->least : 0;
    const int below = exponent < f->least ? f->least - exponent : 0;
    const int drop = 52 - f->mantissa + below;
    if (drop > 53) return sign; /* less than half of the least value; also 0 and the subnormals of double */

    const uint64_t half = UINT64_C(1) << (drop - 1);
    const uint64_t kept = significand >> drop, rest = significand & (2 * half - 1);
    const uint64_t rounded = kept + (rest > half || (rest == half && (kept & 1)));
    const uint64_t magnitude = ((uint64_t)above << f->mantissa) + rounded;
    return (uint16_t)(sign | (magnitude < f->inf ? magnitude : f->inf));
}

unsigned or_class(or_dtype t, uint16_t bits) {
    const uint16_t magnitude = bits & 0x7fff, inf = format_of(t)->inf;
    if (magnitude < inf) return OR_FINITE;
    if (magnitude > inf) return OR_NAN;
    return bits & 0x8000 ? OR_MINUS_INF : OR_PLUS_INF;
}

double or_unit(or_dtype t) {
    return t == OR_F16 ? 0x1p-11 : 0x1p-8;
}

static int64_t ordinal(uint16_t bits) {
    const int64_t magnitude = bits & 0x7fff;
    return bits & 0x8000 ? -magnitude : magnitude;
}

int64_t or_ulps(or_dtype t, uint16_t a, uint16_t b) {
    const bool a_nan = or_class(t, a) == OR_NAN, b_nan = or_class(t, b) == OR_NAN;
    if (a_nan || b_nan) return a_nan && b_nan ? 0 : INT64_MAX;
    const int64_t steps = ordinal(a) - ordinal(b);
    return steps < 0 ? -steps : steps;
}

void or_preimage(or_dtype t, uint16_t bits, double *lo, double *hi) {
    const uint16_t magnitude = bits & 0x7fff;
    const double least = or_decode(t, 1), x = or_decode(t, magnitude);
    const double inner = magnitude == 0 ? -least / 2 : (or_decode(t, (uint16_t)(magnitude - 1)) + x) / 2;
    const bool largest = magnitude + 1 == format_of(t)->inf;
    const double outer = magnitude == 0 ? least / 2
                         : largest      ? x + (x - inner) /* what lies above it would be one step more */
                                        : (x + or_decode(t, (uint16_t)(magnitude + 1))) / 2;
    const bool negative = bits & 0x8000;
    *lo = negative ? -outer : inner;
    *hi = negative ? -inner : outer;
}
