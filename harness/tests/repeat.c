#include "../repeat.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static at_record fold(const at_verdict *verdict, int n) {
    at_repeats repeats = {0};
    at_record out;
    for (int i = 0; i < n; i++) {
        at_record r = {.verdict = verdict[i], .message = strdup("m")};
        r.message[0] = (char)('0' + i);
        at_repeats_add(&repeats, &r);
        cr_expect_null(r.message, "the record is taken over");
    }
    at_repeats_take(&repeats, &out);
    cr_expect_eq(repeats.runs, 0);
    return out;
}

Test(repeat, verdicts_that_agree_stay_and_those_that_change_are_flaky) {
    static const struct {
        at_verdict runs[3], due;
    } row[] = {
        {{AT_PASS, AT_PASS, AT_PASS}, AT_PASS},
        {{AT_FAIL, AT_FAIL, AT_FAIL}, AT_FAIL},
        {{AT_PASS, AT_FAIL, AT_PASS}, AT_FLAKY},
        {{AT_PASS, AT_PASS, AT_CRASH}, AT_FLAKY},
        {{AT_TIMEOUT, AT_FAIL, AT_FAIL}, AT_FLAKY},
        {{AT_UNSUPPORTED, AT_PASS, AT_PASS}, AT_FLAKY},
        {{AT_PASS, AT_MARGINAL, AT_PASS}, AT_MARGINAL},           /* both accept */
        {{AT_PASS, AT_HARNESS_ERROR, AT_FAIL}, AT_HARNESS_ERROR}, /* the harness's fault says nothing of the subject */
        {{AT_NOT_RUN, AT_PASS, AT_PASS}, AT_NOT_RUN},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        at_record r = fold(row[i].runs, 3);
        cr_expect_eq(r.verdict, row[i].due, "row %zu: %s", i, at_verdict_name(r.verdict));
        at_record_clear(&r);
    }
}

Test(repeat, the_worst_run_is_kept_and_the_counts_come_first) {
    static const at_verdict runs[] = {AT_PASS, AT_FAIL, AT_FAIL, AT_PASS};
    at_record r = fold(runs, 4);
    cr_expect_str_eq(r.message, "repeat: of 4 runs: 2 PASS, 2 FAIL; 1");
    cr_expect_eq(r.findings, 1);
    cr_expect_str_eq(r.finding[0].detector, "repeat");
    at_record_clear(&r);
}

Test(repeat, findings_of_the_worst_run_move_down_and_none_is_lost_uncounted) {
    at_repeats repeats = {0};
    at_record pass = {.verdict = AT_PASS},
              fail = {.verdict = AT_FAIL, .findings = AT_RECORD_FINDINGS, .findings_all = 9}, out;
    strcpy(fail.finding[0].detector, "value");
    at_repeats_add(&repeats, &fail);
    at_repeats_add(&repeats, &pass);
    at_repeats_take(&repeats, &out);
    cr_expect_eq(out.findings, AT_RECORD_FINDINGS);
    cr_expect_eq(out.findings_all, 10);
    cr_expect_str_eq(out.finding[1].detector, "value");
    at_record_clear(&out);
}
