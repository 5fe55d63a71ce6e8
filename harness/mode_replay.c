/* What a captured call must be: the same bits at every replay as eagerly, whatever its buffers hold by then. */
#include "capture.h"
#include "finding.h"
#include "modes.h"
#include "variant.h"

enum { REPLAYS = 3 };

static const at_cpu_how warm_up = {.order = AT_RANDOM, .seed = 1, .late = 1};

/* False, and the record says so, where the subject does not promise it. */
static bool promised(const at_host *host, at_record *record) {
    if (host->subject->promises & AT_CAPTURE) return true;
    at_set_aside(record, AT_UNSUPPORTED, "%s does not promise to be captured", host->subject->name);
    return false;
}

/* An eager run on the session, judged: the bits that replays are held to, and the warm-up of its signature. */
static at_status eager(at_session *s, at_traces *out, bool *going, at_error *err) {
    at_status st = at_eager_once(s, AT_EDGE_END, 0xFF, &warm_up, out, going, err);
    s->record->tensors = 0;
    return st == AT_OK && *going ? at_session_judge(s, out, err) : st;
}

typedef struct {
    at_session s;
    at_traces want;  /* of its eager run */
    at_graph *graph; /* NULL where the subject refused: the record says so */
} captured_call;

/* Eagerly once, restored, captured, and the graph inspected. kernel NULL: one of its own. */
static at_status capture(captured_call *out, const at_host *host, const at_plan *plan, at_kernel *kernel,
                         int first_slot, at_record *record, at_error *err) {
    bool going;
    *out = (captured_call){.graph = NULL};
    at_status st = at_session_open(&out->s, host, plan, kernel, record, &going, err);
    out->s.first_slot = first_slot;
    if (st == AT_OK && going) st = eager(&out->s, &out->want, &going, err);
    return st == AT_OK && going ? at_session_capture(&out->s, &out->graph, err) : st;
}

/* A zeroed one is fine. */
static void release(captured_call *x) {
    if (x->graph != NULL) x->s.host->ops->graph_free(x->s.host->device, x->graph);
    at_traces_free(&x->want);
    at_session_close(&x->s);
}

/* replay: warm up eagerly, restore, capture, inspect the graph; then three times: restore the state, poison outputs and
 * workspace, replay, compare bit for bit with the eager run. */
at_status at_mode_replay(const at_host *host, const at_plan *plan, at_record *record, at_error *err) {
    captured_call x;
    char what[64];
    if (!promised(host, record)) return AT_OK;
    at_status st = capture(&x, host, plan, NULL, 0, record, err);
    for (int i = 0; i < REPLAYS && st == AT_OK && x.graph != NULL; i++) {
        snprintf(what, sizeof what, "replay %d and the eager run", i + 1);
        st = at_session_replay(&x.s, x.graph, i, what, &x.want, err);
    }
    release(&x);
    return st;
}

/* Contents of another call in the shapes of this one: another step of each sequence, other data, other tables, of
 * angles too: a server that stretches its context changes them while it runs. */
static at_status next_contents(at_plan **out, at_variant *v, const at_plan *plan, int64_t step, uint64_t seed,
                               at_error *err) {
    at_status st = at_variant_of(v, plan->c, 0, err);
    if (st != AT_OK) return st;
    for (size_t b = 0; b < v->c.sequences; b++) {
        at_sequence *s = &v->sequence[b];
        int64_t most =
            s->fresh > 0 ? s->reserve : s->reserve - 1; /* an idle sequence keeps its room in the tables of angles */
        int64_t by = step < 0 ? -(s->past + 1) / 2 : step < most ? step : most;
        s->past += by, s->reserve -= by;
    }
    v->c.page_order = AT_PAGES_RANDOM;
    at_variant_set_parameter(v, "base", 500000);
    return at_variant_plan(out, v, plan->node.dialect, seed, NULL, err);
}

/* An eager run of a plan, judged, in buffers beside those of the captured session. kernel NULL: one of its own. */
static at_status eager_beside(at_traces *out, const at_session *s, const at_plan *plan, at_kernel *kernel, bool *going,
                              at_error *err) {
    at_session beside;
    at_status st = at_session_open(&beside, s->host, plan, kernel, s->record, going, err);
    beside.first_slot = AT_SLOTS;
    if (st == AT_OK && *going) st = eager(&beside, out, going, err);
    at_session_close(&beside);
    return st;
}

/* The graph of `s` on contents that it was not captured with, against an eager run of them on a kernel of its own,
 * which cannot freshen what the captured kernel keeps to itself. Then an eager call of them on the captured kernel: the
 * next replay must not follow that one either. */
static at_status replay_contents(at_session *s, at_graph *graph, int turn, int64_t step, at_error *err) {
    const at_plan *captured = s->plan;
    at_plan *plan = NULL;
    at_variant v;
    at_traces want = {0}, again = {0};
    char what[96];
    bool going = false;
    at_status st = next_contents(&plan, &v, captured, step, captured->seed + 100 + (uint64_t)turn, err);
    if (st == AT_OK) st = eager_beside(&want, s, plan, NULL, &going, err);
    if (st == AT_OK && going) {
        snprintf(what, sizeof what, "replay %d, %s, and the eager run of those contents", turn + 1,
                 step > 0   ? "longer sequences"
                 : step < 0 ? "shorter sequences"
                            : "the same lengths");
        s->plan = plan;
        st = at_session_replay(s, graph, turn, what, &want, err);
        s->plan = captured;
    }
    if (st == AT_OK && going) st = eager_beside(&again, s, plan, s->kernel, &going, err);
    at_traces_free(&again);
    at_traces_free(&want);
    at_plan_free(plan);
    at_variant_free(&v);
    return st;
}

