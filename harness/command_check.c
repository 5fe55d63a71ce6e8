/* check: the cases themselves. Each is planned and must have teeth: some wrong reading of the contract
 * that its own judge would reject. Every rule has a case at every gate, every suite its line in the index. */
#include "commands.h"
#include "modes.h"
#include "power.h"
#include "select.h"

#include <stdio.h>
#include <string.h>

/* A rule that no case asks for, or a gate of it, in a dialect that has it. */
static size_t rules_without_case(const at_cases *cases) {
    static const struct {
        or_gate bit;
        const char *name;
    } gate[] = {{OR_SUPPORTS, "supports"}, {OR_CREATE, "create"}, {OR_EXECUTE, "execute"}};
    size_t rules, missing = 0;
    const or_rule *rule = or_rules(&rules);
    for (size_t r = 0; r < rules; r++) {
        for (size_t g = 0; g < 3; g++) {
            size_t i = 0, n = at_cases_count(cases);
            if (!(rule[r].gates & gate[g].bit)) continue;
            while (i < n && !(at_cases_at(cases, i)->expect == AT_EXPECT_REFUSAL &&
                              (at_cases_at(cases, i)->gates & gate[g].bit) &&
                              strcmp(at_cases_at(cases, i)->rule, rule[r].id) == 0)) {
                i++;
            }
            if (i < n) continue;
            printf("rule %s has no case at %s\n", rule[r].id, gate[g].name);
            missing++;
        }
    }
    return missing;
}

/* A mode that a case lists and that does not apply to it would make no attempt, and nobody would miss it. */
static size_t idle_modes(const at_case *c) {
    size_t faults = 0;
    for (char **name = c->modes; name != NULL && *name != NULL; name++) {
        const at_mode *mode = at_mode_by_name(*name);
        if (mode != NULL && at_mode_wanted(mode, c)) continue;
        printf("%s:%d: %s: mode %s does not apply to it\n", c->place.file, c->place.line, c->id, *name);
        faults++;
    }
    return faults;
}

/* Suites without their line in the index, which nobody would miss, and lines without their suite. */
static size_t index_faults(const at_cases *cases) {
    char *const *index = at_cases_index(cases);
    size_t faults = 0;
    for (char *const *name = index; *name != NULL; name++) {
        if (at_cases_has_suite(cases, *name)) continue;
        printf("the index asks for a suite %s, which is not there\n", *name);
        faults++;
    }
    for (size_t i = 0; index[0] != NULL && i < at_cases_suites(cases); i++) {
        const at_suite *suite = at_cases_suite(cases, i);
        char *const *name = index;
        while (*name != NULL && strcmp(*name, suite->suite) != 0) name++;
        if (*name != NULL) continue;
        printf("%s: suite %s is not in the index; add it there\n", at_shown(suite->file), suite->suite);
        faults++;
    }
    return faults;
}

/* What is wrong with the case in one dialect, told; 0 or 1. */
static size_t plan_faults(const at_case *c, or_dialect dialect, uint64_t seed) {
    at_plan *plan = NULL;
    at_error why;
    bool teeth = true;
    at_status st = at_plan_make(&plan, c, dialect, seed, &why);
    if (st == AT_OK && c->expect != AT_EXPECT_REFUSAL && c->tier <= AT_QUICK && at_needs_teeth(plan))
        st = at_has_teeth(&teeth, plan, &why);
    if (st != AT_OK)
        printf("%s:%d: %s: %s\n", at_shown(c->place.file), c->place.line, c->id,
               why.text); /* an error is escaped already */
    else if (!teeth)
        printf("%s:%d: %s rejects no wrong reading of the contract\n", at_shown(c->place.file), c->place.line, c->id);
    at_plan_free(plan);
    return st != AT_OK || !teeth;
}

at_status at_command_check(at_options *o, at_error *err) {
    at_cases *cases = NULL;
    size_t bad = 0, planned = 0;
    at_status st;
    if (o->words > 0) return at_fail(err, AT_USAGE, "check takes no words; -k '%s' filters", o->word[0]);
    if ((st = at_load_default_cases(&cases, o, err)) != AT_OK) return st;
    if ((st = at_check_words(cases, o, err)) != AT_OK) goto done;
    for (size_t i = 0; i < at_cases_count(cases); i++) {
        const at_case *c = at_cases_at(cases, i);
        if (o->patterns > 0 ? !at_selected(c, o) : c->tier > AT_FULL)
            continue; /* what is named is checked, of whatever tier */
        planned++;
        bad += idle_modes(c) + plan_faults(c, c->dialect, o->seed);
    }
    if (o->patterns == 0 && at_cases_index(cases)[0] != NULL)
        bad += rules_without_case(cases) + index_faults(cases); /* a set of suites */
    printf("%zu cases in %zu suites; %zu planned; %zu faults\n", at_cases_count(cases), at_cases_suites(cases), planned,
           bad);
    if (bad > 0) st = at_fail(err, AT_USAGE, "the suites have %zu fault%s, listed above", bad, bad == 1 ? "" : "s");
done:
    at_cases_free(cases);
    return st;
}
