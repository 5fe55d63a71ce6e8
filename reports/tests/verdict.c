#include "sample.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static at_outcome outcome_of(const at_journal *j, bool require_gpu) {
    at_error err;
    at_outcome o;
    cr_assert_eq(at_verdict_of(&o, j, require_gpu, &err), AT_OK, "%s", err.text);
    return o;
}

static void on_gpu(at_journal *j) {
    sample_set(&j->header.device_kind, "cuda");
    sample_set(&j->header.device, "NVIDIA H200");
    sample_set(&j->header.arch, "sm_90");
    j->header.gpus = 1;
}

static at_journal *two_passing_cases(void) {
    at_journal *j = sample_journal();
    sample_attempt(j, "a/1", AT_PASS);
    sample_attempt(j, "a/1", AT_PASS);
    sample_attempt(j, "a/2", AT_PASS);
    return j;
}

static void says(at_journal *j, at_status status, const char *line) {
    at_outcome o = outcome_of(j, false);
    cr_expect_eq(o.status, status, "%d: %s", o.status, o.line);
    cr_expect_str_eq(o.line, line);
    at_journal_free(j);
}

/* Is the word in the line, and the status with it? */
static void becomes(at_journal *j, at_status status, const char *part) {
    at_outcome o = outcome_of(j, false);
    cr_expect_eq(o.status, status, "%d: %s", o.status, o.line);
    cr_expect_not_null(strstr(o.line, part), "\"%s\" does not say \"%s\"", o.line, part);
    cr_expect_eq(status == AT_OK, strncmp(o.line, "VALIDATED", 9) == 0, "%s", o.line);
    at_journal_free(j);
}

Test(verdict, the_line_says_on_what_and_how_many_cases_under_which_arithmetic) {
    says(two_passing_cases(), AT_OK, "VALIDATED on CPU execution (no GPU seen): 2 of 2 cases, arithmetic dot f32");
    at_journal *j = two_passing_cases();
    j->header.gpus = 2;
    says(j, AT_OK, "VALIDATED on CPU execution: 2 of 2 cases, arithmetic dot f32");
    j = two_passing_cases();
    on_gpu(j);
    says(j, AT_OK, "VALIDATED on NVIDIA H200 (sm_90): 2 of 2 cases, arithmetic dot f32");
}

Test(verdict, the_worst_attempt_of_all_decides_the_exit_status) {
    static const struct {
        at_verdict one, other;
        at_status status;
        const char *word;
    } row[] = {
        {AT_PASS, AT_PASS, AT_OK, "VALIDATED"},
        {AT_PASS, AT_MARGINAL, AT_OK, "VALIDATED"},
        {AT_PASS, AT_UNSUPPORTED, AT_OK, "VALIDATED"},
        {AT_PASS, AT_WAIVED, AT_OK, "VALIDATED"},
        {AT_PASS, AT_NOT_RUN, AT_UNVALIDATED, "UNVALIDATED"},
        {AT_PASS, AT_FAIL, AT_FAILED, "FAILED"},
        {AT_PASS, AT_FLAKY, AT_FAILED, "FAILED"},
        {AT_PASS, AT_CRASH, AT_FAILED, "FAILED"},
        {AT_PASS, AT_TIMEOUT, AT_FAILED, "FAILED"},
        {AT_PASS, AT_HARNESS_ERROR, AT_INFRASTRUCTURE, "INFRASTRUCTURE"},
        {AT_NOT_RUN, AT_FAIL, AT_FAILED, "FAILED"},
        {AT_FAIL, AT_HARNESS_ERROR, AT_INFRASTRUCTURE, "INFRASTRUCTURE"},
        {AT_NOT_RUN, AT_HARNESS_ERROR, AT_INFRASTRUCTURE, "INFRASTRUCTURE"},
        {AT_UNSUPPORTED, AT_UNSUPPORTED, AT_UNVALIDATED, "UNVALIDATED"},
        {AT_WAIVED, AT_WAIVED, AT_UNVALIDATED, "UNVALIDATED"},
        {AT_UNSUPPORTED, AT_NOT_RUN, AT_UNVALIDATED, "UNVALIDATED"},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        for (int swapped = 0; swapped < 2; swapped++) {
            at_journal *j = sample_journal();
            sample_attempt(j, "a/1", swapped ? row[i].other : row[i].one);
            sample_attempt(j, "a/2", swapped ? row[i].one : row[i].other);
            at_outcome o = outcome_of(j, false);
            cr_expect_eq(o.status, row[i].status, "row %zu: %s", i, o.line);
            cr_expect_str_eq(o.word, row[i].word);
            at_journal_free(j);
        }
    }
}

Test(verdict, a_case_is_what_the_worst_of_its_attempts_is) {
    at_journal *j = sample_journal();
    sample_attempt(j, "a/1", AT_PASS);
    sample_attempt(j, "a/1", AT_FAIL);
    sample_attempt(j, "a/2", AT_PASS);
    sample_attempt(j, "a/2", AT_UNSUPPORTED);
    sample_attempt(j, "a/3", AT_UNSUPPORTED);
    sample_attempt(j, "a/4", AT_WAIVED);
    sample_attempt(j, "a/4", AT_MARGINAL);
    sample_attempt(j, "a/5", AT_NOT_RUN);
    sample_attempt(j, "a/5", AT_PASS);
    says(j, AT_FAILED,
         "FAILED on CPU execution (no GPU seen): 1 of 5 cases passed, 1 failed, 1 not run, 1 waived, 1 unsupported, "
         "arithmetic dot f32; warning: 1 "
         "attempt is MARGINAL");
}

