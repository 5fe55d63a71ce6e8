#include "poisons.h"
#include "attributes.h"
#include "design.h"
#include "finding.h"

#include <stdlib.h>
#include <string.h>

static bool in_tail(const at_case *c, const at_sequence *s) {
    return (s->past + s->fresh) % c->block_size != 0;
}

/* A position that the window hides in either dialect, and where no design puts marks of its own. */
static bool before_window(const at_case *c, const at_sequence *s) {
    const at_design *design = at_design_by_name(c->design);
    const at_attr *window = at_attribute_of(c, "local_window_size", AT_INT);
    return window != NULL && window->i >= 0 && s->past - window->i > 1 && design != NULL && !design->marks_hidden;
}

static bool where_written(const at_case *c, const at_sequence *s) {
    (void)c, (void)s;
    return true;
}

static bool in_pages_of_nobody(const at_case *c, const at_sequence *s) {
    (void)s;
    return c->spare_pages > 0;
}

static bool past_the_table(const at_case *c, const at_sequence *s) {
    (void)s;
    return c->spare_columns > 0;
}

static bool in_padded_rows(const at_case *c, const at_sequence *s) {
    (void)s;
    return c->padded_tokens > 0;
}

static bool in_keys_without_a_slot(const at_case *c, const at_sequence *s) {
    (void)s;
    return c->skips + c->beyonds > 0;
}

/* What an entry of block_table can hold there: a page that is not in the cache, or one that is somebody's. */
static const char *entry(const at_case *c) {
    return c->poison == AT_POISON_NEIGHBOUR ? "neighbour" : "far-out";
}

static const char *bits(const at_case *c) {
    return at_poison_name(c->poison);
}

static const char *nan_alone(const at_case *c) {
    (void)c;
    return "nan";
}

static const char *const any[] = {"zero", "nan", "inf", "largest", "neighbour", NULL};
static const char *const entries[] = {"far-out", "neighbour", NULL};
static const char *const nan_word[] = {"nan", NULL};

static const struct {
    const char *name;
    bool (*has)(const at_case *, const at_sequence *); /* of a sequence with new tokens */
    const char *(*what)(const at_case *);
    const char *const *all; /* NULL-terminated: whatever `what` can say */
} places[] = {
    {"tail", in_tail, bits, any},
    {"window", before_window, bits, any},
    {"written", where_written, bits, any},
    {"nobody", in_pages_of_nobody, bits, any},
    {"table", past_the_table, entry, entries},
    {"padded", in_padded_rows, nan_alone, nan_word},
    {"unwritten-key", in_keys_without_a_slot, nan_alone, nan_word},
};
enum { PLACES = sizeof places / sizeof *places, MOST = 64 };

static bool has(const at_case *c, size_t place) {
    for (size_t i = 0; i < c->sequences; i++) {
        if (c->sequence[i].fresh > 0 && places[place].has(c, &c->sequence[i])) return true;
    }
    return false;
}

char **at_poisons_of(const at_case *c) {
    char **list = calloc(PLACES + 1, sizeof *list);
    size_t n = 0;
    for (size_t i = 0; list != NULL && at_case_computes(c) && i < PLACES; i++) {
        if (has(c, i)) list[n++] = at_text("%s@%s", places[i].what(c), places[i].name);
    }
    return list;
}

const char *const *at_poisons_universe(void) {
    static char text[MOST][48];
    static const char *list[MOST + 1];
    size_t n = 0;
    for (size_t i = 0; i < PLACES; i++) {
        for (const char *const *word = places[i].all; *word != NULL && n < MOST; word++, n++) {
            snprintf(text[n], sizeof text[n], "poison:%s@%s", *word, places[i].name);
            list[n] = text[n];
        }
    }
    list[n] = NULL;
    return list;
}
