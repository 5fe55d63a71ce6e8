/* One kernel of a subject over one plan: nodes and calls bridged, buffers placed and filled, the call made, its traces
 * read back. */
#ifndef AT_SESSION_H
#define AT_SESSION_H

#include "device.h"
#include "judge.h"
#include "plan.h"

enum { AT_SLOT_OUTPUTS = AT_INPUTS, AT_SLOT_WORKSPACE = AT_INPUTS + AT_OUTPUTS, AT_SLOTS };

/* What answers and where: a subject on an open device. */
typedef struct {
    const at_subject *subject;
    const at_device_ops *ops;
    at_device *device;
    int device_index;
    uint64_t seed;
    double *explaining; /* seconds that are left to explain wrong answers, or NULL: none is explained */
    const char *dump;   /* directory that gets got, want and allowed of each judged answer, or NULL */
} at_host;

typedef struct {
    const at_host *host;
    const at_plan *plan;
    at_record *record; /* findings go here */
    at_kernel *kernel;
    bool borrowed;  /* the kernel is another session's */
    bool accepted;  /* execute has made this call before */
    int first_slot; /* of the device's arena: sessions that live side by side have slots of their own */
    at_node node;
    at_attr *attr;
    at_call call;
    at_arithmetic arithmetic;
    size_t workspace_bytes;
    at_buffer buffer[AT_SLOTS];
} at_session;

/* "key_cache": what lies in a slot of the device's arena. */
const char *at_session_slot_name(int slot);

const char *at_code_name(at_code); /* "NOT_IMPLEMENTED", ... */

/* What a subject declares, in the oracle's words. */
or_arithmetic at_arithmetic_of(const at_arithmetic *);

/* Asks supports. The types of the inputs end at an unmapped page, or a subject that reads one too many would find
 * something that looks like a type. */
AT_MUST_USE at_status at_session_supports(const at_session *, at_code *, at_refusal *, at_error *err);

/* Asks supports, create and prepare; with the kernel of another session that one is used and prepare alone is asked.
 * *going is false where the subject refused: the record then says UNSUPPORTED or FAIL. */
AT_MUST_USE at_status at_session_open(at_session *, const at_host *, const at_plan *, at_kernel *, at_record *,
                                      bool *going, at_error *err);
void at_session_close(at_session *);

/* Buffers against an unmapped page at that edge; then the call's state before it ran: inputs and cache as planned,
 * outputs and workspace full of `poison`. */
AT_MUST_USE at_status at_session_place(at_session *, at_edge, at_error *err);
AT_MUST_USE at_status at_session_restore(at_session *, uint8_t poison, at_error *err);

/* Makes the call; *going as above. Work may still be under way. */
AT_MUST_USE at_status at_session_execute(at_session *, bool capturing, bool *going, at_error *err);
/* Waits. A device that reports a fault is a finding and AT_FAILED: nothing more can be run in this process. */
AT_MUST_USE at_status at_session_wait(at_session *, at_error *err);
/* Canaries intact, inputs bit-identical. */
AT_MUST_USE at_status at_session_detect(at_session *, at_error *err);

/* What the call left, copied to the host; freed by at_traces_free. */
typedef struct {
    uint16_t *output, *key_cache;
    size_t output_bytes, cache_bytes;
} at_traces;
AT_MUST_USE at_status at_session_read(at_session *, at_traces *out, at_error *err);
void at_traces_free(at_traces *);
/* One finding where they differ, with the place; `what` names the pair: "second eager run and first". */
bool at_traces_equal(at_record *, const char *detector, const char *what, const at_plan *, const at_traces *got,
                     const at_traces *want);

AT_MUST_USE at_status at_session_judge(at_session *, const at_traces *, at_error *err);

#endif
