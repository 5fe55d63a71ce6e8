/* How far each softmax weight of a row may be off: p~_j / p_j lies within exp(+-D_j) up to a common factor. Private to
 * budget.c.
 *
 *     ds_j = |scale| sum_i g_i |k_ji| + c_s u |s_j|                       g_i: error of a query channel's product
 *     dL_j = ds_j, or with softcap c  c (tanh(|s_j|/c) - tanh((|s_j| - ds_j)/c)) + |L_j| (t_rel + 2u)
 *     D_j  = dL_j + c_m u max(|L_j|, |m|) + 2^-23 c_x (N + 1) + c_l |L_j - m| */
#ifndef OR_BUDGET_WEIGHTS_H
#define OR_BUDGET_WEIGHTS_H

#include "attend.h"
#include "budget_constants.h"

typedef struct {
    double *error;     /* [n] E_j = expm1(D_j)                                                                      */
    double *linear;    /* [n] the part of E_j that has no average over keys: one number serves many of them         */
    double *tied;      /* [n] P_j: total weight of the keys with exactly L_j                                        */
    double den;        /* sum_j p_j exp(-D_j)                                                                       */
    double mean_error; /* sum_j |p~_j - p_j|: sum_j p_j E_j / den, and at most 2                                    */
    double rescalings; /* N                                                                                         */
    double mean, deviation; /* of L under p                                                                          */

    bool ties; /* compute tied, mean and deviation                                                          */
    const or_problem *problem;
    const uint16_t *cache;
    or_constants c;
    or_rope rope;
    double *channel;   /* [hs] g_i                                                                                  */
    double *ambiguous; /* [hs] gap at a rounding of q_i that float32 may take either way; 0: nowhere                */
    bool any_ambiguous;
    double *key;  /* [hs] one row                                                                              */
    double *peak; /* [n] scratch                                                                               */
    struct or_ranked {
        double logit;
        int64_t key;
    } * ranked; /* [n] scratch                                                                               */
} or_weights;

bool or_weights_init(or_weights *, const or_problem *, const uint16_t *cache, const or_arithmetic *, bool ties);
void or_weights_free(or_weights *);

/* row: with keys, none of its weights NaN. */
void or_weigh(or_weights *, const or_row *row, int64_t token, int64_t head);

#endif
