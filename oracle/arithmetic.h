/* How a call says that it computes: choices from closed sets whose errors are known (BUDGET.md). Not said is the
 * widest. */
#ifndef OR_ARITHMETIC_H
#define OR_ARITHMETIC_H

#include "dtype.h"
#include <stdbool.h>

/* How q is rotated, and the written row, which is rounded to T in the end in any case. */
typedef enum {
    OR_ROPE_UNSAID,
    OR_ROPE_EXACT, /* in float; q stays there                              */
    OR_ROPE_ROUND, /* RN_T(x c - y s), in float before that                */
    OR_ROPE_SEP,   /* RN_T(RN_T(x c) - RN_T(y s))                          */
    OR_ROPE_FMA    /* RN_T(x c - RN_T(y s)), and RN_T(y c + RN_T(x s))     */
} or_rope;
typedef enum { OR_DOT_UNSAID, OR_DOT_F32, OR_DOT_TENSOR } or_dot;
typedef enum { OR_EXP_UNSAID, OR_EXP_LIBM, OR_EXP_FAST, OR_EXP2_APPROX } or_exp;
typedef enum { OR_TANH_UNSAID, OR_TANH_LIBM, OR_TANH_APPROX } or_tanh;

typedef struct {
    or_rope rope;
    or_dot dot; /* what sums q.k and P.V */
    or_exp exp;
    or_tanh tanh;
    or_dtype p;       /* the type of the softmax weights as they enter P.V; OR_ABSENT: not said */
    or_dtype partial; /* of unmerged split results                                              */
    bool sum_of_rounded_p;
    uint32_t tile, splits; /* keys between two rescalings; pieces of a row's context; 0: not said */
} or_arithmetic;

/* One line for a report: "q exact f32, dot f32, exp libm, P f32, tile 128, splits 1". Returns `text`. */
const char *or_arithmetic_text(const or_arithmetic *, char *text, size_t size);

#endif
