/* Which known wrong readings of the contract answer as a subject did, in words. */
#ifndef AT_EXPLANATION_H
#define AT_EXPLANATION_H

#include "power.h"
#include "record.h"

/* NULL-terminated, the caller's, as are its texts; "agrees with " goes before each: "window-wider: the window keeps one
 * key more", "rope-sign: the key was written as it would: rotated the other way", "none of N known wrong readings".
 * NULL when memory is short. */
char **at_explanation_words(const at_explanation *);

/* Puts the explanation of an answer with mismatches into its record, the first of an attempt alone, and takes the time
 * from *left. Verdict, findings and times stay as they are; what cannot be found in time is left out. */
void at_explanation_seek(at_record *, double *left, const at_plan *, const or_arithmetic *, const at_answer *);

#endif
