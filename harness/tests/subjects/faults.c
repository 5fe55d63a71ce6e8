/* The right attention of plain.h, and one copy of it a fault that a detector is for. One row of FAULTS adds a subject.
 */
#include "plain.h"

#include <stdio.h>

#define ALL (AT_CAPTURE | AT_REPEATABLE | AT_ANY_PAGE_ORDER | AT_ANY_BATCH | AT_ANY_CHUNK | AT_HARDENED)
#define FOREIGN (ALL & ~AT_HARDENED)
#define FAULTS(X)                                                                                                      \
    X(right, ALL, "none")                                                                                              \
    X(modest, AT_CAPTURE, "none, but nothing is promised: keys in the order of slots, tiles by batch and by length")   \
    X(uncaptured, 0, "none, and capture is not promised")                                                              \
    X(foreign, FOREIGN, "none; refuses without ids and sentences, and what it may refuse it accepts")                  \
    X(past_end, ALL, "writes an element behind output")                                                                \
    X(before_start, ALL, "writes an element before output")                                                            \
    X(past_workspace, ALL, "writes a byte behind the workspace")                                                       \
    X(reads_past_key, ALL, "reads a row behind key")                                                                   \
    X(reads_anywhere, ALL, "reads an address that is nobody's")                                                        \
    X(changes_input, ALL, "changes query")                                                                             \
    X(changes_input_later, ALL, "changes query from a kernel's second run on")                                         \
    X(changes_metadata, ALL, "changes attention_metadata")                                                             \
    X(reads_past_types, ALL, "supports asks for one input more than there are")                                        \
    X(reads_before_metadata, ALL, "judges an entry before attention_metadata")                                         \
    X(changes_slot, ALL, "changes a cached row that no token writes")                                                  \
    X(skips_element, ALL, "leaves the last element of output unwritten")                                               \
    X(skips_nan, AT_CAPTURE, "leaves an element unwritten where a NaN is due")                                         \
    X(zero_for_nan, ALL, "gives 0 where a NaN is due")                                                                 \
    X(changes_its_mind, ALL, "gives another bit from a kernel's second run on")                                        \
    X(follows_order, ALL, "gives another bit when threads run backward")                                               \
    X(rare_race, ALL, "gives another bit in one order of threads")                                                     \
    X(baked_length, ALL, "reads past_seqlens on the host when it is called")                                           \
    X(trusts_workspace, ALL, "finds in the workspace what its last call left there")                                   \
    X(shares_arguments, ALL, "keeps one set of arguments for all graphs")                                              \
    X(node_last_made, ALL, "computes by the node of the kernel that was made last")                                    \
    X(node_last_called, ALL, "computes, when it runs, by the node of the kernel that was called last")                 \
    X(keeps_angles, ALL, "takes cos and sin for what they were in a kernel's first call")                              \
    X(keeps_output, ALL, "gives the last answer again when the shape is the same")                                     \
    X(keeps_length, ALL, "remembers the longest past of each sequence")                                                \
    X(eager_lengths, ALL, "learns the lengths in eager calls alone")                                                   \
    X(slot_order, ALL, "sums keys in the order of their slots")                                                        \
    X(batch_tiles, ALL, "tiles of other sizes when a sequence is alone")                                               \
    X(chunk_tiles, ALL, "tiles of other sizes in short prefills")                                                      \
    X(chunk_rounding, ALL, "rotates in the type in short prefills")                                                    \
    X(chunk_position, ALL, "counts positions from the first token of the call")                                        \
    X(writes_rejected, ALL, "writes rows whose slot is negative")                                                      \
    X(turns_back, ALL, "gives the first channel of the first rotation the other sign")                                 \
    X(sticky, ALL, "its kernel fails, and nobody is told")                                                             \
    X(device_error, ALL, "its kernel fails, and execute says so")                                                      \
    X(sticky_at_replay, ALL, "its kernel fails from the second run on")                                                \
    X(spoils_capture, ALL, "launches what cannot be recorded")                                                         \
    X(refuses_at_supports, ALL, "supports refuses a legal node")                                                       \
    X(refuses_at_create, ALL, "create refuses a legal node")                                                           \
    X(refuses_at_prepare, ALL, "prepare refuses a legal call")                                                         \
    X(refuses_at_execute, ALL, "execute refuses a legal call")                                                         \
    X(not_implemented, ALL, "says that it does not do it")                                                             \
    X(unfounded, ALL, "says that it does not do it, by a rule that nothing breaks")                                    \
    X(out_of_memory, ALL, "says that memory is short")                                                                 \
    X(second_thoughts, ALL, "does not do what it did before")                                                          \
    X(refuses_capture, ALL, "refuses while capturing what has run")                                                    \
    X(always_ready, ALL, "capture_ready says yes")                                                                     \
    X(warmed_by_any, ALL, "takes every call for one that has run once any has")                                        \
    X(warmed_by_inputs, ALL, "leaves the outputs out of signatures")                                                   \
    X(never_ready, ALL, "capture_ready says no")                                                                       \
    X(no_kernel, ALL, "create accepts and returns no kernel")                                                          \
    X(leaves_kernel, ALL, "create refuses and leaves a kernel")                                                        \
    X(accepts_at_supports, ALL, "supports accepts what must be refused")                                               \
    X(accepts_at_create, ALL, "create accepts what must be refused")                                                   \
    X(accepts_at_execute, ALL, "execute accepts what must be refused, and does nothing")                               \
    X(records_first, ALL, "records a launch and then refuses")                                                         \
    X(touches_first, ALL, "reads query and then refuses")                                                              \
    X(wrong_rule, ALL, "refuses by another rule")                                                                      \
    X(no_rule, ALL, "promises to be hardened and refuses without an id")                                               \
    X(wrong_code, ALL, "refuses with another code")                                                                    \
    X(no_sentence, ALL, "promises to be hardened and refuses without a sentence")                                      \
    X(sulks, ALL, "answers nothing after a refusal")                                                                   \
    X(warms_refused, ALL, "remembers a signature that it refused, as if it had run")                                   \
    X(forgets_runs, ALL, "forgets after a refusal what has run")                                                       \
    X(forgets, ALL, "refuses every node after a refusal")

