/* Key rows that a call wrote wrong: which of the known wrong readings would have turned them so. */
#ifndef AT_WRITTEN_H
#define AT_WRITTEN_H

#include "../oracle/arithmetic.h"
#include "plan.h"

typedef struct {
    bool wrong;   /* some written row is not what the judge lets pass                            */
    bool numbers; /* and one of its wrong channels is a number                                   */
    bool *as;     /* [at_hypotheses()], the caller's: readings that write each row as it was left */
} at_written;

/* key_cache: as the call left it. AT_INFRASTRUCTURE past `until` (at_seconds_now). */
AT_MUST_USE at_status at_explain_written(at_written *, const at_plan *, const or_arithmetic *,
                                         const uint16_t *key_cache, double until, at_error *err);

#endif
