/* NaN, infinities or a number: what an element of an attention row may be, before its value counts. */
#ifndef OR_CLASSES_H
#define OR_CLASSES_H

#include "attend.h"

/* Fills row->classes from row->o, which IEEE arithmetic made in double without the keys at -inf, and adds what float
 * arithmetic or the order of the keys can turn it into. */
void or_classify(or_row *row, const or_problem *, const uint16_t *cache, const or_arithmetic *);

#endif
