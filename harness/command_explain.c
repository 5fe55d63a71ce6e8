/* explain: cases on a subject, and which of the known wrong readings answers as the subject does, in each and in all.
 */
#include "../oracle/hypotheses.h"
#include "blackbox.h"
#include "commands.h"
#include "explanation.h"
#include "finding.h"
#include "modes.h"
#include "variant.h"
#include "worker.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void tell_reading(size_t h) {
    const or_hypothesis *reading = or_hypothesis_at(h);
    printf("agrees with %s: %s\n", or_hypothesis_id(reading), or_hypothesis_about(reading));
}

static at_status tell(const at_record *record, const at_explanation *e, at_error *err) {
    if (record->verdict == AT_PASS || record->verdict == AT_MARGINAL) {
        printf("%s: nothing to explain\n", at_verdict_name(record->verdict));
        return AT_OK;
    }
    for (int i = 0; i < record->findings; i++)
        printf("%s: %s\n", record->finding[i].detector, at_shown(record->finding[i].text));
    char **words = at_explanation_words(e);
    size_t n = 0;
    if (words == NULL) return at_fail_memory(err, at_hypotheses());
    for (; words[n] != NULL; n++) {
        printf("agrees with %s\n", words[n]);
        free(words[n]);
    }
    free(words);
    if (n > 1) puts("these answer alike here: another case tells them apart, and explain takes several");
    return AT_OK;
}

/* How the subject says that it computes this call; *going is false where it refused. */
static at_status declared(or_arithmetic *out, const at_host *host, const at_plan *plan, at_record *record, bool *going,
                          at_error *err) {
    at_session s;
    at_status st = at_session_open(&s, host, plan, NULL, record, going, err);
    *out = at_arithmetic_of(&s.arithmetic);
    at_session_close(&s);
    return st;
}

static bool has_wrong_numbers(const at_record *record, const at_explanation *e) {
    return record->verdict != AT_PASS && record->verdict != AT_MARGINAL && (!e->right || e->written.wrong);
}

static at_status explain_on(at_explanation *out, bool *wrong, const at_host *host, const at_case *c, uint64_t seed,
                            at_status *verdict, at_error *err) {
    or_dialect dialect;
    or_arithmetic arithmetic;
    at_record record = {.verdict = AT_PASS};
    at_plan *plan = NULL;
    at_traces traces = {0};
    bool going = false;
    at_status st = AT_OK;
    at_blackbox_tell(c->id);
    if (!at_dialect_for(&dialect, host->subject, c)) {
        st = at_fail(err, AT_UNVALIDATED, "%s does not list the dialect of %s, %s", host->subject->name, c->id,
                     or_dialect_name(c->dialect));
    }
    if (st == AT_OK) st = at_plan_make(&plan, c, dialect, seed, err);
    if (st == AT_OK) st = declared(&arithmetic, host, plan, &record, &going, err);
    if (st == AT_OK && going) st = at_answer_to(&traces, host, NULL, plan, &record, &going, err);
    if (st == AT_OK && going) {
        const at_answer answer = {.output = traces.output, .key_cache = traces.key_cache};
        st = at_explain(out, plan, &arithmetic, &answer, INFINITY, err);
    }
    if (st == AT_OK && !going) printf("the subject refused the case: %s\n", at_shown(record.message));
    if (st == AT_OK && going) st = tell(&record, out, err);
    *wrong = st == AT_OK && going && has_wrong_numbers(&record, out);
    *verdict = at_worse(*verdict, at_verdict_status(record.verdict));
    at_traces_free(&traces);
    at_plan_free(plan);
    at_record_clear(&record);
    return st;
}

/* How many wrong answers each reading gives too. One that is all NaN fits too many readings to speak for one, and
 * counts where there is no other. */
typedef struct {
    size_t *fits; /* [at_hypotheses()] */
    size_t cases;
    bool numbers;
} summary;