#define NAME(name, promises, about) name,
enum { FAULTS(NAME) SUBJECTS };

/* What a kernel remembers: the signatures that ran, and what only a fault would. */
enum { SIGNATURES = 64, SHORT_TILE = 5, SHORT_PREFILL = 40 };
struct at_kernel {
    uint32_t fault;
    attributes node;
    uint64_t signature[SIGNATURES];
    size_t signatures;
    int64_t calls, runs;
    int refused;
    problem shared;
    int32_t longest[MOST_SEQUENCES];
    uint16_t *output;
    int64_t output_elements;
    uint16_t *angles; /* cos, then sin */
};

static int any_refused;                   /* of `forgets`                               */
static attributes last_made, last_called; /* of `node_last_made` and `node_last_called` */

/* ---- the kernel */

static int64_t elements(const problem *p) {
    return p->tokens * p->node.heads * p->v_head_size;
}

static int64_t tile_of(const problem *p) {
    const int alone = p->sequences == 1, is_short = p->tokens < SHORT_PREFILL;
    if (p->fault == modest) return !is_short ? TILE : alone ? SHORT_TILE : SHORT_TILE + 2;
    return (p->fault == batch_tiles && alone) || (p->fault == chunk_tiles && is_short) ? SHORT_TILE : TILE;
}

static bend bent(const problem *p) {
    at_kernel *k = p->kernel;
    bend how = {
        .tile = tile_of(p),
        .slot_order = p->fault == slot_order || p->fault == modest,
        .from_chunk = p->fault == chunk_position,
        .skipped_too = p->fault == writes_rejected,
        .rounds_products = p->fault == chunk_rounding && p->tokens < SHORT_PREFILL,
        .turns_back = p->fault == turns_back,
        .zero_for_nan = p->fault == zero_for_nan,
        .nan_unwritten = p->fault == skips_nan,
        .trusts_ticket = p->fault == trusts_workspace,
        .past = p->fault == baked_length ? p->baked : NULL,
    };
    if (p->fault != keeps_length && p->fault != eager_lengths) return how;
    for (int64_t b = 0; b < p->sequences && !(p->fault == eager_lengths && p->captured); b++)
        k->longest[b] = p->fault == eager_lengths || p->past[b] > k->longest[b] ? p->past[b] : k->longest[b];
    how.past = k->longest;
    return how;
}

