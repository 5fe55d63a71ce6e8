/* The refusal table from inside. gates.c holds its rows, node_rules.c and call_rules.c what they ask. */
#ifndef PA_RULES_H
#define PA_RULES_H

#include "gates.h"

enum { PA_SUPPORTS = 1, PA_CREATE = 2, PA_EXECUTE = 4 };

/* A tensor by one number: an input's schema index, or an output's past them. */
enum {
    PA_OUTPUT = AT_INPUTS + AT_OUTPUT,
    PA_KEY_CACHE_OUT = AT_INPUTS + AT_KEY_CACHE_OUT,
    PA_VALUE_CACHE_OUT,
    PA_TENSORS
};

/* What a gate knows. */
typedef struct {
    const at_node *listed; /* NULL at execute                                              */
    const pa_node *node;
    const at_call *call;     /* at supports only the dtypes of the inputs; at create nothing */
    const pa_warmed *warmed; /* NULL but at execute                                          */
    int about;               /* the rule's own: a tensor, or a quant attribute               */
} pa_facts;

/* True, with the sentence, where the rule is broken. */
typedef bool pa_broken(const pa_facts *, at_refusal *why);

typedef struct {
    const char *id;
    unsigned gates;        /* PA_SUPPORTS | ...                                           */
    int code[PA_DIALECTS]; /* an at_code each; AT_ACCEPTED: that dialect has no such rule */
    pa_broken *broken;
    int about;
} pa_rule;
const pa_rule *pa_rules(size_t *count); /* in the contract's order: the first broken one is the answer */

/* Of the node and of what is there. */
pa_broken pa_layout_value, pa_layout, pa_attribute_unknown, pa_attribute_type, pa_attribute_twice, pa_num_heads,
    pa_kv_heads, pa_quant, pa_v_head_size_negative, pa_rotary_offset, pa_scale_range, pa_softcap_range, pa_not_causal,
    pa_query_dtype, pa_forbidden, pa_required, pa_required_rotary;
/* Of the call. */
pa_broken pa_dtype_as_query, pa_dtype_int32, pa_rank, pa_block_size, pa_cache_heads, pa_query_hidden, pa_key_hidden,
    pa_key_rows, pa_cumulative_length, pa_table_rows, pa_slots_length, pa_v_head_size, pa_scale_required,
    pa_cos_sin_shape, pa_rotary_span, pa_granularity_head_size, pa_granularity_cos_cache, pa_output_shape,
    pa_cache_alias, pa_metadata_shape, pa_metadata_negative, pa_grid_limit, pa_not_warmed;

const at_tensor *pa_tensor(const pa_facts *, int tensor);
bool pa_given(const pa_facts *, int tensor);
/* cos_cache and sin_cache do not count for onnx-genai where nothing is rotated. */
bool pa_looked_at(const pa_facts *, int tensor);
extern const char *const pa_tensor_names[PA_TENSORS];
extern const char *const pa_dtype_names[AT_I64 + 1];

#endif
