/* busy: a hundred runs from the same state while other work keeps the device busy; on the CPU each in another order of
 * threads. */
#include "modes.h"

enum { RUNS = 100 };

/* Bit-equal to the first where that is promised, else judged for itself. */
static at_status compare(at_session *s, int run, const at_traces *got, const at_traces *first, at_error *err) {
    char what[64];
    if (run > 0 && (s->host->subject->promises & AT_REPEATABLE)) {
        snprintf(what, sizeof what, "run %d and the first", run + 1);
        at_traces_equal(s->record, "repeat", what, s->plan, got, first);
        return AT_OK;
    }
    s->record->tensors = 0; /* the last answer's figures are the ones that are kept */
    return at_session_judge(s, got, err);
}

at_status at_mode_busy(const at_host *host, const at_plan *plan, at_record *record, at_error *err) {
    at_session s;
    at_traces first = {0};
    bool going;
    at_status st = at_session_open(&s, host, plan, NULL, record, &going, err);
    for (int i = 0; i < RUNS && st == AT_OK && going && record->verdict != AT_FAIL; i++) {
        const at_cpu_how how = {.order = AT_RANDOM, .seed = (uint64_t)i + 1, .late = i % 2};
        at_traces got = {0};
        if ((st = host->ops->disturb(host->device, err)) != AT_OK) break;
        st = at_eager_once(&s, i % 2 ? AT_EDGE_START : AT_EDGE_END, (uint8_t)(i % 2 ? AT_CANARY : 0xFF), &how, &got,
                           &going, err);
        if (st != AT_OK || !going) break;
        st = compare(&s, i, &got, &first, err);
        if (i == 0)
            first = got;
        else
            at_traces_free(&got);
    }
    at_traces_free(&first);
    at_session_close(&s);
    return st;
}
