/* How far the declared arithmetic may be off, derived, never typed in. BUDGET.md has the formula with the source of
 * each constant. */
#ifndef OR_BUDGET_H
#define OR_BUDGET_H

#include "attend.h"

typedef enum {
    OR_RIGOROUS,   /* mode R: a worst case for any data                                              */
    OR_STATISTICAL /* mode S: sharper; only for V and logits that are independent draws: a case's flag */
} or_mode;

typedef struct or_budget or_budget; /* scratch for one problem */
or_budget *or_budget_new(const or_problem *, const uint16_t *cache, const or_arithmetic *, or_mode);
void or_budget_free(or_budget *);

/* bound: [vhs], B of the row that `attend` computed last: |computed before the last rounding - o| <= B. */
void or_budget_row(or_budget *, const or_row *, int64_t token, int64_t head, double *bound);

/* Mode S, of the row bounded last, for bias.h. [vhs], valid until the next row: cov = sum_j p_j (L_j - Lbar) v_j, which
 * is do/d(log scale) at these logits; and B without the rounding of P. */
const double *or_budget_slope(const or_budget *);
const double *or_budget_without_p(const or_budget *);

/* An element passes when RN_T(o - B) <= got <= RN_T(o + B). excess: the distance from o to the reals that round to got,
 * over B; 0 for the correctly rounded answer, above 1 fails. A wrong class is INFINITY. ratio: |got - o| / (B + half an
 * ulp at |o| + B), for histograms. */
typedef struct {
    bool accepted, wrong_class;
    double excess, ratio;
} or_opinion;
or_opinion or_judge(or_dtype, double o, double bound, unsigned classes, uint16_t got);

#endif
