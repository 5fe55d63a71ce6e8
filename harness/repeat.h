/* Several runs of one attempt become one record: one that changes its verdict is FLAKY. */
#ifndef AT_REPEAT_H
#define AT_REPEAT_H

#include "record.h"

typedef struct {
    at_record kept; /* of the worst so far, by verdict: of equals the first */
    int64_t runs, of[AT_VERDICTS];
} at_repeats;

/* Takes the record over and zeroes it. */
void at_repeats_add(at_repeats *, at_record *);
/* Hands the result over and starts anew. */
void at_repeats_take(at_repeats *, at_record *out);
void at_repeats_clear(at_repeats *);

#endif
