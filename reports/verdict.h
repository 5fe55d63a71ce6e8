/* What a journal says in the end: the verdict line and the exit status. Cases are counted, by unique ids; what did not
 * run is never a pass. */
#ifndef AT_VERDICT_H
#define AT_VERDICT_H

#include "../harness/record.h"

/* Of a case's attempts the worst counts, in this order. */
typedef enum {
    AT_CASE_FAILED,
    AT_CASE_BROKEN,  /* the harness or the machine failed */
    AT_CASE_NOT_RUN, /* said by a record, or planned and without a record */
    AT_CASE_WAIVED,
    AT_CASE_PASSED, /* judged at least once, and found right each time */
    AT_CASE_UNSUPPORTED,
    AT_CASE_STATES
} at_case_state;

typedef struct {
    at_status status; /* the exit status */
    const char *word; /* VALIDATED, FAILED, UNVALIDATED, INFRASTRUCTURE */
    int64_t attempts[AT_VERDICTS];
    int64_t planned; /* cases */
    int64_t cases[AT_CASE_STATES];
    char line[1200]; /* "VALIDATED on NVIDIA H200 (sm_90): 412 of 412 cases, arithmetic ..."; fit for a terminal */
} at_outcome;

/* require_gpu: nothing but a GPU validates; a header that says so is not overruled. AT_INFRASTRUCTURE where memory is
 * short. */
AT_MUST_USE at_status at_verdict_of(at_outcome *out, const at_journal *, bool require_gpu, at_error *err);

#endif
