/* Which two values of axes an executed attempt had, and which the header's rules say that none can have. */
#include "coverage.h"
#include "group.h"

#include <stdlib.h>
#include <string.h>

static const char impossible[] = "impossible:";

const char *at_pair_rule(const char *word) {
    return strncmp(word, impossible, sizeof impossible - 1) == 0 ? word + sizeof impossible - 1 : NULL;
}

/* An item's place among the values of axes; c->axes where there is no such value. Items are sorted so. */
static size_t value_of(const at_coverage *c, const char *axis_and_value) {
    size_t low = c->axis, high = c->axis + c->axes;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strverscmp(at_item_name(&c->item[middle]), axis_and_value);
        if (order == 0) return middle - c->axis;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return c->axes;
}

static void mark(at_coverage *c, size_t a, size_t b, enum at_pair_bit bit) {
    c->pair[a * c->axes + b] |= (unsigned char)bit;
    c->pair[b * c->axes + a] |= (unsigned char)bit;
}

static void mark_met(at_coverage *c, const at_record *r) {
    size_t value[64], values = 0;
    for (size_t i = 0; r->axes != NULL && r->axes[i] != NULL && values < sizeof value / sizeof *value; i++) {
        size_t place = value_of(c, r->axes[i]);
        if (place < c->axes) value[values++] = place;
    }
    for (size_t i = 0; i < values; i++) {
        for (size_t k = 0; k <= i; k++) mark(c, value[i], value[k], AT_PAIR_MET);
    }
}

/* ---- rules ---- */

/* Is `word` one of those between the bars of list[0, bytes)? */
static bool is_listed(const char *list, size_t bytes, const char *word, size_t word_bytes) {
    const char *end = list + bytes;
    if (bytes == 1 && *list == '*') return true;
    for (const char *next; list <= end; list = next + 1) {
        next = memchr(list, '|', (size_t)(end - list));
        if (next == NULL) next = end;
        if ((size_t)(next - list) == word_bytes && memcmp(list, word, word_bytes) == 0) return true;
    }
    return false;
}

/* "axis=value*axes=others: why"; a word that is not of that form forbids nothing. */
static void mark_rule(at_coverage *c, const char *rule) {
    char value[64];
    const char *axes = strchr(rule, '*'), *others = axes ? strchr(axes, '=') : NULL,
               *why = others ? strchr(others, ':') : NULL;
    if (why == NULL || axes - rule >= (ptrdiff_t)sizeof value) return;
    snprintf(value, sizeof value, "%.*s", (int)(axes - rule), rule);
    axes++, others++;
    size_t a = value_of(c, value);
    for (size_t b = 0; a < c->axes && b < c->axes; b++) {
        const at_item *item = &c->item[c->axis + b];
        const char *name = at_item_name(item);
        size_t bytes = at_axis_bytes(item);
        if (name[bytes] != '=' || !is_listed(axes, (size_t)(others - 1 - axes), name, bytes)) continue;
        if (is_listed(others, (size_t)(why - others), name + bytes + 1, strlen(name + bytes + 1))) {
            mark(c, a, b, AT_PAIR_IMPOSSIBLE);
        }
    }
}

at_status at_coverage_pair(at_coverage *c, const at_journal *j, at_error *err) {
    char *const *word = j->header.universe;
    while (c->axis < c->items && strncmp(c->item[c->axis].key, "axis:", 5) != 0) c->axis++;
    while (c->axis + c->axes < c->items && strncmp(c->item[c->axis + c->axes].key, "axis:", 5) == 0) c->axes++;
    if (c->axes > AT_AXIS_VALUES) {
        return at_fail(err, AT_USAGE,
                       "the journal has %zu values of axes; coverage of pairs is counted for %d: merge fewer journals",
                       c->axes, AT_AXIS_VALUES);
    }
    if ((c->pair = calloc(c->axes + 1, c->axes + 1)) == NULL) return at_fail_memory(err, c->axes * c->axes);
    for (size_t i = 0; i < j->records; i++) {
        if (at_is_executed(&j->record[i])) mark_met(c, &j->record[i]);
    }
    for (; word != NULL && *word != NULL; word++) {
        const char *rule = at_pair_rule(*word);
        if (rule != NULL) mark_rule(c, rule);
    }
    return AT_OK;
}

/* ---- asking ---- */

static bool has(const at_coverage *c, size_t a, size_t b, enum at_pair_bit bit) {
    return (c->pair[(a - c->axis) * c->axes + (b - c->axis)] & bit) != 0;
}

bool at_together(const at_coverage *c, size_t a, size_t b) {
    return has(c, a, b, AT_PAIR_MET);
}

bool at_is_valid(const at_coverage *c, size_t a, size_t b) {
    return c->item[a].declared && c->item[b].declared && !has(c, a, b, AT_PAIR_IMPOSSIBLE);
}

at_pairs at_pairs_between(const at_coverage *c, size_t a, size_t a_end, size_t b, size_t b_end) {
    at_pairs n = {0};
    for (size_t i = a; i < a_end; i++) {
        for (size_t k = b; k < b_end; k++) {
            if (!c->item[i].declared || !c->item[k].declared) continue;
            bool possible = at_is_valid(c, i, k), met = at_together(c, i, k);
            n.valid += possible, n.impossible += !possible;
            n.met += possible && met, n.contradicted += !possible && met;
        }
    }
    return n;
}

at_pairs at_pairs_of_all(const at_coverage *c) {
    at_pairs all = {0};
    for (size_t a = c->axis, a_end; a < c->axis + c->axes; a = a_end) {
        a_end = at_axis_end(c, a);
        at_pairs n = at_pairs_between(c, a, a_end, a_end, c->axis + c->axes);
        all.met += n.met, all.valid += n.valid, all.impossible += n.impossible, all.contradicted += n.contradicted;
    }
    return all;
}

double at_pairs_percent(const at_pairs *n) {
    return n->valid == 0 ? 0 : (double)(1000 * n->met / n->valid) / 10;
}
