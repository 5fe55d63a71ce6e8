/* One row of `schema` adds an attribute; a dialect speaks only where a value is asked for. */
#include "node.h"
#include <stddef.h>
#include <string.h>

const char *const pa_dialect_names[PA_DIALECTS + 1] = {[PA_GENAI] = "onnx-genai", [PA_ONNXRUNTIME] = "onnxruntime"};

static const struct {
    const char *name;
    at_attr_type type;
    size_t field;
} schema[] = {
    {"num_heads", AT_INT, offsetof(pa_node, num_heads)},
    {"kv_num_heads", AT_INT, offsetof(pa_node, kv_num_heads)},
    {"scale", AT_FLOAT, offsetof(pa_node, scale)},
    {"softcap", AT_FLOAT, offsetof(pa_node, softcap)},
    {"local_window_size", AT_INT, offsetof(pa_node, local_window_size)},
    {"is_causal", AT_INT, offsetof(pa_node, is_causal)},
    {"do_rotary", AT_INT, offsetof(pa_node, do_rotary)},
    {"rotary_interleaved", AT_INT, offsetof(pa_node, rotary_interleaved)},
    {"qk_norm_epsilon", AT_FLOAT, offsetof(pa_node, qk_norm_epsilon)},
    {"k_quant_type", AT_STRING, offsetof(pa_node, quant[PA_K_QUANT_TYPE])},
    {"v_quant_type", AT_STRING, offsetof(pa_node, quant[PA_V_QUANT_TYPE])},
    {"k_cache_dtype", AT_STRING, offsetof(pa_node, quant[PA_K_CACHE_DTYPE])},
    {"v_cache_dtype", AT_STRING, offsetof(pa_node, quant[PA_V_CACHE_DTYPE])},
    {"kv_cache_layout", AT_STRING, offsetof(pa_node, kv_cache_layout)},
    {"v_head_size", AT_INT, offsetof(pa_node, v_head_size)},
    {"rotary_offset", AT_INT, offsetof(pa_node, rotary_offset)},
};
enum { ATTRIBUTES = sizeof schema / sizeof *schema };

static int row_of(const char *name) {
    for (int i = 0; i < ATTRIBUTES; ++i)
        if (strcmp(schema[i].name, name) == 0) return i;
    return -1;
}

bool pa_schema_has(at_attr_type *type, const char *name) {
    int row = row_of(name);
    if (row < 0) return false;
    *type = schema[row].type;
    return true;
}

static void read_attribute(pa_node *out, const at_attr *attr) {
    int row = row_of(attr->name);
    if (row < 0 || schema[row].type != attr->type) return;
    char *field = (char *)out + schema[row].field;
    switch (attr->type) {
    case AT_INT: memcpy(field, &attr->i, sizeof attr->i); break;
    case AT_FLOAT: memcpy(field, &attr->f, sizeof attr->f); break;
    case AT_STRING: memcpy(field, &attr->s, sizeof attr->s); break;
    }
    if (schema[row].field == offsetof(pa_node, scale)) out->scale_listed = true;
}

bool pa_node_read(pa_node *out, const at_node *node) {
    *out = (pa_node){.kv_cache_layout = "SEPARATE",
                     .quant = {"NONE", "NONE", "", ""},
                     .local_window_size = -1,
                     .is_causal = 1,
                     .qk_norm_epsilon = 1e-6f};
    for (size_t i = 0; i < node->attrs; ++i) read_attribute(out, &node->attr[i]);
    for (int d = 0; d < PA_DIALECTS; ++d) {
        out->dialect = (pa_dialect)d;
        if (strcmp(pa_dialect_names[d], node->dialect) == 0) return true;
    }
    return false;
}

static bool is_true(const pa_node *n, int64_t value) {
    return n->dialect == PA_ONNXRUNTIME ? value == 1 : value != 0;
}

bool pa_rotates(const pa_node *n) {
    return is_true(n, n->do_rotary);
}

bool pa_interleaved(const pa_node *n) {
    return is_true(n, n->rotary_interleaved);
}

bool pa_scale_given(const pa_node *n) {
    return n->scale_listed && !(n->dialect == PA_ONNXRUNTIME && n->scale == 0.0f);
}

/* onnx-genai counts the keys before the token; onnxruntime counts the token too, and takes 0 for off. */
int64_t pa_keys_before(const pa_node *n) {
    int64_t window = n->local_window_size;
    if (n->dialect == PA_ONNXRUNTIME) return window > 0 ? window - 1 : -1;
    return window >= 0 ? window : -1;
}

float pa_softcap(const pa_node *n) {
    return n->softcap > 0.0f ? n->softcap : 0.0f;
}
