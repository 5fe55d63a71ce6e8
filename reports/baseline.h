/* A baseline: the journal of a validated run, sorted, with all left out that a comparison does not look at. It is small
 * enough to be committed, changes line by line, and reads as the journal that it is. */
#ifndef AT_BASELINE_H
#define AT_BASELINE_H

#include "../harness/record.h"

/* AT_UNVALIDATED where the run did not end VALIDATED. */
AT_MUST_USE at_status at_baseline_write(FILE *, const at_journal *, at_error *err);

/* DIRECTORY/DEVICE/SUBJECT.jsonl of such a run, in lower case, other characters than letters, digits and dots as
 * dashes: "nvidia-h200/v1.jsonl". malloc'ed; NULL where memory is short. */
char *at_baseline_path(const char *directory, const at_header *);

#endif
