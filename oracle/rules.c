/* The refusal table of the contract: one row a rule, in the order in which they are tried. */
#include "rules_predicates.h"

#include <string.h>

#define NODE_GATES (OR_SUPPORTS | OR_CREATE)
#define CLAIM_GATES (OR_SUPPORTS | OR_EXECUTE)

/* What a subject may leave out it answers with NOT_IMPLEMENTED, whatever the rule is about. */
#define CODE(duty, code) ((duty) == OR_MAY ? OR_CODE_NOT_IMPLEMENTED : (code))
#define RULE(id, gates, genai, onnxruntime, code, predicate, when)                                                     \
    {                                                                                                                  \
        id, gates, {genai, onnxruntime}, {CODE(genai, code), CODE(onnxruntime, code)}, when, or_broken_##predicate, 0, \
            NULL                                                                                                       \
    }
#define NAMED(id, gates, genai, onnxruntime, predicate, name, when)                                                    \
    {                                                                                                                  \
        id, gates, {genai, onnxruntime}, {CODE(genai, NODE), CODE(onnxruntime, NODE)}, when, or_broken_##predicate, 0, \
            name                                                                                                       \
    }
#define ABOUT(id, gates, genai, onnxruntime, code, predicate, tensor, when)                                            \
    {                                                                                                                  \
        id, gates, {genai, onnxruntime}, {CODE(genai, code), CODE(onnxruntime, code)}, when, or_broken_##predicate,    \
            tensor, NULL                                                                                               \
    }

#define NONE OR_NO_RULE
#define MUST OR_MUST
#define MAY OR_MAY
#define OURS OR_OURS
#define NODE OR_CODE_INVALID_NODE
#define CALL OR_CODE_INVALID_CALL

static const char quantised[] = "set to something other than \"\", \"0\", \"none\" (any case)";
static const char latent_without[] = "given with LATENT";
static const char not_quantised[] = "given with LATENT and a cache that is not quantised";
static const char absent[] = "absent";
static const char absent_rotary[] = "absent when do_rotary; (onnxruntime) cos_cache or sin_cache alone";
static const char other_type[] = "differs from query";
static const char no_int32[] = "not int32";

