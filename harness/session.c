#include "session.h"
#include "blackbox.h"
#include "clock.h"
#include "design.h"
#include "digest.h"
#include "dump.h"
#include "explanation.h"
#include "finding.h"

#include <inttypes.h>
#include <fenv.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const char *const code_name[] = {"ACCEPTED",   "NOT_IMPLEMENTED", "INVALID_NODE", "INVALID_CALL",
                                        "NOT_WARMED", "OUT_OF_MEMORY",   "DEVICE_ERROR"};

const char *at_code_name(at_code code) {
    return (size_t)code < sizeof code_name / sizeof *code_name ? code_name[code] : "a code that the ABI does not have";
}

/* The subject names a rule of the contract, and nothing here breaks it. */
static bool is_unfounded(const at_plan *plan, bool capturing, const at_refusal *refusal) {
    const or_moment moment = {
        .capturing = capturing, .warmed = true, .cache_aliased = plan->cache_aliased, .grid_limit = INT32_MAX};
    const or_rule *rule = refusal->rule ? or_rule_by_id(refusal->rule) : NULL;
    return rule != NULL && !or_is_broken(rule, &plan->node, &plan->call, &moment);
}

/* A legal call was refused: a subject may say that it does not do it, or that memory is short, but not of a call that
 * it has made before, nor by a rule that nothing breaks; all else is wrong. */
static void refused(const at_session *s, const char *gate, at_code code, at_refusal *refusal) {
    at_record *record = s->record;
    refusal->text[sizeof refusal->text - 1] = 0;
    const char *rule = refusal->rule ? refusal->rule : "no rule";
    if (s->accepted) {
        at_find(record, "refusal", "%s refused with %s (%s) what it had accepted before: %s", gate, at_code_name(code),
                rule, refusal->text);
    } else if (code == AT_NOT_IMPLEMENTED && is_unfounded(s->plan, s->call.capturing, refusal)) {
        at_find(record, "refusal", "%s said NOT_IMPLEMENTED by %s, a rule that nothing here breaks: %s", gate, rule,
                refusal->text);
    } else if (code == AT_NOT_IMPLEMENTED || code == AT_OUT_OF_MEMORY) {
        at_set_aside(record, code == AT_NOT_IMPLEMENTED ? AT_UNSUPPORTED : AT_NOT_RUN, "%s said %s (%s): %s", gate,
                     at_code_name(code), rule, refusal->text);
    } else {
        at_find(record, "refusal", "%s refused a legal call with %s (%s): %s", gate, at_code_name(code), rule,
                refusal->text);
    }
}

static bool is_weight_type(at_dtype t) {
    return t == AT_ABSENT || t == AT_F32 || t == AT_F16 || t == AT_BF16;
}

/* Closed sets: a number beyond them would be no declaration, and an index past the oracle's tables. */
static bool is_declared(const at_arithmetic *a) {
    return (unsigned)a->rope <= AT_ROPE_FMA && (unsigned)a->dot <= AT_DOT_TENSOR &&
           (unsigned)a->exp <= AT_EXP2_APPROX && (unsigned)a->tanh <= AT_TANH_APPROX && is_weight_type(a->p) &&
           is_weight_type(a->partial);
}

/* [AT_INPUTS], the same in each call; NULL: no memory. */
static at_dtype *types_at_edge(void) {
    static at_dtype *types;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (types != NULL) return types;
    char *mapping = mmap(NULL, 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapping == MAP_FAILED || mprotect(mapping, page, PROT_READ | PROT_WRITE) != 0) return NULL;
    return types = (at_dtype *)(void *)(mapping + page) - AT_INPUTS;
}

at_status at_session_supports(const at_session *s, at_code *code, at_refusal *refusal, at_error *err) {
    at_dtype *given = types_at_edge();
    if (given == NULL) return at_fail_memory(err, AT_INPUTS * sizeof *given);
    for (int i = 0; i < AT_INPUTS; i++) given[i] = s->call.in[i].dtype;
    *code = s->host->subject->supports(&s->node, given, refusal);
    return AT_OK;
}

