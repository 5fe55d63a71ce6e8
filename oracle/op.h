/* com.microsoft::PagedAttention v1 as a graph and a call state it: attributes as a list, inputs and outputs by schema
 * index. Nothing is resolved here; problem.h says what a legal LATENT call means. */
#ifndef OR_OP_H
#define OR_OP_H

#include "dtype.h"
#include <stdbool.h>

enum { OR_INPUTS = 17, OR_OUTPUTS = 3, OR_MAX_RANK = 8 };
enum {
    OR_QUERY,
    OR_KEY,
    OR_VALUE,
    OR_KEY_CACHE,
    OR_VALUE_CACHE,
    OR_CUMULATIVE_SEQUENCE_LENGTH,
    OR_PAST_SEQLENS,
    OR_BLOCK_TABLE,
    OR_COS_CACHE,
    OR_SIN_CACHE,
    OR_SLOT_MAPPING,
    OR_HEAD_SINK,
    OR_Q_NORM_WEIGHT,
    OR_K_NORM_WEIGHT,
    OR_K_SCALE,
    OR_V_SCALE,
    OR_ATTENTION_METADATA
};
enum { OR_OUTPUT, OR_KEY_CACHE_OUT, OR_VALUE_CACHE_OUT };

typedef enum { OR_GENAI, OR_ONNXRUNTIME, OR_DIALECTS } or_dialect;

typedef enum { OR_INT, OR_FLOAT, OR_STRING } or_attr_type;
typedef struct {
    const char *name;
    or_attr_type type;
    int64_t i;
    double f; /* a float attribute: the value of its 32 bits */
    const char *s;
} or_attr;

typedef struct {
    or_dialect dialect;
    const or_attr *attr; /* [attrs] as the graph lists them */
    size_t attrs;
} or_node;

typedef struct {
    or_dtype dtype; /* OR_ABSENT: nothing else counts */
    uint32_t rank;
    int64_t shape[OR_MAX_RANK];
    void *data; /* host memory, dense, row-major; may be NULL where only shapes are asked for */
} or_tensor;

typedef struct {
    or_tensor in[OR_INPUTS], out[OR_OUTPUTS];
} or_call;

const char *or_input_name(int index);  /* "query", ...; NULL outside the schema  */
const char *or_output_name(int index); /* "output", ...                          */
const char *or_dialect_name(or_dialect);
bool or_dialect_by_name(or_dialect *out, const char *name);

/* The schema's attributes: the name's type, or false where the schema has no such attribute. */
bool or_schema_attribute(const char *name, or_attr_type *type);
/* The last of that name and type, or NULL. */
const or_attr *or_attribute(const or_node *, const char *name, or_attr_type type);

#endif
