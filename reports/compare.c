#include "compare.h"
#include "group.h"
#include "tensors.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- verdicts ---- */

typedef enum { RIGHT, ASIDE, WRONG } worth;
static const struct {
    worth worth;
    int rank; /* the better, the lower */
} of[AT_VERDICTS] = {
    [AT_PASS] = {RIGHT, 0},    [AT_MARGINAL] = {RIGHT, 1},      [AT_UNSUPPORTED] = {ASIDE, 2}, [AT_WAIVED] = {ASIDE, 3},
    [AT_NOT_RUN] = {ASIDE, 4}, [AT_HARNESS_ERROR] = {ASIDE, 5}, [AT_FLAKY] = {WRONG, 6},       [AT_FAIL] = {WRONG, 7},
    [AT_TIMEOUT] = {WRONG, 8}, [AT_CRASH] = {WRONG, 9},
};

const char *at_change_name(at_change c) {
    static const char *const name[AT_CHANGES] = {"same", "better", "worse", "regressed", "other", "new", "gone"};
    return name[c];
}

bool at_is_wrong(at_verdict v) {
    return of[v].worth == WRONG;
}

/* A wrong answer that is no longer given is not a better one. */
at_change at_change_of(at_verdict a, at_verdict b) {
    if (a == b) return AT_SAME;
    if (of[b].worth > of[a].worth) return AT_REGRESSED;
    if (of[b].worth == ASIDE && of[a].worth == WRONG) return AT_WORSE;
    return of[b].rank < of[a].rank ? AT_BETTER : AT_WORSE;
}

/* ---- one pair ---- */

int at_by_attempt(const at_record *a, const at_record *b) {
    int order = at_by_id(a, b);
    return order == 0 ? at_compare(a->mode, b->mode) : order;
}

static double excess_of(const at_record *r) {
    double worst = -1;
    for (int i = 0; r != NULL && i < r->tensors; i++) {
        if (at_is_worse(r->tensor[i].excess, worst)) worst = r->tensor[i].excess;
    }
    return worst;
}

static bool is_farther(double a, double b) {
    if (isnan(a) || isnan(b)) return isnan(b) && !isnan(a);
    return b > AT_FARTHER * fmax(a, AT_NEAR);
}

/* A baseline keeps the first digits of a digest. */
static void compare_inputs(at_pair *p) {
    const char *a = p->a->inputs_digest, *b = p->b->inputs_digest;
    size_t digits = a == NULL || b == NULL ? 0 : strlen(a) < strlen(b) ? strlen(a) : strlen(b);
    if (digits == 0) return;
    p->same_inputs = strncmp(a, b, digits) == 0;
    p->other_inputs = !p->same_inputs;
}

static bool is_compared(const at_pair *p) {
    return p->change < AT_OTHER;
}

static at_pair pair_of(const at_record *a, const at_record *b) {
    at_pair p = {.a = a, .b = b, .excess = {excess_of(a), excess_of(b)}};
    if (a == NULL || b == NULL) {
        p.change = a == NULL ? AT_NEW : AT_GONE;
        return p;
    }
    p.other_content = a->hash != NULL && b->hash != NULL && strcmp(a->hash, b->hash) != 0;
    compare_inputs(&p);
    p.change = p.other_content || p.other_inputs ? AT_OTHER : at_change_of(a->verdict, b->verdict);
    p.farther = is_compared(&p) && is_farther(p.excess[0], p.excess[1]);
    return p;
}

/* ---- ratios ---- */

typedef double measure(const at_record *);

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double seconds_of(const at_record *r) {
    return r->seconds_subject;
}

/* scratch: [pairs] */
static void take_ratios(at_ratio *out, const at_comparison *c, measure *measured, double *scratch) {
    *out = (at_ratio){0};
    for (size_t i = 0; i < c->pairs; i++) {
        const at_pair *p = &c->pair[i];
        if (!is_compared(p)) continue;
        double a = measured(p->a), b = measured(p->b);
        if (!(a > 0 && b > 0 && isfinite(a) && isfinite(b))) continue;
        if (out->pairs == 0 || b / a > out->most) out->most = b / a, out->where = p;
        out->total[0] += a, out->total[1] += b;
        scratch[out->pairs++] = b / a;
    }
    if (out->pairs == 0) return;
    qsort(scratch, (size_t)out->pairs, sizeof *scratch, ascending);
    int64_t middle = out->pairs / 2;
    out->median = out->pairs % 2 ? scratch[middle] : (scratch[middle - 1] + scratch[middle]) / 2;
}

/* ---- all pairs ---- */

static void count(at_comparison *c, const at_pair *p) {
    c->change[p->change]++;
    c->common += p->a != NULL && p->b != NULL;
    if (is_compared(p)) c->compared++, c->transition[p->a->verdict][p->b->verdict]++;
    c->other_content += p->other_content;
    c->same_inputs += p->same_inputs;
    c->other_inputs += p->other_inputs;
    c->farther += p->farther;
}

