/* Values that many attempts share, written once: a page says their numbers instead. */
#ifndef AT_WRITE_HTML_POOL_H
#define AT_WRITE_HTML_POOL_H

#include "../harness/error.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct {
    char **value; /* [values] JSON, fit for a script element; value[0] is null */
    uint32_t values, room;
    uint32_t *slot; /* [slots] number of a value + 1, or 0; slots is a power of two and more than twice room */
    size_t slots;
    FILE *scratch; /* to text, of bytes */
    char *text;
    size_t bytes;
    FILE *plain; /* to plain_text, of plain_bytes: what a reader shall see, before it becomes JSON */
    char *plain_text;
    size_t plain_bytes;
    at_status st; /* AT_INFRASTRUCTURE once memory was short: every number is 0 from then on */
} at_pool;

AT_MUST_USE at_status at_pool_open(at_pool *, at_error *err);
void at_pool_close(at_pool *);

/* The text as a terminal would show it; 0 for NULL. */
uint32_t at_pool_text(at_pool *, const char *);
uint32_t at_pool_part(at_pool *, const char *text, size_t bytes);
/* What is written to the stream between the two. */
FILE *at_pool_begin(at_pool *);
uint32_t at_pool_end(at_pool *);

/* A string of JSON, with nothing of the text but what can be seen, and no '<'. */
void at_pool_put_string(at_pool *, FILE *, const char *text);
void at_pool_put(FILE *, const at_pool *);

#endif
