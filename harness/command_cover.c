/* cover: what the selected cases cover, from the cases alone, and, of a whole tier of a directory with an index,
 * whether that is enough;
 * --power: which wrong readings of the contract they reject. */
#include "../oracle/hypotheses.h"
#include "../reports/coverage.h"
#include "../reports/report.h"
#include "arithmetic_words.h"
#include "commands.h"
#include "describe.h"
#include "floors.h"
#include "power.h"
#include "select.h"
#include "universe.h"

#include <stdlib.h>
#include <string.h>

/* A journal as a run of the selection would leave it, every attempt passed: what the coverage reports count. */
static at_status as_if_run(at_journal *out, const at_cases *cases, const at_selection *selection, const char *subject,
                           at_error *err) {
    *out = (at_journal){.complete = true, .records = selection->choices};
    out->header.planned = (int64_t)selection->choices, out->header.planned_cases = (int64_t)selection->cases;
    out->header.universe = at_universe(cases);
    out->record = calloc(selection->choices + 1, sizeof *out->record);
    if (out->record == NULL || out->header.universe == NULL)
        return at_fail_memory(err, selection->choices * sizeof *out->record);
    for (size_t i = 0; i < selection->choices; i++) {
        const at_case *c = selection->choice[i].c;
        or_dialect dialect = c->any_dialect ? OR_GENAI : c->dialect;
        at_describe(&out->record[i], subject, c, selection->choice[i].mode, &dialect);
        out->record[i].verdict = AT_PASS;
    }
    return AT_OK;
}

/* Floors are owed by what calls itself complete. */
static bool owes_floors(const at_cases *cases, const at_options *o) {
    return o->patterns == 0 && o->tags == 0 && o->mode == NULL && o->shards == 1 && at_cases_index(cases)[0] != NULL;
}

static at_status hold_floors(const at_journal *journal, at_tier tier, at_error *err) {
    at_coverage c;
    at_status st = at_coverage_of(&c, journal, err);
    if (st != AT_OK) return st;
    st = at_floors_hold(&c, tier, err);
    at_coverage_free(&c);
    return st;
}

static at_status cover(const at_cases *cases, const at_selection *selection, const at_options *o, at_error *err) {
    at_journal *journal = malloc(sizeof *journal);
    if (journal == NULL) return at_fail_memory(err, sizeof *journal);
    at_status st = as_if_run(journal, cases, selection, "no subject", err);
    if (st == AT_OK) st = at_report_one(journal, o->json ? "coverage-json" : "coverage", stdout, err);
    if (st == AT_OK && owes_floors(cases, o)) st = hold_floors(journal, o->tier, err);
    for (size_t i = 0; journal->record != NULL && i < journal->records; i++) at_record_clear(&journal->record[i]);
    free(journal->record);
    at_header_clear(&journal->header);
    free(journal);
    return st;
}

/* Over the cases of one suite: how many a reading applies to, and how many reject it. */
typedef struct {
    const char *suite;
    size_t cases;
    size_t *applies, *rejects; /* [at_hypotheses()] */
} suite_power;

typedef struct {
    suite_power *suite;
    size_t suites, hypotheses, toothless;
    or_arithmetic how;
} powers;

static suite_power *power_of_suite(powers *p, const char *name) {
    for (size_t i = 0; i < p->suites; i++) {
        if (strcmp(p->suite[i].suite, name) == 0) return &p->suite[i];
    }
    suite_power *grown = realloc(p->suite, (p->suites + 1) * sizeof *grown);
    if (grown == NULL) return NULL;
    p->suite = grown;
    suite_power *s = &p->suite[p->suites++];
    *s = (suite_power){.suite = name,
                       .applies = calloc(p->hypotheses, sizeof(size_t)),
                       .rejects = calloc(p->hypotheses, sizeof(size_t))};
    return s->applies != NULL && s->rejects != NULL ? s : NULL;
}

static void tell_toothless(const at_case *c, const at_reading *reading) {
    printf("%s:%d: %s rejects no wrong reading; it lets pass:", at_shown(c->place.file), c->place.line, c->id);
    for (size_t h = 0; or_hypothesis_at(h) != NULL; h++) {
        if (reading[h] == AT_READING_PASSES) printf(" %s", or_hypothesis_id(or_hypothesis_at(h)));
    }
    putchar('\n');
}

