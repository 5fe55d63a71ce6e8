/* What a wrong answer agrees with, as every report says it. */
#ifndef AT_EXPLAINED_H
#define AT_EXPLAINED_H

#include "escape.h"
#include "group.h"

bool at_is_explained(const at_record *);
/* By one reading and no other: what says most of a fault. */
at_choice at_is_explained_alone;

/* What failing attempts are explained by, most first. */
typedef struct {
    at_groups alone;   /* by their only reading           */
    int64_t explained; /* failing attempts, in other ways too */
} at_readings;
AT_MUST_USE at_status at_readings_of(at_readings *, const at_journal *, at_error *err);
void at_readings_free(at_readings *);
/* "window-wider in 112 of 192, page-tail in 3, 2 more". Some attempt is explained by one reading alone. */
void at_put_readings(FILE *, const at_readings *, at_put *);

/* Faults explained by one reading come first. */
void at_faults_explained_first(at_groups *);

/* "agrees with window-wider: the window keeps one key more; or window-off, page-stale": the first reading in at most
 * `most` characters, names of a few others, the rest counted. The record is explained. */
void at_put_explanation(FILE *, const at_record *, size_t most, at_put *);

#endif