/* What a fault does to memory once all rows are right. */
static void damage(const problem *p, const at_cpu_how *how) {
    const int64_t n = elements(p);
    uint16_t *output = p->output;
    switch (p->fault) {
    case past_end: output[n] = 0; break;
    case before_start: output[-1] = 0; break;
    case past_workspace: ((char *)p->sum)[p->workspace_bytes] = 0; break;
    case changes_input: *(uint16_t *)(uintptr_t)p->query ^= 1; break;
    case changes_input_later: *(uint16_t *)(uintptr_t)p->query ^= p->kernel->runs > 1; break;
    case changes_slot: p->cache[slot_of(p, 0, 0) * p->head_size + 3] ^= 1; break;
    case changes_its_mind: output[5] ^= p->kernel->runs > 1; break;
    case follows_order: output[5] ^= how->order == AT_BACKWARD; break;
    case rare_race: output[5] ^= how->order == AT_RANDOM && how->seed == 41; break;
    }
}

static void answer(const problem *p, const at_cpu_how *order) {
    const bend how = bent(p);
    const uint16_t last = elements(p) > 0 ? p->output[elements(p) - 1] : 0;
    if (p->fault == trusts_workspace && p->kernel->runs == 1) *p->ticket = 0;
    for (int64_t t = 0; t < p->tokens; t++) write_row(p, &how, t);
    for (int64_t i = 0; i < p->tokens * p->node.heads; i++) attend(p, &how, i / p->node.heads, i % p->node.heads);
    if (p->fault == skips_element) p->output[elements(p) - 1] = last;
    damage(p, order);
}

/* The answer of the last run, where that had as many elements. */
static void answer_again(const problem *p, const at_cpu_how *order) {
    at_kernel *k = p->kernel;
    const size_t bytes = (size_t)elements(p) * sizeof *p->output;
    answer(p, order);
    if (k->output != NULL && k->output_elements == elements(p)) memcpy(p->output, k->output, bytes);
    free(k->output);
    k->output = malloc(bytes + 1);
    k->output_elements = elements(p);
    memcpy(k->output, p->output, bytes);
}

static const char *run(const at_cpu_launch *launch, const at_cpu_how *order) {
    const problem *p = launch->args;
    problem by_another = *p;
    by_another.node = last_called;
    if (p->fault == shares_arguments) p = &p->kernel->shared;
    if (p->fault == node_last_called) p = &by_another;
    const int64_t runs = ++p->kernel->runs;
    if (p->fault == sticky || p->fault == device_error || (p->fault == sticky_at_replay && runs > 1))
        return "an address that is not mapped";
    if (p->fault == reads_past_key && p->key[p->tokens * p->head_size] == 1) return "a marker behind key";
    if (p->fault == reads_anywhere && *(const volatile uint16_t *)(uintptr_t)64 == 1) return "a marker nowhere";
    if (p->fault == keeps_output)
        answer_again(p, order);
    else if (!p->kernel->refused)
        answer(p, order);
    return NULL;
}

/* ---- the gates: of the contract's rules those that the tests break */

static at_code refuse(uint32_t fault, at_refusal *why, at_code code, const char *rule) {
    any_refused |= fault == forgets;
    why->rule = fault == wrong_rule ? "num-heads" : fault == no_rule || fault == foreign ? NULL : rule;
    snprintf(why->text, sizeof why->text, "%s",
             fault == no_sentence || fault == foreign ? "" : "it is not as it has to be");
    return fault != wrong_code ? code : code == AT_INVALID_CALL ? AT_INVALID_NODE : AT_INVALID_CALL;
}

static const at_attr *attribute(const at_node *node, const char *name) {
    for (size_t i = node->attrs; i-- > 0;) {
        if (strcmp(node->attr[i].name, name) == 0) return &node->attr[i];
    }
    return NULL;
}

static int64_t integer(const at_node *node, const char *name, int64_t absent) {
    const at_attr *a = attribute(node, name);
    return a != NULL ? a->i : absent;
}

