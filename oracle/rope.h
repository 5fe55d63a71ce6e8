/* RoPE of channels [off, off+R) at a position: of a pair, x' = x cos - y sin and y' = y cos + x sin.
 *
 * T values have 11 or 8 bits: each of the four products is exact in double, and in float but for underflow. A rotation
 * is therefore said by its products, a + b, and implementations differ in how the sum is rounded. */
#ifndef OR_ROPE_H
#define OR_ROPE_H

#include "arithmetic.h"
#include "problem.h"

typedef struct {
    int64_t first, second; /* channels of the head */
    double cos, sin;
} or_pair;

/* Pair i < R/2 at `position`: a row of cos_cache and sin_cache. */
or_pair or_pair_of(const or_problem *, int64_t position, int64_t i);

/* One channel's products: x cos and -(y sin), or y cos and x sin. */
typedef struct {
    double a, b;
} or_products;
static inline or_products or_first(or_pair p, double x, double y) {
    return (or_products){x * p.cos, -(y * p.sin)};
}
static inline or_products or_second(or_pair p, double x, double y) {
    return (or_products){y * p.cos, x * p.sin};
}

/* RN_T(a + b), rounded once. */
uint16_t or_round_sum(or_dtype, or_products);

/* A rotated channel of q as `rope` makes it: a + b unrounded for EXACT and UNSAID, else a T value. */
double or_rotated(or_dtype, or_rope, or_products);

/* x rotated at `position`, each sum rounded to double. x and out: [head_size], not overlapping; x holds T values. */
void or_rotate(double *out, const double *x, const or_problem *, int64_t position);

#endif
