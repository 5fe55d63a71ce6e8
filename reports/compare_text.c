/* A comparison for a terminal: seven lines of figures, then what differs, the worst first. */
#include "compare.h"
#include "escape.h"

#include <inttypes.h>

enum { MOST_LISTED = 12, FEW = 3, MESSAGE = 160, DEVICE = 100 };

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

static void put_message(FILE *f, const char *why) {
    if (why == NULL) return;
    fputs("          ", f);
    at_put_terminal(f, why, MESSAGE);
    putc('\n', f);
}

static void put_change(FILE *f, const at_pair *p) {
    fprintf(f, "%s: %s to %s: ", at_change_name(p->change), at_verdict_name(p->a->verdict),
            at_verdict_name(p->b->verdict));
    put_attempt(f, p);
    put_message(f, p->b->message != NULL ? p->b->message : p->a->message);
}

static void put_run(FILE *f, const at_comparison *c) {
    if (c->run == AT_SAME) return;
    fprintf(f, "%s: %s to %s: the whole run\n", at_change_name(c->run), c->outcome[0].word, c->outcome[1].word);
    put_message(f, c->outcome[1].line);
}

static void put_farther(FILE *f, const at_pair *p) {
    fprintf(f, "farther off: %.3g of the budget was %.3g: ", p->excess[1], p->excess[0] < 0 ? 0 : p->excess[0]);
    put_attempt(f, p);
}

static void put_other(FILE *f, const at_pair *p) {
    fprintf(f, "%s: ",
            p->change != AT_OTHER ? at_change_name(p->change)
            : p->other_content    ? "another case behind"
                                  : "other inputs behind");
    put_attempt(f, p);
}

static bool is_farther_alone(const at_pair *p) {
    return p->farther && p->change == AT_SAME;
}
static bool is_other(const at_pair *p) {
    return p->change == AT_OTHER;
}
static bool is_one_sided(const at_pair *p) {
    return p->change == AT_NEW || p->change == AT_GONE;
}

static void put_more(FILE *f, size_t found, size_t most, const char *what) {
    if (found > most) fprintf(f, "... and %zu more %s: --json has all\n", found - most, what);
}

static void put_list(FILE *f, const at_comparison *c, bool is(const at_pair *), void put(FILE *, const at_pair *),
                     size_t most, const char *what) {
    size_t found = 0;
    for (size_t i = 0; i < c->pairs; i++) {
        if (is(&c->pair[i]) && found++ < most) put(f, &c->pair[i]);
    }
    put_more(f, found, most, what);
}

/* ---- changed verdicts: wrong ones one by one, the others by what they were and became ---- */

static void put_wrong(FILE *f, const at_comparison *c, at_change change) {
    size_t found = 0;
    for (size_t i = 0; i < c->pairs; i++) {
        const at_pair *p = &c->pair[i];
        if (p->change == change && at_is_wrong(p->b->verdict) && found++ < MOST_LISTED) put_change(f, p);
    }
    put_more(f, found, MOST_LISTED, at_change_name(change));
}

static void put_transition(FILE *f, const at_comparison *c, at_verdict a, at_verdict b) {
    const int64_t count = c->transition[a][b];
    const bool few = count <= FEW;
    if (count == 0) return;
    if (!few) {
        fprintf(f, "%s: %s to %s: %" PRId64 " attempts, the first of them:\n", at_change_name(at_change_of(a, b)),
                at_verdict_name(a), at_verdict_name(b), count);
    }
    for (size_t i = 0, found = 0; i < c->pairs && found < FEW; i++) {
        const at_pair *p = &c->pair[i];
        if (p->change != at_change_of(a, b) || p->a->verdict != a || p->b->verdict != b) continue;
        if (!few) fputs("          ", f);
        (few ? put_change : put_attempt)(f, p);
        found++;
    }
}

static void put_changes(FILE *f, const at_comparison *c, at_change change) {
    put_wrong(f, c, change);
    for (int a = 0; a < AT_VERDICTS; a++) {
        for (int b = 0; b < AT_VERDICTS; b++) {
            at_verdict from = (at_verdict)a, to = (at_verdict)b;
            if (!at_is_wrong(to) && at_change_of(from, to) == change) put_transition(f, c, from, to);
        }
    }
}

void at_put_comparison_text(FILE *f, const at_comparison *c) {
    put_side(f, c, 0);
    put_side(f, c, 1);
    put_asked(f, c);
    put_excess(f, c);
    put_seconds(f, &c->seconds);
    put_run(f, c);
    put_changes(f, c, AT_REGRESSED);
    put_changes(f, c, AT_WORSE);
    put_list(f, c, is_farther_alone, put_farther, MOST_LISTED, "farther off");
    put_changes(f, c, AT_BETTER);
    put_list(f, c, is_other, put_other, FEW, "with another case or other inputs behind the id");
    put_list(f, c, is_one_sided, put_other, FEW, "new or gone");
    at_put_comparison_line(f, c);
    putc('\n', f);
}
