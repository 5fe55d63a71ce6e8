/* The whole of attention once more, in long double and by other means: tables of pages become a list of rows first,
 * pairs are rotated as complex numbers, and formats are decoded from their definition. */
#ifndef OR_TESTS_REFERENCE_H
#define OR_TESTS_REFERENCE_H

#include "../problem.h"

/* o: [v_head_size]; spread: sum_j p_j |v_j| of each channel. False where the token sees nothing, and o is 0. */
bool reference_row(long double *o, long double *spread, const or_problem *, const uint16_t *cache, int64_t token,
                   int64_t head);

#endif
