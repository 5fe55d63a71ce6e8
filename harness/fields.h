/* Structs as JSON objects: one table of fields says how a struct is written, read and freed. */
#ifndef AT_FIELDS_H
#define AT_FIELDS_H

#include "json.h"

typedef struct at_field at_field;

typedef struct {
    const at_field *field; /* [fields], at most 64 */
    size_t fields;
    size_t bytes; /* of the struct */
} at_fields;

/* How a member is written, read and freed; each is handed the struct that holds it. */
typedef struct {
    void (*put)(FILE *, const at_field *, const void *owner);
    bool (*get)(at_json *, const at_field *, void *owner);
    bool (*absent)(const at_field *, const void *owner); /* then it is not written; NULL: never */
    void (*clear)(const at_field *, void *owner);        /* NULL: it owns nothing */
} at_field_kind;

struct at_field {
    const char *key;
    const at_field_kind *kind;
    size_t offset, size; /* of the member */
    const at_fields *of; /* objects: each of them */
    size_t counter;      /* objects: offset of the int that says how many of the array count */
    bool required;
};

/* char *, NULL-terminated char **, char [], bool, int, int64_t, uint64_t, double, an array of structs with its counter.
 */
extern const at_field_kind at_field_string, at_field_list, at_field_chars, at_field_flag, at_field_int, at_field_int64,
    at_field_uint64, at_field_double, at_field_objects;

void at_fields_put(FILE *, const at_fields *, const void *owner);
/* owner starts as zeros. What it holds after a mistake is still to be cleared. */
bool at_fields_get(at_json *, const at_fields *, void *owner);
void at_fields_clear(const at_fields *, void *owner); /* frees what it owns, zeroes it */

#endif
