/* What "broken" means for each row of the table in rules.c. Private to it.
 *
 * or_broken_* of rules_node.c read the node's attributes alone; those of rules_call.c also which tensors there are,
 * their types and shapes. A tensor that is absent breaks nothing but its own required.NAME: that rule comes first and
 * is the answer. */
#ifndef OR_RULES_PREDICATES_H
#define OR_RULES_PREDICATES_H

#include "rules.h"

struct or_question {
    const or_rule *rule; /* its argument and name */
    const or_node *node;
    const or_call *call;     /* NULL at create; at supports dtypes alone */
    const or_moment *moment; /* NULL but at execute                      */
};

/* rule->argument of a rule about one tensor: an input's index, or an output's behind the inputs. */
enum { OR_OUT = OR_INPUTS };

int64_t or_node_int(const or_node *, const char *name, int64_t absent);
const char *or_node_string(const or_node *, const char *name, const char *absent);
bool or_node_is_latent(const or_node *);
bool or_node_rotates(const or_node *);
bool or_node_is_quantised(const or_node *);

bool or_broken_layout_value(const or_question *);
bool or_broken_layout(const or_question *);
bool or_broken_attribute_unknown(const or_question *);
bool or_broken_attribute_type(const or_question *);
bool or_broken_attribute_twice(const or_question *);
bool or_broken_num_heads(const or_question *);
bool or_broken_kv_heads(const or_question *);
bool or_broken_quantisation(const or_question *); /* rule->name: the attribute */
bool or_broken_v_head_size_negative(const or_question *);
bool or_broken_rotary_offset(const or_question *);
bool or_broken_finite(const or_question *); /* rule->name: a float attribute */
bool or_broken_not_causal(const or_question *);

bool or_broken_dtype_query(const or_question *);
bool or_broken_present(const or_question *);  /* rule->argument: the tensor */
bool or_broken_scales(const or_question *);   /* likewise                   */
bool or_broken_required(const or_question *); /* likewise                   */
bool or_broken_required_cos_sin(const or_question *);
bool or_broken_dtype(const or_question *); /* likewise                   */
bool or_broken_rank(const or_question *);  /* likewise                   */
bool or_broken_block_size(const or_question *);
bool or_broken_cache_heads(const or_question *);
bool or_broken_query_hidden(const or_question *);
bool or_broken_key_hidden(const or_question *);
bool or_broken_key_rows(const or_question *);
bool or_broken_batch(const or_question *); /* likewise                   */
bool or_broken_v_head_size(const or_question *);
bool or_broken_scale_required(const or_question *);
bool or_broken_cos_sin_shape(const or_question *);
bool or_broken_rotary_span(const or_question *);
bool or_broken_granularity_head_size(const or_question *);
bool or_broken_granularity_cos(const or_question *);
bool or_broken_output_shape(const or_question *);
bool or_broken_cache_alias(const or_question *);
bool or_broken_metadata_shape(const or_question *);
bool or_broken_metadata_negative(const or_question *);
bool or_broken_grid_limit(const or_question *);
bool or_broken_not_warmed(const or_question *);

#endif