static at_status weigh_case(powers *p, const at_case *c, uint64_t seed, at_reading *reading, at_error *err) {
    at_plan *plan = NULL;
    suite_power *s = power_of_suite(p, c->suite);
    bool teeth = false;
    if (s == NULL) return at_fail_memory(err, sizeof *s);
    at_status st = at_plan_make(&plan, c, c->any_dialect ? OR_GENAI : c->dialect, seed, err);
    if (st == AT_OK) st = at_power_of(reading, plan, &p->how, err);
    for (size_t h = 0; st == AT_OK && h < p->hypotheses; h++) {
        s->applies[h] += reading[h] != AT_READING_ABSENT;
        s->rejects[h] += reading[h] == AT_READING_REJECTED;
        teeth |= reading[h] == AT_READING_REJECTED;
    }
    if (st == AT_OK) s->cases++;
    if (st == AT_OK && !teeth && at_needs_teeth(plan)) {
        tell_toothless(c, reading);
        p->toothless++;
    }
    at_plan_free(plan);
    return st;
}

/* Every reading that applies to a suite has to be rejected by two of its cases, or by the one it applies to. Returns
 * how many are not. */
static size_t tell_power(const powers *p) {
    size_t weak = 0;
    printf("%-18s %6s  wrong readings: rejected by N of the cases they apply to\n", "suite", "cases");
    for (size_t i = 0; i < p->suites; i++) {
        const suite_power *s = &p->suite[i];
        printf("%-18s %6zu ", s->suite, s->cases);
        for (size_t h = 0; h < p->hypotheses; h++) {
            bool too_few = s->applies[h] > 0 && s->rejects[h] < 2 && s->rejects[h] < s->applies[h];
            weak += too_few;
            if (s->applies[h] > 0)
                printf(" %s%s=%zu/%zu", too_few ? "!" : "", or_hypothesis_id(or_hypothesis_at(h)), s->rejects[h],
                       s->applies[h]);
        }
        putchar('\n');
    }
    return weak;
}

static at_status power(const at_selection *selection, const at_options *o, at_error *err) {
    powers p = {.hypotheses = at_hypotheses()};
    at_reading *reading = calloc(p.hypotheses + 1, sizeof *reading);
    static const char plain[] = "rope=exact,dot=f32,exp=libm,tanh=libm,p=float32,partial=float32,tile=128,splits=1";
    at_status st = reading ? at_arithmetic_of_words(&p.how, o->arithmetic ? o->arithmetic : plain, err)
                           : at_fail_memory(err, p.hypotheses);
    for (size_t i = 0; i < selection->choices && st == AT_OK; i++) {
        const at_case *c = selection->choice[i].c;
        if (c->expect == AT_EXPECT_REFUSAL || (i > 0 && c == selection->choice[i - 1].c)) continue;
        st = weigh_case(&p, c, o->seed, reading, err);
    }
    if (st == AT_OK) {
        char text[200];
        size_t weak = tell_power(&p);
        printf(
            "%zu value cases without teeth, %zu readings rejected by fewer than two cases of a suite; arithmetic %s\n",
            p.toothless, weak, or_arithmetic_text(&p.how, text, sizeof text));
        if (p.toothless + weak > 0)
            st =
                at_fail(err, AT_USAGE, "the suites have too few teeth; lines above with ! or a case's place say where");
    }
    for (size_t i = 0; i < p.suites; i++) free(p.suite[i].applies), free(p.suite[i].rejects);
    free(p.suite);
    free(reading);
    return st;
}

at_status at_command_cover(at_options *o, at_error *err) {
    at_cases *cases = NULL;
    at_selection selection = {0};
    at_status st;
    if (o->words > 0) return at_fail(err, AT_USAGE, "cover takes no words; -k '%s' filters", o->word[0]);
    if ((st = at_load_default_cases(&cases, o, err)) != AT_OK) return st;
    st = at_select(&selection, cases, o, err);
    if (st == AT_OK) st = o->power ? power(&selection, o, err) : cover(cases, &selection, o, err);
    at_selection_free(&selection);
    at_cases_free(cases);
    return st;
}