/* clang-format off */
static const or_rule table[] = {
    RULE("layout-value", NODE_GATES, MUST, MUST, NODE, layout_value, "kv_cache_layout is neither SEPARATE nor LATENT"),
    RULE("layout", NODE_GATES, MAY, MAY, NODE, layout, "kv_cache_layout is SEPARATE, or absent"),
    RULE("attribute.unknown", NODE_GATES, OURS, MUST, NODE, attribute_unknown, "a name that the schema does not have"),
    RULE("attribute.type", NODE_GATES, OURS, MUST, NODE, attribute_type, "a type that the schema does not have for it"),
    RULE("attribute.twice", NODE_GATES, OURS, MUST, NODE, attribute_twice, "a name that is repeated"),
    RULE("num-heads", NODE_GATES, MUST, MUST, NODE, num_heads, "num_heads < 1 or absent"),
    RULE("kv-heads", NODE_GATES, MUST, MUST, NODE, kv_heads, "LATENT and kv_num_heads != 1"),
    NAMED("quant.k_quant_type", NODE_GATES, MAY, MAY, quantisation, "k_quant_type", quantised),
    NAMED("quant.v_quant_type", NODE_GATES, MAY, MAY, quantisation, "v_quant_type", quantised),
    NAMED("quant.k_cache_dtype", NODE_GATES, MAY, MAY, quantisation, "k_cache_dtype", quantised),
    NAMED("quant.v_cache_dtype", NODE_GATES, MAY, MAY, quantisation, "v_cache_dtype", quantised),
    RULE("v-head-size-negative", NODE_GATES, OURS, MUST, NODE, v_head_size_negative, "v_head_size is negative"),
    RULE("rotary-offset", NODE_GATES, OURS, MUST, NODE, rotary_offset, "negative; (onnxruntime) rotary_offset % 8"),
    NAMED("scale-range", NODE_GATES, OURS, OURS, finite, "scale", "NaN or infinite"),
    NAMED("softcap-range", NODE_GATES, OURS, OURS, finite, "softcap", "NaN or infinite"),
    RULE("not-causal", NODE_GATES, MAY, MUST, NODE, not_causal, "is_causal = 0 with LATENT"),

    RULE("dtype.query", CLAIM_GATES, MUST, MUST, NODE, dtype_query, "not float16 or bfloat16"),
    ABOUT("present.value", CLAIM_GATES, MUST, MUST, NODE, present, OR_VALUE, latent_without),
    ABOUT("present.value_cache", CLAIM_GATES, MUST, MUST, NODE, present, OR_VALUE_CACHE, latent_without),
    /* supports is told the types of inputs alone */
    ABOUT("present.value_cache_out", OR_EXECUTE, MUST, MUST, NODE, present,
          OR_OUT + OR_VALUE_CACHE_OUT, latent_without),
    ABOUT("present.head_sink", CLAIM_GATES, MAY, MUST, NODE, present, OR_HEAD_SINK, latent_without),
    ABOUT("present.q_norm_weight", CLAIM_GATES, MAY, MUST, NODE, present, OR_Q_NORM_WEIGHT, latent_without),
    ABOUT("present.k_norm_weight", CLAIM_GATES, MAY, MUST, NODE, present, OR_K_NORM_WEIGHT, latent_without),
    ABOUT("present.k_scale", CLAIM_GATES, MAY, MUST, NODE, scales, OR_K_SCALE, not_quantised),
    ABOUT("present.v_scale", CLAIM_GATES, MAY, MUST, NODE, scales, OR_V_SCALE, not_quantised),

    ABOUT("required.query", OR_EXECUTE, MUST, MUST, NODE, required, OR_QUERY, absent),
    ABOUT("required.key", OR_EXECUTE, MUST, MUST, NODE, required, OR_KEY, absent),
    ABOUT("required.key_cache", OR_EXECUTE, MUST, MUST, NODE, required, OR_KEY_CACHE, absent),
    ABOUT("required.cumulative_sequence_length", OR_EXECUTE, MUST, MUST, NODE, required,
          OR_CUMULATIVE_SEQUENCE_LENGTH, absent),
    ABOUT("required.past_seqlens", OR_EXECUTE, MUST, MUST, NODE, required, OR_PAST_SEQLENS, absent),
    ABOUT("required.block_table", OR_EXECUTE, MUST, MUST, NODE, required, OR_BLOCK_TABLE, absent),
    ABOUT("required.output", OR_EXECUTE, MUST, MUST, NODE, required, OR_OUT + OR_OUTPUT, absent),
    ABOUT("required.slot_mapping", OR_EXECUTE, MUST, NONE, NODE, required, OR_SLOT_MAPPING, absent),
    ABOUT("required.cos_cache", OR_EXECUTE, MUST, MUST, NODE, required_cos_sin, OR_COS_CACHE, absent_rotary),
    ABOUT("required.sin_cache", OR_EXECUTE, MUST, MUST, NODE, required_cos_sin, OR_SIN_CACHE, absent_rotary),

    ABOUT("dtype.key", OR_EXECUTE, MUST, MUST, CALL, dtype, OR_KEY, other_type),
    ABOUT("dtype.key_cache", OR_EXECUTE, MUST, MUST, CALL, dtype, OR_KEY_CACHE, other_type),
    ABOUT("dtype.cos_cache", OR_EXECUTE, MUST, MUST, CALL, dtype, OR_COS_CACHE, other_type),
    ABOUT("dtype.sin_cache", OR_EXECUTE, MUST, MUST, CALL, dtype, OR_SIN_CACHE, other_type),
    ABOUT("dtype.output", OR_EXECUTE, MUST, MUST, CALL, dtype, OR_OUT + OR_OUTPUT, other_type),
    ABOUT("dtype.cumulative_sequence_length", OR_EXECUTE, MUST, MUST, CALL, dtype,
          OR_CUMULATIVE_SEQUENCE_LENGTH, no_int32),
    ABOUT("dtype.past_seqlens", OR_EXECUTE, MUST, MUST, CALL, dtype, OR_PAST_SEQLENS, no_int32),
    ABOUT("dtype.block_table", OR_EXECUTE, MUST, MUST, CALL, dtype, OR_BLOCK_TABLE, no_int32),
    ABOUT("dtype.slot_mapping", OR_EXECUTE, MUST, MUST, CALL, dtype, OR_SLOT_MAPPING, no_int32),
    ABOUT("dtype.attention_metadata", OR_EXECUTE, NONE, MUST, CALL, dtype, OR_ATTENTION_METADATA, no_int32),

    ABOUT("rank.key_cache", OR_EXECUTE, MUST, MUST, CALL, rank, OR_KEY_CACHE, "not of rank 4"),
    ABOUT("rank.query", OR_EXECUTE, MUST, MUST, CALL, rank, OR_QUERY, "not of rank 2"),
    ABOUT("rank.key", OR_EXECUTE, MUST, MUST, CALL, rank, OR_KEY, "not of rank 2"),
    ABOUT("rank.block_table", OR_EXECUTE, MUST, MUST, CALL, rank, OR_BLOCK_TABLE, "not of rank 2"),
    ABOUT("rank.cos_cache", OR_EXECUTE, MUST, MUST, CALL, rank, OR_COS_CACHE, "not of rank 2"),
    ABOUT("rank.sin_cache", OR_EXECUTE, MUST, MUST, CALL, rank, OR_SIN_CACHE, "not of rank 2"),
    ABOUT("rank.output", OR_EXECUTE, MUST, MUST, CALL, rank, OR_OUT + OR_OUTPUT, "not of rank 2"),
    ABOUT("rank.cumulative_sequence_length", OR_EXECUTE, MUST, MUST, CALL, rank,
          OR_CUMULATIVE_SEQUENCE_LENGTH, "not of rank 1"),
    ABOUT("rank.past_seqlens", OR_EXECUTE, MUST, MUST, CALL, rank, OR_PAST_SEQLENS, "not of rank 1"),
    ABOUT("rank.slot_mapping", OR_EXECUTE, MUST, MUST, CALL, rank, OR_SLOT_MAPPING, "not of rank 1"),

    RULE("block-size", OR_EXECUTE, MUST, MUST, CALL, block_size, "not a power of two, or < 16"),
    RULE("cache-heads", OR_EXECUTE, MUST, MUST, CALL, cache_heads, "key_cache dimension 2 != 1"),
    RULE("query-hidden", OR_EXECUTE, MUST, MUST, CALL, query_hidden, "query columns != num_heads * head_size"),
    RULE("key-hidden", OR_EXECUTE, MUST, MUST, CALL, key_hidden, "key columns != head_size"),
    RULE("key-rows", OR_EXECUTE, MUST, MUST, CALL, key_rows, "key rows != query rows"),
    ABOUT("batch.cumulative_sequence_length", OR_EXECUTE, MUST, MUST, CALL, batch,
          OR_CUMULATIVE_SEQUENCE_LENGTH, "length != B+1"),
    ABOUT("batch.block_table", OR_EXECUTE, MUST, MUST, CALL, batch, OR_BLOCK_TABLE, "rows != B"),
    ABOUT("batch.slot_mapping", OR_EXECUTE, MUST, MUST, CALL, batch, OR_SLOT_MAPPING, "length != T"),
    RULE("v-head-size", OR_EXECUTE, MUST, MUST, CALL, v_head_size, "v_head_size > head_size"),
    RULE("scale-required", OR_EXECUTE, MUST, MUST, CALL, scale_required, "v_head_size != head_size and no scale"),
    RULE("cos-sin-shape", OR_EXECUTE, MUST, MUST, CALL, cos_sin_shape, "cos and sin differ in shape"),
    RULE("rotary-span", OR_EXECUTE, MUST, MUST, CALL, rotary_span, "rotary_offset + rotary_dim > head_size"),
    RULE("granularity.head_size", OR_EXECUTE, NONE, MUST, CALL, granularity_head_size, "head_size % 8, with RoPE % 16"),
    RULE("granularity.cos_cache", OR_EXECUTE, NONE, MUST, CALL, granularity_cos, "cos columns % 8"),
    RULE("output-shape", OR_EXECUTE, MUST, MUST, CALL, output_shape, "not [T, num_heads * v_head_size]"),
    RULE("cache-alias", OR_EXECUTE, MUST, MUST, CALL, cache_alias, "key_cache_out is given and is another buffer"),
    RULE("metadata-shape", OR_EXECUTE, NONE, MUST, CALL, metadata_shape, "attention_metadata not [2] or [3]"),
    RULE("metadata-negative", OR_EXECUTE, NONE, MUST, CALL, metadata_negative, "an entry of attention_metadata < 0"),
    RULE("grid-limit", OR_EXECUTE, OURS, NONE, CALL, grid_limit, "T*H beyond the device's grid"),
    RULE("not-warmed", OR_EXECUTE, MUST, NONE, OR_CODE_NOT_WARMED, not_warmed,
         "capturing, and this signature (dtype and every shape) was not run eagerly first"),
};
/* clang-format on */

enum { ROWS = sizeof table / sizeof table[0] };

const or_rule *or_rules(size_t *count) {
    *count = ROWS;
    return table;
}

const or_rule *or_rule_by_id(const char *id) {
    for (size_t i = 0; i < ROWS; i++)
        if (strcmp(table[i].id, id) == 0) return &table[i];
    return NULL;
}

const or_rule *or_refusal(or_gate gate, const or_node *node, const or_call *call, const or_moment *moment) {
    for (size_t i = 0; i < ROWS; i++) {
        const or_rule *rule = &table[i];
        if (!(rule->gates & (unsigned)gate) || rule->duty[node->dialect] == OR_NO_RULE) continue;
        if (or_is_broken(rule, node, call, moment)) return rule;
    }
    return NULL;
}

bool or_is_broken(const or_rule *rule, const or_node *node, const or_call *call, const or_moment *moment) {
    return rule->broken(&(or_question){rule, node, call, moment});
}
