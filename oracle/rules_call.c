/* The refusal rules about which tensors there are, their types and shapes, and the moment of the call. */
#include "rules_predicates.h"

#include <stddef.h>

static const or_tensor *tensor_of(const or_rule *rule, const or_call *call) {
    return rule->argument < OR_OUT ? &call->in[rule->argument] : &call->out[rule->argument - OR_OUT];
}

static bool given(const or_tensor *t) {
    return t->dtype != OR_ABSENT;
}

/* 0 for a dimension that is not there: its rank rule is the answer then. */
static int64_t dim(const or_tensor *t, uint32_t i) {
    return given(t) && i < t->rank ? t->shape[i] : 0;
}

static int64_t rows_of(const or_call *call) {
    return dim(&call->in[OR_QUERY], 0);
}
static int64_t head_size_of(const or_call *call) {
    return dim(&call->in[OR_KEY_CACHE], 3);
}

static int64_t v_head_size_of(const or_node *node, const or_call *call) {
    int64_t v = or_node_int(node, "v_head_size", 0);
    return v == 0 ? head_size_of(call) : v;
}

/* n == a * b for non-negative numbers, without the product. */
static bool is_product(int64_t n, int64_t a, int64_t b) {
    if (a == 0 || b == 0) return n == 0;
    return n % b == 0 && n / b == a;
}

/* onnx-genai does not look at cos and sin where nothing is rotated. */
static bool looks_at_cos_sin(const or_node *node) {
    return node->dialect == OR_ONNXRUNTIME || or_node_rotates(node);
}

static bool looks_at(const or_rule *rule, const or_node *node) {
    return (rule->argument != OR_COS_CACHE && rule->argument != OR_SIN_CACHE) || looks_at_cos_sin(node);
}

static int64_t cos_columns(const or_node *node, const or_call *call) {
    return looks_at_cos_sin(node) ? dim(&call->in[OR_COS_CACHE], 1) : 0;
}

bool or_broken_dtype_query(const or_question *ask) {
    const or_tensor *q = &ask->call->in[OR_QUERY];
    return given(q) && q->dtype != OR_F16 && q->dtype != OR_BF16;
}

bool or_broken_present(const or_question *ask) {
    return or_node_is_latent(ask->node) && given(tensor_of(ask->rule, ask->call));
}

bool or_broken_scales(const or_question *ask) {
    return !or_node_is_quantised(ask->node) && or_broken_present(ask);
}

bool or_broken_required(const or_question *ask) {
    return !given(tensor_of(ask->rule, ask->call));
}

bool or_broken_required_cos_sin(const or_question *ask) {
    int partner = ask->rule->argument == OR_COS_CACHE ? OR_SIN_CACHE : OR_COS_CACHE;
    bool alone = ask->node->dialect == OR_ONNXRUNTIME && given(&ask->call->in[partner]);
    return !given(tensor_of(ask->rule, ask->call)) && (or_node_rotates(ask->node) || alone);
}

static bool is_index(int argument) {
    return argument == OR_CUMULATIVE_SEQUENCE_LENGTH || argument == OR_PAST_SEQLENS || argument == OR_BLOCK_TABLE ||
           argument == OR_SLOT_MAPPING || argument == OR_ATTENTION_METADATA;
}

bool or_broken_dtype(const or_question *ask) {
    const or_tensor *t = tensor_of(ask->rule, ask->call);
    or_dtype want = is_index(ask->rule->argument) ? OR_I32 : ask->call->in[OR_QUERY].dtype;
    return given(t) && looks_at(ask->rule, ask->node) && t->dtype != want;
}

bool or_broken_rank(const or_question *ask) {
    static const uint32_t rank[OR_INPUTS + OR_OUTPUTS] = {[OR_QUERY] = 2,        [OR_KEY] = 2,
                                                          [OR_KEY_CACHE] = 4,    [OR_CUMULATIVE_SEQUENCE_LENGTH] = 1,
                                                          [OR_PAST_SEQLENS] = 1, [OR_BLOCK_TABLE] = 2,
                                                          [OR_COS_CACHE] = 2,    [OR_SIN_CACHE] = 2,
                                                          [OR_SLOT_MAPPING] = 1, [OR_OUT + OR_OUTPUT] = 2};
    const or_tensor *t = tensor_of(ask->rule, ask->call);
    return given(t) && looks_at(ask->rule, ask->node) && t->rank != rank[ask->rule->argument];
}

