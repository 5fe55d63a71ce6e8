/* o[t,h,:] = sum_j p[j] v[j,:],  p = softmax_j(cap(scale * <q[t,h,:], k[j,:]>)),  j visible; two passes, in double.
 *
 * A row of the answer is asked for by itself, so that a context of 128k can be judged on a sample. The scores are kept
 * beside the answer: the error budget (budget.h) and the wrong readings (hypotheses.h) start from them. */
#ifndef OR_ATTEND_H
#define OR_ATTEND_H

#include "arithmetic.h"
#include "problem.h"

typedef struct {
    int64_t keys;      /* n: visible and mapped keys; 0: the row is exactly 0                         */
    int64_t *position; /* [n] ascending                                                               */
    int64_t *slot;     /* [n]                                                                         */
    double *s;         /* [n] scale * <q, k_j>                                                        */
    double *logit;     /* [n] L_j: s_j, or c tanh(s_j / c)                                            */
    double *weight;    /* [n] p_j, summing to 1                                                       */
    double max;        /* of logit; -inf without keys                                                 */
    double *q;         /* [hs] the query that the scores come from, rotated as the arithmetic says    */
    double *o;         /* [vhs] the answer, NaN and infinities included; keys at -inf add nothing     */
    unsigned *classes; /* [vhs] what an answer may be: OR_FINITE | OR_NAN | ... (classes.h)           */
} or_row;

typedef struct or_attention or_attention; /* scratch for one problem, and the row it computed last */

/* cache: [blocks, bs, hs] as it is when the reads begin. How q is made is emulated from arithmetic->rope; UNSAID and
 * EXACT leave it unrounded. Problem and cache must outlive the attention. NULL when memory is short. */
or_attention *or_attention_new(const or_problem *, const uint16_t *cache, const or_arithmetic *);
void or_attention_free(or_attention *);

/* The row of (token, head), valid until the next call. A token at or past cumseq[B] has no key, its q and o are 0. */
const or_row *or_attend(or_attention *, int64_t token, int64_t head);

#endif
