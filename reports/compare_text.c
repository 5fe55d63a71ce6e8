/* A comparison for a terminal: seven lines of figures, then what differs, the worst first. */
#include "compare.h"
#include "escape.h"

#include <inttypes.h>

enum { MOST_LISTED = 12, MESSAGE = 160, DEVICE = 100 };

static const at_header *header(const at_comparison *c, int side) {
    return &c->journal[side]->header;
}

static void put_side(FILE *f, const at_comparison *c, int side) {
    const at_header *h = header(c, side);
    fprintf(f, "%c         ", "AB"[side]);
    at_put_terminal(f, c->name[side], MESSAGE);
    fputs(": ", f);
    at_put_terminal(f, h->subject, DEVICE);
    fputs(" on ", f);
    at_put_terminal(f, h->device, DEVICE);
    if (h->arch != NULL) fputs(" (", f), at_put_terminal(f, h->arch, 20), putc(')', f);
    fputs(", driver ", f);
    at_put_terminal(f, h->driver == NULL ? "unknown" : h->driver, DEVICE);
    fputs(", revision ", f);
    at_put_terminal(f, h->revision == NULL ? "unknown" : h->revision, 60);
    fprintf(f, ", seed %" PRIu64 "; %s\n", h->seed, c->outcome[side].word);
}

static void put_asked(FILE *f, const at_comparison *c) {
    fprintf(f, "attempts  %" PRId64 " in both, %" PRId64 " new, %" PRId64 " gone\n", c->common, c->change[AT_NEW],
            c->change[AT_GONE]);
    if (c->other_content == 0)
        fputs("contents  the same behind every id\n", f);
    else
        fprintf(f, "contents  changed behind the ids of %" PRId64 " attempt%s\n", c->other_content,
                c->other_content == 1 ? "" : "s");
    fprintf(f, "inputs    bit-identical in %" PRId64, c->same_inputs);
    if (c->other_inputs > 0) fprintf(f, ", other ones in %" PRId64, c->other_inputs);
    int64_t unknown = c->common - c->same_inputs - c->other_inputs;
    if (unknown > 0) fprintf(f, ", without a digest in %" PRId64, unknown);
    putc('\n', f);
}

static void put_excess(FILE *f, const at_comparison *c) {
    const at_ratio *r = &c->excess;
    if (r->pairs == 0) return;
    fprintf(f, "budget    B's error uses %.3g of what A's does (median of %" PRId64 "), at most %.3g: ", r->median,
            r->pairs, r->most);
    at_put_terminal(f, r->where->b->id, 0);
    fprintf(f, "; more than %d times in %" PRId64 "\n", AT_FARTHER, c->farther);
}

static void put_seconds(FILE *f, const at_ratio *r) {
    if (r->pairs == 0) return;
    fprintf(f, "time      B's subject takes %.3g of A's (median of %" PRId64 "), %.3g s of %.3g s in all\n", r->median,
            r->pairs, r->total[1], r->total[0]);
}

static void put_attempt(FILE *f, const at_pair *p) {
    const at_record *r = p->b != NULL ? p->b : p->a;
    at_put_terminal(f, r->id, 0);
    if (r->mode != NULL) fputs(" [", f), at_put_terminal(f, r->mode, 40), putc(']', f);
    putc('\n', f);
}

static void put_change(FILE *f, const at_pair *p) {
    fprintf(f, "%s: %s to %s%s: ", at_change_name(p->change), at_verdict_name(p->a->verdict),
            at_verdict_name(p->b->verdict), p->other_content ? ", and the case itself changed" : "");
    put_attempt(f, p);
    const char *why = p->b->message != NULL ? p->b->message : p->a->message;
    if (why == NULL) return;
    fputs("          ", f);
    at_put_terminal(f, why, MESSAGE);
    putc('\n', f);
}

static void put_farther(FILE *f, const at_pair *p) {
    fprintf(f, "farther off: %.3g of the budget was %.3g: ", p->excess[1], p->excess[0] < 0 ? 0 : p->excess[0]);
    put_attempt(f, p);
}

static void put_other(FILE *f, const at_pair *p) {
    fprintf(f, "%s: ", p->a == NULL || p->b == NULL ? at_change_name(p->change) : "another case behind");
    put_attempt(f, p);
}

static bool is_regressed(const at_pair *p) {
    return p->change == AT_REGRESSED;
}
static bool is_worse(const at_pair *p) {
    return p->change == AT_WORSE;
}
static bool is_better(const at_pair *p) {
    return p->change == AT_BETTER;
}
static bool is_farther_alone(const at_pair *p) {
    return p->farther && p->change == AT_SAME;
}
static bool is_other(const at_pair *p) {
    return p->change == AT_SAME && p->other_content;
}
static bool is_one_sided(const at_pair *p) {
    return p->change == AT_NEW || p->change == AT_GONE;
}

static const struct {
    bool (*is)(const at_pair *);
    void (*put)(FILE *, const at_pair *);
    size_t most;
    const char *what;
} lists[] = {
    {is_regressed, put_change, MOST_LISTED, "regressed"},        {is_worse, put_change, MOST_LISTED, "worse"},
    {is_farther_alone, put_farther, MOST_LISTED, "farther off"}, {is_better, put_change, MOST_LISTED, "better"},
    {is_other, put_other, 3, "with another case behind the id"}, {is_one_sided, put_other, 3, "new or gone"},
};

void at_put_comparison_text(FILE *f, const at_comparison *c) {
    put_side(f, c, 0);
    put_side(f, c, 1);
    put_asked(f, c);
    put_excess(f, c);
    put_seconds(f, &c->seconds);
    for (size_t l = 0; l < sizeof lists / sizeof *lists; l++) {
        size_t found = 0;
        for (size_t i = 0; i < c->pairs; i++) {
            if (lists[l].is(&c->pair[i]) && found++ < lists[l].most) lists[l].put(f, &c->pair[i]);
        }
        if (found > lists[l].most)
            fprintf(f, "... and %zu more %s: --json has all\n", found - lists[l].most, lists[l].what);
    }
    at_put_comparison_line(f, c);
    putc('\n', f);
}

void at_put_comparison_line(FILE *f, const at_comparison *c) {
    const int64_t *n = c->change;
    int64_t changed = n[AT_BETTER] + n[AT_WORSE] + n[AT_REGRESSED];
    const char *word = c->common == 0        ? "UNVALIDATED"
                       : n[AT_REGRESSED] > 0 ? "REGRESSED"
                       : changed > 0         ? "CHANGED"
                                             : "SAME";
    if (c->common == 0) {
        fprintf(f, "%s: no attempt is in both", word);
        return;
    }
    fprintf(f, "%s: %" PRId64 " of %" PRId64 " verdicts changed", word, changed, c->common);
    if (changed > 0)
        fprintf(f, " (%" PRId64 " better, %" PRId64 " worse, %" PRId64 " regressed)", n[AT_BETTER], n[AT_WORSE],
                n[AT_REGRESSED]);
    if (c->farther > 0) {
        fprintf(f, "; warning: %" PRId64 " attempt%s more than %d times the budget that A used", c->farther,
                c->farther == 1 ? " uses" : "s use", AT_FARTHER);
    }
}
