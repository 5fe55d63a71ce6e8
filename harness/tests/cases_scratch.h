/* Suites written for one test. */
#ifndef CASES_SCRATCH_H
#define CASES_SCRATCH_H

#include "../case.h"

/* Starts a directory of its own, and removes it with all that was written. */
void scratch_open(void);
void scratch_close(void);
/* Its path, or that of a file in it; valid until the next call. */
const char *scratch_path(const char *file);
void scratch_write(const char *file, const char *text);

/* Writes suite.yaml and loads it: `rest` behind the first keys and one geometry, tiny. Fails the test when it does not
 * load. */
at_cases *scratch_load(const char *rest);
/* The same, refused: the message behind "suite.yaml:", with lines counted from the first of `rest`. "" when it loads.
 */
const char *scratch_refusal(const char *rest);

/* A case of one line, which may go on. */
#define PLAIN_CASE "cases:\n  - {name: one, why: A reason., geometry: tiny, past: 4, new: 1"

#endif
