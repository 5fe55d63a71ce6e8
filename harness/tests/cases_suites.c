/* The suites in cases/: complete, sayable, and of a size that a gate has time for. */
#include "../attributes.h"
#include "../axes.h"
#include "../case_keys.h"
#include "../design.h"
#include "../mode_names.h"
#include "../modes.h"
#include "../plan.h"
#include "cases_scratch.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static at_cases *cases;

static const char *beside(const char *name) {
    static char path[512];
    const char *up = strstr(__FILE__, "harness/tests/");
    cr_assert_not_null(up);
    snprintf(path, sizeof path, "%.*scases%s", (int)(up - __FILE__), __FILE__, name);
    return path;
}

static void load_suites(void) {
    at_error err;
    cr_assert_eq(at_cases_load(&cases, beside(""), NULL, &err), AT_OK, "%s", err.text);
}

static void free_suites(void) {
    at_cases_free(cases);
}

TestSuite(cases_suites, .init = load_suites, .fini = free_suites);

static bool lists(char *const *list, const char *word) {
    for (; *list != NULL; list++) {
        if (strcmp(*list, word) == 0) return true;
    }
    return false;
}

Test(cases_suites, tiers_have_the_sizes_that_gates_have_time_for) {
    size_t in[AT_TIERS] = {0};
    for (size_t i = 0; i < at_cases_count(cases); i++) in[at_cases_at(cases, i)->tier]++;
    cr_expect(in[AT_SMOKE] >= 20 && in[AT_SMOKE] <= 60, "%zu", in[AT_SMOKE]);
    cr_expect(in[AT_QUICK] >= 500 && in[AT_QUICK] <= 2000, "%zu", in[AT_QUICK]);
    cr_expect(in[AT_FULL] >= 20 && in[AT_STRESS] >= 1);
}

Test(cases_suites, each_reason_is_one_and_stands_once) {
    for (size_t i = 0; i < at_cases_count(cases); i++) {
        const at_case *a = at_cases_at(cases, i);
        cr_expect(strlen(a->why) >= 15 && a->why[strlen(a->why) - 1] == '.', "%s: %s", a->id, a->why);
        for (size_t k = 0; k < i; k++) {
            const at_case *b = at_cases_at(cases, k);
            bool same_entry = a->place.line == b->place.line && strcmp(a->suite, b->suite) == 0;
            cr_expect(same_entry || strcmp(a->why, b->why) != 0, "%s and %s", a->id, b->id);
        }
    }
}

/* pairs.yaml crosses all axes. */
Test(cases_suites, dialects_are_an_axis_only_where_their_answers_differ) {
    static char *const allowed[] = {"window", "scale", "slots", "granularity", "refusals", "pairs", "gaps", NULL};
    for (size_t i = 0; i < at_cases_count(cases); i++) {
        const at_case *c = at_cases_at(cases, i);
        bool needed = c->expect == AT_EXPECT_REFUSAL || strcmp(c->suite, "nan-and-infinity") == 0;
        cr_expect(c->any_dialect || needed || lists(allowed, c->suite), "%s", c->id);
    }
}

/* A geometry of a single suite is made for an edge of it. */
Test(cases_suites, geometries_that_suites_share_are_values_that_coverage_pairs) {
    size_t found = 0;
    for (size_t i = 0; i < at_cases_count(cases); i++) {
        const at_case *a = at_cases_at(cases, i), *first = NULL;
        for (size_t k = 0; k < i && first == NULL; k++) {
            if (strcmp(at_cases_at(cases, k)->geometry, a->geometry) == 0) first = at_cases_at(cases, k);
        }
        if (a->geometry[0] == 0 || a->expect == AT_EXPECT_REFUSAL || first == NULL ||
            strcmp(first->suite, a->suite) == 0)
            continue;
        char **axes = at_axes_of(a, OR_GENAI, "eager");
        bool listed = false;
        for (char **axis = axes; *axis != NULL; axis++) {
            listed |= strncmp(*axis, "geometry=", 9) == 0 && strcmp(*axis + 9, a->geometry) == 0;
            free(*axis);
        }
        free(axes);
        cr_expect(listed, "%s: add geometry %s to axes.c and run ci/pairs.py", a->id, a->geometry);
        found++;
    }
    cr_expect_gt(found, 100);
}

