/* The cache row that a token writes: rotated channels in [off, off+R), the others byte for byte. */
#ifndef OR_WRITE_H
#define OR_WRITE_H

#include "rope.h"

/* One channel of a row. Pass-through channels allow exactly their own bits. Rotated ones allow what the declared
 * rotation can give, NaN and infinities by class, numbers from RN_T(lo) to RN_T(hi): SEP, FMA      the one emulated
 * value; EXACT, ROUND  a sum in float: its products are exact there, so it is within 2^-24 |x c - y s| + 2^-149; UNSAID
 * from the least of all these to the largest. */
typedef struct {
    bool rotated;
    uint16_t bits;    /* the right answer: the input's bits, or RN_T of the exact rotation */
    double exact;     /* before rounding                                                   */
    double lo, hi;    /* before rounding; NaN where no number is allowed                   */
    unsigned classes; /* OR_FINITE | ...: what the element may be                          */
} or_written;

/* row: [head_size]. What slot or_write_slot(t) has to hold. Token t is one of a sequence. */
void or_written_row(or_written *row, const or_problem *, const or_arithmetic *, int64_t token);
bool or_written_accepts(const or_written *, or_dtype, uint16_t got);

/* cache: [blocks, bs, hs], as the call's writes leave it: each row with a slot is written, as `bits`. */
void or_write_all(uint16_t *cache, const or_problem *);

#endif
