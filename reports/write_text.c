/* What fits a terminal's screen: counts, the worst, each fault once with the line that repeats it, and what was not
 * run. */
#include "../harness/finding.h"
#include "writers.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>

enum { MOST_FAULTS = 3, MOST_REASONS = 3, MESSAGE = 160, FINDING = 230, READING = 100 };

static const char *colour_of(at_verdict v) {
    static const char *const by_status[] = {
        [AT_OK] = "32", [AT_FAILED] = "31", [AT_UNVALIDATED] = "33", [AT_INFRASTRUCTURE] = "35"};
    return v == AT_MARGINAL || v == AT_WAIVED || v == AT_UNSUPPORTED ? "33" : by_status[at_verdict_status(v)];
}

static void put_verdict(FILE *f, at_verdict v, bool colour) {
    if (colour)
        fprintf(f, "\x1b[%sm%s\x1b[0m", colour_of(v), at_verdict_name(v));
    else
        fputs(at_verdict_name(v), f);
}

static void put_attempts(FILE *f, const at_outcome *o, bool colour) {
    bool first = true;
    fputs("attempts  ", f);
    for (int v = 0; v < AT_VERDICTS; v++) {
        if (o->attempts[v] == 0) continue;
        fprintf(f, "%s%" PRId64 " ", first ? "" : ", ", o->attempts[v]);
        put_verdict(f, (at_verdict)v, colour);
        first = false;
    }
    fputs(first ? "none\n" : "\n", f);
}

static void put_worst(FILE *f, const at_tensors *t) {
    if (t->count == 0 || t->worst[0].tensor->excess < 0) return;
    const at_measured *w = &t->worst[0];
    char allowed[AT_ALLOWED];
    if (isfinite(w->tensor->excess))
        fprintf(f, "worst     %.3g of the budget: ", w->tensor->excess);
    else
        fputs("worst     beyond any budget: ", f);
    at_put_terminal(f, w->record->id, MESSAGE);
    fputs(", ", f);
    at_put_place(f, w->tensor, at_put_terminal);
    fprintf(f, "\n          due %.6g, got %.6g, allowed %s\n", w->tensor->want, w->tensor->got,
            at_allowed(allowed, w->tensor->low, w->tensor->high, 6));
}

/* Memory that attempts keep. A few may keep what they need to find out only once, and each the texts of its record,
 * which are below LEAST. */
static void put_memory(FILE *f, const at_journal *j) {
    enum { LEAST = 1 << 16, ONE_IN = 20, FEW = 4 };
    const at_record *most = NULL;
    int64_t seen = 0, keeping = 0, bytes = 0;
    for (size_t i = 0; i < j->records; i++) {
        const at_record *r = &j->record[i];
        if (r->held_before == 0 || r->held_after == 0) continue;
        const int64_t kept = r->held_after - r->held_before;
        seen++;
        if (kept < LEAST) continue;
        keeping++, bytes += kept;
        if (most == NULL || kept > most->held_after - most->held_before) most = r;
    }
    if (keeping < FEW || keeping < seen / ONE_IN) return;
    fprintf(f, "memory    %" PRId64 " of %" PRId64 " attempts did not give back what they took, %.4g MiB in all; ",
            keeping, seen, (double)bytes / (1 << 20));
    fprintf(f, "most, %.4g MiB: ", (double)(most->held_after - most->held_before) / (1 << 20));
    at_put_terminal(f, most->id, MESSAGE);
    putc('\n', f);
}

static void put_fault(FILE *f, const at_group *g, bool colour) {
    const at_record *r = g->first;
    put_verdict(f, r->verdict, colour);
    putc(' ', f);
    at_put_terminal(f, r->id, 0);
    if (r->mode != NULL) fputs(" [", f), at_put_terminal(f, r->mode, 40), putc(']', f);
    if (g->attempts > 1) fprintf(f, " and %" PRId64 " more", g->attempts - 1);
    fputs("\n     ", f);
    if (r->findings > 0) at_put_terminal(f, r->finding[0].detector, 0), fputs(": ", f);
    at_put_terminal(f, r->findings > 0 ? r->finding[0].text : r->message, FINDING);
    if (at_is_explained(r)) fputs("\n     ", f), at_put_explanation(f, r, READING, at_put_terminal);
    fputs("\n     ", f);
    at_put_terminal(f, r->repro, 0); /* whole, to be pasted */
    putc('\n', f);
}

