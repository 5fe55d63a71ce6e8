/* tolerance.md: how far answers were from right, by suite, dtype and tensor, and the worst attempts. */
#include "../harness/finding.h"
#include "escape.h"
#include "writers.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { WORST = 20, ID = 200 };

typedef struct {
    int64_t attempts, elements, mismatches, ulps;
    double absolute, relative, fixed, ratio_median;
    const at_measured *worst; /* by excess */
} sums;

static int compare_doubles(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Of the attempts' medians; -1 where no budget applied. `ratio` is scratch. */
static double median(const at_measured *m, size_t count, double *ratio) {
    size_t filled = 0;
    for (size_t i = 0; i < count; i++) {
        if (m[i].tensor->ratio_median >= 0) ratio[filled++] = m[i].tensor->ratio_median;
    }
    if (filled == 0) return -1;
    qsort(ratio, filled, sizeof *ratio, compare_doubles);
    return 0.5 * (ratio[(filled - 1) / 2] + ratio[filled / 2]);
}

static void worst_of(double *worst, double value) {
    if (at_is_worse(value, *worst)) *worst = value;
}

static sums add_up(const at_measured *m, size_t count, double *ratio) {
    sums s = {.worst = m, .ratio_median = median(m, count, ratio)};
    for (size_t i = 0; i < count; i++) {
        const at_tensor_report *t = m[i].tensor;
        s.attempts++;
        s.elements += t->elements;
        s.mismatches += t->mismatches;
        s.ulps = t->ulps > s.ulps ? t->ulps : s.ulps;
        worst_of(&s.absolute, t->absolute);
        worst_of(&s.relative, t->relative);
        worst_of(&s.fixed, t->fixed);
        if (at_is_worse(t->excess, s.worst->tensor->excess)) s.worst = &m[i];
    }
    return s;
}

/* -1 stands for what does not apply. */
static void put_number(FILE *f, double value) {
    if (value < 0)
        fputs(" - |", f);
    else
        fprintf(f, " %.3g |", value);
}

static void put_row(FILE *f, const at_measured *m, const sums *s) {
    fputs("| ", f);
    at_put_markdown(f, m->record->suite, ID);
    fputs(" | ", f);
    at_put_markdown(f, m->record->dtype, ID);
    fputs(" | ", f);
    at_put_markdown(f, m->tensor->tensor, 0);
    fprintf(f, " | %" PRId64 " | %" PRId64 " | %" PRId64 " |", s->attempts, s->elements, s->mismatches);
    put_number(f, s->worst->tensor->excess);
    putc(' ', f);
    if (s->worst->tensor->excess >= 0 || isnan(s->worst->tensor->excess)) {
        at_put_code(f, s->worst->record->id, ID);
        putc(' ', f);
        at_put_place(f, s->worst->tensor, at_put_markdown);
    }
    fputs(" |", f);
    put_number(f, s->ratio_median);
    put_number(f, s->absolute);
    put_number(f, s->relative);
    fprintf(f, " %" PRId64 " |", s->ulps);
    put_number(f, s->fixed);
    putc('\n', f);
}

static at_status put_table(FILE *f, const at_tensors *t, at_error *err) {
    double *ratio = calloc(t->count + 1, sizeof *ratio);
    if (ratio == NULL) return at_fail_memory(err, t->count * sizeof *ratio);
    fputs("## By suite, dtype and tensor\n\n"
          "| suite | dtype | tensor | attempts | elements | mismatches | worst excess | where | median ratio | worst "
          "abs | worst rel | "
          "worst ULP | of the fixed tolerance |\n|---|---|---|--:|--:|--:|--:|---|--:|--:|--:|--:|--:|\n",
          f);
    for (size_t i = 0, end; i < t->count; i = end) {
        end = at_tensors_end(t, i);
        sums s = add_up(t->grouped + i, end - i, ratio);
        put_row(f, &t->grouped[i], &s);
    }
    free(ratio);
    fputs("\nexcess: the distance from the exact value to the reals that round to the answer, over the derived bound; "
          "above 1 fails. "
          "ratio: the error over the bound and an ulp.\nThe last column is the worst absolute error over the fixed "
          "tolerance that the "
          "operator's pull request used (3e-2 for float16, 1.2e-1 for bfloat16). It is reported only: nothing passes "
          "or fails by it.\n",
          f);
    return AT_OK;
}

static void put_worst(FILE *f, const at_tensors *t) {
    fputs("\n## Worst attempts\n\n| excess | case | mode | where | due | got | allowed "
          "|\n|--:|---|---|---|--:|--:|---|\n",
          f);
    for (size_t i = 0; i < t->count && i < WORST; i++) {
        const at_measured *m = &t->worst[i];
        char allowed[AT_ALLOWED];
        if (m->tensor->excess < 0) break;
        fprintf(f, "| %.3g | ", m->tensor->excess);
        at_put_code(f, m->record->id, ID);
        fputs(" | ", f);
        at_put_markdown(f, m->record->mode, ID);
        fputs(" | ", f);
        at_put_place(f, m->tensor, at_put_markdown);
        fprintf(f, " | %.9g | %.9g | %s |\n", m->tensor->want, m->tensor->got,
                at_allowed(allowed, m->tensor->low, m->tensor->high, 9));
    }
}

static at_status put_arithmetic(FILE *f, const at_journal *j, at_error *err) {
    at_groups used;
    at_status st = at_groups_of(&used, j, at_has_arithmetic, at_by_arithmetic, err);
    if (st != AT_OK) return st;
    fputs("\nThe bound follows from how the subject says that it computes:\n\n| arithmetic | attempts |\n|---|--:|\n",
          f);
    for (size_t i = 0; i < used.groups; i++) {
        fputs("| ", f);
        at_put_markdown(f, used.group[i].first->arithmetic, 300);
        fprintf(f, " | %" PRId64 " |\n", used.group[i].attempts);
    }
    putc('\n', f);
    at_groups_free(&used);
    return AT_OK;
}

at_status at_write_tolerance(FILE *f, const at_report *r, at_error *err) {
    fputs("# Tolerance\n\n", f);
    at_put_markdown(f, r->outcome.line, 0);
    putc('\n', f);
    at_status st = put_arithmetic(f, r->journal, err);
    if (st == AT_OK) st = put_table(f, &r->tensors, err);
    if (st == AT_OK) put_worst(f, &r->tensors);
    return st;
}
