/* coverage.md and coverage.json: by kind what was executed and what was not, and of each pair of axes the values that
 * never met. */
#include "coverage.h"
#include "escape.h"
#include "writers.h"

#include <inttypes.h>
#include <string.h>

enum { NAME = 120, KEY = 500, MOST_MISSING = 40 }; /* coverage.json lists all of them */

typedef struct {
    const char *kind, *title, *passed;
} kind;

static const kind kinds[] = {
    {"suite", "Suites", "passed"},
    {"mode", "Modes", "passed"},
    {"tag", "Tags", "passed"},
    {"clause", "Clauses of the contract", "passed"},
    {"refused", "Clauses by a refusal", "answered"},
    {"scenario", "Scenarios", "passed"},
    {"rule", "Refusal rules by gate", "answered"},
    {"gate", "Gates by a good call", "passed"},
    {"poison", "Poison by place", "passed"},
    {"axis", "Axes by value", "passed"},
};

static size_t executed(const at_coverage *c, size_t from, size_t end) {
    size_t n = 0;
    for (size_t i = from; i < end; i++) n += c->item[i].attempts > 0;
    return n;
}

static void put_uncovered(FILE *f, const at_coverage *c, size_t from, size_t end) {
    size_t listed = 0;
    for (size_t i = from; i < end; i++) {
        if (c->item[i].attempts > 0) continue;
        fputs(listed++ == 0 ? "\nNot covered: " : ", ", f);
        at_put_code(f, at_item_name(&c->item[i]), NAME);
    }
    if (listed > 0) fputs(".\n", f);
}

static void put_kind(FILE *f, const at_coverage *c, size_t from, size_t end, const kind *k) {
    fputs("\n## ", f);
    at_put_markdown(f, k->title, NAME);
    fprintf(f, ": %zu of %zu\n", executed(c, from, end), end - from);
    put_uncovered(f, c, from, end);
    fputs("\n| ", f);
    at_put_markdown(f, k->kind, NAME);
    fprintf(f, " | cases | attempts | %s |\n|---|--:|--:|--:|\n", k->passed);
    for (size_t i = from; i < end; i++) {
        const at_item *item = &c->item[i];
        if (item->attempts == 0) continue;
        fputs("| ", f);
        at_put_markdown(f, at_item_name(item), NAME);
        fprintf(f, " | %" PRId64 " | %" PRId64 " | %" PRId64 " |\n", item->cases, item->attempts, item->passed);
    }
}

static bool is_kind(const at_item *item, const char *name) {
    return item->kind_bytes == strlen(name) && memcmp(item->key, name, item->kind_bytes) == 0;
}

/* Those of the table in its order, then what else the header speaks of. */
static void put_kinds(FILE *f, const at_coverage *c) {
    size_t known = sizeof kinds / sizeof *kinds;
    for (size_t k = 0; k <= known; k++) {
        for (size_t i = 0, end; i < c->items; i = end) {
            size_t row = 0;
            char name[NAME];
            end = at_kind_end(c, i);
            while (row < known && !is_kind(&c->item[i], kinds[row].kind)) row++;
            if (row != k) continue;
            snprintf(name, sizeof name, "%s", c->item[i].key);
            if (c->item[i].kind_bytes < sizeof name) name[c->item[i].kind_bytes] = 0;
            put_kind(f, c, i, end, row < known ? &kinds[row] : &(kind){name, name, "passed"});
        }
    }
}

/* ---- pairs ---- */

typedef struct {
    size_t a, a_end, b, b_end; /* items: the values of two axes */
} axes;

typedef void put_pairs(FILE *, const at_coverage *, const axes *, bool first);

static void each_two_axes(FILE *f, const at_coverage *c, put_pairs *put) {
    bool first = true;
    size_t end = c->axis + c->axes;
    for (size_t a = c->axis, a_end; a < end; a = a_end) {
        a_end = at_axis_end(c, a);
        for (size_t b = a_end, b_end; b < end; b = b_end, first = false) {
            b_end = at_axis_end(c, b);
            put(f, c, &(axes){a, a_end, b, b_end}, first);
        }
    }
}

