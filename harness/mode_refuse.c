/* refuse: asks each gate that owns the rule, by itself, with addresses that fault when touched; the answer has to be
 * the rule's, and again when execute is asked again. A good call must work afterwards: on the same kernel where the
 * node is a good one, else on a new kernel of the plain node; and once it has run it can be captured, whatever was
 * refused since. */
#include "blackbox.h"
#include "capture.h"
#include "finding.h"
#include "modes.h"
#include "variant.h"

#include <stdlib.h>
#include <string.h>

static const at_code code_of[] = {
    [OR_CODE_NOT_IMPLEMENTED] = AT_NOT_IMPLEMENTED,
    [OR_CODE_INVALID_NODE] = AT_INVALID_NODE,
    [OR_CODE_INVALID_CALL] = AT_INVALID_CALL,
    [OR_CODE_NOT_WARMED] = AT_NOT_WARMED,
};

/* Which answers the subject is held to: a foreign one may do what the contract lets it refuse, and need not give rule
 * ids. */
static void judge_refusal(at_record *record, const at_host *host, const at_plan *plan, const char *gate, at_code code,
                          at_refusal *refusal) {
    const or_rule *rule = plan->rule;
    bool hardened = host->subject->promises & AT_HARDENED;
    at_code due = code_of[rule->code[plan->node.dialect]];
    refusal->text[sizeof refusal->text - 1] = 0;
    if (code == AT_ACCEPTED && rule->duty[plan->node.dialect] == OR_MAY && !hardened) {
        at_set_aside(record, AT_UNSUPPORTED, "%s accepts what %s lets a subject refuse; attest has no oracle for it",
                     gate, rule->id);
    } else if (code == AT_ACCEPTED) {
        at_find(record, "refusal", "%s accepted; %s is due: %s", gate, rule->id, rule->refused_when);
    } else if (code != due) {
        at_find(record, "refusal", "%s said %s (%s); %s is due, by %s", gate, at_code_name(code),
                refusal->rule ? refusal->rule : "no rule", at_code_name(due), rule->id);
    } else if (refusal->rule != NULL ? strcmp(refusal->rule, rule->id) != 0 : hardened) {
        at_find(record, "refusal", "%s refused by %s: \"%.200s\"; the contract's first broken rule is %s", gate,
                refusal->rule ? refusal->rule : "no rule", refusal->text, rule->id);
    } else if (hardened && refusal->text[0] == 0) {
        at_find(record, "refusal", "%s refused by %s without a sentence", gate, rule->id);
    }
}

enum { BESIDE = 1 << 20 }; /* bytes around that address of which a fault is told as one of touching it */

/* Every tensor at an address that faults; data on the host stay readable, since nobody forbids looking at them. */
static void make_untouchable(at_session *s) {
    void *address = s->host->ops->untouchable(s->host->device);
    for (int i = 0; i < AT_INPUTS; i++)
        s->call.in[i].data = i == AT_ATTENTION_METADATA ? s->plan->call.in[i].data : address;
    for (int i = 0; i < AT_OUTPUTS; i++) s->call.out[i].data = address;
    /* another buffer than key_cache's, when that is what is wrong */
    if (!s->plan->cache_aliased) s->call.out[AT_KEY_CACHE_OUT].data = (char *)address + 256;
    s->call.workspace = address;
    at_blackbox_buffer(0, "what a call that must be refused has for memory", (char *)address - BESIDE, 2 * BESIDE);
    s->call.stream = s->host->ops->stream(s->host->device);
}

static at_status ask_supports(at_session *s, at_error *err) {
    at_refusal refusal = {0};
    at_code code;
    at_phase("supports, which must refuse");
    at_status st = at_session_supports(s, &code, &refusal, err);
    if (st == AT_OK) judge_refusal(s->record, s->host, s->plan, "supports", code, &refusal);
    return st;
}

static at_status ask_create(at_session *s, at_error *err) {
    (void)err;
    at_refusal refusal = {0};
    at_phase("create, which must refuse");
    at_code code = s->host->subject->create(&s->node, s->host->device_index, &s->kernel, &refusal);
    judge_refusal(s->record, s->host, s->plan, "create", code, &refusal);
    if (code != AT_ACCEPTED && s->kernel != NULL) {
        at_find(s->record, "refusal", "create refused and left a kernel");
        s->kernel = NULL;
    }
    return AT_OK;
}

/* Runs a variant of the case on this kernel. Whether its answer is right is for other modes. */
static at_status run_variant(at_session *s, const at_variant *v, at_error *err) {
    at_plan *plan = NULL;
    at_traces traces = {0};
    at_record aside = {.verdict = AT_PASS};
    bool going;
    at_status st = at_variant_plan(&plan, v, s->plan->node.dialect, s->plan->seed, NULL, err);
    if (st == AT_OK) st = at_answer_to(&traces, s->host, s->kernel, plan, &aside, &going, err);
    at_traces_free(&traces);
    at_record_clear(&aside);
    at_plan_free(plan);
    return st;
}

