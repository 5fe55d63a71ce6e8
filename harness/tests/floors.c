/* What the cases of a tier owe: pairs by their percentage, and everything else without exception. */
#include "../floors.h"

#include "../finding.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* Two axes of four and five values, all of whose pairs cases meet, and one of each other kind. */
enum { FOUR = 4, FIVE = 5, PAIRS = FOUR * FIVE, WORDS = FOUR + FIVE + 8 };
static at_journal journal;
static at_error err;

static char **list(const char *first, const char *second) {
    char **words = calloc(3, sizeof *words);
    words[0] = at_text("%s", first);
    if (second != NULL) words[1] = at_text("%s", second);
    return words;
}

static void declare(const char *word) {
    size_t n = 0;
    while (journal.header.universe[n] != NULL) n++;
    cr_assert_lt(n, WORDS);
    journal.header.universe[n] = at_text("%s", word);
}

static void setup(void) {
    static const char *const words[] = {"clause:read.window",   "refused:dialect.slots",
                                        "rule:kv-heads@create", "gate:onnx-genai@create",
                                        "mode:eager",           "scenario:S13"};
    char word[32], other[32];
    journal = (at_journal){.complete = true};
    journal.header.universe = calloc(WORDS + 1, sizeof *journal.header.universe);
    for (int i = 0; i < FOUR; i++) snprintf(word, sizeof word, "axis:four=%d", i), declare(word);
    for (int i = 0; i < FIVE; i++) snprintf(word, sizeof word, "axis:five=%d", i), declare(word);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) declare(words[i]);
    journal.record = calloc(PAIRS + 1, sizeof *journal.record);
    journal.records = PAIRS + 1;
    for (int i = 0; i < PAIRS; i++) {
        at_record *r = &journal.record[i];
        snprintf(word, sizeof word, "four=%d", i % FOUR), snprintf(other, sizeof other, "five=%d", i / FOUR);
        r->axes = list(word, other), r->covers = list("read.window", NULL);
        r->id = at_text("suite/%d", i), r->mode = at_text("eager"), r->dialect = at_text("onnx-genai");
        r->expect = at_text("budget"), r->suite = at_text("suite");
    }
    at_record *refusal = &journal.record[PAIRS];
    refusal->id = at_text("suite/refused"), refusal->expect = at_text("refusal"), refusal->rule = at_text("kv-heads");
    refusal->gate = at_text("create"), refusal->covers = list("dialect.slots", NULL);
}

static void teardown(void) {
    for (size_t i = 0; i < PAIRS + 1; i++) at_record_clear(&journal.record[i]);
    free(journal.record);
    at_header_clear(&journal.header);
}

TestSuite(floors, .init = setup, .fini = teardown);

static at_status hold(at_tier tier) {
    at_coverage c;
    err.text[0] = 0;
    cr_assert_eq(at_coverage_of(&c, &journal, &err), AT_OK, "%s", err.text);
    at_status st = at_floors_hold(&c, tier, &err);
    at_coverage_free(&c);
    return st;
}

static void says(const char *part) {
    cr_expect_not_null(strstr(err.text, part), "no \"%s\" in: %s", part, err.text);
}

static void take_out(int record) {
    journal.record[record].verdict = AT_UNSUPPORTED;
}

Test(floors, a_tier_that_covers_all_of_it_owes_nothing) {
    cr_expect_eq(hold(AT_QUICK), AT_OK, "%s", err.text);
    cr_expect_eq(hold(AT_FULL), AT_OK, "%s", err.text);
}

Test(floors, one_pair_less_of_twenty_is_enough_for_the_quick_tier_and_not_for_the_full_one) {
    take_out(7);
    cr_expect_eq(hold(AT_QUICK), AT_OK, "%s", err.text);
    cr_expect_eq(hold(AT_FULL), AT_USAGE);
    says("pairs: 19 of 20 valid (95.0 %), and the full tier owes 100 %");
    take_out(10);
    cr_expect_eq(hold(AT_QUICK), AT_USAGE);
    says("pairs: 18 of 20 valid (90.0 %), and the quick tier owes 95 %");
    cr_expect_eq(hold(AT_SMOKE), AT_OK, "the smoke tier owes nothing");
}

Test(floors, a_pair_that_a_rule_forbids_is_not_owed) {
    take_out(7);
    declare("impossible:four=3*five=1: a reason");
    cr_expect_eq(hold(AT_FULL), AT_OK, "%s", err.text);
}

Test(floors, a_rule_that_a_case_contradicts_is_a_fault) {
    declare("impossible:four=3*five=1|2: a reason");
    cr_expect_eq(hold(AT_QUICK), AT_USAGE);
    says("2 pairs are impossible by harness/pairs.c, and cases have them: ");
    says("five=1 with four=3");
}

Test(floors, a_value_that_nobody_covers_is_named) {
    for (int i = 0; i < FOUR; i++) take_out(4 * FOUR + i);
    cr_expect_eq(hold(AT_QUICK), AT_USAGE);
    says("no case of the quick tier covers 1 things: axis:five=4; add a case for each");
}

Test(floors, a_rule_a_clause_and_its_refusal_are_owed_too) {
    take_out(PAIRS);
    cr_expect_eq(hold(AT_QUICK), AT_USAGE);
    says("covers 2 things: refused:dialect.slots, rule:kv-heads@create;");
    journal.record[PAIRS].verdict = AT_PASS;
    declare("clause:untouched");
    cr_expect_eq(hold(AT_QUICK), AT_USAGE);
    says("covers 1 things: clause:untouched;");
}

Test(floors, a_clause_that_is_only_refused_has_no_positive_case) {
    for (int i = 0; i < PAIRS; i++)
        free(journal.record[i].covers[0]), journal.record[i].covers[0] = at_text("dialect.slots");
    cr_expect_eq(hold(AT_QUICK), AT_USAGE);
    says("clause:read.window");
    free(journal.record[PAIRS].covers[0]), journal.record[PAIRS].covers[0] = at_text("read.window");
    cr_expect_eq(hold(AT_QUICK), AT_USAGE);
    says("covers 2 things: clause:read.window, refused:dialect.slots;");
}

Test(floors, scenarios_are_owed_by_the_stress_tier_alone) {
    cr_expect_eq(hold(AT_STRESS), AT_USAGE);
    says("covers 1 things: scenario:S13;");
}

Test(floors, a_long_list_is_cut) {
    for (int i = 0; i < PAIRS; i++) take_out(i);
    cr_expect_eq(hold(AT_QUICK), AT_USAGE);
    says("covers 12 things: ");
    says(", ...; add a case for each");
}
