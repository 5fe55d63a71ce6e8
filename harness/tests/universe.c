/* What a run could cover: each thing once, under the name that records cover it by. */
#include "../universe.h"

#include "../../oracle/rules.h"
#include "../axes.h"
#include "../modes.h"
#include "../pairs.h"
#include "cases_scratch.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static at_cases *cases;
static char **universe;

static void setup(void) {
    scratch_open();
    cases = scratch_load("clauses: {read.window: What a token sees., S1: A window edge., Sum: A sum., dialect.slots: A "
                         "root.}\n" PLAIN_CASE ", covers: [S1, read.window]}\n");
    universe = at_universe(cases);
}

static void teardown(void) {
    for (char **s = universe; *s != NULL; s++) free(*s);
    free(universe);
    at_cases_free(cases);
    scratch_close();
}

TestSuite(universe, .init = setup, .fini = teardown);

static size_t times(const char *word) {
    size_t n = 0;
    for (char **s = universe; *s != NULL; s++) n += strcmp(*s, word) == 0;
    return n;
}

static size_t of_kind(const char *kind) {
    size_t n = 0;
    for (char **s = universe; *s != NULL; s++) n += strncmp(*s, kind, strlen(kind)) == 0;
    return n;
}

Test(universe, rules_stand_at_each_gate_that_owns_them) {
    size_t rules, gates = 0;
    const or_rule *rule = or_rules(&rules);
    for (size_t i = 0; i < rules; i++) gates += (size_t)__builtin_popcount(rule[i].gates);
    cr_expect_eq(of_kind("rule:"), gates);
    cr_expect(times("rule:kv-heads@supports") == 1 && times("rule:kv-heads@create") == 1 &&
              times("rule:kv-heads@execute") == 0);
    cr_expect(times("rule:block-size@execute") == 1 && times("rule:dtype.query@supports") == 1);
}

Test(universe, clauses_are_told_from_scenarios) {
    cr_expect(of_kind("clause:") == 3 && times("clause:read.window") == 1 && times("clause:Sum") == 1);
    cr_expect(of_kind("scenario:") == 1 && times("scenario:S1") == 1);
}

Test(universe, clauses_that_refuse_are_owed_a_refusal_beside_a_good_call_at_each_gate) {
    cr_expect(of_kind("refused:") == 1 && times("refused:dialect.slots") == 1 && times("clause:dialect.slots") == 1);
    cr_expect(of_kind("gate:") == 6 && times("gate:onnx-genai@supports") == 1 &&
              times("gate:onnxruntime@execute") == 1);
}

Test(universe, rules_of_pairs_come_with_their_reason) {
    size_t rules;
    at_impossible_pairs(&rules);
    cr_expect_eq(of_kind("impossible:"), rules);
    cr_expect_eq(times("impossible:mode=chunk*new=one: one token cannot be cut"), 1);
}

Test(universe, axes_and_modes_are_all_there) {
    size_t axes, modes;
    const char *const *axis = at_axes_universe(&axes);
    const at_mode *mode = at_modes(&modes);
    char name[64];
    cr_expect_eq(of_kind("axis:"), axes);
    for (size_t i = 0; i < axes; i++) cr_expect_eq(times(axis[i]), 1, "%s", axis[i]);
    cr_expect_eq(of_kind("mode:"), modes);
    for (size_t i = 0; i < modes; i++) {
        snprintf(name, sizeof name, "mode:%s", mode[i].name);
        cr_expect_eq(times(name), 1);
    }
}
