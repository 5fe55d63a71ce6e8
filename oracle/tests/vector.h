/* One recorded case of oracle/vectors: a node, a call, and what an implementation answered. */
#ifndef OR_TESTS_VECTOR_H
#define OR_TESTS_VECTOR_H

#include "../problem.h"

typedef struct {
    or_problem p; /* resolved in the dialect asked for */
    or_call call;
    or_attr attr[16];
    size_t attrs;
    uint16_t *output, *cache_out; /* the implementation's */
    int64_t cache_elements;
    void *json;
} vector;

extern const char *const vector_names[];
extern const size_t vector_count;

/* Was this case recorded for it? */
bool vector_recorded(const char *name, const char *implementation);
/* Aborts the test where a file is missing or has another size than its shape says. */
vector *vector_open(const char *name, const char *implementation, or_dialect);
void vector_close(vector *);

#endif
