#include "poisons.h"
#include "attributes.h"
#include "design.h"
#include "finding.h"

#include <stdlib.h>
#include <string.h>

static bool computes(const at_case *c) {
    int64_t fresh = 0;
    for (size_t i = 0; i < c->sequences; i++) fresh += c->sequence[i].fresh;
    return c->expect != AT_EXPECT_REFUSAL && fresh > 0;
}

static bool in_tail(const at_case *c, const at_sequence *s) {
    return (s->past + s->fresh) % c->block_size != 0;
}

/* By either dialect's reading of a window. A design with marks of its own puts those there. */
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

#define WORDS(...)                                                                                                     \
    (const char *const[]) {                                                                                            \
        __VA_ARGS__, NULL                                                                                              \
    }
#define ANY WORDS("zero", "nan", "inf", "largest", "neighbour")
static const struct {
    const char *name;
    bool (*has)(const at_case *, const at_sequence *); /* of a sequence with new tokens */
    const char *(*what)(const at_case *);
    const char *const *all; /* NULL-terminated: whatever `what` can say */
} places[] = {
    {"tail", in_tail, bits, ANY},
    {"window", before_window, bits, ANY},
    {"written", where_written, bits, ANY},
    {"nobody", in_pages_of_nobody, bits, ANY},
    {"table", past_the_table, entry, WORDS("far-out", "neighbour")},
    {"padded", in_padded_rows, nan_alone, WORDS("nan")},
    {"unwritten-key", in_keys_without_a_slot, nan_alone, WORDS("nan")},
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
    for (size_t i = 0; list != NULL && computes(c) && i < PLACES; i++) {
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
