/* replay: warm up eagerly, restore, capture, inspect the graph; then three times: restore the state, poison outputs and workspace,
 * replay, compare bit for bit with the eager run. */
#include "finding.h"
#include "modes.h"

enum { REPLAYS = 3 };

/* CPU execution: each replay runs its threads in another order. */
static const at_cpu_how warm_up = {.order = AT_RANDOM, .seed = 1, .late = 1};
static const struct {
    at_cpu_how how;
    uint8_t poison;
} turn[REPLAYS] = {{{.order = AT_BACKWARD, .late = 1}, 0xFF}, {{.order = AT_FORWARD}, AT_CANARY}, {{.order = AT_RANDOM, .seed = 2, .late = 1}, 0x00}};

static void judge_graph(at_record *record, const at_graph_nodes *nodes)
{
    record->graph_kernels = nodes->kernels;
    record->graph_other = nodes->memsets + nodes->device_copies;
    if (nodes->host_copies + nodes->hosts + nodes->allocations + nodes->others == 0) return;
    at_find(record, "graph", "the captured call holds %d host copies, %d host functions, %d allocations and %d other nodes; "
            "kernels, memsets and device copies alone may be captured",
            nodes->host_copies, nodes->hosts, nodes->allocations, nodes->others);
}

/* The graph, or NULL where the subject refused or spoiled the capture: the record says so. */
static at_status capture(at_session *s, at_graph **graph, at_error *err)
{
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
    if ((st = ops->capture_begin(device, err)) != AT_OK) return st;
    st = at_session_execute(s, true, &going, err);
    ended = ops->capture_end(device, graph, err);
    if (st != AT_OK || !going) return st;
    if (ended == AT_FAILED) {
        at_find(s->record, "replay", "the call cannot be captured: %.300s", err->text);
        return AT_OK;
    }
    if (ended != AT_OK || (st = ops->inspect(device, *graph, &nodes, err)) != AT_OK) return ended != AT_OK ? ended : st;
    judge_graph(s->record, &nodes);
    return AT_OK;
}

static at_status replay_once(at_session *s, at_graph *graph, int i, const at_traces *eager, at_error *err)
{
    const at_device_ops *ops = s->host->ops;
    at_record *record = s->record;
    at_traces got = {0};
    char what[64];
    at_status st;
    ops->how(s->host->device, &turn[i].how);
    if ((st = at_session_restore(s, turn[i].poison, err)) != AT_OK) return st;
    if ((st = ops->replay(s->host->device, graph, err)) != AT_OK) return st;
    if ((st = at_session_wait(s, err)) != AT_OK) return st;
    if ((st = at_session_detect(s, err)) != AT_OK) return st;
    if ((st = at_session_read(s, &got, err)) != AT_OK) return st;
    snprintf(what, sizeof what, "replay %d and the eager run", i + 1);
    record->replays++;
    record->replays_equal += at_traces_equal(record, "replay", what, s->plan, &got, eager);
    at_traces_free(&got);
    return AT_OK;
}

at_status at_mode_replay(const at_host *host, const at_plan *plan, at_record *record, at_error *err)
{
    at_session s;
    at_traces eager = {0};
    at_graph *graph = NULL;
    bool going;
    at_status st = at_session_open(&s, host, plan, record, &going, err);
    if (st != AT_OK || !going) goto done;
    if (!(host->subject->promises & AT_CAPTURE)) {
        record->verdict = AT_UNSUPPORTED;
        record->message = at_text("%s does not promise to be captured", host->subject->name);
        goto done;
    }
    if ((st = at_eager_once(&s, AT_EDGE_END, 0xFF, &warm_up, &eager, &going, err)) != AT_OK || !going) goto done;
    if ((st = at_session_judge(&s, &eager, err)) != AT_OK) goto done;
    if ((st = at_session_restore(&s, 0xFF, err)) != AT_OK) goto done;
    if ((st = capture(&s, &graph, err)) != AT_OK || graph == NULL) goto done;
    for (int i = 0; i < REPLAYS && st == AT_OK; i++) st = replay_once(&s, graph, i, &eager, err);
done:
    if (graph != NULL) host->ops->graph_free(host->device, graph);
    at_traces_free(&eager);
    at_session_close(&s);
    return st;
}