static const char *value_of(const at_item *item) {
    const char *name = at_item_name(item);
    size_t bytes = at_axis_bytes(item);
    return name + bytes + (name[bytes] == '=');
}

static void copy_axis(char name[NAME], const at_item *item) {
    size_t bytes = at_axis_bytes(item);
    snprintf(name, NAME, "%.*s", bytes < NAME ? (int)bytes : NAME - 1, at_item_name(item));
}

static void put_missing(FILE *f, const at_coverage *c, const axes *x, size_t missing) {
    size_t listed = 0;
    for (size_t i = x->a; i < x->a_end && listed < MOST_MISSING; i++) {
        for (size_t k = x->b; k < x->b_end && listed < MOST_MISSING; k++) {
            if (at_together(c, i, k) || !at_is_valid(c, i, k)) continue;
            if (listed++ > 0) fputs(", ", f);
            at_put_markdown(f, value_of(&c->item[i]), NAME);
            fputs(" × ", f);
            at_put_markdown(f, value_of(&c->item[k]), NAME);
        }
    }
    if (missing > listed) fprintf(f, " and %zu more (coverage.json)", missing - listed);
}

static void put_pairs_markdown(FILE *f, const at_coverage *c, const axes *x, bool first) {
    char a[NAME], b[NAME];
    at_pairs n = at_pairs_between(c, x->a, x->a_end, x->b, x->b_end);
    if (first) fputs("\n| axes | met | valid | impossible | missing |\n|---|--:|--:|--:|---|\n", f);
    copy_axis(a, &c->item[x->a]);
    copy_axis(b, &c->item[x->b]);
    fputs("| ", f);
    at_put_markdown(f, a, 0);
    fputs(" × ", f);
    at_put_markdown(f, b, 0);
    fprintf(f, " | %zu | %zu | %zu | ", n.met, n.valid, n.impossible);
    put_missing(f, c, x, n.valid - n.met);
    fputs(" |\n", f);
}

/* "axis=value*axes=others: why" as a row. */
static void put_rule(FILE *f, const char *rule) {
    size_t value = strcspn(rule, "*"), end = strcspn(rule, ":");
    if (rule[end] == 0 || value >= end) return;
    const struct {
        const char *from;
        size_t bytes;
    } cell[] = {{rule, value}, {rule + value + 1, end - value - 1}, {rule + end + 1, strlen(rule + end + 1)}};
    for (size_t i = 0; i < sizeof cell / sizeof *cell; i++) {
        char text[KEY];
        snprintf(text, sizeof text, "%.*s", cell[i].bytes < KEY ? (int)cell[i].bytes : KEY - 1, cell[i].from);
        fputs("| ", f);
        at_put_markdown(f, text + (text[0] == ' '), 0);
        putc(' ', f);
    }
    fputs("|\n", f);
}

static void put_all_pairs(FILE *f, const at_coverage *c, char *const *universe) {
    at_pairs n = at_pairs_of_all(c);
    size_t rules = 0;
    if (n.valid == 0) return;
    fprintf(f, "\n## Axes by pair\n\npairs: %zu of %zu valid (%.1f %%)\n", n.met, n.valid, at_pairs_percent(&n));
    each_two_axes(f, c, put_pairs_markdown);
    for (; universe != NULL && *universe != NULL; universe++) {
        const char *rule = at_pair_rule(*universe);
        if (rule == NULL) continue;
        if (rules++ == 0) {
            fprintf(f, "\nImpossible are %zu pairs:\n\n| value | with | why |\n|---|---|---|\n", n.impossible);
        }
        put_rule(f, rule);
    }
}

at_status at_write_coverage(FILE *f, const at_report *r, at_error *err) {
    at_coverage c;
    at_status st = at_coverage_of(&c, r->journal, err);
    if (st != AT_OK) return st;
    fputs("# Coverage\n\n", f);
    at_put_markdown(f, r->journal->header.subject ? r->outcome.line : "Of the cases as they stand: nothing was run.",
                    0);
    fputs("\n\nCounted are attempts that were executed, whatever came of them; not those that were unsupported, not "
          "run, or broken by the "
          "harness.\n",
          f);
    put_kinds(f, &c);
    put_all_pairs(f, &c, r->journal->header.universe);
    at_coverage_free(&c);
    return AT_OK;
}

