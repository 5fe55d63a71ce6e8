/* The oracle's node and call as the ABI's. The two sets of enums are kept alike, so that a cast is the bridge. */
#include "plan_parts.h"

#define SAME(a, b) _Static_assert((int)(a) == (int)(b), #a " and " #b " differ")
SAME(AT_INPUTS, OR_INPUTS);
SAME(AT_OUTPUTS, OR_OUTPUTS);
SAME(AT_MAX_RANK, OR_MAX_RANK);
SAME(AT_ABSENT, OR_ABSENT);
SAME(AT_F16, OR_F16);
SAME(AT_BF16, OR_BF16);
SAME(AT_F32, OR_F32);
SAME(AT_F64, OR_F64);
SAME(AT_I8, OR_I8);
SAME(AT_U8, OR_U8);
SAME(AT_F8E4M3FN, OR_F8E4M3FN);
SAME(AT_I32, OR_I32);
SAME(AT_I64, OR_I64);
SAME(AT_INT, OR_INT);
SAME(AT_FLOAT, OR_FLOAT);
SAME(AT_STRING, OR_STRING);
SAME(AT_QUERY, OR_QUERY);
SAME(AT_KEY, OR_KEY);
SAME(AT_VALUE, OR_VALUE);
SAME(AT_KEY_CACHE, OR_KEY_CACHE);
SAME(AT_VALUE_CACHE, OR_VALUE_CACHE);
SAME(AT_CUMULATIVE_SEQUENCE_LENGTH, OR_CUMULATIVE_SEQUENCE_LENGTH);
SAME(AT_PAST_SEQLENS, OR_PAST_SEQLENS);
SAME(AT_BLOCK_TABLE, OR_BLOCK_TABLE);
SAME(AT_COS_CACHE, OR_COS_CACHE);
SAME(AT_SIN_CACHE, OR_SIN_CACHE);
SAME(AT_SLOT_MAPPING, OR_SLOT_MAPPING);
SAME(AT_HEAD_SINK, OR_HEAD_SINK);
SAME(AT_Q_NORM_WEIGHT, OR_Q_NORM_WEIGHT);
SAME(AT_K_NORM_WEIGHT, OR_K_NORM_WEIGHT);
SAME(AT_K_SCALE, OR_K_SCALE);
SAME(AT_V_SCALE, OR_V_SCALE);
SAME(AT_ATTENTION_METADATA, OR_ATTENTION_METADATA);
SAME(AT_OUTPUT, OR_OUTPUT);
SAME(AT_KEY_CACHE_OUT, OR_KEY_CACHE_OUT);
SAME(AT_VALUE_CACHE_OUT, OR_VALUE_CACHE_OUT);

void at_plan_node(at_node *out, at_attr *attr, const at_plan *plan) {
    for (size_t i = 0; i < plan->node.attrs; i++) {
        const or_attr *a = &plan->node.attr[i];
        attr[i] = (at_attr){.name = a->name, .type = (at_attr_type)a->type, .i = a->i, .f = (float)a->f, .s = a->s};
    }
    *out = (at_node){.dialect = or_dialect_name(plan->node.dialect), .attr = attr, .attrs = plan->node.attrs};
}

static at_tensor without_data(const or_tensor *t) {
    at_tensor out = {.dtype = (at_dtype)t->dtype};
    if (t->dtype == OR_ABSENT) return out;
    out.rank = t->rank;
    for (uint32_t i = 0; i < t->rank; i++) out.shape[i] = t->shape[i];
    return out;
}

void at_plan_call(at_call *out, const at_plan *plan) {
    *out = (at_call){0};
    for (int i = 0; i < AT_INPUTS; i++) out->in[i] = without_data(&plan->call.in[i]);
    for (int i = 0; i < AT_OUTPUTS; i++) out->out[i] = without_data(&plan->call.out[i]);
}
