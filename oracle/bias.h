/* Two statistics of an attempt that see what no element shows: per row
 *
 *     gain  = <y - o, o> / <o, o>            truncated P, a denominator that misses a key, a scaled V
 *     slope = <y - o, cov> / <cov, cov>      a scale or softcap that is off; -0.005 reads "scale half a per cent low"
 *
 * averaged over rows. An honest kernel's rows scatter about 0. For normal data with logits that spread by 0.3 to 1; a
 * row is one (token, head) in mode S. */
#ifndef OR_BIAS_H
#define OR_BIAS_H

#include "dtype.h"
#include <stdbool.h>

typedef struct {
    int64_t rows;
    double sum, squares, systematic;
} or_tally;
typedef struct {
    or_tally gain, slope;
} or_bias; /* all 0 to begin with */

/* o, cov (or_budget_slope), without_p (or_budget_without_p): [channels]; got: [channels], the subject's row. A row with
 * an element that is not finite is passed over, and so is one whose o (cov) is all 0. */
void or_bias_add(or_bias *, or_dtype, int64_t channels, const double *o, const double *cov, const double *without_p,
                 const uint16_t *got);

typedef struct {
    int64_t rows;
    double mean,
        t; /* t: the mean over its standard error; infinite where rows do not scatter at all and the mean is not 0 */
    double systematic; /* the mean that declared errors other than the rounding of P could reach if they all pulled one
                          way    */
    bool flagged;      /* at least 16 rows, |t| > 8, |mean| > systematic      */
} or_drift;
or_drift or_drift_of(const or_tally *);

#endif
