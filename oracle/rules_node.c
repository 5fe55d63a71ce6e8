/* The refusal rules that attributes alone decide. */
#include "rules_predicates.h"

#include <math.h>
#include <string.h>

int64_t or_node_int(const or_node *node, const char *name, int64_t absent) {
    const or_attr *a = or_attribute(node, name, OR_INT);
    return a ? a->i : absent;
}

const char *or_node_string(const or_node *node, const char *name, const char *absent) {
    const or_attr *a = or_attribute(node, name, OR_STRING);
    return a && a->s ? a->s : absent;
}

bool or_node_is_latent(const or_node *node) {
    return strcmp(or_node_string(node, "kv_cache_layout", "SEPARATE"), "LATENT") == 0;
}

bool or_node_rotates(const or_node *node) {
    int64_t v = or_node_int(node, "do_rotary", 0);
    return node->dialect == OR_ONNXRUNTIME ? v == 1 : v != 0;
}

/* "none" in any case of its letters; no locale has a say. */
static bool says_none(const char *s) {
    static const char none[] = "none";
    size_t i = 0;
    while (i < 4 && (s[i] | 0x20) == none[i]) i++;
    return i == 4 && s[4] == '\0';
}

static bool asks_for_quantisation(const or_node *node, const char *name) {
    const char *s = or_node_string(node, name, "");
    return *s != '\0' && strcmp(s, "0") != 0 && !says_none(s);
}

bool or_node_is_quantised(const or_node *node) {
    return asks_for_quantisation(node, "k_quant_type") || asks_for_quantisation(node, "v_quant_type") ||
           asks_for_quantisation(node, "k_cache_dtype") || asks_for_quantisation(node, "v_cache_dtype");
}

bool or_broken_layout_value(const or_question *ask) {
    const char *s = or_node_string(ask->node, "kv_cache_layout", "SEPARATE");
    return strcmp(s, "SEPARATE") != 0 && strcmp(s, "LATENT") != 0;
}

bool or_broken_layout(const or_question *ask) {
    return strcmp(or_node_string(ask->node, "kv_cache_layout", "SEPARATE"), "SEPARATE") == 0;
}

bool or_broken_attribute_unknown(const or_question *ask) {
    or_attr_type type;
    for (size_t i = 0; i < ask->node->attrs; i++)
        if (!or_schema_attribute(ask->node->attr[i].name, &type)) return true;
    return false;
}

bool or_broken_attribute_type(const or_question *ask) {
    or_attr_type type;
    for (size_t i = 0; i < ask->node->attrs; i++)
        if (or_schema_attribute(ask->node->attr[i].name, &type) && type != ask->node->attr[i].type) return true;
    return false;
}

bool or_broken_attribute_twice(const or_question *ask) {
    for (size_t i = 0; i < ask->node->attrs; i++)
        for (size_t j = 0; j < i; j++)
            if (strcmp(ask->node->attr[i].name, ask->node->attr[j].name) == 0) return true;
    return false;
}

bool or_broken_num_heads(const or_question *ask) {
    return or_node_int(ask->node, "num_heads", 0) < 1;
}

bool or_broken_kv_heads(const or_question *ask) {
    return or_node_is_latent(ask->node) && or_node_int(ask->node, "kv_num_heads", 0) != 1;
}

bool or_broken_quantisation(const or_question *ask) {
    return asks_for_quantisation(ask->node, ask->rule->name);
}

bool or_broken_v_head_size_negative(const or_question *ask) {
    return or_node_int(ask->node, "v_head_size", 0) < 0;
}

bool or_broken_rotary_offset(const or_question *ask) {
    int64_t off = or_node_int(ask->node, "rotary_offset", 0);
    return off < 0 || (ask->node->dialect == OR_ONNXRUNTIME && off % 8 != 0);
}

bool or_broken_finite(const or_question *ask) {
    const or_attr *a = or_attribute(ask->node, ask->rule->name, OR_FLOAT);
    return a && !isfinite(a->f);
}

bool or_broken_not_causal(const or_question *ask) {
    return or_node_is_latent(ask->node) && or_node_int(ask->node, "is_causal", 1) == 0;
}
