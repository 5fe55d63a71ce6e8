/* The schema's names, in its order. */
#include "op.h"

#include <string.h>

static const char *const input_names[OR_INPUTS] = {
    [OR_QUERY] = "query",
    [OR_KEY] = "key",
    [OR_VALUE] = "value",
    [OR_KEY_CACHE] = "key_cache",
    [OR_VALUE_CACHE] = "value_cache",
    [OR_CUMULATIVE_SEQUENCE_LENGTH] = "cumulative_sequence_length",
    [OR_PAST_SEQLENS] = "past_seqlens",
    [OR_BLOCK_TABLE] = "block_table",
    [OR_COS_CACHE] = "cos_cache",
    [OR_SIN_CACHE] = "sin_cache",
    [OR_SLOT_MAPPING] = "slot_mapping",
    [OR_HEAD_SINK] = "head_sink",
    [OR_Q_NORM_WEIGHT] = "q_norm_weight",
    [OR_K_NORM_WEIGHT] = "k_norm_weight",
    [OR_K_SCALE] = "k_scale",
    [OR_V_SCALE] = "v_scale",
    [OR_ATTENTION_METADATA] = "attention_metadata",
};

static const char *const output_names[OR_OUTPUTS] = {
    [OR_OUTPUT] = "output",
    [OR_KEY_CACHE_OUT] = "key_cache_out",
    [OR_VALUE_CACHE_OUT] = "value_cache_out",
};

static const char *const dialect_names[OR_DIALECTS] = {
    [OR_GENAI] = "onnx-genai",
    [OR_ONNXRUNTIME] = "onnxruntime",
};

/* ONNX Runtime 1.30's schema. */
static const struct {
    const char *name;
    or_attr_type type;
} schema[] = {
    {"num_heads", OR_INT},        {"kv_num_heads", OR_INT},       {"scale", OR_FLOAT},
    {"softcap", OR_FLOAT},        {"local_window_size", OR_INT},  {"is_causal", OR_INT},
    {"do_rotary", OR_INT},        {"rotary_interleaved", OR_INT}, {"qk_norm_epsilon", OR_FLOAT},
    {"k_quant_type", OR_STRING},  {"v_quant_type", OR_STRING},    {"k_cache_dtype", OR_STRING},
    {"v_cache_dtype", OR_STRING}, {"kv_cache_layout", OR_STRING}, {"v_head_size", OR_INT},
    {"rotary_offset", OR_INT},
};

const char *or_input_name(int index) {
    return index >= 0 && index < OR_INPUTS ? input_names[index] : NULL;
}

const char *or_output_name(int index) {
    return index >= 0 && index < OR_OUTPUTS ? output_names[index] : NULL;
}

const char *or_dialect_name(or_dialect dialect) {
    return dialect_names[dialect];
}

bool or_dialect_by_name(or_dialect *out, const char *name) {
    for (int d = 0; d < OR_DIALECTS; d++)
        if (strcmp(dialect_names[d], name) == 0) {
            *out = (or_dialect)d;
            return true;
        }
    return false;
}

bool or_schema_attribute(const char *name, or_attr_type *type) {
    for (size_t i = 0; i < sizeof schema / sizeof schema[0]; i++)
        if (strcmp(schema[i].name, name) == 0) {
            *type = schema[i].type;
            return true;
        }
    return false;
}

const or_attr *or_attribute(const or_node *node, const char *name, or_attr_type type) {
    for (size_t i = node->attrs; i-- > 0;)
        if (node->attr[i].type == type && strcmp(node->attr[i].name, name) == 0) return &node->attr[i];
    return NULL;
}