/* An attempt that a journal has twice meets the other's first and second. */
static void pair_up(at_comparison *c, const at_record *const *a, const at_record *const *b) {
    size_t i = 0, k = 0, as = c->journal[0]->records, bs = c->journal[1]->records;
    while (i < as || k < bs) {
        int order = i == as ? 1 : k == bs ? -1 : at_by_attempt(a[i], b[k]);
        const at_record *left = order <= 0 ? a[i++] : NULL, *right = order >= 0 ? b[k++] : NULL;
        c->pair[c->pairs] = pair_of(left, right);
        count(c, &c->pair[c->pairs++]);
    }
}

/* A run's word weighs as the verdict of an attempt that leads to it. */
static at_change run_change(at_status a, at_status b) {
    static const at_verdict as[] = {[AT_OK] = AT_PASS,
                                    [AT_FAILED] = AT_FAIL,
                                    [AT_UNVALIDATED] = AT_NOT_RUN,
                                    [AT_INFRASTRUCTURE] = AT_HARNESS_ERROR};
    return at_change_of(as[a], as[b]);
}

at_status at_comparison_make(at_comparison *out, const at_journal *a, const at_journal *b, at_error *err) {
    size_t room = a->records + b->records + 1;
    *out = (at_comparison){.journal = {a, b}, .name = {"A", "B"}};
    out->pair = calloc(room, sizeof *out->pair);
    double *scratch = calloc(room, sizeof *scratch);
    const at_record **left = at_sorted(a, at_by_attempt), **right = at_sorted(b, at_by_attempt);
    at_status st = AT_OK;
    if (out->pair == NULL || scratch == NULL || left == NULL || right == NULL) {
        st = at_fail_memory(err, room * sizeof *out->pair);
        goto done;
    }
    for (int i = 0; i < 2; i++) {
        if ((st = at_verdict_of(&out->outcome[i], out->journal[i], false, err)) != AT_OK) goto done;
    }
    out->run = run_change(out->outcome[0].status, out->outcome[1].status);
    pair_up(out, left, right);
    take_ratios(&out->excess, out, excess_of, scratch);
    take_ratios(&out->seconds, out, seconds_of, scratch);
done:
    free(left);
    free(right);
    free(scratch);
    if (st != AT_OK) at_comparison_free(out);
    return st;
}

void at_comparison_free(at_comparison *c) {
    free(c->pair);
    *c = (at_comparison){0};
}

/* ---- what it comes to ---- */

static bool has_regressed(const at_comparison *c) {
    return c->change[AT_REGRESSED] > 0 || c->run == AT_REGRESSED;
}

at_status at_comparison_status(const at_comparison *c) {
    if (c->common == 0) return AT_UNVALIDATED;
    if (has_regressed(c)) return AT_FAILED;
    return c->change[AT_OTHER] > 0 ? AT_UNVALIDATED : AT_OK;
}

const char *at_comparison_word(const at_comparison *c) {
    const int64_t *n = c->change;
    if (c->common == 0) return "UNVALIDATED";
    if (has_regressed(c)) return "REGRESSED";
    if (c->other_inputs > 0) return "DIFFERENT INPUTS";
    if (c->other_content > 0) return "DIFFERENT CASES";
    if (n[AT_BETTER] + n[AT_WORSE] > 0 || c->run != AT_SAME) return "CHANGED";
    return n[AT_NEW] + n[AT_GONE] > 0 ? "PARTIAL" : "SAME";
}

static void put_some(FILE *f, int64_t count, const char *what) {
    if (count > 0) fprintf(f, "; %" PRId64 " %s", count, what);
}

void at_put_comparison_line(FILE *f, const at_comparison *c) {
    const int64_t *n = c->change;
    int64_t changed = n[AT_BETTER] + n[AT_WORSE] + n[AT_REGRESSED];
    fprintf(f, "%s: ", at_comparison_word(c));
    if (c->common == 0) {
        fputs("no attempt is in both", f);
        return;
    }
    if (c->run != AT_SAME) fprintf(f, "the run's verdict, %s to %s; ", c->outcome[0].word, c->outcome[1].word);
    fprintf(f, "%" PRId64 " of %" PRId64 " verdicts changed", changed, c->compared);
    if (changed > 0)
        fprintf(f, " (%" PRId64 " better, %" PRId64 " worse, %" PRId64 " regressed)", n[AT_BETTER], n[AT_WORSE],
                n[AT_REGRESSED]);
    put_some(f, n[AT_OTHER], "not compared, since inputs or cases behind their ids differ");
    put_some(f, n[AT_NEW], "new");
    put_some(f, n[AT_GONE], "gone");
    if (c->farther > 0) {
        fprintf(f, "; warning: %" PRId64 " attempt%s more than %d times the budget that A used", c->farther,
                c->farther == 1 ? " uses" : "s use", AT_FARTHER);
    }
}
