/* summary.md: a page for a CI job's summary. GitHub drops one of more than 1 MiB, so what it lists is bounded: a fault
 * has at most 2,900 characters, and escaping makes at most 7 bytes of each. */
#include "explained.h"
#include "writers.h"

#include <inttypes.h>

enum { MOST_FAULTS = 30, MOST_REASONS = 20, MOST_WORST = 5, TEXT = 300, WORD = 40, COMMAND = 600, READING = 100 };

static const char *const sign[] = {
    [AT_OK] = "✅", [AT_FAILED] = "❌", [AT_UNVALIDATED] = "⚠️", [AT_INFRASTRUCTURE] = "🔧"};

static void put_fact(FILE *f, const char *name, const char *value) {
    if (value == NULL || *value == 0) return;
    fprintf(f, "| %s | ", name);
    at_put_markdown(f, value, TEXT);
    fputs(" |\n", f);
}

static void put_facts(FILE *f, const at_report *r) {
    const at_header *h = &r->journal->header;
    fputs("\n| | |\n|---|---|\n| attempts | ", f);
    bool first = true;
    for (int v = 0; v < AT_VERDICTS; v++) {
        if (r->outcome.attempts[v] == 0) continue;
        fprintf(f, "%s%" PRId64 " %s", first ? "" : ", ", r->outcome.attempts[v], at_verdict_name((at_verdict)v));
        first = false;
    }
    fprintf(f, "%s of %" PRId64 " planned |\n", first ? "none" : "", h->planned);
    put_fact(f, "subject", h->subject);
    put_fact(f, "version", h->subject_version);
    put_fact(f, "device", h->device);
    put_fact(f, "driver", h->driver);
    put_fact(f, "tier", h->tier);
    put_fact(f, "filter", h->filter);
    put_fact(f, "attest", h->attest_version);
    put_fact(f, "revision", h->revision);
}

static void put_fault(FILE *f, const at_group *g) {
    const at_record *r = g->first;
    fprintf(f, "\n**%s** ", at_verdict_name(r->verdict));
    at_put_code(f, r->id, TEXT);
    putc(' ', f);
    at_put_markdown(f, r->mode, WORD);
    if (g->attempts > 1) fprintf(f, " and %" PRId64 " more", g->attempts - 1);
    fputs("\n", f);
    for (int i = 0; i < r->findings; i++) {
        fputs("- ", f);
        at_put_markdown(f, r->finding[i].detector, 0);
        fputs(": ", f);
        at_put_markdown(f, r->finding[i].text, TEXT);
        putc('\n', f);
    }
    if (r->findings == 0) fputs("- ", f), at_put_markdown(f, r->message, TEXT), putc('\n', f);
    if (at_is_explained(r)) fputs("- ", f), at_put_explanation(f, r, READING, at_put_markdown), putc('\n', f);
    if (r->repro != NULL) fputs("- repeat: ", f), at_put_code(f, r->repro, COMMAND), putc('\n', f);
}

static void put_faults(FILE *f, const at_groups *bad, const at_readings *readings) {
    if (bad->groups == 0) return;
    fprintf(f, "\n## Faults: %zu in %" PRId64 " attempts\n", bad->groups, bad->attempts);
    for (size_t i = 0; i < bad->groups && i < MOST_FAULTS; i++) put_fault(f, &bad->group[i]);
    if (bad->groups > MOST_FAULTS) fprintf(f, "\n... and %zu more: report.json has all.\n", bad->groups - MOST_FAULTS);
    if (readings->alone.groups == 0) return;
    fputs("\nExplained by one reading alone: ", f);
    at_put_readings(f, readings, at_put_markdown);
    putc('\n', f);
}

static void put_not_run(FILE *f, const at_groups *not_run) {
    if (not_run->groups == 0) return;
    fprintf(f, "\n## Not run: %" PRId64 " attempts\n\n", not_run->attempts);
    for (size_t i = 0; i < not_run->groups && i < MOST_REASONS; i++) {
        fprintf(f, "- %" PRId64 ": ", not_run->group[i].attempts);
        at_put_markdown(f, not_run->group[i].first->message, TEXT);
        putc('\n', f);
    }
    if (not_run->groups > MOST_REASONS) fprintf(f, "- and for %zu more reasons\n", not_run->groups - MOST_REASONS);
}

static void put_worst(FILE *f, const at_tensors *t) {
    if (t->count == 0 || t->worst[0].tensor->excess < 0) return;
    fputs("\n## Closest to the bound, or beyond\n\n| excess (above 1 fails) | case | where |\n|--:|---|---|\n", f);
    for (size_t i = 0; i < t->count && i < MOST_WORST; i++) {
        const at_measured *m = &t->worst[i];
        if (m->tensor->excess < 0) break;
        fprintf(f, "| %.3g | ", m->tensor->excess);
        at_put_code(f, m->record->id, TEXT);
        fputs(" | ", f);
        at_put_place(f, m->tensor, at_put_markdown);
        fputs(" |\n", f);
    }
}

at_status at_write_summary(FILE *f, const at_report *r, at_error *err) {
    (void)err;
    fprintf(f, "# %s ", sign[r->outcome.status]);
    at_put_markdown(f, r->outcome.line, 0);
    putc('\n', f);
    put_facts(f, r);
    put_faults(f, &r->bad, &r->readings);
    put_not_run(f, &r->not_run);
    put_worst(f, &r->tensors);
    fputs("\nMore: report.json, tolerance.md, coverage.md, junit.xml.\n", f);
    return AT_OK;
}
