#include "capture.h"
#include "finding.h"

/* CPU execution: replays take turns at the orders of threads; and everywhere at what outputs and workspace held before.
 */
static const struct {
    at_cpu_how how;
    uint8_t poison;
} turns[] = {{{.order = AT_BACKWARD, .late = 1}, 0xFF},
             {{.order = AT_FORWARD}, AT_CANARY},
             {{.order = AT_RANDOM, .seed = 2, .late = 1}, 0x00}};

static void judge_graph(at_record *record, const at_graph_nodes *nodes) {
    record->graph_kernels = nodes->kernels;
    record->graph_other = nodes->memsets + nodes->device_copies;
    if (nodes->host_copies + nodes->hosts + nodes->allocations + nodes->others == 0) return;
    at_find(record, "graph",
            "the captured call holds %d host copies, %d host functions, %d allocations and %d other nodes; "
            "kernels, memsets and device copies alone may be captured",
            nodes->host_copies, nodes->hosts, nodes->allocations, nodes->others);
}

at_status at_session_capture(at_session *s, at_graph **graph, at_error *err) {
    const at_device_ops *ops = s->host->ops;
    at_device *device = s->host->device;
    at_refusal refusal = {0};
    at_graph_nodes nodes;
    bool going;
    at_status st, ended;
    *graph = NULL;
    if (s->host->subject->capture_ready(s->kernel, &s->call, &refusal) != AT_ACCEPTED) {
        at_find(s->record, "replay", "capture_ready says no after this signature ran eagerly: %.300s", refusal.text);
        return AT_OK;
    }
    if ((st = at_session_restore(s, 0xFF, err)) != AT_OK) return st;
    if ((st = ops->capture_begin(device, err)) != AT_OK) return st;
    st = at_session_execute(s, true, &going, err);
    ended = ops->capture_end(device, graph, err);
    if (st != AT_OK) return st;
    if (!going) {
        if (*graph != NULL) ops->graph_free(device, *graph);
        *graph = NULL;
        return at_session_wait(s, err);
    }
    if (ended == AT_FAILED) {
        at_find(s->record, "replay", "the call cannot be captured: %.300s", err->text);
        return ops->wait(device, err); /* does the fault outlive the capture? */
    }
    if (ended != AT_OK) return ended;
    if ((st = ops->inspect(device, *graph, &nodes, err)) == AT_OK) judge_graph(s->record, &nodes);
    return st;
}

at_status at_session_replay(at_session *s, at_graph *graph, int turn, const char *what, const at_traces *eager,
                            at_error *err) {
    const at_device_ops *ops = s->host->ops;
    size_t i = (size_t)turn % (sizeof turns / sizeof *turns);
    at_traces got = {0};
    at_status st;
    ops->how(s->host->device, &turns[i].how);
    if ((st = at_session_restore(s, turns[i].poison, err)) != AT_OK) return st;
    if ((st = ops->replay(s->host->device, graph, err)) != AT_OK) return st;
    if ((st = at_session_wait(s, err)) != AT_OK) return st;
    if ((st = at_session_detect(s, err)) != AT_OK) return st;
    if ((st = at_session_read(s, &got, err)) != AT_OK) return st;
    s->record->replays++;
    s->record->replays_equal += at_traces_equal(s->record, "replay", what, s->plan, &got, eager);
    at_traces_free(&got);
    return AT_OK;
}
