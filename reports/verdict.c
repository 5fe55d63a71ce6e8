#include "verdict.h"
#include "escape.h"
#include "group.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const at_journal *journal;
    const at_record **by_id; /* [records] */
    at_groups arithmetic;
    at_outcome *outcome;
    int64_t seen; /* cases with a record */
    bool require_gpu;
} facts;

/* ---- cases ---- */

static const at_case_state state_of[AT_VERDICTS] = {
    [AT_PASS] = AT_CASE_PASSED,
    [AT_MARGINAL] = AT_CASE_PASSED,
    [AT_FAIL] = AT_CASE_FAILED,
    [AT_FLAKY] = AT_CASE_FAILED,
    [AT_CRASH] = AT_CASE_FAILED,
    [AT_TIMEOUT] = AT_CASE_FAILED,
    [AT_UNSUPPORTED] = AT_CASE_UNSUPPORTED,
    [AT_WAIVED] = AT_CASE_WAIVED,
    [AT_NOT_RUN] = AT_CASE_NOT_RUN,
    [AT_HARNESS_ERROR] = AT_CASE_BROKEN,
};

static at_case_state worst_state(const at_record *const *attempt, size_t attempts) {
    at_case_state worst = AT_CASE_UNSUPPORTED;
    for (size_t i = 0; i < attempts; i++) {
        at_case_state s = state_of[attempt[i]->verdict];
        worst = s < worst ? s : worst;
    }
    return worst;
}

static void count_cases(facts *f) {
    at_outcome *o = f->outcome;
    size_t records = f->journal->records;
    for (size_t i = 0, end; i < records; i = end, f->seen++) {
        end = at_run_end(f->by_id, i, records, at_by_id);
        o->cases[worst_state(f->by_id + i, end - i)]++;
    }
    o->planned = f->journal->header.planned_cases;
    if (o->planned > f->seen) o->cases[AT_CASE_NOT_RUN] += o->planned - f->seen;
    for (size_t i = 0; i < records; i++) o->attempts[f->journal->record[i].verdict]++;
}

/* ---- why nothing is validated: the first that holds says its sentence ---- */

static bool on_gpu(const at_header *h) {
    return at_compare(h->device_kind, "cuda") == 0;
}

static bool no_gpu(FILE *why, const facts *f) {
    if (!f->require_gpu || on_gpu(&f->journal->header)) return false;
    fputs("a GPU is required (--require-gpu)", why);
    return true;
}

static bool cut_short(FILE *why, const facts *f) {
    if (f->journal->complete) return false;
    fputs("the run was cut short (its journal has no end mark)", why);
    return true;
}

static bool nothing_judged(FILE *why, const facts *f) {
    const int64_t *cases = f->outcome->cases;
    if (cases[AT_CASE_PASSED] + cases[AT_CASE_FAILED] > 0) return false;
    fputs(cases[AT_CASE_WAIVED] > 0 ? "all that was judged is waived" : "nothing was judged", why);
    return true;
}

static bool other_cases(FILE *why, const facts *f) {
    if (f->seen == f->outcome->planned) return false;
    fprintf(why, "%" PRId64 " cases were planned, %" PRId64 " are in the journal", f->outcome->planned, f->seen);
    return true;
}

static bool attempts_missing(FILE *why, const facts *f) {
    if ((int64_t)f->journal->records >= f->journal->header.planned) return false;
    fprintf(why, "%" PRId64 " attempts were planned, %zu are in the journal", f->journal->header.planned,
            f->journal->records);
    return true;
}

static int64_t executed_cases(const facts *f, const char *suite, size_t length) {
    int64_t executed = 0;
    for (size_t i = 0, end; i < f->journal->records; i = end) {
        end = at_run_end(f->by_id, i, f->journal->records, at_by_id);
        const char *s = f->by_id[i]->suite;
        if (s == NULL || strlen(s) != length || memcmp(s, suite, length) != 0) continue;
        size_t k = i;
        while (k < end && !at_is_executed(f->by_id[k])) k++;
        executed += k < end;
    }
    return executed;
}

static bool floor_missed(FILE *why, const facts *f) {
    char **floors = f->journal->header.floors;
    for (size_t i = 0; floors != NULL && floors[i] != NULL; i++) {
        const char *equals = strrchr(floors[i], '=');
        size_t length = equals == NULL ? strlen(floors[i]) : (size_t)(equals - floors[i]);
        int64_t executed = executed_cases(f, floors[i], length),
                least = equals == NULL ? 1 : strtoll(equals + 1, NULL, 10);
        if (executed >= least) continue;
        fprintf(why, "%" PRId64 " cases were executed where the floor is ", executed);
        at_put_terminal(why, floors[i], 80);
        return true;
    }
    return false;
}

