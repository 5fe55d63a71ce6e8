/* A comparison to be pasted into a review: who ran what, were both asked the same, and the verdicts by suite. */
#include "compare.h"
#include "escape.h"
#include "tensors.h"

#include <inttypes.h>
#include <string.h>

enum { MOST_LISTED = 50, TEXT = 300 };

static void put_row(FILE *f, const char *what, const char *a, const char *b) {
    if (a == NULL && b == NULL) return;
    fprintf(f, "| %s | ", what);
    at_put_markdown(f, a == NULL ? "" : a, TEXT);
    fputs(" | ", f);
    at_put_markdown(f, b == NULL ? "" : b, TEXT);
    fputs(" |\n", f);
}

static void put_sides(FILE *f, const at_comparison *c) {
    const at_header *a = &c->journal[0]->header, *b = &c->journal[1]->header;
    fputs("| | A | B |\n|---|---|---|\n", f);
    put_row(f, "verdict", c->outcome[0].word, c->outcome[1].word);
    put_row(f, "subject", a->subject, b->subject);
    put_row(f, "version", a->subject_version, b->subject_version);
    put_row(f, "device", a->device, b->device);
    put_row(f, "architecture", a->arch, b->arch);
    put_row(f, "driver", a->driver, b->driver);
    put_row(f, "revision", a->revision, b->revision);
    put_row(f, "tier", a->tier, b->tier);
    fprintf(f, "| seed | %" PRIu64 " | %" PRIu64 " |\n", a->seed, b->seed);
}

static void put_figures(FILE *f, const at_comparison *c) {
    int64_t changed = c->change[AT_BETTER] + c->change[AT_WORSE] + c->change[AT_REGRESSED];
    fprintf(f,
            "\n- **%" PRId64 " changed verdicts** in %" PRId64 " attempts that could be compared, of %" PRId64
            " in both",
            changed, c->compared, c->common);
    fprintf(f, "; %" PRId64 " new, %" PRId64 " gone\n", c->change[AT_NEW], c->change[AT_GONE]);
    fprintf(f,
            "- inputs bit-identical in %" PRId64 " of %" PRId64 ", other ones in %" PRId64
            "; contents changed behind %" PRId64 "\n",
            c->same_inputs, c->common, c->other_inputs, c->other_content);
    if (c->excess.pairs > 0) {
        fprintf(f, "- error / budget, B over A: median %.3g, at most %.3g (", c->excess.median, c->excess.most);
        at_put_code(f, c->excess.where->b->id, TEXT);
        fprintf(f, "); more than %d times in %" PRId64 "\n", AT_FARTHER, c->farther);
    }
    if (c->seconds.pairs > 0) fprintf(f, "- time of the subject, B over A: median %.3g\n", c->seconds.median);
}

/* ---- verdicts by suite: pairs are sorted by id, and an id starts with its suite ---- */

static const char *id_of(const at_pair *p) {
    return p->b != NULL ? p->b->id : p->a->id;
}

static size_t suite_end(const at_comparison *c, size_t from) {
    const char *id = id_of(&c->pair[from]);
    size_t bytes = strcspn(id, "/"), end = from + 1;
    while (end < c->pairs && strcspn(id_of(&c->pair[end]), "/") == bytes &&
           memcmp(id_of(&c->pair[end]), id, bytes) == 0)
        end++;
    return end;
}

typedef struct {
    int64_t of[AT_VERDICTS];
    double worst;
} tally;

static void put_tally(FILE *f, const tally *t) {
    bool first = true;
    for (int v = 0; v < AT_VERDICTS; v++) {
        if (t->of[v] == 0) continue;
        fprintf(f, "%s%" PRId64 " %s", first ? "" : ", ", t->of[v], at_verdict_name((at_verdict)v));
        first = false;
    }
    fputs(" | ", f);
}

static void put_worst(FILE *f, double worst) {
    if (worst >= 0 || worst != worst) fprintf(f, "%.3g", worst);
    fputs(" |", f);
}

