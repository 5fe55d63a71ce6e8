/* Nothing is checked here: the gates have been. */
#include "problem.h"
#include <math.h>

static float scale_of(const pa_node *node, int64_t head_size) {
    return pa_scale_given(node) ? node->scale : (float)(1.0 / sqrt((double)head_size));
}

void pa_problem_of(pa_problem *out, const pa_node *node, const at_call *call) {
    const at_tensor *in = call->in, *cache = &in[AT_KEY_CACHE];
    bool rotates = pa_rotates(node), slots = in[AT_SLOT_MAPPING].dtype != AT_ABSENT;
    *out = (pa_problem){
        .dtype = in[AT_QUERY].dtype,
        .query = in[AT_QUERY].data,
        .key = in[AT_KEY].data,
        .key_cache = cache->data,
        .output = call->out[AT_OUTPUT].data,
        .cos_cache = rotates ? in[AT_COS_CACHE].data : NULL,
        .sin_cache = rotates ? in[AT_SIN_CACHE].data : NULL,
        .cumulative_sequence_length = in[AT_CUMULATIVE_SEQUENCE_LENGTH].data,
        .past_seqlens = in[AT_PAST_SEQLENS].data,
        .block_table = in[AT_BLOCK_TABLE].data,
        .slot_mapping = slots ? in[AT_SLOT_MAPPING].data : NULL,
        .tokens = in[AT_QUERY].shape[0],
        .sequences = in[AT_PAST_SEQLENS].shape[0],
        .heads = node->num_heads,
        .head_size = cache->shape[3],
        .v_head_size = node->v_head_size ? node->v_head_size : cache->shape[3],
        .blocks = cache->shape[0],
        .block_size = cache->shape[1],
        .max_blocks = in[AT_BLOCK_TABLE].shape[1],
        .rotary_offset = node->rotary_offset,
        .rotary_half = rotates ? in[AT_COS_CACHE].shape[1] : 0,
        .keys_before = pa_keys_before(node),
        .scale = scale_of(node, cache->shape[3]),
        .softcap = pa_softcap(node),
        .interleaved = pa_interleaved(node),
    };
}