static void add_case(summary *all, const at_explanation *e) {
    if (all->numbers && !e->numbers) return;
    if (e->numbers && !all->numbers) {
        memset(all->fits, 0, at_hypotheses() * sizeof *all->fits);
        all->cases = 0, all->numbers = true;
    }
    for (size_t h = 0; h < at_hypotheses(); h++) all->fits[h] += e->agrees[h] || e->written.as[h];
    all->cases++;
}

/* Beside what a reading says a fault may read past a row, or NaN: it need not fit each answer, but three in four. */
static bool explains(const summary *all, size_t h) {
    return 4 * all->fits[h] >= 3 * all->cases;
}

static void tell_all(const summary *all) {
    size_t n = 0;
    putchar('\n');
    for (size_t h = 0; or_hypothesis_at(h) != NULL; h++) {
        if (!explains(all, h)) continue;
        printf("%zu of %zu: ", all->fits[h], all->cases);
        tell_reading(h);
        n++;
    }
    if (n == 0)
        printf("0 of %zu: three in four agree with none of %zu known wrong readings\n", all->cases, at_hypotheses());
}

static at_status explain_each(const at_host *host, const at_case *const *cases, size_t count, uint64_t seed,
                              at_status *verdict, at_error *err) {
    size_t n = at_hypotheses();
    at_explanation one = {.agrees = calloc(n + 1, sizeof *one.agrees),
                          .written.as = calloc(n + 1, sizeof *one.written.as)};
    summary all = {.fits = calloc(n + 1, sizeof *all.fits)};
    at_status st = one.agrees && one.written.as && all.fits ? AT_OK : at_fail_memory(err, n);
    for (size_t i = 0; i < count && st == AT_OK; i++) {
        bool wrong = false;
        if (count > 1) printf("%s%s:\n", i > 0 ? "\n" : "", cases[i]->id);
        if ((st = explain_on(&one, &wrong, host, cases[i], seed, verdict, err)) != AT_OK || !wrong) continue;
        add_case(&all, &one);
    }
    if (st == AT_OK && count > 1 && all.cases > 0) tell_all(&all);
    free(all.fits);
    free(one.written.as);
    free(one.agrees);
    return st;
}

static at_status find_cases(const at_case **out, const at_cases *cases, const at_options *o, at_error *err) {
    at_status st = AT_OK;
    for (size_t i = 0; i < o->words && st == AT_OK; i++) {
        if ((st = at_find_case(&out[i], cases, o->word[i], err)) != AT_OK) return st;
        if (out[i]->expect == AT_EXPECT_REFUSAL)
            st = at_fail(err, AT_USAGE,
                         "explain is for values; '%s' expects a refusal, and what came of it says: %s repro '%s' "
                         "--subject %s --seed %" PRIu64,
                         out[i]->id, o->program ? o->program : "attest", out[i]->id, o->subject, o->seed);
    }
    return st;
}

at_status at_command_explain(at_options *o, at_error *err) {
    at_cases *cases = NULL;
    const at_case **asked = NULL;
    at_place_of_work work;
    at_header header = {0};
    at_status st, verdict = AT_OK;
    if (o->words == 0) return at_fail(err, AT_USAGE, "explain needs an ID, or several; attest list has them");
    at_default_subject(o);
    if ((st = at_load_default_cases(&cases, o, err)) != AT_OK) return st;
    if ((asked = calloc(o->words, sizeof *asked)) == NULL) st = at_fail_memory(err, o->words);
    if (st == AT_OK) st = find_cases(asked, cases, o, err);
    if (st == AT_OK && (st = at_host_open_alone(&work, &header, o, err)) == AT_OK) {
        st = explain_each(&work.host, asked, o->words, o->seed, &verdict, err);
        at_host_close(&work);
    }
    at_header_clear(&header);
    free(asked);
    at_cases_free(cases);
    return st != AT_OK ? st : verdict;
}