/* The kernel has run what is almost this call: a token more, the other type, without the optional output. */
static at_status warm_beside(at_session *s, at_error *err) {
    const at_case *c = s->plan->c;
    at_override no_cache_out = {.output = true, .index = AT_KEY_CACHE_OUT, .how = AT_LEAVE_OUT};
    at_status st = AT_OK;
    for (int i = 0; i < 3 && st == AT_OK; i++) {
        at_variant v;
        if ((st = at_variant_of(&v, c, 0, err)) != AT_OK) return st;
        v.c.cold_capture = false;
        if (i == 0 && v.c.sequences > 0) v.sequence[0].fresh++;
        if (i == 1) v.c.dtype = c->dtype == AT_F16 ? AT_BF16 : AT_F16;
        if (i == 2) v.c.override_ = &no_cache_out, v.c.overrides = 1;
        st = run_variant(s, &v, err);
        at_variant_free(&v);
    }
    return st;
}

static at_status execute_cold(at_session *s, at_code *code, at_refusal *refusal, at_error *err) {
    const at_host *host = s->host;
    at_graph *graph = NULL;
    at_graph_nodes nodes = {0};
    at_status st;
    if (host->subject->capture_ready(s->kernel, &s->call, refusal) == AT_ACCEPTED)
        at_find(s->record, "refusal", "capture_ready says yes of a signature that never ran");
    *refusal = (at_refusal){0};
    if ((st = host->ops->capture_begin(host->device, err)) != AT_OK) return st;
    *code = host->subject->execute(s->kernel, &s->call, refusal);
    st = host->ops->capture_end(host->device, &graph, err);
    if (st == AT_OK) st = host->ops->inspect(host->device, graph, &nodes, err);
    if (st == AT_OK && *code != AT_ACCEPTED && nodes.kernels + nodes.memsets + nodes.device_copies > 0)
        at_find(s->record, "refusal", "execute refused and had recorded %d kernels before", nodes.kernels);
    if (graph != NULL) host->ops->graph_free(host->device, graph);
    return st == AT_FAILED ? AT_OK : st;
}

static at_status execute_once(at_session *s, at_error *err) {
    at_refusal refusal = {0};
    at_code code = AT_ACCEPTED;
    at_status st = AT_OK;
    s->call.capturing = s->plan->c->cold_capture;
    at_phase("execute, which must refuse");
    if (!s->call.capturing)
        code = s->host->subject->execute(s->kernel, &s->call, &refusal);
    else if ((st = execute_cold(s, &code, &refusal, err)) != AT_OK)
        return st;
    judge_refusal(s->record, s->host, s->plan, "execute", code, &refusal);
    return at_session_wait(s, err);
}

/* Twice: a call that was refused has not run, and is as illegal as before. */
static at_status ask_execute(at_session *s, at_error *err) {
    const at_host *host = s->host;
    at_refusal refusal = {0};
    at_status st = AT_OK;
    at_code code = s->kernel ? AT_ACCEPTED : host->subject->create(&s->node, host->device_index, &s->kernel, &refusal);
    if (code != AT_ACCEPTED || s->kernel == NULL) {
        at_find(s->record, "refusal", "create gave no kernel of a node that execute was to judge: %.200s",
                refusal.text);
        s->kernel = NULL;
        return AT_OK;
    }
    if (s->plan->c->cold_capture && (st = warm_beside(s, err)) != AT_OK) return st;
    make_untouchable(s);
    if (host->subject->prepare(s->kernel, &s->call, &s->workspace_bytes, &s->arithmetic, &refusal) != AT_ACCEPTED)
        s->workspace_bytes = 0;
    s->call.workspace_bytes = s->workspace_bytes;
    st = execute_once(s, err);
    return st == AT_OK && s->record->verdict == AT_PASS ? execute_once(s, err) : st;
}

/* The refused call once more; the good one before it has run all the same, and can be captured. */
static at_status capture_after(at_session *good, at_session *refused, at_error *err) {
    at_graph *graph = NULL;
    at_status st = execute_once(refused, err);
    if (st == AT_OK && good->record->verdict == AT_PASS) st = at_session_capture(good, &graph, err);
    if (graph != NULL) good->host->ops->graph_free(good->host->device, graph);
    return st;
}

/* The case without what makes it illegal, on the kernel that refused or, where `refused` is NULL, on one of its own;
 * *done is false where such a plan is not legal either. */
