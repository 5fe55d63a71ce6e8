#include "arena.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 64 * 1024, ALIGN = _Alignof(max_align_t) };

typedef struct chunk chunk;
struct chunk {
    chunk *next;
    max_align_t bytes[];
};

struct at_arena {
    chunk *chunks; /* the first is the one that small pieces come from */
    char *free;
    size_t left, spent, limit;
    bool full;
};

at_arena *at_arena_new(size_t limit) {
    at_arena *a = calloc(1, sizeof *a);
    if (a != NULL) a->limit = limit;
    return a;
}

void at_arena_free(at_arena *a) {
    if (a == NULL) return;
    for (chunk *c = a->chunks, *next; c != NULL; c = next) {
        next = c->next;
        free(c);
    }
    free(a);
}

static void *large(at_arena *a, size_t bytes) {
    chunk *c = calloc(1, sizeof *c + bytes);
    if (c == NULL) return NULL;
    /* Behind the first, whose rest is still in use. */
    chunk **place = a->chunks ? &a->chunks->next : &a->chunks;
    c->next = *place;
    *place = c;
    return c->bytes;
}

static bool refill(at_arena *a) {
    chunk *c = calloc(1, sizeof *c + CHUNK);
    if (c == NULL) return false;
    c->next = a->chunks;
    a->chunks = c;
    a->free = (char *)c->bytes;
    a->left = CHUNK;
    return true;
}

void *at_arena_get(at_arena *a, size_t count, size_t size) {
    if (size != 0 && count > (a->limit - a->spent) / size) return a->full = true, NULL;
    size_t bytes = count * size;
    size_t rounded = (bytes + ALIGN - 1) / ALIGN * ALIGN;
    if (rounded == 0) rounded = ALIGN;
    a->spent += bytes;
    if (rounded > CHUNK / 4) return large(a, rounded);
    if (rounded > a->left && !refill(a)) return NULL;
    void *piece = a->free;
    a->free += rounded;
    a->left -= rounded;
    return piece;
}

char *at_arena_text(at_arena *a, const char *text, size_t bytes) {
    char *copy = at_arena_get(a, bytes + 1, 1);
    if (copy != NULL) memcpy(copy, text, bytes);
    return copy;
}

bool at_arena_full(const at_arena *a) {
    return a->full;
}