static float real(const at_node *node, const char *name, float absent) {
    const at_attr *a = attribute(node, name);
    return a != NULL ? a->f : absent;
}

static at_code judge_node(uint32_t fault, const at_node *node, at_refusal *why) {
    const at_attr *layout = attribute(node, "kv_cache_layout");
    if (layout == NULL || strcmp(layout->s, "LATENT") != 0) {
        return fault == foreign ? AT_ACCEPTED : refuse(fault, why, AT_NOT_IMPLEMENTED, "layout");
    }
    if (integer(node, "kv_num_heads", 0) != 1) return refuse(fault, why, AT_INVALID_NODE, "kv-heads");
    return AT_ACCEPTED;
}

static at_code supports(uint32_t fault, const at_node *node, const at_dtype in[AT_INPUTS], at_refusal *why) {
    if (fault == reads_past_types && in[AT_INPUTS] == AT_F16) return AT_NOT_IMPLEMENTED;
    if (fault == refuses_at_supports) return refuse(fault, why, AT_INVALID_NODE, NULL);
    const at_code code = judge_node(fault, node, why);
    if (fault == accepts_at_supports) return AT_ACCEPTED;
    if (code != AT_ACCEPTED || in[AT_QUERY] == AT_F16 || in[AT_QUERY] == AT_BF16) return code;
    return refuse(fault, why, AT_INVALID_NODE, "dtype.query");
}

static at_code create(uint32_t fault, const at_node *node, at_kernel **out, at_refusal *why) {
    const at_code code = fault == accepts_at_create ? AT_ACCEPTED : judge_node(fault, node, why);
    *out = NULL;
    if (fault == refuses_at_create || any_refused) return refuse(fault, why, AT_INVALID_NODE, NULL);
    if (code != AT_ACCEPTED && fault == leaves_kernel) *out = (at_kernel *)1;
    if (code != AT_ACCEPTED || fault == no_kernel) return code;
    at_kernel *k = calloc(1, sizeof *k);
    if (k == NULL) return AT_OUT_OF_MEMORY;
    k->fault = fault;
    k->node = (attributes){
        .heads = integer(node, "num_heads", 0),
        .v_head_size = integer(node, "v_head_size", 0),
        .rotary_offset = integer(node, "rotary_offset", 0),
        .window = integer(node, "local_window_size", -1),
        .rotates = integer(node, "do_rotary", 0) != 0,
        .interleaved = integer(node, "rotary_interleaved", 0) != 0,
        .scale = real(node, "scale", NAN),
        .softcap = real(node, "softcap", 0),
    };
    last_made = k->node;
    *out = k;
    return AT_ACCEPTED;
}

static uint64_t mixed(uint64_t hash, const at_tensor *t) {
    hash = (hash ^ (uint64_t)t->dtype) * 0x100000001b3;
    for (uint32_t i = 0; t->dtype != AT_ABSENT && i < t->rank; i++)
        hash = (hash ^ (uint64_t)t->shape[i]) * 0x100000001b3;
    return hash;
}

static uint64_t signature_of(uint32_t fault, const at_call *call) {
    uint64_t hash = 0xcbf29ce484222325;
    for (int i = 0; i < AT_INPUTS && fault != warmed_by_any; i++) hash = mixed(hash, &call->in[i]);
    for (int i = 0; i < AT_OUTPUTS && fault != warmed_by_any && fault != warmed_by_inputs; i++)
        hash = mixed(hash, &call->out[i]);
    return hash;
}

static int has_run(const at_kernel *k, const at_call *call) {
    for (size_t i = 0; i < k->signatures && i < SIGNATURES; i++) {
        if (k->signature[i] == signature_of(k->fault, call)) return 1;
    }
    return 0;
}

static at_code judge_call(const at_kernel *k, const at_call *call, at_refusal *why) {
    const int64_t bs = call->in[AT_KEY_CACHE].shape[1];
    if (bs < 16 || (bs & (bs - 1)) != 0) return refuse(k->fault, why, AT_INVALID_CALL, "block-size");
    if (call->capturing && !has_run(k, call)) return refuse(k->fault, why, AT_NOT_WARMED, "not-warmed");
    return AT_ACCEPTED;
}