at_status at_session_open(at_session *s, const at_host *host, const at_plan *plan, at_kernel *kernel, at_record *record,
                          bool *going, at_error *err) {
    const at_subject *subject = host->subject;
    *s = (at_session){.host = host, .plan = plan, .record = record, .kernel = kernel, .borrowed = kernel != NULL};
    *going = false;
    if ((s->attr = calloc(plan->node.attrs + 1, sizeof *s->attr)) == NULL) return at_fail_memory(err, plan->node.attrs);
    at_plan_node(&s->node, s->attr, plan);
    at_plan_call(&s->call, plan);
    at_refusal refusal = {0};
    at_code code = AT_ACCEPTED;
    at_phase("supports, create, prepare");
    at_status st = kernel == NULL ? at_session_supports(s, &code, &refusal, err) : AT_OK;
    if (st != AT_OK) return st;
    if (code != AT_ACCEPTED) {
        refused(s, "supports", code, &refusal);
    } else if (kernel == NULL &&
               (code = subject->create(&s->node, host->device_index, &s->kernel, &refusal)) != AT_ACCEPTED) {
        refused(s, "create", code, &refusal);
        s->kernel = NULL; /* whatever stands there, it is no kernel */
    } else if (s->kernel == NULL) {
        at_find(record, "refusal", "create accepted and returned no kernel");
    } else if ((code = subject->prepare(s->kernel, &s->call, &s->workspace_bytes, &s->arithmetic, &refusal)) !=
               AT_ACCEPTED) {
        refused(s, "prepare", code, &refusal);
    } else if (!is_declared(&s->arithmetic)) {
        at_find(
            record, "arithmetic",
            "prepare declares rope %d, dot %d, exp %d, tanh %d, p %d, partial %d, which are not all of the ABI's sets",
            (int)s->arithmetic.rope, (int)s->arithmetic.dot, (int)s->arithmetic.exp, (int)s->arithmetic.tanh,
            (int)s->arithmetic.p, (int)s->arithmetic.partial);
    } else {
        *going = true;
    }
    return AT_OK;
}

void at_session_close(at_session *s) {
    if (s->kernel != NULL && !s->borrowed) s->host->subject->destroy(s->kernel);
    free(s->attr);
    for (int i = 0; i < AT_SLOTS; i++) at_blackbox_buffer(s->first_slot + i, NULL, NULL, 0);
    *s = (at_session){0};
}

const char *at_session_slot_name(int slot) {
    slot %= AT_SLOTS;
    return slot < AT_SLOT_OUTPUTS     ? or_input_name(slot)
           : slot < AT_SLOT_WORKSPACE ? or_output_name(slot - AT_SLOT_OUTPUTS)
                                      : "workspace";
}

static at_status place_one(at_session *s, int slot, size_t bytes, at_edge edge, at_error *err) {
    const at_host *h = s->host;
    at_status st =
        h->ops->place(h->device, &s->buffer[slot], s->first_slot + slot, bytes, h->subject->alignment, edge, err);
    if (st == AT_OK) at_blackbox_buffer(s->first_slot + slot, at_session_slot_name(slot), s->buffer[slot].data, bytes);
    return st;
}

at_status at_session_place(at_session *s, at_edge edge, at_error *err) {
    const or_call *plain = &s->plan->call;
    at_status st = AT_OK;
    for (int i = 0; i < AT_INPUTS && st == AT_OK; i++) {
        if (plain->in[i].dtype == OR_ABSENT) continue;
        if (i == AT_ATTENTION_METADATA) { /* the one input that lives on the host */
            s->call.in[i].data = plain->in[i].data;
            continue;
        }
        st = place_one(s, i, at_tensor_bytes(&plain->in[i]), edge, err);
        s->call.in[i].data = s->buffer[i].data;
    }
    for (int i = 0; i < AT_OUTPUTS && st == AT_OK; i++) {
        if (plain->out[i].dtype == OR_ABSENT) continue;
        int slot = AT_SLOT_OUTPUTS + i;
        if (i == AT_KEY_CACHE_OUT && s->plan->cache_aliased) {
            s->call.out[i].data = s->call.in[AT_KEY_CACHE].data;
            continue;
        }
        st = place_one(s, slot, at_tensor_bytes(&plain->out[i]), edge, err);
        s->call.out[i].data = s->buffer[slot].data;
    }
    if (st != AT_OK) return st;
    st = place_one(s, AT_SLOT_WORKSPACE, s->workspace_bytes, edge, err);
    s->call.workspace = s->buffer[AT_SLOT_WORKSPACE].data;
    s->call.workspace_bytes = s->workspace_bytes;
    s->call.stream = s->host->ops->stream(s->host->device);
    return st;
}

