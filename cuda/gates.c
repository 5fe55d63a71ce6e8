/* The refusal table: rows are tried in order and the first broken one is the answer. The loop knows no rule by name. */
#include "rules.h"
#include <stdarg.h>
#include <stdio.h>

enum { NODE_GATES = PA_SUPPORTS | PA_CREATE, INPUT_GATES = PA_SUPPORTS | PA_EXECUTE };
enum {
    NONE = AT_ACCEPTED,
    MAY = AT_NOT_IMPLEMENTED,
    NODE = AT_INVALID_NODE,
    CALL = AT_INVALID_CALL,
    COLD = AT_NOT_WARMED
};

static const pa_rule rules[] = {
    {"layout-value", NODE_GATES, {NODE, NODE}, .broken = pa_layout_value},
    {"layout", NODE_GATES, {MAY, MAY}, .broken = pa_layout},
    {"attribute.unknown", NODE_GATES, {NODE, NODE}, .broken = pa_attribute_unknown},
    {"attribute.type", NODE_GATES, {NODE, NODE}, .broken = pa_attribute_type},
    {"attribute.twice", NODE_GATES, {NODE, NODE}, .broken = pa_attribute_twice},
    {"num-heads", NODE_GATES, {NODE, NODE}, .broken = pa_num_heads},
    {"kv-heads", NODE_GATES, {NODE, NODE}, .broken = pa_kv_heads},
    {"quant.k_quant_type", NODE_GATES, {MAY, MAY}, pa_quant, PA_K_QUANT_TYPE},
    {"quant.v_quant_type", NODE_GATES, {MAY, MAY}, pa_quant, PA_V_QUANT_TYPE},
    {"quant.k_cache_dtype", NODE_GATES, {MAY, MAY}, pa_quant, PA_K_CACHE_DTYPE},
    {"quant.v_cache_dtype", NODE_GATES, {MAY, MAY}, pa_quant, PA_V_CACHE_DTYPE},
    {"v-head-size-negative", NODE_GATES, {NODE, NODE}, .broken = pa_v_head_size_negative},
    {"rotary-offset", NODE_GATES, {NODE, NODE}, .broken = pa_rotary_offset},
    {"scale-range", NODE_GATES, {NODE, NODE}, .broken = pa_scale_range},
    {"softcap-range", NODE_GATES, {NODE, NODE}, .broken = pa_softcap_range},
    {"not-causal", NODE_GATES, {MAY, NODE}, .broken = pa_not_causal},
    {"dtype.query", INPUT_GATES, {NODE, NODE}, pa_query_dtype, AT_QUERY},
    {"present.value", INPUT_GATES, {NODE, NODE}, pa_forbidden, AT_VALUE},
    {"present.value_cache", INPUT_GATES, {NODE, NODE}, pa_forbidden, AT_VALUE_CACHE},
    {"present.value_cache_out", INPUT_GATES, {NODE, NODE}, pa_forbidden, PA_VALUE_CACHE_OUT},
    {"present.head_sink", INPUT_GATES, {MAY, NODE}, pa_forbidden, AT_HEAD_SINK},
    {"present.q_norm_weight", INPUT_GATES, {MAY, NODE}, pa_forbidden, AT_Q_NORM_WEIGHT},
    {"present.k_norm_weight", INPUT_GATES, {MAY, NODE}, pa_forbidden, AT_K_NORM_WEIGHT},
    {"present.k_scale", INPUT_GATES, {MAY, NODE}, pa_forbidden, AT_K_SCALE},
    {"present.v_scale", INPUT_GATES, {MAY, NODE}, pa_forbidden, AT_V_SCALE},
    {"required.query", PA_EXECUTE, {NODE, NODE}, pa_required, AT_QUERY},
    {"required.key", PA_EXECUTE, {NODE, NODE}, pa_required, AT_KEY},
    {"required.key_cache", PA_EXECUTE, {NODE, NODE}, pa_required, AT_KEY_CACHE},
    {"required.cumulative_sequence_length", PA_EXECUTE, {NODE, NODE}, pa_required, AT_CUMULATIVE_SEQUENCE_LENGTH},
    {"required.past_seqlens", PA_EXECUTE, {NODE, NODE}, pa_required, AT_PAST_SEQLENS},
    {"required.block_table", PA_EXECUTE, {NODE, NODE}, pa_required, AT_BLOCK_TABLE},
    {"required.output", PA_EXECUTE, {NODE, NODE}, pa_required, PA_OUTPUT},
    {"required.slot_mapping", PA_EXECUTE, {NODE, NONE}, pa_required, AT_SLOT_MAPPING},
    {"required.cos_cache", PA_EXECUTE, {NODE, NODE}, pa_required_rotary, AT_COS_CACHE},
    {"required.sin_cache", PA_EXECUTE, {NODE, NODE}, pa_required_rotary, AT_SIN_CACHE},
    {"dtype.key", PA_EXECUTE, {CALL, CALL}, pa_dtype_as_query, AT_KEY},
    {"dtype.key_cache", PA_EXECUTE, {CALL, CALL}, pa_dtype_as_query, AT_KEY_CACHE},
    {"dtype.cos_cache", PA_EXECUTE, {CALL, CALL}, pa_dtype_as_query, AT_COS_CACHE},
    {"dtype.sin_cache", PA_EXECUTE, {CALL, CALL}, pa_dtype_as_query, AT_SIN_CACHE},
    {"dtype.output", PA_EXECUTE, {CALL, CALL}, pa_dtype_as_query, PA_OUTPUT},
    {"dtype.cumulative_sequence_length", PA_EXECUTE, {CALL, CALL}, pa_dtype_int32, AT_CUMULATIVE_SEQUENCE_LENGTH},
    {"dtype.past_seqlens", PA_EXECUTE, {CALL, CALL}, pa_dtype_int32, AT_PAST_SEQLENS},
    {"dtype.block_table", PA_EXECUTE, {CALL, CALL}, pa_dtype_int32, AT_BLOCK_TABLE},
    {"dtype.slot_mapping", PA_EXECUTE, {CALL, CALL}, pa_dtype_int32, AT_SLOT_MAPPING},
    {"dtype.attention_metadata", PA_EXECUTE, {NONE, CALL}, pa_dtype_int32, AT_ATTENTION_METADATA},
    {"rank.key_cache", PA_EXECUTE, {CALL, CALL}, pa_rank, AT_KEY_CACHE},
    {"rank.query", PA_EXECUTE, {CALL, CALL}, pa_rank, AT_QUERY},
    {"rank.key", PA_EXECUTE, {CALL, CALL}, pa_rank, AT_KEY},
    {"rank.block_table", PA_EXECUTE, {CALL, CALL}, pa_rank, AT_BLOCK_TABLE},
    {"rank.cos_cache", PA_EXECUTE, {CALL, CALL}, pa_rank, AT_COS_CACHE},
    {"rank.sin_cache", PA_EXECUTE, {CALL, CALL}, pa_rank, AT_SIN_CACHE},
    {"rank.output", PA_EXECUTE, {CALL, CALL}, pa_rank, PA_OUTPUT},
    {"rank.cumulative_sequence_length", PA_EXECUTE, {CALL, CALL}, pa_rank, AT_CUMULATIVE_SEQUENCE_LENGTH},
    {"rank.past_seqlens", PA_EXECUTE, {CALL, CALL}, pa_rank, AT_PAST_SEQLENS},
    {"rank.slot_mapping", PA_EXECUTE, {CALL, CALL}, pa_rank, AT_SLOT_MAPPING},
    {"block-size", PA_EXECUTE, {CALL, CALL}, .broken = pa_block_size},
    {"cache-heads", PA_EXECUTE, {CALL, CALL}, .broken = pa_cache_heads},
    {"query-hidden", PA_EXECUTE, {CALL, CALL}, .broken = pa_query_hidden},
    {"key-hidden", PA_EXECUTE, {CALL, CALL}, .broken = pa_key_hidden},
    {"key-rows", PA_EXECUTE, {CALL, CALL}, .broken = pa_key_rows},
    {"batch.cumulative_sequence_length", PA_EXECUTE, {CALL, CALL}, .broken = pa_cumulative_length},
    {"batch.block_table", PA_EXECUTE, {CALL, CALL}, .broken = pa_table_rows},
    {"batch.slot_mapping", PA_EXECUTE, {CALL, CALL}, .broken = pa_slots_length},
    {"v-head-size", PA_EXECUTE, {CALL, CALL}, .broken = pa_v_head_size},
    {"scale-required", PA_EXECUTE, {CALL, CALL}, .broken = pa_scale_required},
    {"cos-sin-shape", PA_EXECUTE, {CALL, CALL}, .broken = pa_cos_sin_shape},
    {"rotary-span", PA_EXECUTE, {CALL, CALL}, .broken = pa_rotary_span},
    {"granularity.head_size", PA_EXECUTE, {NONE, CALL}, .broken = pa_granularity_head_size},
    {"granularity.cos_cache", PA_EXECUTE, {NONE, CALL}, .broken = pa_granularity_cos_cache},
    {"output-shape", PA_EXECUTE, {CALL, CALL}, .broken = pa_output_shape},
    {"cache-alias", PA_EXECUTE, {CALL, CALL}, .broken = pa_cache_alias},
    {"metadata-shape", PA_EXECUTE, {NONE, CALL}, .broken = pa_metadata_shape},
    {"metadata-negative", PA_EXECUTE, {NONE, CALL}, .broken = pa_metadata_negative},
    {"grid-limit", PA_EXECUTE, {CALL, NONE}, .broken = pa_grid_limit},
    {"not-warmed", PA_EXECUTE, {COLD, NONE}, .broken = pa_not_warmed},
};
enum { RULES = sizeof rules / sizeof *rules };