static void put_suite(FILE *f, const at_comparison *c, size_t from, size_t end) {
    tally t[2] = {{.worst = -1}, {.worst = -1}};
    for (size_t i = from; i < end; i++) {
        const at_record *r[2] = {c->pair[i].a, c->pair[i].b};
        for (int s = 0; s < 2; s++) {
            if (r[s] != NULL) t[s].of[r[s]->verdict]++;
            if (at_is_worse(c->pair[i].excess[s], t[s].worst)) t[s].worst = c->pair[i].excess[s];
        }
    }
    char suite[80];
    snprintf(suite, sizeof suite, "%.*s", (int)strcspn(id_of(&c->pair[from]), "/"), id_of(&c->pair[from]));
    fputs("| ", f);
    at_put_markdown(f, suite, 0);
    fputs(" | ", f);
    put_tally(f, &t[0]);
    put_tally(f, &t[1]);
    put_worst(f, t[0].worst);
    putc(' ', f);
    put_worst(f, t[1].worst);
    putc('\n', f);
}

static void put_suites(FILE *f, const at_comparison *c) {
    fputs("\n| suite | A | B | worst of the budget, A | B |\n|---|---|---|--:|--:|\n", f);
    for (size_t i = 0, end; i < c->pairs; i = end) {
        end = suite_end(c, i);
        put_suite(f, c, i, end);
    }
}

/* ---- what differs ---- */

static bool is_listed(const at_pair *p) {
    return p->farther || (p->change != AT_SAME && p->change < AT_OTHER && at_is_wrong(p->b->verdict));
}

static void put_difference(FILE *f, const at_pair *p) {
    fprintf(f, "| %s | ", p->change == AT_SAME ? "farther off" : at_change_name(p->change));
    at_put_code(f, p->b->id, TEXT);
    putc(' ', f);
    at_put_markdown(f, p->b->mode, 40);
    fprintf(f, " | %s | %s | ", at_verdict_name(p->a->verdict), at_verdict_name(p->b->verdict));
    put_worst(f, p->excess[0]);
    putc(' ', f);
    put_worst(f, p->excess[1]);
    putc(' ', f);
    at_put_markdown(f, p->b->message, TEXT);
    fputs(" |\n", f);
}

static void put_listed(FILE *f, const at_comparison *c) {
    size_t found = 0;
    for (size_t i = 0; i < c->pairs; i++) {
        if (is_listed(&c->pair[i]) && found++ < MOST_LISTED) put_difference(f, &c->pair[i]);
    }
    if (found > MOST_LISTED) fprintf(f, "| | ... and %zu more | | | | | |\n", found - MOST_LISTED);
}

/* All that went from one verdict to the same other make one row. */
static void put_transition(FILE *f, const at_comparison *c, at_verdict a, at_verdict b) {
    size_t i = 0;
    int64_t count = c->transition[a][b];
    at_change change = at_change_of(a, b);
    if (count == 0) return;
    while (c->pair[i].change != change || c->pair[i].a->verdict != a || c->pair[i].b->verdict != b) i++;
    if (count == 1) {
        if (!c->pair[i].farther) put_difference(f, &c->pair[i]);
        return;
    }
    fprintf(f, "| %s | %" PRId64 " attempts, the first ", at_change_name(change), count);
    at_put_code(f, c->pair[i].b->id, TEXT);
    putc(' ', f);
    at_put_markdown(f, c->pair[i].b->mode, 40);
    fprintf(f, " | %s | %s | | | |\n", at_verdict_name(a), at_verdict_name(b));
}

/* Wrong answers and those farther off by name, first of all; the others by what they were and became. */
static void put_differences(FILE *f, const at_comparison *c) {
    if (c->farther == 0 && c->compared == c->change[AT_SAME]) return;
    fputs("\n| | attempt | A | B | of the budget, A | B | |\n|---|---|---|---|--:|--:|---|\n", f);
    put_listed(f, c);
    for (int a = 0; a < AT_VERDICTS; a++) {
        for (int b = 0; b < AT_VERDICTS; b++) {
            if (a != b && !at_is_wrong((at_verdict)b)) put_transition(f, c, (at_verdict)a, (at_verdict)b);
        }
    }
}

void at_put_comparison_markdown(FILE *f, const at_comparison *c) {
    fputs("## ", f);
    at_put_comparison_line(f, c);
    fputs("\n\n", f);
    put_sides(f, c);
    put_figures(f, c);
    put_differences(f, c);
    put_suites(f, c);
}