/* What execute says of a legal call. */
static at_code whim(const at_kernel *k, const at_call *call, at_refusal *why) {
    if (k->fault == refuses_at_execute) return refuse(k->fault, why, AT_INVALID_CALL, NULL);
    if (k->fault == not_implemented) return refuse(k->fault, why, AT_NOT_IMPLEMENTED, NULL);
    if (k->fault == unfounded) return refuse(k->fault, why, AT_NOT_IMPLEMENTED, "not-causal");
    if (k->fault == reads_before_metadata && ((const int32_t *)call->in[AT_ATTENTION_METADATA].data)[-1] < 0)
        return refuse(k->fault, why, AT_INVALID_CALL, "metadata-negative");
    if (k->fault == out_of_memory) return refuse(k->fault, why, AT_OUT_OF_MEMORY, NULL);
    if (k->fault == second_thoughts && k->calls > 0) return refuse(k->fault, why, AT_NOT_IMPLEMENTED, NULL);
    if (k->fault == refuses_capture && call->capturing) return refuse(k->fault, why, AT_NOT_WARMED, "not-warmed");
    return AT_ACCEPTED;
}

static at_code prepare(at_kernel *k, const at_call *call, size_t *bytes, at_arithmetic *how, at_refusal *why) {
    const int64_t vhs = k->node.v_head_size ? k->node.v_head_size : call->in[AT_KEY_CACHE].shape[3];
    if (k->fault == refuses_at_prepare) return refuse(k->fault, why, AT_INVALID_CALL, NULL);
    *bytes = (size_t)(vhs + 1) * sizeof(float);
    *how = (at_arithmetic){.rope = k->fault == chunk_rounding ? AT_ROPE_UNSAID : AT_ROPE_EXACT,
                           .exp = AT_EXP_LIBM,
                           .tanh = AT_TANH_LIBM,
                           .p = call->in[AT_QUERY].dtype,
                           .partial = AT_F32,
                           .tile = k->fault == right ? TILE : SHORT_TILE,
                           .splits = 1};
    return AT_ACCEPTED;
}

static problem problem_of(at_kernel *k, const at_call *call) {
    const at_tensor *in = call->in, *cache = &in[AT_KEY_CACHE];
    const int64_t vhs = k->node.v_head_size ? k->node.v_head_size : cache->shape[3];
    return (problem){
        .node = k->fault == node_last_made ? last_made : k->node,
        .type = in[AT_QUERY].dtype,
        .tokens = in[AT_QUERY].shape[0],
        .sequences = in[AT_PAST_SEQLENS].shape[0],
        .head_size = cache->shape[3],
        .v_head_size = vhs,
        .rotary_dim = k->node.rotates ? 2 * in[AT_COS_CACHE].shape[1] : 0,
        .block_size = cache->shape[1],
        .blocks = cache->shape[0],
        .columns = in[AT_BLOCK_TABLE].shape[1],
        .query = in[AT_QUERY].data,
        .key = in[AT_KEY].data,
        .cos = in[AT_COS_CACHE].data,
        .sin = in[AT_SIN_CACHE].data,
        .cache = cache->data,
        .output = call->out[AT_OUTPUT].data,
        .ends = in[AT_CUMULATIVE_SEQUENCE_LENGTH].data,
        .past = in[AT_PAST_SEQLENS].data,
        .table = in[AT_BLOCK_TABLE].data,
        .slot = in[AT_SLOT_MAPPING].data,
        .sum = call->workspace,
        .ticket = (uint32_t *)call->workspace + vhs,
        .workspace_bytes = call->workspace_bytes,
        .captured = call->capturing,
        .fault = k->fault,
        .kernel = k,
    };
}

static void keep_angles(at_kernel *k, problem *p, const at_call *call) {
    const at_tensor *cos = &call->in[AT_COS_CACHE];
    const size_t entries = (size_t)(cos->shape[0] * cos->shape[1]);
    if (k->angles == NULL) {
        k->angles = malloc(2 * entries * sizeof *k->angles);
        memcpy(k->angles, p->cos, entries * sizeof *k->angles);
        memcpy(k->angles + entries, p->sin, entries * sizeof *k->angles);
    }
    p->cos = k->angles, p->sin = k->angles + entries;
}