const pa_rule *pa_rules(size_t *count) {
    *count = RULES;
    return rules;
}

bool pa_say(at_refusal *why, const char *format, ...) {
    va_list values;
    va_start(values, format);
    vsnprintf(why->text, sizeof why->text, format, values);
    va_end(values);
    return true;
}

static at_code ask(unsigned gate, pa_facts facts, at_refusal *why) {
    for (int i = 0; i < RULES; ++i) {
        int code = rules[i].code[facts.node->dialect];
        if (!(rules[i].gates & gate) || code == NONE) continue;
        facts.about = rules[i].about;
        if (!rules[i].broken(&facts, why)) continue;
        why->rule = rules[i].id;
        return (at_code)code;
    }
    *why = (at_refusal){0};
    return AT_ACCEPTED;
}

static at_code ask_of_node(unsigned gate, const at_node *listed, const at_call *call, at_refusal *why) {
    pa_node node;
    if (pa_node_read(&node, listed)) return ask(gate, (pa_facts){.listed = listed, .node = &node, .call = call}, why);
    why->rule = NULL;
    pa_say(why, "dialect \"%.100s\" is neither %s nor %s", listed->dialect, pa_dialect_names[0], pa_dialect_names[1]);
    return AT_INVALID_NODE;
}

at_code pa_gate_supports(const at_node *node, const at_dtype in[AT_INPUTS], at_refusal *why) {
    at_call call = {0};
    for (int i = 0; i < AT_INPUTS; ++i) call.in[i].dtype = in[i];
    return ask_of_node(PA_SUPPORTS, node, &call, why);
}

at_code pa_gate_create(const at_node *node, at_refusal *why) {
    return ask_of_node(PA_CREATE, node, &(at_call){0}, why);
}

at_code pa_gate_execute(const pa_node *node, const pa_warmed *warmed, const at_call *call, at_refusal *why) {
    return ask(PA_EXECUTE, (pa_facts){.node = node, .call = call, .warmed = warmed}, why);
}
