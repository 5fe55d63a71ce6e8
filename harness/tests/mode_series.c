/* life, speculate, busy: what only calls after calls show. */
#include "attempts.h"

#include <criterion/criterion.h>

static plan_case x;

static void setup(void) {
    case_of_decode(&x);
}

TestSuite(mode_series, .init = setup);

Test(mode_series, a_right_subject_passes) {
    static const char *const modes[] = {"life", "speculate", "busy"}, *const subjects[] = {"right", "modest",
                                                                                           "foreign"};
    for (size_t m = 0; m < 3; m++) {
        for (size_t s = 0; s < 3; s++) expect_verdict(AT_PASS, subjects[s], modes[m], &x);
    }
}

Test(mode_series, each_fault_is_found_by_the_series_that_is_for_it) {
    static const struct {
        const char *subject, *mode, *detector, *words;
    } expected[] = {
        {"keeps_length", "life", "value", "written row, rotated: token 0 (sequence 0, position 0"},
        {"writes_rejected", "speculate", "write-set", "and no token of the call writes there"},
        {"rare_race", "busy", "repeat", "run 41 and the first differ: token 0, head 0, channel 5"},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        expect_found(expected[i].subject, expected[i].mode, &x, expected[i].detector, expected[i].words);
        expect_verdict(AT_PASS, expected[i].subject, "eager", &x);
        expect_verdict(AT_PASS, expected[i].subject, "replay", &x);
    }
}

Test(mode_series, repeats_stop_at_the_first_that_differs) {
    const at_record *r = attempt("changes_its_mind", "busy", &x);
    cr_expect_eq(r->findings_all, 1, "%s", findings_of(r));
    cr_expect(has_finding(r, "repeat", "run 2 and the first differ"));
}

Test(mode_series, figures_are_those_of_the_last_answer) {
    static const char *const modes[] = {"life", "speculate", "busy"}, *const subjects[] = {"right", "modest"};
    for (size_t m = 0; m < 3; m++) {
        for (size_t s = 0; s < 2; s++)
            cr_expect_eq(attempt(subjects[s], modes[m], &x)->tensors, 2, "%s, %s", subjects[s], modes[m]);
    }
}

Test(mode_series, a_series_ends_where_the_subject_does_not_do_it) {
    static const char *const modes[] = {"life", "speculate", "busy"};
    for (size_t m = 0; m < 3; m++) {
        expect_verdict(AT_UNSUPPORTED, "not_implemented", modes[m], &x);
        cr_expect_eq(attempt("refuses_at_supports", modes[m], &x)->findings_all, 1, "%s", modes[m]);
    }
}

Test(mode_series, a_batch_of_nobody_lives_too) {
    x.c.sequences = 0;
    expect_verdict(AT_PASS, "right", "life", &x);
    expect_verdict(AT_PASS, "right", "speculate", &x);
}