/* The call with room for its sequences to step across a page. */
static at_status plan_with_room(at_plan **out, at_variant *v, const at_plan *plan, at_error *err) {
    at_status st = at_variant_of(v, plan->c, 0, err);
    if (st != AT_OK) return st;
    if (v->c.page_order == AT_PAGES_APART && v->c.spare_pages < 2)
        v->c.spare_pages = 2; /* which that order takes, and the others do not */
    for (size_t b = 0; b < v->c.sequences; b++) v->sequence[b].reserve += v->c.block_size + 1;
    return at_variant_plan(out, v, plan->node.dialect, plan->seed, NULL, err);
}

/* advance: capture once, then replay each time with the contents of another call in the same buffers: longer, shorter,
 * back again. */
at_status at_mode_advance(const at_host *host, const at_plan *plan, at_record *record, at_error *err) {
    static const int64_t step[] = {1, INT32_MAX, -1, 0};
    captured_call x = {.graph = NULL};
    at_variant v = {.sequence = NULL};
    at_plan *roomy = NULL;
    if (!promised(host, record)) return AT_OK;
    at_status st = plan_with_room(&roomy, &v, plan, err);
    if (st == AT_OK) st = capture(&x, host, roomy, NULL, 0, record, err);
    for (int i = 0; i < (int)(sizeof step / sizeof *step) && st == AT_OK && x.graph != NULL; i++)
        st = replay_contents(&x.s, x.graph, i, step[i], err);
    release(&x);
    at_plan_free(roomy);
    at_variant_free(&v);
    return st;
}

/* The call with one more sequence, which makes another shape of it. */
static at_status plan_of_one_more(at_plan **out, at_variant *v, const at_plan *plan, at_error *err) {
    at_status st = at_variant_of(v, plan->c, 1, err);
    if (st != AT_OK) return st;
    v->sequence[v->c.sequences++] = (at_sequence){.past = v->c.block_size + 3, .fresh = 2};
    return at_variant_plan(out, v, plan->node.dialect, plan->seed + 1, NULL, err);
}

/* The call under a node as another layer of the same model may have it: another scale, other pairs, no softcap, and a
 * window where there was none. */
static at_status plan_of_another_layer(at_plan **out, at_variant *v, const at_plan *plan, at_error *err) {
    const or_problem *p = &plan->problem;
    at_status st = at_variant_of(v, plan->c, 0, err);
    if (st != AT_OK) return st;
    at_variant_attribute(v, "scale", AT_FLOAT)->f = p->scale != 0 ? 2 * (float)p->scale : 1;
    at_variant_attribute(v, "rotary_interleaved", AT_INT)->i = !p->interleaved;
    at_variant_attribute(v, "softcap", AT_FLOAT)->f = 0;
    at_variant_attribute(v, "local_window_size", AT_INT)->i = p->window_before < 0 ? p->block_size / 2 : -1;
    return at_variant_plan(out, v, plan->node.dialect, plan->seed + 2, NULL, err);
}

/* A kernel of another node is made, called and destroyed; what it leaves behind must reach neither the next replay of
 * graph A nor the next call of its kernel. */
static at_status replay_after_another(captured_call *a, int turn, at_error *err) {
    at_plan *plan = NULL;
    at_variant v = {.sequence = NULL};
    at_traces other = {0}, again = {0};
    bool going = false;
    at_status st = plan_of_another_layer(&plan, &v, a->s.plan, err);
    if (st == AT_OK) st = eager_beside(&other, &a->s, plan, NULL, &going, err);
    if (st == AT_OK && going)
        st = at_session_replay(&a->s, a->graph, turn,
                               "replay of graph A after a call of another kernel, and its eager run", &a->want, err);
    if (st == AT_OK && going) st = eager_beside(&again, &a->s, a->s.plan, a->s.kernel, &going, err);
    at_traces_free(&again);
    at_traces_free(&other);
    at_plan_free(plan);
    at_variant_free(&v);
    return st;
}

/* interleave: two graphs of one kernel, of different shapes, replayed A, B, A, B: neither may lean on what the other
 * left; then A once more, after a kernel of another node. */
at_status at_mode_interleave(const at_host *host, const at_plan *plan, at_record *record, at_error *err) {
    captured_call x[2] = {{.graph = NULL}, {.graph = NULL}};
    at_variant v = {.sequence = NULL};
    at_plan *other = NULL;
    char what[64];
    if (!promised(host, record)) return AT_OK;
    at_status st = plan_of_one_more(&other, &v, plan, err);
    if (st == AT_OK) st = capture(&x[0], host, plan, NULL, 0, record, err);
    if (st == AT_OK && x[0].graph != NULL) st = capture(&x[1], host, other, x[0].s.kernel, AT_SLOTS, record, err);
    for (int turn = 0; turn < 4 && st == AT_OK && x[1].graph != NULL; turn++) {
        captured_call *now = &x[turn % 2];
        snprintf(what, sizeof what, "replay %d, of graph %c, and its eager run", turn + 1, "AB"[turn % 2]);
        st = at_session_replay(&now->s, now->graph, turn, what, &now->want, err);
    }
    const bool going = x[1].graph != NULL;
    release(&x[1]); /* its buffers are taken next */
    if (st == AT_OK && going) st = replay_after_another(&x[0], 4, err);
    release(&x[0]); /* which owns the kernel */
    at_plan_free(other);
    at_variant_free(&v);
    return st;
}