Test(verdict, marginal_is_a_warning_and_exits_0) {
    at_journal *j = sample_journal();
    sample_attempt(j, "a/1", AT_MARGINAL);
    sample_attempt(j, "a/2", AT_MARGINAL);
    becomes(j, AT_OK, "2 of 2 cases, arithmetic dot f32; warning: 2 attempts are MARGINAL");
}

Test(verdict, an_incomplete_journal_never_validates) {
    at_journal *j = two_passing_cases();
    j->complete = false;
    becomes(j, AT_UNVALIDATED, "cut short");
    j = two_passing_cases();
    j->complete = false;
    j->record[0].verdict = AT_FAIL;
    becomes(j, AT_FAILED, "cut short");
}

Test(verdict, planned_cases_and_attempts_that_left_no_record_are_missed) {
    at_journal *j = two_passing_cases();
    j->header.planned_cases = 10;
    becomes(j, AT_UNVALIDATED, "10 cases were planned, 2 are in the journal; 2 of 10 cases passed, 8 not run");
    j = two_passing_cases();
    j->header.planned_cases = 0;
    becomes(j, AT_UNVALIDATED, "0 cases were planned, 2 are");
    j = two_passing_cases();
    j->header.planned = 4;
    becomes(j, AT_UNVALIDATED, "4 attempts were planned, 3 are in the journal");
    becomes(sample_journal(), AT_UNVALIDATED, "nothing was judged; 0 of 0 cases passed");
}

Test(verdict, require_gpu_takes_nothing_else) {
    at_journal *j = two_passing_cases();
    at_outcome o = outcome_of(j, true);
    cr_expect_eq(o.status, AT_UNVALIDATED);
    cr_expect_str_eq(o.line, "UNVALIDATED on CPU execution (no GPU seen): a GPU is required (--require-gpu); 2 of 2 "
                             "cases passed, arithmetic dot f32");
    j->header.require_gpu = true;
    cr_expect_eq(outcome_of(j, false).status, AT_UNVALIDATED, "the run's own wish stays with the journal");
    on_gpu(j);
    cr_expect_eq(outcome_of(j, true).status, AT_OK);
    sample_set(&j->header.device_kind, NULL);
    cr_expect_eq(outcome_of(j, true).status, AT_UNVALIDATED, "a device that is not named is no GPU");
    at_journal_free(j);
}

Test(verdict, a_suite_below_its_floor_validates_nothing) {
    at_journal *j = two_passing_cases();
    sample_attempt(j, "b/1", AT_UNSUPPORTED);
    j->header.floors = sample_list("a=2", NULL);
    at_outcome o = outcome_of(j, false);
    cr_expect_eq(o.status, AT_OK, "%s", o.line);
    sample_set(&j->header.floors[0], "a=3");
    o = outcome_of(j, false);
    cr_expect_eq(o.status, AT_UNVALIDATED);
    cr_expect_not_null(strstr(o.line, "2 cases were executed where the floor is a=3"), "%s", o.line);
    sample_set(&j->header.floors[0], "b=1");
    cr_expect_eq(outcome_of(j, false).status, AT_UNVALIDATED, "unsupported is not executed");
    sample_set(&j->header.floors[0], "c=1");
    cr_expect_eq(outcome_of(j, false).status, AT_UNVALIDATED, "a suite that is not there executed nothing");
    at_journal_free(j);
}

Test(verdict, of_several_arithmetics_the_usual_one_is_named) {
    at_journal *j = two_passing_cases();
    sample_set(&j->record[0].arithmetic, "dot tensor");
    becomes(j, AT_OK, "arithmetic dot f32 (and 1 other)");
}

Test(verdict, names_of_devices_cannot_reach_the_terminal) {
    at_journal *j = two_passing_cases();
    on_gpu(j);
    sample_set(&j->header.device, hostile);
    sample_set(&j->header.arch, hostile);
    for (size_t i = 0; i < j->records; i++) sample_set(&j->record[i].arithmetic, hostile);
    at_outcome o = outcome_of(j, false);
    for (const char *c = o.line; *c != 0; c++)
        cr_assert(*c >= 0x20 && *c < 0x7f, "0x%02x in \"%s\"", (unsigned char)*c, o.line);
    cr_expect_not_null(strstr(o.line, "\\x1b[31m\\n"), "%s", o.line);
    at_journal_free(j);
}

Test(verdict, a_line_too_long_is_cut) {
    at_journal *j = two_passing_cases();
    char name[401];
    for (size_t i = 0; i < sizeof name - 1; i++) name[i] = '\x01';
    name[sizeof name - 1] = 0;
    on_gpu(j);
    sample_set(&j->header.device, name);
    for (size_t i = 0; i < j->records; i++) sample_set(&j->record[i].arithmetic, name);
    at_outcome o = outcome_of(j, false);
    cr_expect_eq(strlen(o.line), sizeof o.line - 1);
    cr_expect_eq(strncmp(o.line, "VALIDATED on \\x01", 17), 0, "%s", o.line);
    at_journal_free(j);
}