static bool plans(const at_case *c, or_dialect dialect, at_error *err) {
    at_plan *plan = NULL;
    at_status st = at_plan_make(&plan, c, dialect, 1, err);
    at_plan_free(plan);
    return st == AT_OK;
}

Test(cases_suites, each_quick_case_can_be_planned_in_every_dialect_it_may_run_in) {
    at_error err;
    for (size_t i = 0; i < at_cases_count(cases); i++) {
        const at_case *c = at_cases_at(cases, i);
        if (c->tier > AT_QUICK) continue;
        if (!c->any_dialect) cr_expect(plans(c, c->dialect, &err), "%s", err.text);
        if (!c->any_dialect) continue;
        cr_expect(plans(c, OR_GENAI, &err), "%s", err.text);
        const or_rule *rule = c->rule ? or_rule_by_id(c->rule) : NULL;
        if (rule == NULL || rule->duty[OR_ONNXRUNTIME] != OR_NO_RULE)
            cr_expect(plans(c, OR_ONNXRUNTIME, &err), "%s", err.text);
    }
}

/* supports is told of inputs alone, so it cannot know of an output. */
static bool cannot_be_asked(const or_rule *rule, unsigned gate) {
    return strcmp(rule->id, "present.value_cache_out") == 0 && gate == OR_SUPPORTS;
}

Test(cases_suites, each_rule_is_asked_for_at_each_gate_that_owns_it_in_each_dialect) {
    static const unsigned gates[] = {OR_SUPPORTS, OR_CREATE, OR_EXECUTE};
    size_t rules;
    const or_rule *rule = or_rules(&rules);
    for (size_t k = 0; k < rules; k++) {
        for (int d = 0; d < OR_DIALECTS; d++) {
            for (size_t g = 0; g < 3; g++) {
                bool asked = false;
                for (size_t i = 0; i < at_cases_count(cases) && !asked; i++) {
                    const at_case *c = at_cases_at(cases, i);
                    asked = c->rule != NULL && strcmp(c->rule, rule[k].id) == 0 && !c->any_dialect &&
                            (int)c->dialect == d && (c->gates & gates[g]);
                }
                bool owned = (rule[k].gates & gates[g]) && rule[k].duty[d] != OR_NO_RULE;
                cr_expect_eq(asked, owned && !cannot_be_asked(&rule[k], gates[g]), "%s, dialect %d, gate %zu",
                             rule[k].id, d, g);
            }
        }
    }
}

Test(cases_suites, each_clause_and_scenario_has_a_case) {
    for (size_t k = 0; k < at_cases_clauses(cases); k++) {
        const char *id = at_cases_clause(cases, k)->id;
        bool covered = false;
        for (size_t i = 0; i < at_cases_count(cases) && !covered; i++)
            covered = lists(at_cases_at(cases, i)->covers, id);
        cr_expect(covered, "%s", id);
    }
}

Test(cases_suites, each_design_is_used) {
    size_t designs;
    const at_design *const *design = at_designs(&designs);
    for (size_t k = 0; k < designs; k++) {
        bool used = false;
        for (size_t i = 0; i < at_cases_count(cases) && !used; i++)
            used = strcmp(at_cases_at(cases, i)->design, design[k]->name) == 0;
        cr_expect(used, "%s", design[k]->name);
    }
}

