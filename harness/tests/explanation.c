/* Explanations: which wrong reading an answer agrees with, and that looking for it changes nothing else. */
#include "judging.h"

#include "../../oracle/write.h"
#include "../explanation.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static plan_case x;
static judging j;

static void setup(void) {
    plan_case_crowd(&x);
    judging_open(&j, &x);
}

static void teardown(void) {
    judging_close(&j);
}

TestSuite(explanation, .init = setup, .fini = teardown);

static size_t outputs(void) {
    const or_problem *p = j.question.problem;
    return (size_t)(p->tokens * p->heads * p->v_head_size);
}

static const at_record *sought(double left) {
    judged(&j);
    at_explanation_seek(&j.record, &left, j.plan, &j.question.arithmetic, &j.answer);
    return &j.record;
}

static bool says(const at_record *r, const char *text) {
    for (char **e = r->explanation; e != NULL && *e != NULL; e++) {
        if (strstr(*e, text) == *e) return true;
    }
    return false;
}

Test(explanation, each_reading_explains_its_own_answer) {
    int wrong = 0;
    for (size_t i = 0; or_hypothesis_at(i) != NULL; i++) {
        const or_hypothesis *h = or_hypothesis_at(i);
        const or_setting here = setting_of(&j);
        if (!or_hypothesis_applies(h, &here)) continue;
        answer_as(&j, h);
        if (sought(20)->verdict != AT_FAIL) continue; /* here it gives the right answer */
        cr_expect(says(&j.record, or_hypothesis_id(h)), "%s", or_hypothesis_id(h));
        wrong++;
    }
    cr_expect_geq(wrong, 20, "%d", wrong);
}

Test(explanation, an_answer_of_no_known_reading_agrees_with_none) {
    for (size_t i = 0; i < outputs(); i++) j.output[i] = (uint16_t)(0x3c00 + i % 977);
    const at_record *r = sought(20);
    cr_assert_not_null(r->explanation);
    cr_expect(strncmp(r->explanation[0], "none of ", 8) == 0, "%s", r->explanation[0]);
    cr_expect_null(r->explanation[1]);
}

Test(explanation, a_wrong_cache_under_a_right_output_is_not_put_down_to_a_reading) {
    *written_at(&j, 0, 1) ^= 0x4000;
    answer_rightly(&j);
    const at_record *r = sought(20);
    cr_assert_not_null(r->explanation);
    cr_expect(says(r, "none of "), "%s", r->explanation[0]);
    cr_expect(strstr(r->explanation[0], "known wrong readings of the written key"), "%s", r->explanation[0]);
    cr_expect_null(strstr(r->explanation[0], "right reading"), "no failure is one");
}

/* The rows that this call writes, rotated by the negative of each angle. */
static void write_the_other_way(void) {
    or_problem p = *j.question.problem;
    const size_t n = (size_t)at_tensor_bytes(&j.plan->call.in[OR_SIN_CACHE]) / sizeof *p.sin_cache;
    uint16_t *sin = malloc(n * sizeof *sin);
    cr_assert_not_null(sin);
    for (size_t i = 0; i < n; i++) sin[i] = p.sin_cache[i] ^ 0x8000;
    p.sin_cache = sin;
    or_write_all(j.cache, &p);
    free(sin);
}

Test(explanation, a_key_written_as_a_reading_would_is_put_down_to_it) {
    write_the_other_way();
    answer_rightly(&j);
    const at_record *r = sought(20);
    cr_assert_not_null(r->explanation);
    cr_expect_str_eq(r->explanation[0], "rope-sign: the key was written as it would: rotated the other way");
    cr_expect_null(r->explanation[1], "%s", r->explanation[1]);
}

Test(explanation, a_key_and_a_query_of_one_reading_are_told_as_one) {
    write_the_other_way();
    answer_as(&j, or_hypothesis_by_id("rope-sign"));
    const at_record *r = sought(20);
    cr_assert_not_null(r->explanation);
    cr_expect(says(r, "rope-sign: the key was written as it would, and the query read: "), "%s", r->explanation[0]);
}

Test(explanation, a_key_off_by_its_last_bit_is_put_down_to_no_reading) {
    *written_at(&j, 0, 0) ^= 1; /* passed through: its neighbour is wrong */
    answer_rightly(&j);
    const at_record *r = sought(20);
    cr_assert_not_null(r->explanation);
    cr_expect(says(r, "none of "), "%s", r->explanation[0]);
}

Test(explanation, what_passes_or_fails_elsewhere_is_not_explained) {
    cr_expect_null(sought(20)->explanation);
    cr_expect_eq(j.record.verdict, AT_PASS);
}

Test(explanation, verdict_and_findings_stay_as_they_are_and_time_is_accounted) {
    double left = 20;
    answer_as(&j, or_hypothesis_by_id("zeros"));
    judged(&j);
    const int64_t findings = j.record.findings_all;
    char *message = strdup(j.record.message);
    at_explanation_seek(&j.record, &left, j.plan, &j.question.arithmetic, &j.answer);
    cr_expect(j.record.verdict == AT_FAIL && j.record.findings_all == findings);
    cr_expect_str_eq(j.record.message, message);
    cr_expect(left < 20 && j.record.seconds < 0, "an attempt's time is its own");
    cr_expect_float_eq(left - 20, j.record.seconds, 1e-9);
    char **first = j.record.explanation;
    at_explanation_seek(&j.record, &left, j.plan, &j.question.arithmetic, &j.answer);
    cr_expect_eq(j.record.explanation, first, "the first of an attempt is kept");
    free(message);
}

Test(explanation, without_time_there_is_none) {
    at_error err = {""};
    at_explanation e = {.agrees = calloc(at_hypotheses(), sizeof *e.agrees),
                        .written.as = calloc(at_hypotheses(), sizeof *e.written.as)};
    answer_as(&j, or_hypothesis_by_id("zeros"));
    cr_expect_null(sought(0)->explanation);
    cr_expect_null(sought(1e-12)->explanation);
    cr_expect_eq(j.record.verdict, AT_FAIL);
    cr_expect_eq(at_explain(&e, j.plan, &j.question.arithmetic, &j.answer, 0, &err), AT_INFRASTRUCTURE);
    free(e.written.as), free(e.agrees);
}
