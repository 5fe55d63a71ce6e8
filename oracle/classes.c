/* The two-pass equations in IEEE arithmetic give a class, and two things widen it. A sum or product that double holds
 * and float does not. A weight that the kernel's type rounds to 0, beside an infinite value. No case should depend on
 * what becomes of these, so all of it is allowed. */
#include "classes.h"

#include <float.h>
#include <math.h>

/* A sum of up to 2^17 magnitudes that stays below it stays finite whatever its rounding. */
static const double float_limit = FLT_MAX * (1 - 0x1p-6);
static const unsigned not_finite = OR_NAN | OR_PLUS_INF | OR_MINUS_INF;

static unsigned class_of(double x) {
    if (isnan(x)) return OR_NAN;
    if (isinf(x)) return x > 0 ? OR_PLUS_INF : OR_MINUS_INF;
    return OR_FINITE;
}

static double largest_query(const or_row *r, int64_t head_size) {
    double largest = 0;
    for (int64_t i = 0; i < head_size; i++) largest = fabs(r->q[i]) > largest ? fabs(r->q[i]) : largest;
    return largest;
}

/* Magnitudes order as their bits do. */
static double largest_key(const or_row *r, const or_problem *p, const uint16_t *cache) {
    int16_t largest = 0;
    for (int64_t j = 0; j < r->keys; j++) {
        const uint16_t *k = cache + r->slot[j] * p->head_size;
        for (int64_t i = 0; i < p->head_size; i++) {
            const int16_t magnitude = (int16_t)(k[i] & 0x7fff);
            largest = magnitude > largest ? magnitude : largest;
        }
    }
    return or_decode(p->dtype, (uint16_t)largest);
}

/* Of a key: sum_i |q_i k_i| over its finite products, with the scale and without. An infinite one beside them settles
 * the score in double; in float one that overflows may meet it with the other sign. */
static bool score_overflows(const or_row *r, const or_problem *p, const uint16_t *cache, int64_t j) {
    if (isnan(r->s[j])) return false;
    double sum = 0;
    for (int64_t i = 0; i < p->head_size; i++) {
        const double product = fabs(r->q[i] * or_decode(p->dtype, cache[r->slot[j] * p->head_size + i]));
        if (isfinite(product)) sum += product;
    }
    return fmax(1, fabs(p->scale)) * sum > float_limit;
}

/* Of a channel: sum_j w_j |v_j| over its finite values; w_j = exp(L_j - max) is at most n p_j. */
static bool value_overflows(const or_row *r, const or_problem *p, const uint16_t *cache, int64_t d) {
    double sum = 0;
    for (int64_t j = 0; j < r->keys; j++) {
        const double v = or_decode(p->dtype, cache[r->slot[j] * p->head_size + d]);
        if (isfinite(v)) sum += r->weight[j] * fabs(v);
    }
    return (double)r->keys * sum > float_limit;
}

/* Bounds first: ordinary data never reach the sums, nor does float16 the scan of the keys. */
static bool float_overflows(const or_row *r, const or_problem *p, const uint16_t *cache) {
    const double reach = fmax(1, fabs(p->scale)) * largest_query(r, p->head_size) * (double)p->head_size;
    const double n = (double)r->keys;
    if (p->dtype == OR_F16 && reach * 65504 < float_limit) return false;
    const double key = largest_key(r, p, cache);
    if (reach * key < float_limit && n * key < float_limit) return false;
    for (int64_t j = 0; j < r->keys; j++)
        if (score_overflows(r, p, cache, j)) return true;
    for (int64_t d = 0; d < p->v_head_size; d++)
        if (value_overflows(r, p, cache, d)) return true;
    return false;
}

/* Below 2^-25 a weight is 0 in f16, below 2^-126 float may flush it; e^-16 and e^-80 leave the score a margin. */
static bool weight_may_vanish(const or_row *r, int64_t j, or_dtype weights) {
    const double least = weights == OR_F16 || weights == OR_ABSENT ? -16 : -80;
    return r->logit[j] - r->max < least;
}

static bool infinity_may_vanish(const or_row *r, const or_problem *p, const uint16_t *cache, or_dtype weights,
                                int64_t d) {
    for (int64_t j = 0; j < r->keys; j++)
        if (isinf(or_decode(p->dtype, cache[r->slot[j] * p->head_size + d])) && weight_may_vanish(r, j, weights))
            return true;
    return false;
}

/* q that a subject may have rounded to float16. */
static bool query_may_overflow(const or_row *r, const or_problem *p, or_rope rope) {
    return rope == OR_ROPE_UNSAID && p->dtype == OR_F16 && largest_query(r, p->head_size) > 65504;
}

void or_classify(or_row *r, const or_problem *p, const uint16_t *cache, const or_arithmetic *how) {
    unsigned also = 0;
    if (r->keys > 0 && !isnan(r->weight[0])) {
        if (query_may_overflow(r, p, how->rope)) also |= OR_NAN;
        if (float_overflows(r, p, cache)) also |= not_finite;
    }
    for (int64_t d = 0; d < p->v_head_size; d++) {
        r->classes[d] = class_of(r->o[d]) | also;
        if (isinf(r->o[d]) && infinity_may_vanish(r, p, cache, how->p, d)) r->classes[d] |= OR_NAN;
    }
}