/* Section 5 of the contract: head_size, v_head_size, rotary_offset (-1: none), rotary_dim, heads. */
Test(cases_suites, the_geometries_of_the_contract_are_judged_in_both_types) {
    static const int64_t want[][5] = {
        {32, 16, 16, 16, 2},     {192, 128, 128, 64, 2},   {192, 128, 128, 64, 64}, {576, 512, 512, 64, 16},
        {576, 512, 512, 64, 64}, {576, 512, 512, 64, 128}, {96, 64, 64, 32, 4},     {64, 48, 32, 32, 3},
        {40, 40, -1, 0, 3},      {72, 64, 64, 8, 6},       {136, 128, 128, 8, 1},   {320, 256, 256, 64, 3},
        {64, 64, 0, 64, 2},      {192, 160, 128, 64, 2},
    };
    for (size_t k = 0; k < sizeof want / sizeof *want; k++) {
        bool seen[2] = {false, false};
        for (size_t i = 0; i < at_cases_count(cases); i++) {
            const at_case *c = at_cases_at(cases, i);
            const at_attr *v = at_attribute_of(c, "v_head_size", AT_INT),
                          *off = at_attribute_of(c, "rotary_offset", AT_INT);
            const at_attr *h = at_attribute_of(c, "num_heads", AT_INT);
            if (c->expect == AT_EXPECT_REFUSAL || v == NULL || h == NULL) continue;
            if (c->head_size == want[k][0] && v->i == want[k][1] && (off ? off->i : -1) == want[k][2] &&
                c->rotary_dim == want[k][3] && h->i == want[k][4])
                seen[c->dtype == AT_BF16] = true;
        }
        cr_expect(seen[0] && seen[1], "geometry %zu", k);
    }
}

Test(cases_suites, every_page_size_and_both_pairings_occur_in_quick) {
    for (int64_t bs = 16; bs <= 512; bs *= 2) {
        bool seen = false;
        for (size_t i = 0; i < at_cases_count(cases); i++)
            seen = seen || (at_cases_at(cases, i)->tier <= AT_QUICK && at_cases_at(cases, i)->block_size == bs);
        cr_expect(seen, "%d", (int)bs);
    }
    int paired[2] = {0};
    for (size_t i = 0; i < at_cases_count(cases); i++) {
        const at_attr *a = at_attribute_of(at_cases_at(cases, i), "rotary_interleaved", AT_INT);
        if (at_cases_at(cases, i)->tier <= AT_QUICK) paired[a != NULL && a->i == 1]++;
    }
    cr_expect(paired[0] > 0 && paired[1] > 0);
}

Test(cases_suites, contexts_of_several_tiles_occur_in_quick) {
    int seen = 0;
    for (size_t i = 0; i < at_cases_count(cases); i++) {
        const at_case *c = at_cases_at(cases, i);
        for (size_t b = 0; b < c->sequences; b++)
            seen += c->tier <= AT_QUICK && c->sequence[b].past + c->sequence[b].fresh > 256;
    }
    cr_expect_gt(seen, 20);
}

Test(cases_suites, the_words_for_modes_are_those_of_modes) {
    size_t modes;
    const at_mode *mode = at_modes(&modes);
    for (size_t i = 0; i < modes; i++) cr_expect_str_eq(at_mode_names[i], mode[i].name);
    cr_expect_null(at_mode_names[modes]);
}

static bool readme_names(const char *text, const char *name) {
    char cell[64];
    snprintf(cell, sizeof cell, "| `%s` |", name);
    return strstr(text, cell) != NULL;
}

Test(cases_suites, the_page_lists_every_key) {
    static char text[64 * 1024];
    FILE *f = fopen(beside("/README.md"), "r");
    cr_assert_not_null(f);
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    for (const at_key *k = at_suite_keys; k->name != NULL; k++) cr_expect(readme_names(text, k->name), "%s", k->name);
    for (const at_key *k = at_case_keys; k->name != NULL; k++) cr_expect(readme_names(text, k->name), "%s", k->name);
    for (const at_key *k = at_geometry_keys; k->name != NULL; k++)
        cr_expect_not_null(strstr(text, k->name), "%s", k->name);
}
