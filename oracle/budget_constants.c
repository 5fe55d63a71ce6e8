#include "budget_constants.h"

#include <math.h>

/* Tensor cores add `block` products and the accumulator at once, cut to `fraction` bits below the largest, and truncate
 * the sum. Hopper and Blackwell are (16, 25), Ampere, Ada and Turing (8, 24): a call does not say its card, and the
 * latter lose more at every length. */
enum { block = 8, fraction = 24 };

double or_tensor_loss(double products) {
    const double step = (block + 1) * ldexp(1, -fraction) + 0x1p-23;
    return ceil(products / block) * step;
}

/* The longest chain of 2^k sums side by side that are then joined in pairs, k from 3 (v1) to 7 (a thread a sum):
 * longest at one of the two ends. And a rounding of q's rotation, and one of the product where it is not fused. Fewer
 * sums than eight are not said. */
static double lanes(double head_size) {
    return fmax(ceil(head_size / 8) + 3, ceil(head_size / 128) + 7) + 2;
}

static double dot_error(or_dot dot, double head_size) {
    const double tensor = or_tensor_loss(head_size) + 3 * OR_U, serial = (head_size + 2) * OR_U;
    switch (dot) {
    case OR_DOT_F32: return lanes(head_size) * OR_U;
    case OR_DOT_TENSOR: return tensor;
    default: return fmax(fmax(tensor, serial), lanes(head_size) * OR_U);
    }
}

/* q is rounded to T at most three times on its way: RN_T(RN_T(x c) - RN_T(y s)). */
static void of_query(or_constants *c, or_dtype t, or_rope rope) {
    if (rope != OR_ROPE_UNSAID) return;
    const double u = or_unit(t);
    c->query = 2 * u + u * u;
    c->query_least = 1.5 * or_decode(t, 1);
}

/* Of the exponential of x = L - m: 2 ulp of expf, 2 + 1.173 |x| of __expf, 2 of ex2.approx; a rounding of x; with base
 * 2 also of its product with log2 e, of the scale that carries log2 e, and of m in that unit, once a tile. */
static void of_exp(or_constants *c, or_exp exp) {
    const double fast = 1.173 * 0x1p-23 + OR_U, base2 = 3 * OR_U;
    const bool may_base2 = exp == OR_EXP_UNSAID || exp == OR_EXP2_APPROX;
    c->exponential = 2 * 0x1p-23;
    c->exponent = exp == OR_EXP_LIBM ? OR_U : exp == OR_EXP2_APPROX ? base2 : fast;
    c->score = (may_base2 ? 2 : 1) * OR_U;
    c->maximum = (may_base2 ? 2 : 0) * OR_U;
}

/* A merge weighs each piece by exp(lse_s - lse): one exponential more, and lse itself is rounded where it is about m.
 */
static void of_splits(or_constants *c, or_dtype t, const or_arithmetic *how) {
    if (how->splits == 1) return;
    c->exponential += 2 * 0x1p-23;
    c->maximum += 3 * OR_U;
    const or_dtype type = how->partial == OR_ABSENT ? t : how->partial;
    if (type == OR_F32) return;
    c->partial = or_unit(type);
    c->partial_least = or_decode(type, 1) / 2;
}

static void of_p(or_constants *c, or_dtype t, const or_arithmetic *how) {
    const or_dtype type = how->p == OR_ABSENT ? t : how->p;
    if (type == OR_F32) return;
    c->p = or_unit(type);
    c->p_least = or_decode(type, 1) / 2;
    c->plain_sum = how->p == OR_ABSENT || !how->sum_of_rounded_p;
    c->rounded_sum = how->p == OR_ABSENT || how->sum_of_rounded_p;
}

or_constants or_constants_of(const or_problem *p, const or_arithmetic *how) {
    or_constants c = {
        .dot = dot_error(how->dot, (double)p->head_size),
        .tanh = how->tanh == OR_TANH_LIBM ? 0x1p-22 : 0x1p-11,
        .division = 4 * OR_U, /* by a reciprocal; dividing is 2 */
        .chain = how->dot != OR_DOT_TENSOR,
        .tensor = how->dot != OR_DOT_F32,
        .tile = how->tile,
        .splits = how->splits,
    };
    of_query(&c, p->dtype, how->rope);
    of_exp(&c, how->exp);
    of_splits(&c, p->dtype, how);
    of_p(&c, p->dtype, how);
    c.score += p->scale_error;
    return c;
}

double or_tiles(const or_constants *c, double keys) {
    const double least = c->chain ? 1 : block; /* a tensor core takes a block of keys at least */
    return ceil(keys / fmax(c->tile, least));
}

double or_pieces(const or_constants *c, double keys) {
    if (c->splits == 1) return 1;
    return c->splits ? fmin(c->splits, keys) : keys;
}

double or_chain(const or_constants *c, double keys, double rescalings) {
    const double merge = c->splits == 1 ? 0 : or_pieces(c, keys) + 2;
    return keys + rescalings + 2 + merge;
}
