/* What a node's attributes come to, by dialect, and what a call's shapes say: all defaults are resolved here. */
#include "problem.h"

#include <math.h>

static int64_t int_or(const or_node *node, const char *name, int64_t fallback) {
    const or_attr *a = or_attribute(node, name, OR_INT);
    return a ? a->i : fallback;
}

static double float_or(const or_node *node, const char *name, double fallback) {
    const or_attr *a = or_attribute(node, name, OR_FLOAT);
    return a ? a->f : fallback;
}

/* ONNX Runtime knows 1 alone as true. */
static bool truth(const or_node *node, const char *name) {
    const int64_t i = int_or(node, name, 0);
    return node->dialect == OR_ONNXRUNTIME ? i == 1 : i != 0;
}

/* local_window_size counts the keys before the token in one dialect, and the token too in the other, where 0 is off. */
static int64_t window_before(const or_node *node) {
    const int64_t w = int_or(node, "local_window_size", -1);
    if (node->dialect == OR_ONNXRUNTIME) return w > 0 ? w - 1 : -1;
    return w >= 0 ? w : -1;
}

/* 1.0f / sqrtf(hs) and rsqrtf(hs) are within two float32 steps of 1/sqrt(hs), and of each other: 2^-22 of the value. */
static void resolve_scale(or_problem *out, const or_node *node) {
    const or_attr *a = or_attribute(node, "scale", OR_FLOAT);
    const bool given = a && !(node->dialect == OR_ONNXRUNTIME && a->f == 0);
    out->scale = given ? a->f : (double)(1.0f / sqrtf((float)out->head_size));
    out->scale_error = given ? 0 : 0x1p-22;
}

static void resolve_rotation(or_problem *out, const or_node *node, const or_call *call) {
    if (!truth(node, "do_rotary")) return;
    out->rotary_dim = 2 * call->in[OR_COS_CACHE].shape[1];
    out->rotary_offset = int_or(node, "rotary_offset", 0);
    out->interleaved = truth(node, "rotary_interleaved");
    out->cos_cache = call->in[OR_COS_CACHE].data;
    out->sin_cache = call->in[OR_SIN_CACHE].data;
}

void or_problem_of(or_problem *out, const or_node *node, const or_call *call) {
    const or_tensor *in = call->in;
    *out = (or_problem){
        .dialect = node->dialect,
        .dtype = in[OR_QUERY].dtype,
        .tokens = in[OR_QUERY].shape[0],
        .sequences = in[OR_PAST_SEQLENS].shape[0],
        .heads = int_or(node, "num_heads", 0),
        .head_size = in[OR_KEY_CACHE].shape[3],
        .v_head_size = int_or(node, "v_head_size", 0),
        .block_size = in[OR_KEY_CACHE].shape[1],
        .blocks = in[OR_KEY_CACHE].shape[0],
        .max_blocks = in[OR_BLOCK_TABLE].shape[1],
        .not_causal = int_or(node, "is_causal", 1) == 0,
        .softcap = float_or(node, "softcap", 0),
        .window_before = window_before(node),
        .query = in[OR_QUERY].data,
        .key = in[OR_KEY].data,
        .cumulative_sequence_length = in[OR_CUMULATIVE_SEQUENCE_LENGTH].data,
        .past_seqlens = in[OR_PAST_SEQLENS].data,
        .block_table = in[OR_BLOCK_TABLE].data,
        .slot_mapping = in[OR_SLOT_MAPPING].dtype == OR_ABSENT ? NULL : in[OR_SLOT_MAPPING].data,
    };
    if (out->v_head_size == 0) out->v_head_size = out->head_size;
    resolve_scale(out, node);
    resolve_rotation(out, node, call);
}