at_status at_session_restore(at_session *s, uint8_t poison, at_error *err) {
    const at_device_ops *ops = s->host->ops;
    at_device *device = s->host->device;
    at_status st = AT_OK;
    for (int i = 0; i < AT_SLOTS && st == AT_OK; i++) {
        const at_buffer *buffer = &s->buffer[i];
        if (buffer->data == NULL) continue;
        if (i >= AT_INPUTS) {
            st = ops->fill(device, buffer, poison, err);
        } else if (at_tensor_bytes(&s->plan->call.in[i]) !=
                   buffer->bytes) { /* contents of another call, of other shapes */
            st = at_fail(err, AT_INFRASTRUCTURE, "%s: %zu bytes planned for a buffer of %zu", at_session_slot_name(i),
                         at_tensor_bytes(&s->plan->call.in[i]), buffer->bytes);
        } else {
            st = ops->upload(device, buffer, s->plan->call.in[i].data, err);
        }
    }
    return st;
}

at_status at_session_execute(at_session *s, bool capturing, bool *going, at_error *err) {
    at_refusal refusal = {0};
    s->call.capturing = capturing;
    at_phase(capturing ? "execute, capturing" : "execute");
    at_code code = s->host->subject->execute(s->kernel, &s->call, &refusal);
    *going = code == AT_ACCEPTED;
    if (!*going) refused(s, capturing ? "execute while capturing" : "execute", code, &refusal);
    s->accepted |= *going;
    return *going || capturing ? AT_OK
                               : at_session_wait(s, err); /* a refusal may come from a device that is past use */
}

at_status at_session_wait(at_session *s, at_error *err) {
    at_phase("waiting for the device");
    at_status st = s->host->ops->wait(s->host->device, err);
    if (st == AT_FAILED) at_find(s->record, "sticky", "the device reports: %.300s", err->text);
    return st;
}

static at_status detect_canary(at_session *s, int slot, at_error *err) {
    const at_buffer *buffer = &s->buffer[slot];
    bool intact;
    int64_t where;
    at_status st = s->host->ops->check_canaries(s->host->device, buffer, &intact, &where, err);
    if (st != AT_OK || intact) return st;
    int64_t beyond = where < 0 ? -where : where - (int64_t)buffer->bytes + 1;
    at_find(s->record, "canary", "%s: a byte was written %" PRId64 " past the %s of its %zu bytes",
            at_session_slot_name(slot), beyond, where < 0 ? "start" : "end", buffer->bytes);
    return AT_OK;
}

static at_status detect_input(at_session *s, int slot, at_error *err) {
    const at_buffer *buffer = &s->buffer[slot];
    const unsigned char *planned = s->plan->call.in[slot].data;
    unsigned char *now = malloc(buffer->bytes + 1);
    if (now == NULL) return at_fail_memory(err, buffer->bytes);
    at_status st = s->host->ops->download(s->host->device, now, buffer, err);
    if (st == AT_OK && buffer->bytes > 0 && memcmp(now, planned, buffer->bytes) != 0) {
        size_t i = 0;
        while (now[i] == planned[i]) i++;
        at_find(s->record, "input", "%s: byte %zu changed from 0x%02x to 0x%02x; inputs are const",
                at_session_slot_name(slot), i, planned[i], now[i]);
    }
    free(now);
    return st;
}

/* The one input that lies on the host has no copy to be compared with, but a digest. */
static at_status detect_metadata(at_session *s, at_error *err) {
    const or_tensor *planned = &s->plan->call.in[OR_ATTENTION_METADATA];
    char now[AT_DIGEST_TEXT];
    if (planned->dtype == OR_ABSENT) return AT_OK;
    at_status st = at_digest(now, planned->data, at_tensor_bytes(planned), err);
    if (st == AT_OK && strcmp(now, s->plan->digest[OR_ATTENTION_METADATA]) != 0) {
        at_find(s->record, "input", "attention_metadata changed; inputs are const");
    }
    return st;
}

at_status at_session_detect(at_session *s, at_error *err) {
    at_status st = detect_metadata(s, err);
    for (int i = 0; i < AT_SLOTS && st == AT_OK; i++) {
        if (s->buffer[i].data == NULL) continue;
        st = detect_canary(s, i, err);
        if (st == AT_OK && i < AT_INPUTS && i != AT_KEY_CACHE) st = detect_input(s, i, err);
    }
    return st;
}

