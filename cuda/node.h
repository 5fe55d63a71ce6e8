/* The attributes of a node as the kernels here read them: defaults filled in, and what a value means in its dialect. */
#ifndef PA_NODE_H
#define PA_NODE_H

#include "../harness/subject.h"
#include <stdbool.h>

typedef enum { PA_GENAI, PA_ONNXRUNTIME, PA_DIALECTS } pa_dialect;
extern const char *const pa_dialect_names[PA_DIALECTS + 1]; /* NULL-terminated; the default first */

enum { PA_K_QUANT_TYPE, PA_V_QUANT_TYPE, PA_K_CACHE_DTYPE, PA_V_CACHE_DTYPE, PA_QUANTS };

/* As given, or the schema's default. Strings belong to the at_node. */
typedef struct {
    pa_dialect dialect;
    const char *kv_cache_layout;
    const char *quant[PA_QUANTS];
    int64_t num_heads, kv_num_heads; /* 0 where absent */
    int64_t v_head_size;             /* 0: head_size   */
    int64_t rotary_offset, local_window_size, is_causal, do_rotary, rotary_interleaved;
    float scale, softcap, qk_norm_epsilon;
    bool scale_listed; /* the node lists a scale, of whatever value */
} pa_node;

/* Unknown and mistyped attributes are passed over, of a repeated one the last counts: the gates (gates.h) refuse all
 * three. False where the dialect is not one of pa_dialect_names. */
bool pa_node_read(pa_node *out, const at_node *node);

/* Is there such an attribute in com.microsoft::PagedAttention v1, and of which type? */
bool pa_schema_has(at_attr_type *type, const char *name);

bool pa_rotates(const pa_node *);
bool pa_interleaved(const pa_node *);    /* pairs are (2i, 2i+1), else (i, i + R/2)                 */
bool pa_scale_given(const pa_node *);    /* else 1/sqrt(head_size)                                  */
int64_t pa_keys_before(const pa_node *); /* that a token sees besides itself; -1: all there are     */
float pa_softcap(const pa_node *);       /* 0: off                                                  */

#endif