static void put_not_run(FILE *f, const at_report *r) {
    const at_header *h = &r->journal->header;
    int64_t missing = h->planned - (int64_t)r->journal->records;
    for (size_t i = 0; i < r->not_run.groups && i < MOST_REASONS; i++) {
        fprintf(f, "not run   %" PRId64 ": ", r->not_run.group[i].attempts);
        at_put_terminal(f, r->not_run.group[i].first->message, MESSAGE);
        putc('\n', f);
    }
    if (r->not_run.groups > MOST_REASONS)
        fprintf(f, "not run   for %zu more reasons\n", r->not_run.groups - MOST_REASONS);
    if (missing > 0)
        fprintf(f, "not run   %" PRId64 " of %" PRId64 " planned attempts left no record\n", missing, h->planned);
}

/* Of the summary: what is shown whole or not at all. */
typedef struct {
    const at_report *report;
    const at_group *fault; /* NULL: counts and the worst before the faults */
    bool colour;
} part;

/* malloc'ed, so that its rows can be counted before it is shown. */
static char *text_of(const part *p) {
    char *text = NULL;
    size_t bytes;
    FILE *f = open_memstream(&text, &bytes);
    if (f == NULL) return NULL;
    if (p->fault != NULL) {
        put_fault(f, p->fault, p->colour);
    } else {
        put_attempts(f, &p->report->outcome, p->colour);
        put_worst(f, &p->report->tensors);
        put_memory(f, p->report->journal);
    }
    if (fclose(f) == 0) return text;
    free(text);
    return NULL;
}

/* A screen, and how many of its rows are left. */
typedef struct {
    const at_screen *screen;
    int room;
} sheet;

/* *fits: there was room for it, or it must be shown. */
static at_status put_part(FILE *f, const part *p, sheet *s, bool must, bool *fits, at_error *err) {
    char *text = text_of(p);
    if (text == NULL) return at_fail_memory(err, sizeof *p);
    int rows = at_screen_rows(s->screen, text);
    *fits = must || rows <= s->room;
    if (*fits) fputs(text, f), s->room -= rows;
    free(text);
    return AT_OK;
}

/* Rows below the faults: how many more there are, what explains them, what was not run, where the reports are, the
 * verdict, the prompt. */
static int rows_below(const at_report *r, const at_screen *screen) {
    size_t reasons = r->not_run.groups > MOST_REASONS ? MOST_REASONS + 1 : r->not_run.groups;
    bool missing = r->journal->header.planned > (int64_t)r->journal->records;
    return 1 + (r->readings.alone.groups > 0) + (int)reasons + missing + 1 + at_screen_rows(screen, r->outcome.line) +
           1;
}

at_status at_put_summary(FILE *f, const at_report *r, const at_screen *screen, bool colour, at_error *err) {
    static const at_screen none = {0};
    sheet s = {.screen = screen != NULL ? screen : &none};
    part p = {.report = r, .colour = colour};
    bool fits = true;
    int64_t shown = 0;
    size_t i = 0;
    s.room = s.screen->rows > 0 ? s.screen->rows - rows_below(r, s.screen) : INT_MAX;
    at_status st = put_part(f, &p, &s, true, &fits, err);
    for (; st == AT_OK && i < r->bad.groups && i < MOST_FAULTS; i++) {
        p.fault = &r->bad.group[i];
        st = put_part(f, &p, &s, i == 0, &fits, err);
        if (!fits) break;
        shown += p.fault->attempts;
    }
    if (st != AT_OK) return st;
    if (i < r->bad.groups) {
        fprintf(f, "... and %zu more faults in %" PRId64 " attempts: summary.md has the first, report.json all\n",
                r->bad.groups - i, r->bad.attempts - shown);
    }
    if (r->readings.alone.groups > 0)
        fputs("explained ", f), at_put_readings(f, &r->readings, at_put_terminal), putc('\n', f);
    put_not_run(f, r);
    return AT_OK;
}

at_status at_write_text(FILE *f, const at_report *r, at_error *err) {
    fprintf(f, "%s\n", r->outcome.line);
    return at_put_summary(f, r, NULL, false, err);
}
