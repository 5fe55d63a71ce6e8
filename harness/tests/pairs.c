/* The rules that say which pairs are impossible: each speaks of what there is, and is needed. */
#include "../pairs.h"

#include "../../reports/coverage.h"
#include "../axes.h"
#include "../finding.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static const char *const *axes;
static size_t values, rules;
static const at_impossible *rule;

static void setup(void) {
    axes = at_axes_universe(&values);
    rule = at_impossible_pairs(&rules);
}

TestSuite(pairs, .init = setup);

/* How many pairs these rules alone forbid. */
static size_t forbidden(const at_impossible *some, size_t count) {
    at_journal j = {.complete = true};
    at_coverage c;
    at_error err;
    size_t n = 0;
    j.header.universe = calloc(values + count + 1, sizeof *j.header.universe);
    for (size_t i = 0; i < values; i++) j.header.universe[n++] = at_text("%s", axes[i]);
    for (size_t i = 0; i < count; i++) {
        j.header.universe[n++] =
            at_text("impossible:%s*%s=%s: %s", some[i].value, some[i].axes, some[i].others, some[i].why);
    }
    cr_assert_eq(at_coverage_of(&c, &j, &err), AT_OK, "%s", err.text);
    size_t impossible = at_pairs_of_all(&c).impossible;
    at_coverage_free(&c);
    at_header_clear(&j.header);
    return impossible;
}

static size_t words(const char *list) {
    size_t n = 1;
    for (; *list != 0; list++) n += *list == '|';
    return n;
}

Test(pairs, each_rule_forbids_a_pair_for_each_word_of_it) {
    for (size_t i = 0; i < rules; i++) {
        size_t due = words(rule[i].axes) * words(rule[i].others), is = forbidden(&rule[i], 1);
        cr_expect(strchr(rule[i].others, '*') != NULL ? is > due : is == due, "%s with %s of %s: %zu pairs",
                  rule[i].value, rule[i].others, rule[i].axes, is);
        cr_expect_gt(strlen(rule[i].why), 10, "%s: a reason", rule[i].value);
    }
}

Test(pairs, no_rule_says_what_the_others_say) {
    size_t all = forbidden(rule, rules);
    at_impossible *others = calloc(rules, sizeof *others);
    for (size_t i = 0; i < rules; i++) {
        memcpy(others, rule, i * sizeof *rule);
        memcpy(others + i, rule + i + 1, (rules - i - 1) * sizeof *rule);
        cr_expect_lt(forbidden(others, rules - 1), all, "%s with %s", rule[i].value, rule[i].others);
    }
    free(others);
}

Test(pairs, a_word_that_no_axis_has_forbids_nothing) {
    const at_impossible wrong[] = {{"batch=vast", "past", "pages", "no such value"},
                                   {"batch=one", "pasts", "pages", "no such axis"},
                                   {"batch=one", "past", "page", "no such value of it"}};
    cr_expect_eq(forbidden(wrong, 3), 0);
}
