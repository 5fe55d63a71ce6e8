/* The keys of a case: one table for the reader, the suggestions and the page in cases/README.md. */
#ifndef AT_CASE_KEYS_H
#define AT_CASE_KEYS_H

#include "attributes.h"
#include "suite.h"

/* A case that is being read. Negative numbers: not said. */
typedef struct {
    at_case c;
    at_geometry geometry; /* name NULL: not said */
    int dialect, dtype;   /* index of the word; dialect -1: any */
    int64_t past, fresh;  /* of every sequence, over what `sequences` says */
    int64_t copies;
    int cold;
    const at_yaml *extra; /* attributes: */
} at_draft;

/* `read` is NULL for what is no value: node, matrix and zip. */
extern const at_key at_case_keys[];
enum { AT_CASE_KEYS = 33 };

/* `read` of two rows; out: the case. */
at_status at_inputs_read(const at_reader *, void *out, const at_yaml *map);
at_status at_outputs_read(const at_reader *, void *out, const at_yaml *map);

/* As it is where no key says otherwise. */
AT_MUST_USE at_status at_draft_start(const at_reader *, at_draft *out);

#endif
