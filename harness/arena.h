/* Memory that is given back all at once: what a parsed file, or a set of loaded cases, owns. */
#ifndef AT_ARENA_H
#define AT_ARENA_H

#include "error.h"
#include <stdbool.h>

typedef struct at_arena at_arena;

at_arena *at_arena_new(size_t limit); /* bytes that it hands out at most; NULL when memory is short */
void at_arena_free(at_arena *);       /* NULL is fine */

/* [count] elements of `size` bytes, zeroed and aligned for any type; NULL past the limit or when memory is short. */
void *at_arena_get(at_arena *, size_t count, size_t size);
/* A copy with a terminator. */
char *at_arena_text(at_arena *, const char *text, size_t bytes);
/* Did the limit say no, or the machine? */
bool at_arena_full(const at_arena *);

#endif