static bool (*const reasons[])(FILE *, const facts *) = {no_gpu,      cut_short,        nothing_judged,
                                                         other_cases, attempts_missing, floor_missed};

static void put_reason(FILE *out, const facts *f, const char *unused) {
    (void)unused;
    size_t i = 0, count = sizeof reasons / sizeof *reasons;
    while (i < count && !reasons[i](out, f)) i++;
}

/* ---- the line ---- */

static void put_device(FILE *out, const at_header *h) {
    if (on_gpu(h)) {
        at_put_terminal(out, h->device == NULL ? "a GPU" : h->device, 100);
        if (h->arch != NULL) fputs(" (", out), at_put_terminal(out, h->arch, 20), putc(')', out);
    } else {
        fputs(h->gpus > 0 ? "CPU execution" : "CPU execution (no GPU seen)", out);
    }
}

static void put_arithmetic(FILE *out, const at_groups *used) {
    const at_group *most = NULL;
    for (size_t i = 0; i < used->groups; i++) {
        if (most == NULL || used->group[i].attempts > most->attempts) most = &used->group[i];
    }
    if (most == NULL) return;
    fputs(", arithmetic ", out);
    at_put_terminal(out, most->first->arithmetic, 200);
    if (used->groups > 1) fprintf(out, " (and %zu other%s)", used->groups - 1, used->groups > 2 ? "s" : "");
}

static void put_line(FILE *out, const facts *f, const char *why) {
    static const char *const says[AT_CASE_STATES] = {
        [AT_CASE_FAILED] = "failed", [AT_CASE_BROKEN] = "broken by the harness", [AT_CASE_NOT_RUN] = "not run",
        [AT_CASE_WAIVED] = "waived", [AT_CASE_UNSUPPORTED] = "unsupported",
    };
    const at_outcome *o = f->outcome;
    fprintf(out, "%s on ", o->word);
    put_device(out, &f->journal->header);
    fprintf(out, ": %s%s%" PRId64 " of %" PRId64 " cases%s", why, *why == 0 ? "" : "; ", o->cases[AT_CASE_PASSED],
            o->planned, o->status == AT_OK ? "" : " passed");
    for (int s = 0; s < AT_CASE_STATES; s++) {
        if (says[s] != NULL && o->cases[s] > 0) fprintf(out, ", %" PRId64 " %s", o->cases[s], says[s]);
    }
    put_arithmetic(out, &f->arithmetic);
    int64_t marginal = o->attempts[AT_MARGINAL];
    if (marginal > 0)
        fprintf(out, "; warning: %" PRId64 " attempt%s MARGINAL", marginal, marginal == 1 ? " is" : "s are");
}

static const char *const word[] = {[AT_OK] = "VALIDATED",
                                   [AT_FAILED] = "FAILED",
                                   [AT_UNVALIDATED] = "UNVALIDATED",
                                   [AT_INFRASTRUCTURE] = "INFRASTRUCTURE"};

/* What `put` writes, cut off where it does not fit. */
static at_status print(char *text, size_t size, void put(FILE *, const facts *, const char *), const facts *f,
                       const char *why, at_error *err) {
    FILE *out = fmemopen(text, size, "w");
    if (out == NULL) return at_fail_memory(err, size);
    put(out, f, why);
    fclose(out);
    text[size - 1] = 0;
    return AT_OK;
}

at_status at_verdict_of(at_outcome *out, const at_journal *j, bool require_gpu, at_error *err) {
    *out = (at_outcome){0};
    facts f = {.journal = j, .outcome = out, .require_gpu = require_gpu || j->header.require_gpu};
    char why[300] = "";
    at_status st = AT_OK;
    if ((f.by_id = at_sorted(j, at_by_id)) == NULL) return at_fail_memory(err, j->records * sizeof *f.by_id);
    if ((st = at_groups_of(&f.arithmetic, j, at_has_arithmetic, at_by_arithmetic, err)) != AT_OK) goto done;
    count_cases(&f);
    for (int v = 0; v < AT_VERDICTS; v++) {
        if (out->attempts[v] > 0) out->status = at_worse(out->status, at_verdict_status((at_verdict)v));
    }
    if ((st = print(why, sizeof why, put_reason, &f, NULL, err)) != AT_OK) goto done;
    if (why[0] != 0) out->status = at_worse(out->status, AT_UNVALIDATED);
    out->word = word[out->status];
    st = print(out->line, sizeof out->line, put_line, &f, why, err);
done:
    free(f.by_id);
    at_groups_free(&f.arithmetic);
    return st;
}
