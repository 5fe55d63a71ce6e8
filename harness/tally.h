/* What a tensor's elements add up to: worst ones with their place, typical ones from a histogram of eight bins an
 * octave. */
#ifndef AT_TALLY_H
#define AT_TALLY_H

#include "../oracle/budget.h"
#include "record.h"

enum { AT_BINS = 8 * 80 }; /* 2^-60 to 2^20 */
typedef struct {
    int64_t count, zeros, bin[AT_BINS];
} at_histogram;

typedef struct {
    at_tensor_report report;
    or_dtype dtype;
    at_histogram ratio, absolute, ulps;
} at_tally;

/* One judged element: where it is, what was due, the interval that passes, and what came. */
typedef struct {
    int64_t token, head, channel; /* head -1: a cache row */
    double want, low, high;
    uint16_t got;
    or_opinion opinion;
} at_element;

void at_tally_open(at_tally *, const char *tensor, or_dtype);
void at_tally_add(at_tally *, const at_element *);
void at_tally_close(at_tally *, at_record *); /* medians, and into the record */

#endif
