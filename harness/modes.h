/* How an attempt is made: one row a mode. A mode runs one case on one subject and leaves verdict and findings in the
 * record. */
#ifndef AT_MODES_H
#define AT_MODES_H

#include "session.h"

typedef struct {
    const char *name, *about;
    bool by_default; /* for cases that list no modes; the others are asked for by name */
    bool (*applies)(const at_case *);
    /* AT_OK: judged, or refused, as the record says. AT_FAILED: the device is poisoned, this process must end. Else the
     * harness's own fault. */
    at_status (*run)(const at_host *, const at_plan *, at_record *, at_error *err);
} at_mode;

const at_mode *at_modes(size_t *count);
const at_mode *at_mode_by_name(const char *name);
/* Applies, and is not left out by the case's own list. */
bool at_mode_wanted(const at_mode *, const at_case *);

/* The case's dialect, or the subject's first where the case runs in any; false where the subject does not list it. */
bool at_dialect_for(or_dialect *out, const at_subject *, const at_case *);

/* Makes plan and record of one attempt and runs it; the record's verdict is set whatever happens. plan may be NULL: it
 * is then made here. */
AT_MUST_USE at_status at_attempt(const at_host *, const at_case *, const at_mode *, at_record *, at_error *err);

/* The modes' own files. */
at_status at_mode_eager(const at_host *, const at_plan *, at_record *, at_error *);
at_status at_mode_replay(const at_host *, const at_plan *, at_record *, at_error *);
at_status at_mode_refuse(const at_host *, const at_plan *, at_record *, at_error *);
at_status at_mode_advance(const at_host *, const at_plan *, at_record *, at_error *);
at_status at_mode_interleave(const at_host *, const at_plan *, at_record *, at_error *);
at_status at_mode_pages(const at_host *, const at_plan *, at_record *, at_error *);
at_status at_mode_batch(const at_host *, const at_plan *, at_record *, at_error *);
at_status at_mode_chunk(const at_host *, const at_plan *, at_record *, at_error *);
at_status at_mode_identity(const at_host *, const at_plan *, at_record *, at_error *);
at_status at_mode_busy(const at_host *, const at_plan *, at_record *, at_error *);
at_status at_mode_life(const at_host *, const at_plan *, at_record *, at_error *);
at_status at_mode_speculate(const at_host *, const at_plan *, at_record *, at_error *);

/* One eager call from a fresh state to traces, with all detectors; *going is false where the subject refused. */
AT_MUST_USE at_status at_eager_once(at_session *, at_edge, uint8_t poison, const at_cpu_how *, at_traces *out,
                                    bool *going, at_error *err);

#endif
