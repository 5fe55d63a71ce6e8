/* Which known wrong readings of the contract answer as a subject did, in words. */
#ifndef AT_EXPLANATION_H
#define AT_EXPLANATION_H

#include "../oracle/arithmetic.h"
#include "judge.h"
#include "plan.h"

/* *out: NULL-terminated and the caller's; "agrees with " goes before each: "window-wider: the window keeps one key
 * more", "none of 58 known wrong readings". AT_INFRASTRUCTURE once the seconds are up. */
AT_MUST_USE at_status at_explain_in_words(char ***out, const at_plan *, const or_arithmetic *, const at_answer *,
                                          double seconds, at_error *err);

/* Puts the explanation of an answer with mismatches into its record, the first of an attempt alone, and takes the time
 * from *left. Verdict, findings and times stay as they are; what cannot be found in time is left out. */
void at_explanation_seek(at_record *, double *left, const at_plan *, const or_arithmetic *, const at_answer *);

#endif
