/* What a declared arithmetic comes to: how often and how far each step may round. Sources: BUDGET.md, by the names used
 * here. */
#ifndef OR_BUDGET_CONSTANTS_H
#define OR_BUDGET_CONSTANTS_H

#include "arithmetic.h"
#include "problem.h"

#define OR_U 0x1p-24 /* half an ulp of 1 in float32 */

typedef struct {
    double dot;                    /* g_dot: error of <q, k_j>, as a part of sum_i a_i |k_ji|                    */
    double query;                  /* where q's rounding is not emulated: of a rotated channel, as a part of a_i */
    double query_least;            /* likewise, absolute: where q is subnormal                                   */
    double score;                  /* c_s u: as a part of |s_j|                                                  */
    double maximum;                /* c_m u: as a part of max(|L_j|, |m|)                                        */
    double exponential;            /* 2^-23 c_x: relative, for each exponential in a weight                      */
    double exponent;               /* c_l: relative, for each unit of an exponential's argument                  */
    double tanh;                   /* t_rel: relative                                                            */
    double p, p_least;             /* u_P: relative rounding of a weight; its absolute step. 0: not rounded      */
    double partial, partial_least; /* of an unmerged split's result; 0: not rounded                    */
    double division;               /* of the sum by the denominator                                              */
    bool plain_sum, rounded_sum;   /* what the row sum may add: unrounded weights, rounded ones        */
    bool chain, tensor;            /* what may add up P.V                                              */
    uint32_t tile, splits;         /* 0: any                                                           */
} or_constants;

or_constants or_constants_of(const or_problem *, const or_arithmetic *);

/* Of n keys: tiles between rescalings, and pieces that are merged. */
double or_tiles(const or_constants *, double keys);
double or_pieces(const or_constants *, double keys);

/* Roundings of a float accumulator of P.V, or of the denominator, with that many rescalings. */
double or_chain(const or_constants *, double keys, double rescalings);
/* Of tensor cores: the part of sum p|v| that their steps lose, over `keys` products. */
double or_tensor_loss(double products);

#endif