/* ---- JSON ---- */

static void put_item_json(FILE *f, const at_item *item, bool first) {
    fprintf(f, "%s\n{\"item\":", first ? "" : ",");
    at_json_put_string(f, item->key);
    fprintf(f, ",\"declared\":%s,\"cases\":%" PRId64 ",\"attempts\":%" PRId64 ",\"passed\":%" PRId64 "}",
            item->declared ? "true" : "false", item->cases, item->attempts, item->passed);
}

typedef bool is_wanted(const at_coverage *, size_t a, size_t b);

static bool is_missing(const at_coverage *c, size_t a, size_t b) {
    return at_is_valid(c, a, b) && !at_together(c, a, b);
}

static bool is_impossible(const at_coverage *c, size_t a, size_t b) {
    return c->item[a].declared && c->item[b].declared && !at_is_valid(c, a, b);
}

static void put_pair_list(FILE *f, const at_coverage *c, const axes *x, is_wanted *wanted) {
    bool first = true;
    for (size_t i = x->a; i < x->a_end; i++) {
        for (size_t k = x->b; k < x->b_end; k++) {
            if (!wanted(c, i, k)) continue;
            fputs(first ? "[" : ",[", f);
            at_json_put_string(f, value_of(&c->item[i]));
            putc(',', f);
            at_json_put_string(f, value_of(&c->item[k]));
            putc(']', f);
            first = false;
        }
    }
}

static void put_pairs_json(FILE *f, const at_coverage *c, const axes *x, bool first) {
    char name[2][NAME];
    at_pairs n = at_pairs_between(c, x->a, x->a_end, x->b, x->b_end);
    copy_axis(name[0], &c->item[x->a]);
    copy_axis(name[1], &c->item[x->b]);
    fprintf(f, "%s\n{\"axes\":[", first ? "" : ",");
    at_json_put_string(f, name[0]);
    putc(',', f);
    at_json_put_string(f, name[1]);
    fprintf(f, "],\"met\":%zu,\"of\":%zu,\"never\":[", n.met, n.valid);
    put_pair_list(f, c, x, is_missing);
    fputs("],\"impossible\":[", f);
    put_pair_list(f, c, x, is_impossible);
    fputs("]}", f);
}

static void put_rules_json(FILE *f, char *const *universe) {
    bool first = true;
    for (; universe != NULL && *universe != NULL; universe++) {
        const char *rule = at_pair_rule(*universe);
        if (rule == NULL) continue;
        fputs(first ? "\n" : ",\n", f);
        at_json_put_string(f, rule);
        first = false;
    }
}

at_status at_write_coverage_json(FILE *f, const at_report *r, at_error *err) {
    at_coverage c;
    bool first = true;
    at_status st = at_coverage_of(&c, r->journal, err);
    if (st != AT_OK) return st;
    fputs("{\"items\":[", f);
    for (size_t i = 0; i < c.items; i++) put_item_json(f, &c.item[i], i == 0);
    fputs("\n],\n\"uncovered\":[", f);
    for (size_t i = 0; i < c.items; i++) {
        if (c.item[i].attempts > 0) continue;
        if (!first) putc(',', f);
        at_json_put_string(f, c.item[i].key);
        first = false;
    }
    fputs("],\n\"pairs\":[", f);
    each_two_axes(f, &c, put_pairs_json);
    at_pairs n = at_pairs_of_all(&c);
    fprintf(f, "\n],\n\"pairs_met\":%zu,\"pairs_valid\":%zu,\"pairs_impossible\":%zu,\n\"impossible\":[", n.met,
            n.valid, n.impossible);
    put_rules_json(f, r->journal->header.universe);
    fputs("\n]}\n", f);
    at_coverage_free(&c);
    return AT_OK;
}
