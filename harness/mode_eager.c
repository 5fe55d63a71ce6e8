/* eager: a call from a fresh state, judged by the oracle; and once more with everything around it changed: buffers
 * against the other edge, other poison in outputs and workspace, threads in the reverse order. The bits must not
 * follow. */
#include "finding.h"
#include "modes.h"

#include <inttypes.h>

static const at_cpu_how forward = {.order = AT_FORWARD, .late = 1}, backward = {.order = AT_BACKWARD};
enum { first_poison = 0xFF, second_poison = AT_CANARY };

at_status at_eager_once(at_session *s, at_edge edge, uint8_t poison, const at_cpu_how *how, at_traces *out, bool *going,
                        at_error *err) {
    const at_device_ops *ops = s->host->ops;
    double seconds;
    at_status st;
    *going = false;
    *out = (at_traces){0};
    ops->how(s->host->device, how);
    if ((st = at_session_place(s, edge, err)) != AT_OK) return st;
    if ((st = at_session_restore(s, poison, err)) != AT_OK) return st;
    if ((st = ops->time_begin(s->host->device, err)) != AT_OK) return st;
    if ((st = at_session_execute(s, false, going, err)) != AT_OK || !*going) return st;
    if ((st = at_session_wait(s, err)) != AT_OK) return st;
    if ((st = ops->time_end(s->host->device, &seconds, err)) != AT_OK) return st;
    s->record->seconds_subject += seconds;
    if ((st = at_session_detect(s, err)) != AT_OK) return st;
    return at_session_read(s, out, err);
}

/* What still holds either run's poison was never written; where NaN is due, nothing else would tell. */
static bool find_unwritten(at_record *record, const or_problem *p, const at_traces *first, const at_traces *second) {
    for (int64_t i = 0; i < (int64_t)(first->output_bytes / sizeof(uint16_t)); i++) {
        if (first->output[i] != first_poison * 0x101 || second->output[i] != second_poison * 0x101) continue;
        int64_t row = i / p->v_head_size;
        at_find(record, "unwritten",
                "output of token %" PRId64 ", head %" PRId64 ", channel %" PRId64 " was never written", row / p->heads,
                row % p->heads, i % p->v_head_size);
        return true;
    }
    return false;
}

at_status at_mode_eager(const at_host *host, const at_plan *plan, at_record *record, at_error *err) {
    at_session s;
    at_traces first = {0}, second = {0};
    bool going;
    at_status st = at_session_open(&s, host, plan, NULL, record, &going, err);
    if (st != AT_OK || !going) goto done;
    if ((st = at_eager_once(&s, AT_EDGE_END, first_poison, &forward, &first, &going, err)) != AT_OK || !going)
        goto done;
    if ((st = at_session_judge(&s, &first, err)) != AT_OK) goto done;
    if ((st = at_eager_once(&s, AT_EDGE_START, second_poison, &backward, &second, &going, err)) != AT_OK || !going)
        goto done;
    if (find_unwritten(record, &plan->problem, &first, &second)) goto done;
    if (host->subject->promises & AT_REPEATABLE) {
        at_traces_equal(record, "repeat", "second eager run and first", plan, &second, &first);
    } else {
        record->tensors = 0; /* the second answer is judged for itself and its figures are the ones kept */
        st = at_session_judge(&s, &second, err);
    }
done:
    at_traces_free(&first);
    at_traces_free(&second);
    at_session_close(&s);
    return st;
}
