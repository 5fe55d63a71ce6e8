/* A bundle: what a reviewer gets of a run, to be checked without a network and without the machine it ran on.
 *
 *   results.jsonl      the journal            environment.json   where it ran, of which revision, limits of clocks
 *   cases/             the suites as judged   README.md          how to check it, and the run again
 *   report.txt, ...    what the journal says  SHA256SUMS         of all of these */
#ifndef AT_BUNDLE_H
#define AT_BUNDLE_H

#include "case.h"
#include "digest.h"
#include "record.h"

extern const char at_journal_name[]; /* "results.jsonl" */

/* A journal by any of its names: the file, a directory that holds it, as a run or a bundle does, or a bundle's archive.
 */
AT_MUST_USE at_status at_journal_find(at_journal **out, const char *path, at_error *err);

/* What a journal says was judged, and what a directory of cases holds. Calls `fault` for each case, once, that is not
 * there or has another content. AT_USAGE where the cases cannot be loaded. */
typedef void at_bundle_fault(void *user, const char *what, const char *why);
AT_MUST_USE at_status at_bundle_check_cases(const at_journal *, const at_cases *, at_bundle_fault *, void *user,
                                            at_error *err);
/* Makes the inputs of every case of the journal again: `fault` for those that have another digest here. */
AT_MUST_USE at_status at_bundle_check_inputs(const at_journal *, const at_cases *, int64_t *made, at_bundle_fault *,
                                             void *user, at_error *err);

/* The journal, its cases, the environment and the README into a directory that is there. */
AT_MUST_USE at_status at_bundle_fill(const char *directory, const at_journal *, const char *journal_file,
                                     const char *cases, at_error *err);

#endif