static at_status good_call(const at_host *host, at_session *refused, const at_case *c, or_dialect dialect,
                           at_record *record, bool *done, at_error *err) {
    at_case plain = *c;
    at_plan *plan = NULL;
    at_session s = {0};
    at_traces traces = {0};
    bool going;
    plain.expect = AT_EXPECT_BUDGET, plain.overrides = 0, plain.cold_capture = false;
    *done = false;
    at_phase("planning a good call after the refusal");
    at_status st = at_plan_make(&plan, &plain, dialect, host->seed, err);
    if (st == AT_USAGE) return AT_OK;
    if (st != AT_OK) return st;
    st = at_session_open(&s, host, plan, refused ? refused->kernel : NULL, record, &going, err);
    if (st == AT_OK && going) {
        *done = true;
        st = at_eager_once(&s, AT_EDGE_END, 0xFF, &(at_cpu_how){.late = 1}, &traces, &going, err);
        if (st == AT_OK && going) st = at_session_judge(&s, &traces, err);
    }
    const bool again = refused != NULL && record->verdict == AT_PASS && (c->gates & OR_EXECUTE) && !c->cold_capture;
    if (st == AT_OK && going && again && (host->subject->promises & AT_CAPTURE)) st = capture_after(&s, refused, err);
    at_traces_free(&traces);
    at_session_close(&s);
    at_plan_free(plan);
    return st;
}

/* The smallest legal node and call of this dialect, for refusals whose own node is no good. */
static at_case stock_case(const at_case *c) {
    static at_attr attributes[] = {
        {.name = "num_heads", .type = AT_INT, .i = 2},
        {.name = "kv_num_heads", .type = AT_INT, .i = 1},
        {.name = "v_head_size", .type = AT_INT, .i = 16},
        {.name = "kv_cache_layout", .type = AT_STRING, .s = "LATENT"},
        {.name = "scale", .type = AT_FLOAT, .f = 0.25F},
        {.name = "do_rotary", .type = AT_INT, .i = 1},
        {.name = "rotary_offset", .type = AT_INT, .i = 16},
    };
    static at_sequence sequence = {.past = 5, .fresh = 1};
    static char *none[] = {NULL};
    at_case stock = {.id = c->id,
                     .suite = c->suite,
                     .name = c->name,
                     .why = c->why,
                     .place = c->place,
                     .tags = none,
                     .covers = none};
    stock.dtype = c->dtype == AT_BF16 ? AT_BF16 : AT_F16;
    stock.geometry = "", stock.head_size = 32, stock.rotary_dim = 16, stock.block_size = 16;
    stock.attr = attributes, stock.attrs = sizeof attributes / sizeof *attributes;
    stock.sequence = &sequence, stock.sequences = 1;
    stock.design = "normal", stock.modes = none;
    return stock;
}

static at_status good_call_after(at_session *refused, at_error *err) {
    const at_host *host = refused->host;
    const at_plan *plan = refused->plan;
    at_record *record = refused->record;
    bool done = false;
    at_status st = AT_OK;
    if (refused->kernel != NULL) st = good_call(host, refused, plan->c, plan->node.dialect, record, &done, err);
    if (st != AT_OK || done) return st;
    at_case stock = stock_case(plan->c);
    if ((st = good_call(host, NULL, &stock, plan->node.dialect, record, &done, err)) != AT_OK || done) return st;
    if (record->verdict == AT_PASS)
        at_find(record, "refusal", "no legal call could be made after the refusal: %.200s", err->text);
    return AT_OK;
}

static const struct {
    or_gate bit;
    at_status (*ask)(at_session *, at_error *);
} gates[] = {{OR_SUPPORTS, ask_supports}, {OR_CREATE, ask_create}, {OR_EXECUTE, ask_execute}};

at_status at_mode_refuse(const at_host *host, const at_plan *plan, at_record *record, at_error *err) {
    at_session s = {.host = host, .plan = plan, .record = record};
    at_status st = AT_OK;
    if (plan->rule->duty[plan->node.dialect] == OR_OURS && !(host->subject->promises & AT_HARDENED)) {
        at_set_aside(record, AT_UNSUPPORTED, "%s is asked of subjects that promise AT_HARDENED alone", plan->rule->id);
        return AT_OK;
    }
    if ((s.attr = calloc(plan->node.attrs + 1, sizeof *s.attr)) == NULL) return at_fail_memory(err, plan->node.attrs);
    at_plan_node(&s.node, s.attr, plan);
    at_plan_call(&s.call, plan);
    for (size_t i = 0; i < sizeof gates / sizeof *gates && st == AT_OK; i++) {
        if (plan->c->gates & gates[i].bit) st = gates[i].ask(&s, err);
    }
    if (st == AT_OK) st = good_call_after(&s, err);
    at_session_close(&s);
    return st;
}