bool or_broken_block_size(const or_question *ask) {
    int64_t bs = dim(&ask->call->in[OR_KEY_CACHE], 1);
    return bs < 16 || (bs & (bs - 1)) != 0;
}

bool or_broken_cache_heads(const or_question *ask) {
    return dim(&ask->call->in[OR_KEY_CACHE], 2) != 1;
}

bool or_broken_query_hidden(const or_question *ask) {
    return !is_product(dim(&ask->call->in[OR_QUERY], 1), or_node_int(ask->node, "num_heads", 0),
                       head_size_of(ask->call));
}

bool or_broken_key_hidden(const or_question *ask) {
    return dim(&ask->call->in[OR_KEY], 1) != head_size_of(ask->call);
}

bool or_broken_key_rows(const or_question *ask) {
    return dim(&ask->call->in[OR_KEY], 0) != rows_of(ask->call);
}

bool or_broken_batch(const or_question *ask) {
    const or_tensor *t = tensor_of(ask->rule, ask->call);
    int64_t sequences = dim(&ask->call->in[OR_PAST_SEQLENS], 0);
    int64_t want = ask->rule->argument == OR_SLOT_MAPPING                 ? rows_of(ask->call)
                   : ask->rule->argument == OR_CUMULATIVE_SEQUENCE_LENGTH ? sequences + 1
                                                                          : sequences;
    return given(t) && dim(t, 0) != want;
}

bool or_broken_v_head_size(const or_question *ask) {
    return v_head_size_of(ask->node, ask->call) > head_size_of(ask->call);
}

bool or_broken_scale_required(const or_question *ask) {
    const or_attr *scale = or_attribute(ask->node, "scale", OR_FLOAT);
    bool said = scale && !(ask->node->dialect == OR_ONNXRUNTIME && scale->f == 0);
    return v_head_size_of(ask->node, ask->call) != head_size_of(ask->call) && !said;
}

bool or_broken_cos_sin_shape(const or_question *ask) {
    const or_tensor *cos = &ask->call->in[OR_COS_CACHE], *sin = &ask->call->in[OR_SIN_CACHE];
    return looks_at_cos_sin(ask->node) && (dim(cos, 0) != dim(sin, 0) || dim(cos, 1) != dim(sin, 1));
}

bool or_broken_rotary_span(const or_question *ask) {
    int64_t hs = head_size_of(ask->call), half = cos_columns(ask->node, ask->call);
    return half > hs / 2 || or_node_int(ask->node, "rotary_offset", 0) > hs - 2 * half;
}

/* With RoPE is, to this dialect, with cos and sin: it checks them where do_rotary is 0 too. */
bool or_broken_granularity_head_size(const or_question *ask) {
    return head_size_of(ask->call) % (given(&ask->call->in[OR_COS_CACHE]) ? 16 : 8) != 0;
}

bool or_broken_granularity_cos(const or_question *ask) {
    return cos_columns(ask->node, ask->call) % 8 != 0;
}

bool or_broken_output_shape(const or_question *ask) {
    const or_tensor *o = &ask->call->out[OR_OUTPUT];
    return dim(o, 0) != rows_of(ask->call) ||
           !is_product(dim(o, 1), or_node_int(ask->node, "num_heads", 0), v_head_size_of(ask->node, ask->call));
}

bool or_broken_cache_alias(const or_question *ask) {
    return given(&ask->call->out[OR_KEY_CACHE_OUT]) && !ask->moment->cache_aliased;
}

bool or_broken_metadata_shape(const or_question *ask) {
    const or_tensor *m = &ask->call->in[OR_ATTENTION_METADATA];
    return given(m) && (m->rank != 1 || (m->shape[0] != 2 && m->shape[0] != 3));
}

bool or_broken_metadata_negative(const or_question *ask) {
    const or_tensor *m = &ask->call->in[OR_ATTENTION_METADATA];
    if (!given(m) || m->data == NULL) return false;
    for (int64_t i = 0; i < m->shape[0]; i++)
        if (((const int32_t *)m->data)[i] < 0) return true;
    return false;
}

bool or_broken_grid_limit(const or_question *ask) {
    int64_t heads = or_node_int(ask->node, "num_heads", 0);
    return heads > 0 && rows_of(ask->call) > ask->moment->grid_limit / heads;
}

bool or_broken_not_warmed(const or_question *ask) {
    return ask->moment->capturing && !ask->moment->warmed;
}