at_status at_session_read(at_session *s, at_traces *out, at_error *err) {
    const at_device_ops *ops = s->host->ops;
    const at_buffer *output = &s->buffer[AT_SLOT_OUTPUTS + AT_OUTPUT], *cache = &s->buffer[AT_KEY_CACHE];
    at_status st;
    *out = (at_traces){.output = malloc(output->bytes + 1),
                       .key_cache = malloc(cache->bytes + 1),
                       .output_bytes = output->bytes,
                       .cache_bytes = cache->bytes};
    if (out->output == NULL || out->key_cache == NULL) {
        st = at_fail_memory(err, output->bytes + cache->bytes);
    } else if ((st = ops->download(s->host->device, out->output, output, err)) == AT_OK) {
        st = ops->download(s->host->device, out->key_cache, cache, err);
    }
    if (st != AT_OK) at_traces_free(out);
    return st;
}

void at_traces_free(at_traces *traces) {
    free(traces->output);
    free(traces->key_cache);
    *traces = (at_traces){0};
}

bool at_traces_equal(at_record *record, const char *detector, const char *what, const at_plan *plan,
                     const at_traces *got, const at_traces *want) {
    const or_problem *p = &plan->problem;
    if (got->output_bytes > 0 && memcmp(got->output, want->output, got->output_bytes) != 0) {
        int64_t i = 0;
        while (got->output[i] == want->output[i]) i++;
        int64_t row = i / p->v_head_size;
        at_find(record, detector, "%s differ: token %" PRId64 ", head %" PRId64 ", channel %" PRId64 ": 0x%04x, 0x%04x",
                what, row / p->heads, row % p->heads, i % p->v_head_size, got->output[i], want->output[i]);
        return false;
    }
    if (got->cache_bytes > 0 && memcmp(got->key_cache, want->key_cache, got->cache_bytes) != 0) {
        int64_t i = 0;
        while (got->key_cache[i] == want->key_cache[i]) i++;
        at_find(record, detector, "%s differ: cache slot %" PRId64 ", channel %" PRId64 ": 0x%04x, 0x%04x", what,
                i / p->head_size, i % p->head_size, got->key_cache[i], want->key_cache[i]);
        return false;
    }
    return true;
}

or_arithmetic at_arithmetic_of(const at_arithmetic *a) {
    return (or_arithmetic){.rope = (or_rope)a->rope,
                           .dot = (or_dot)a->dot,
                           .exp = (or_exp)a->exp,
                           .tanh = (or_tanh)a->tanh,
                           .p = (or_dtype)a->p,
                           .partial = (or_dtype)a->partial,
                           .sum_of_rounded_p = a->sum_of_rounded_p != 0,
                           .tile = a->tile,
                           .splits = a->splits};
}

/* The answer's own bits, so that two runs can be told to have given the same ones. */
static at_status note_output(at_record *record, const at_traces *traces, at_error *err) {
    char digest[65];
    at_status st = at_digest(digest, traces->output, traces->output_bytes, err);
    if (st != AT_OK) return st;
    free(record->output_digest);
    record->output_digest = at_text("%s", digest);
    return AT_OK;
}

at_status at_session_judge(at_session *s, const at_traces *traces, at_error *err) {
    const at_plan *plan = s->plan;
    const at_design *design = at_design_by_name(plan->c->design);
    at_question question = {.problem = &plan->problem,
                            .cache_before = plan->call.in[OR_KEY_CACHE].data,
                            .row = plan->row,
                            .rows = plan->rows,
                            .arithmetic = at_arithmetic_of(&s->arithmetic),
                            .mode = design != NULL && design->independent ? OR_STATISTICAL : OR_RIGOROUS,
                            .exact = plan->c->expect == AT_EXPECT_EXACT};
    at_answer answer = {.output = traces->output, .key_cache = traces->key_cache};
    char text[200];
    fesetenv(FE_DFL_ENV); /* whatever a host subject left of it must not reach the oracle */
    double start = at_seconds_now();
    at_phase("oracle");
    at_status st = at_judge(s->record, &question, &answer, err);
    if (st == AT_OK && s->host->dump != NULL) st = at_dump(s->host->dump, &question, &answer, err);
    if (st == AT_OK) st = note_output(s->record, traces, err);
    s->record->seconds_oracle += at_seconds_now() - start;
    if (st == AT_OK && s->host->explaining != NULL)
        at_explanation_seek(s->record, s->host->explaining, plan, &question.arithmetic, &answer);
    if (s->record->arithmetic == NULL) {
        s->record->arithmetic = at_text("%s", or_arithmetic_text(&question.arithmetic, text, sizeof text));
    }
    return st;
}
