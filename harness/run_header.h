/* What a journal's header says of a run before it has run: its plan, its floors, and what it could cover. */
#ifndef AT_RUN_HEADER_H
#define AT_RUN_HEADER_H

#include "record.h"
#include "select.h"

/* Adds to a header that a worker has filled. waivers: their digest, or NULL. */
AT_MUST_USE at_status at_run_header(at_header *, const at_cases *, const at_selection *, const at_options *,
                                    const char *waivers, at_error *err);

#endif
