/* JSON, read strictly from left to right without a tree, and written to a stream.
 *
 * A tree is what a journal of 100,000 records cannot afford: jansson 2.14 takes 25 us to parse a record of 2 KB, this 6
 * to read one into its struct. Numbers need the "C" locale. */
#ifndef AT_JSON_H
#define AT_JSON_H

#include "utf8.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A quoted string; bytes that are not UTF-8 become U+FFFD. A stream that fails says so by ferror. */
void at_json_put_string(FILE *, const char *);
/* The shortest of 15 to 17 digits that reads back to the same bits; "nan", "inf" and "-inf" as strings. */
void at_json_put_double(FILE *, double);

/* A reader is wrong from its first mistake on; then `at` is its place and every function returns false. */
typedef struct {
    const char *start, *at, *end;
    const char *key; /* [key_bytes] the last key that was read, as written; NULL before the first */
    size_t key_bytes;
    const char *wrong;    /* NULL, or what is wrong; static storage */
    bool short_of_memory; /* and that is why */
} at_json;

void at_json_open(at_json *, const char *text, size_t bytes);
bool at_json_wrong(at_json *, const char *what); /* false */
bool at_json_no_memory(at_json *);               /* false */

/* at_json_enter(json, '['), then: for (bool first = true; at_json_more(json, ']', first); first = false) read a value;
 * the loop ends at the bracket or at a mistake. */
bool at_json_enter(at_json *, char bracket);
bool at_json_more(at_json *, char closing, bool first);
bool at_json_key(at_json *);                           /* of plain ASCII, without escapes */
bool at_json_string(at_json *, char **out);            /* malloc'ed */
bool at_json_chars(at_json *, char *out, size_t size); /* cut at a character where it is too long */
bool at_json_int64(at_json *, int64_t *out);
bool at_json_double(at_json *, double *out); /* or one of the three strings */
bool at_json_bool(at_json *, bool *out);
bool at_json_skip(at_json *); /* any value */
bool at_json_end(at_json *);  /* nothing follows */

#endif
