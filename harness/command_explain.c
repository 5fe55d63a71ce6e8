/* explain: one case on a subject, and which of the known wrong readings answers as the subject does. */
#include "../oracle/hypotheses.h"
#include "commands.h"
#include "finding.h"
#include "modes.h"
#include "power.h"
#include "variant.h"
#include "worker.h"

#include <stdlib.h>
#include <string.h>

static void tell(const at_record *record, const bool *agrees) {
    size_t n = 0;
    if (record->verdict == AT_PASS || record->verdict == AT_MARGINAL) {
        printf("%s: nothing to explain\n", at_verdict_name(record->verdict));
        return;
    }
    for (int i = 0; i < record->findings; i++)
        printf("%s: %s\n", record->finding[i].detector, at_shown(record->finding[i].text));
    for (size_t h = 0; or_hypothesis_at(h) != NULL; h++) {
        if (!agrees[h]) continue;
        printf("agrees with %s: %s\n", or_hypothesis_id(or_hypothesis_at(h)), or_hypothesis_about(or_hypothesis_at(h)));
        n++;
    }
    if (n == 0) printf("agrees with none of %zu known wrong readings\n", at_hypotheses());
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

static at_status explain_on(const at_host *host, const at_case *c, uint64_t seed, at_status *verdict, at_error *err) {
    or_dialect dialect;
    or_arithmetic arithmetic;
    at_record record = {.verdict = AT_PASS};
    at_plan *plan = NULL;
    at_traces traces = {0};
    bool going = false, *agrees = calloc(at_hypotheses() + 1, sizeof *agrees);
    at_status st = agrees ? AT_OK : at_fail_memory(err, at_hypotheses());
    if (st == AT_OK && !at_dialect_for(&dialect, host->subject, c)) {
        st = at_fail(err, AT_UNVALIDATED, "%s does not list the dialect of %s, %s", host->subject->name, c->id,
                     or_dialect_name(c->dialect));
    }
    if (st == AT_OK) st = at_plan_make(&plan, c, dialect, seed, err);
    if (st == AT_OK) st = declared(&arithmetic, host, plan, &record, &going, err);
    if (st == AT_OK && going) st = at_answer_to(&traces, host, NULL, plan, &record, &going, err);
    if (st == AT_OK && going) st = at_explain(agrees, plan, &arithmetic, traces.output, err);
    if (st == AT_OK && !going) printf("the subject refused the case: %s\n", at_shown(record.message));
    if (st == AT_OK && going) tell(&record, agrees);
    *verdict = at_verdict_status(record.verdict);
    at_traces_free(&traces);
    at_plan_free(plan);
    at_record_clear(&record);
    free(agrees);
    return st;
}

at_status at_command_explain(at_options *o, at_error *err) {
    at_cases *cases = NULL;
    const at_case *c;
    at_place_of_work work;
    at_header header = {0};
    at_status st, verdict = AT_OK;
    if (o->words != 1) return at_fail(err, AT_USAGE, "explain needs one ID; attest list has them");
    at_default_subject(o);
    if ((st = at_load_default_cases(&cases, o, err)) != AT_OK) return st;
    if ((st = at_find_case(&c, cases, o->word[0], err)) != AT_OK) goto done;
    if (c->expect == AT_EXPECT_REFUSAL) {
        st = at_fail(err, AT_USAGE, "explain is for values; '%s' expects a refusal", c->id);
    } else if ((st = at_host_open_alone(&work, &header, o, err)) == AT_OK) {
        st = explain_on(&work.host, c, o->seed, &verdict, err);
        at_host_close(&work);
    }
done:
    at_header_clear(&header);
    at_cases_free(cases);
    return st != AT_OK ? st : verdict;
}
