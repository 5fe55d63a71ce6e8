/* What fits a terminal's screen: counts, the worst, each fault once with the line that repeats it, and what was not
 * run. */
#include "explained.h"
#include "writers.h"

#include <inttypes.h>

enum { MOST_FAULTS = 3, MOST_REASONS = 3, MESSAGE = 160, READING = 100 };

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
    fprintf(f, "worst     %.3g of the budget: ", w->tensor->excess);
    at_put_terminal(f, w->record->id, MESSAGE);
    fputs(", ", f);
    at_put_place(f, w->tensor, at_put_terminal);
    fprintf(f, "\n          due %.6g, got %.6g, allowed %.6g to %.6g\n", w->tensor->want, w->tensor->got,
            w->tensor->low, w->tensor->high);
}

/* An attempt gives back what it takes, but for what it finds out once; the records' own texts are below the least. */
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
    at_put_terminal(f, r->findings > 0 ? r->finding[0].text : r->message, MESSAGE);
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

void at_put_summary(FILE *f, const at_report *r, bool colour) {
    put_attempts(f, &r->outcome, colour);
    put_worst(f, &r->tensors);
    put_memory(f, r->journal);
    for (size_t i = 0; i < r->bad.groups && i < MOST_FAULTS; i++) put_fault(f, &r->bad.group[i], colour);
    if (r->bad.groups > MOST_FAULTS) {
        int64_t shown = 0;
        for (size_t i = 0; i < MOST_FAULTS; i++) shown += r->bad.group[i].attempts;
        fprintf(f, "... and %zu more faults in %" PRId64 " attempts: summary.md has the first, report.json all\n",
                r->bad.groups - MOST_FAULTS, r->bad.attempts - shown);
    }
    put_not_run(f, r);
}

at_status at_write_text(FILE *f, const at_report *r, at_error *err) {
    (void)err;
    fprintf(f, "%s\n", r->outcome.line);
    at_put_summary(f, r, false);
    return AT_OK;
}
