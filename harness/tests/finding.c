/* Findings: kept in order, counted beyond that, and never undone. */
#include "../finding.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static at_record record;

static void setup(void) {
    record = (at_record){.verdict = AT_PASS};
}

static void teardown(void) {
    at_record_clear(&record);
}

TestSuite(finding, .init = setup, .fini = teardown);

Test(finding, the_first_becomes_the_message_and_all_are_counted) {
    for (int i = 0; i < 6; i++) at_find(&record, "canary", "byte %d", i);
    cr_expect(record.verdict == AT_FAIL && record.findings == AT_RECORD_FINDINGS && record.findings_all == 6);
    cr_expect_str_eq(record.message, "canary: byte 0");
    cr_expect_str_eq(record.finding[3].detector, "canary");
    cr_expect_str_eq(record.finding[3].text, "byte 3");
}

Test(finding, a_sentence_too_long_is_cut) {
    char word[600];
    memset(word, 'x', sizeof word - 1);
    word[sizeof word - 1] = 0;
    at_find(&record, "value", "%s", word);
    cr_expect_eq(strlen(record.finding[0].text), sizeof record.finding[0].text - 1);
}

Test(finding, what_is_set_aside_says_why) {
    at_set_aside(&record, AT_UNSUPPORTED, "not %s", "done");
    cr_expect(record.verdict == AT_UNSUPPORTED && record.findings_all == 0);
    cr_expect_str_eq(record.message, "not done");
    at_set_aside(&record, AT_NOT_RUN, "no memory");
    cr_expect(record.verdict == AT_NOT_RUN);
    cr_expect_str_eq(record.message, "no memory");
}

Test(finding, what_failed_stays_failed) {
    at_find(&record, "canary", "byte 0");
    at_set_aside(&record, AT_UNSUPPORTED, "not done");
    cr_expect_eq(record.verdict, AT_FAIL);
    cr_expect_str_eq(record.message, "canary: byte 0");
}

Test(finding, a_finding_after_something_set_aside_takes_its_place) {
    at_set_aside(&record, AT_UNSUPPORTED, "not done");
    at_find(&record, "input", "query changed");
    cr_expect_eq(record.verdict, AT_FAIL);
    cr_expect_str_eq(record.message, "input: query changed");
}

Test(finding, texts_are_heap_copies) {
    char *text = at_text("%s %d", "slot", 7);
    cr_expect_str_eq(text, "slot 7");
    free(text);
}

Test(finding, what_is_found_besides_keeps_a_failure_s_verdict_and_message) {
    record.verdict = AT_CRASH, record.message = at_text("killed");
    at_find_besides(&record, "sanitizer", "out of bounds");
    cr_expect(record.verdict == AT_CRASH && record.findings_all == 1);
    cr_expect_str_eq(record.message, "killed");
    cr_expect_str_eq(record.finding[0].text, "out of bounds");
    teardown(), setup();
    at_find_besides(&record, "sanitizer", "out of bounds");
    cr_expect_eq(record.verdict, AT_FAIL);
    cr_expect_str_eq(record.message, "sanitizer: out of bounds");
}

Test(finding, an_interval_of_one_answer_is_said_once) {
    char text[AT_ALLOWED];
    cr_expect_str_eq(at_allowed(text, -103, -103, 9), "only -103");
    cr_expect_str_eq(at_allowed(text, NAN, NAN, 9), "only nan");
    cr_expect_str_eq(at_allowed(text, 0.499755859, 0.500244141, 9), "0.499755859 to 0.500244141");
    cr_expect_str_eq(at_allowed(text, -1.17549435e-38, 1.17549435e-38, 9), "-1.17549435e-38 to 1.17549435e-38");
    cr_expect_str_eq(at_allowed(text, -0.0, 0, 6), "-0 to 0");
}