/* What a fault does on the host. */
static void meddle(at_kernel *k, problem *p, const at_call *call) {
    k->shared = *p;
    last_called = k->node;
    if (k->fault == keeps_angles && p->rotary_dim > 0) keep_angles(k, p, call);
    if (k->fault == changes_metadata && call->in[AT_ATTENTION_METADATA].dtype != AT_ABSENT) {
        ++*(int32_t *)call->in[AT_ATTENTION_METADATA].data;
    }
    if (k->fault != baked_length) return;
    for (int64_t b = 0; b < p->sequences; b++) p->baked[b] = p->past[b];
}

static at_code execute(at_kernel *k, const at_call *call, at_refusal *why) {
    at_cpu_stream *stream = call->stream;
    problem p = problem_of(k, call);
    const char *name = k->fault == spoils_capture && call->capturing ? NULL : "attention";
    const at_cpu_launch launch = {
        .name = name, .grid = {1, 1, 1}, .block = {1, 1, 1}, .args = &p, .args_bytes = sizeof p, .run = run};
    at_code code = judge_call(k, call, why);
    if (code != AT_ACCEPTED) {
        k->refused |= k->fault == sulks;
        if (k->fault == warms_refused) k->signature[k->signatures++ % SIGNATURES] = signature_of(k->fault, call);
        if (k->fault == forgets_runs) k->signatures = 0;
        if (k->fault == touches_first && *p.query == 0) return AT_DEVICE_ERROR;
        if (k->fault == records_first) (void)stream->launch(stream, &launch);
        return k->fault == accepts_at_execute ? AT_ACCEPTED : code;
    }
    if ((code = whim(k, call, why)) != AT_ACCEPTED) return code;
    meddle(k, &p, call);
    if (!call->capturing) k->signature[k->signatures++ % SIGNATURES] = signature_of(k->fault, call);
    k->calls++;
    if (stream->launch(stream, &launch) != 0 && k->fault == device_error)
        return refuse(k->fault, why, AT_DEVICE_ERROR, NULL);
    return AT_ACCEPTED;
}

static at_code capture_ready(const at_kernel *k, const at_call *call, at_refusal *why) {
    if (k->fault == always_ready || (k->fault != never_ready && has_run(k, call))) return AT_ACCEPTED;
    return refuse(k->fault, why, AT_NOT_WARMED, "not-warmed");
}

static void destroy(at_kernel *k) {
    if (k != NULL) free(k->output), free(k->angles);
    free(k);
}

/* ---- the table: supports and create alone do not get the kernel, and with it the fault */

#define ENTRIES(name, promises, about)                                                                                 \
    static at_code supports_##name(const at_node *node, const at_dtype in[AT_INPUTS], at_refusal *why) {               \
        return supports(name, node, in, why);                                                                          \
    }                                                                                                                  \
    static at_code create_##name(const at_node *node, int device, at_kernel **out, at_refusal *why) {                  \
        (void)device;                                                                                                  \
        return create(name, node, out, why);                                                                           \
    }
FAULTS(ENTRIES)

static const char *const dialects[] = {"onnx-genai", NULL};
#define SUBJECT(NAME, PROMISES, ABOUT)                                                                                 \
    {.abi = AT_SUBJECT_ABI,                                                                                            \
     .bytes = sizeof(at_subject),                                                                                      \
     .name = #NAME,                                                                                                    \
     .version = "1",                                                                                                   \
     .about = ABOUT,                                                                                                   \
     .device = AT_HOST,                                                                                                \
     .dialects = dialects,                                                                                             \
     .promises = PROMISES,                                                                                             \
     .alignment = 256,                                                                                                 \
     .supports = supports_##NAME,                                                                                      \
     .create = create_##NAME,                                                                                          \
     .prepare = prepare,                                                                                               \
     .execute = execute,                                                                                               \
     .capture_ready = capture_ready,                                                                                   \
     .destroy = destroy},
static const at_subject subjects[] = {FAULTS(SUBJECT)};

const at_subject *at_subject_v1(uint32_t index) {
    return index < SUBJECTS ? &subjects[index] : NULL;
}
