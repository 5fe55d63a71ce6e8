/* Where a run goes on: the journal that an earlier one left, and the attempts that stand in it. */
#ifndef AT_RESUME_H
#define AT_RESUME_H

#include "record.h"
#include "select.h"

/* Opens the journal at `path` for a run of `selection`. A new one, unless `resume` and there is one with a header: then
 * that is gone on with, what it holds leaves the selection, and *done is how many attempts that were. AT_USAGE where
 * its header says another subject, seed, plan or device than this one. */
AT_MUST_USE at_status at_resume(at_journal_writer **out, size_t *done, at_selection *selection, const char *path,
                                bool resume, const at_header *, at_error *err);

#endif
