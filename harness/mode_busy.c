/* busy: a hundred runs from the same state while other work keeps the device busy; on the CPU each in another order of threads. */
#include "modes.h"

enum { RUNS = 100 };

at_status at_mode_busy(const at_host *host, const at_plan *plan, at_record *record, at_error *err)
{
    at_session s;
    at_traces first = {0};
    bool going;
    char what[64];
    at_status st = at_session_open(&s, host, plan, NULL, record, &going, err);
    for (int i = 0; i < RUNS && st == AT_OK && going && record->verdict == AT_PASS; i++) {
        const at_cpu_how how = {.order = AT_RANDOM, .seed = (uint64_t)i + 1, .late = i % 2};
        at_traces got = {0};
        if ((st = host->ops->disturb(host->device, err)) != AT_OK) break;
        st = at_eager_once(&s, i % 2 ? AT_EDGE_START : AT_EDGE_END, (uint8_t)(i % 2 ? AT_CANARY : 0xFF), &how, &got, &going, err);
        if (st != AT_OK || !going) break;
        if (i == 0) {
            st = at_session_judge(&s, &got, err);
            first = got;
            continue;
        }
        snprintf(what, sizeof what, "run %d and the first", i + 1);
        if (host->subject->promises & AT_REPEATABLE) at_traces_equal(record, "repeat", what, plan, &got, &first);
        at_traces_free(&got);
    }
    at_traces_free(&first);
    at_session_close(&s);
    return st;
}
