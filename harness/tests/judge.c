/* The judge: the right answer passes, and each way of being wrong is reported once, with its place. */
#include "judging.h"

#include "../../oracle/write.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static plan_case x;
static judging j;

static void open(void) {
    plan_case_crowd(&x); /* tokens 0 to 2 of positions 40 to 42, 3 and 4 of positions 16 and 17 */
    judging_open(&j, &x);
}

static void close(void) {
    judging_close(&j);
}

/* For tests that judge another case. */
static void reopen(void) {
    close();
    judging_open(&j, &x);
}

TestSuite(judge, .init = open, .fini = close);

static const at_tensor_report *report_of(const at_record *r, const char *tensor) {
    for (int i = 0; i < r->tensors; i++) {
        if (strcmp(r->tensor[i].tensor, tensor) == 0) return &r->tensor[i];
    }
    cr_assert_fail("no report of %s", tensor);
    return NULL;
}

Test(judge, the_correctly_rounded_answer_passes_with_nothing_off) {
    const at_record *r = judged(&j);
    cr_expect_eq(r->verdict, AT_PASS);
    cr_expect_eq(r->findings_all, 0);
    cr_assert_eq(r->tensors, 2);
    cr_expect(r->tensor[0].excess == 0 && r->tensor[0].ulps == 0 && r->tensor[0].mismatches == 0 &&
              r->tensor[0].elements == 5 * 32);
    cr_expect(r->tensor[1].excess == 0 && r->tensor[1].ulps == 0 && r->tensor[1].mismatches == 0 &&
              r->tensor[1].elements == 5 * 2 * 16);
}

Test(judge, one_flipped_mantissa_bit_is_reported_with_its_place) {
    const uint16_t right = *output_at(&j, 4, 1, 7);
    char bits[16];
    *output_at(&j, 4, 1, 7) ^= 4;
    const at_record *r = judged(&j);
    expect_finding(r, "value", "output: token 4 (sequence 1, position 17, page 1, slot ");
    expect_finding(r, "value", "), head 1, channel 7: want ");
    snprintf(bits, sizeof bits, "(0x%04x)", right ^ 4);
    expect_finding(r, "value", bits);
    cr_expect_eq(r->findings_all, 1);
    const at_tensor_report *t = report_of(r, "output");
    cr_expect(t->mismatches == 1 && t->token == 4 && t->head == 1 && t->channel == 7 && t->ulps == 4 && t->excess > 1);
    cr_expect_eq(t->got, or_decode(OR_F16, right ^ 4));
    cr_expect(t->low <= t->high && (t->got < t->low || t->got > t->high));
}

Test(judge, every_mantissa_bit_of_an_output_from_the_second_on_is_seen) {
    for (int bit = 1; bit < 10; bit++) {
        *output_at(&j, 0, 0, 3) ^= 1 << bit;
        cr_expect_eq(judged(&j)->verdict, AT_FAIL, "bit %d", bit);
        *output_at(&j, 0, 0, 3) ^= 1 << bit;
    }
    cr_expect_eq(judged(&j)->verdict, AT_PASS);
}

Test(judge, a_passed_through_channel_is_held_to_its_bytes) {
    const uint16_t right = *written_at(&j, 3, 5);
    char bits[64];
    *written_at(&j, 3, 5) ^= 1;
    const at_record *r = judged(&j);
    expect_finding(r, "value", "written row, passed through: token 3 (sequence 1, position 16, page 1, slot ");
    snprintf(bits, sizeof bits, "channel 5: want 0x%04x", right);
    expect_finding(r, "value", bits);
    cr_expect_eq(report_of(r, "key_cache_out")->mismatches, 1);
}

Test(judge, a_nan_s_payload_and_a_zero_s_sign_are_bytes_too) {
    *(uint16_t *)(uintptr_t)(j.plan->problem.key + 2 * 32 + 1) = 0x7e01;
    *written_at(&j, 2, 1) = 0x7e00;
    expect_finding(judged(&j), "value", "channel 1: want 0x7e01 (nan), got 0x7e00 (nan)");
    *(uint16_t *)(uintptr_t)(j.plan->problem.key + 2 * 32 + 1) = 0x8000;
    *written_at(&j, 2, 1) = 0;
    expect_finding(judged(&j), "value", "channel 1: want 0x8000 (-0), got 0x0000 (0)");
}

Test(judge, a_rotated_channel_may_be_what_the_declared_rotation_gives_and_not_an_ulp_more) {
    uint16_t *rotated = written_at(&j, 1, 20);
    const uint16_t right = *rotated;
    or_written row[32];
    for (int step = -1; step <= 1; step += 2) {
        *rotated = (uint16_t)(right + step);
        expect_finding(judged(&j), "value", "written row, rotated: token 1 (sequence 0, position 41, page 2");
    }
    j.question.arithmetic.rope = OR_ROPE_UNSAID;
    or_written_row(row, &j.plan->problem, &j.question.arithmetic, 1);
    *rotated = or_round(OR_F16, row[20].hi); /* the last that any rotation gives, then one beyond */
    cr_expect_eq(report_of(judged(&j), "key_cache_out")->mismatches, 0);
    *rotated += row[20].hi >= 0 ? 1 : -1;
    cr_expect_eq(report_of(judged(&j), "key_cache_out")->mismatches, 1);
}

Test(judge, output_is_judged_on_the_cache_that_the_subject_left) {
    *written_at(&j, 0, 20) ^= 0x80; /* a row that is off: one fault, which the output follows */
    const at_record *r = judged(&j);
    cr_expect_eq(report_of(r, "key_cache_out")->mismatches, 1);
    cr_expect_neq(report_of(r, "output")->mismatches, 0); /* the answer was made from the right row */
    answer again;
    answer_open(&again, j.plan);
    memcpy(again.cache, j.cache, at_tensor_bytes(&j.plan->call.in[OR_KEY_CACHE]));
    for (int64_t i = 0; i < 10; i++) {
        const or_row *row = answer_row(&again, i / 2, i % 2);
        for (int64_t d = 0; d < 16; d++) j.output[i * 16 + d] = or_round(OR_F16, row->o[d]);
    }
    answer_close(&again);
    r = judged(&j);
    cr_expect_eq(report_of(r, "output")->mismatches, 0);
    cr_expect_eq(r->findings_all, 1);
}

static int64_t free_slot(void) {
    const or_problem *p = &j.plan->problem;
    return or_slot_of(p, 0, 40 + 3); /* behind the last written one of the first sequence */
}

Test(judge, a_byte_changed_where_no_token_writes_is_reported_once_a_slot) {
    const int64_t slot = free_slot();
    char words[100];
    j.cache[slot * 32 + 9] ^= 0x100;
    j.cache[slot * 32 + 11] ^= 1;
    const at_record *r = judged(&j);
    snprintf(words, sizeof words, "cache page %d, slot %d, channel 9 changed from 0x", (int)(slot / 16), (int)slot);
    expect_finding(r, "write-set", words);
    cr_expect_eq(r->findings_all, 1);
    cr_expect_eq(report_of(r, "key_cache_out")->mismatches, 0);
}

Test(judge, a_skipped_slot_that_is_written_and_a_written_slot_that_is_skipped_are_found) {
    static int64_t skipped[] = {1};
    x.c.skip = skipped, x.c.skips = 1;
    reopen();
    cr_expect_eq(judged(&j)->verdict, AT_PASS);
    const int64_t slot = or_slot_of(&j.plan->problem, 0, 41);
    uint16_t before[32];
    memcpy(before, j.cache + slot * 32, sizeof before);
    memcpy(j.cache + slot * 32, j.plan->problem.key + 1 * 32, sizeof before);
    expect_finding(judged(&j), "write-set", "channel 0 changed from 0x");
    memcpy(j.cache + slot * 32, before, sizeof before);
    cr_expect_eq(judged(&j)->verdict, AT_PASS);
    memcpy(written_at(&j, 2, 0), j.question.cache_before + (written_at(&j, 2, 0) - j.cache), sizeof before);
    expect_finding(judged(&j), "value", "written row, passed through: token 2");
}

Test(judge, tokens_past_the_last_sequence_are_placed_there_and_are_due_as_0) {
    x.c.padded_tokens = 2;
    reopen();
    cr_expect_eq(judged(&j)->verdict, AT_PASS);
    *output_at(&j, 6, 1, 3) = 1;
    expect_finding(judged(&j), "value",
                   "output: token 6 (past cumseq[B]), head 1, channel 3: want 0, got 5.96046448e-08 (0x0001)");
}

Test(judge, a_wrong_class_is_told_from_a_wrong_number) {
    const uint16_t wrong[] = {0x7e00, 0xfe00, 0x7c00, 0xfc00};
    for (size_t i = 0; i < 4; i++) {
        judging k;
        judging_open(&k, &x);
        *output_at(&k, 2, 0, 0) = wrong[i];
        const at_record *r = judged(&k);
        expect_finding(r, "value", "output, wrong class: token 2");
        expect_finding(r, "value", "), head 0, channel 0: want ");
        cr_expect_eq(r->findings_all, 1);
        cr_expect(isinf(report_of(r, "output")->excess) && report_of(r, "output")->ulps > 1000);
        judging_close(&k);
    }
}

Test(judge, zero_or_any_number_where_nan_is_due_is_a_wrong_class) {
    plan_case_start(&x, tiny, "special"); /* NaN in a head of one token's query: that row alone is due as NaN */
    plan_case_set(&x, "position", 41), plan_case_set(&x, "head", 1);
    reopen();
    cr_expect_eq(judged(&j)->verdict, AT_PASS);
    cr_expect_eq(or_class(OR_F16, *output_at(&j, 1, 1, 0)), OR_NAN);
    cr_expect_eq(or_class(OR_F16, *output_at(&j, 1, 0, 0)), OR_FINITE);
    *output_at(&j, 1, 1, 0) = 0xfe05; /* any NaN is one */
    cr_expect_eq(judged(&j)->verdict, AT_PASS);
    for (int channel = 0; channel < 16; channel++) *output_at(&j, 1, 1, channel) = 0;
    const at_record *r = judged(&j);
    expect_finding(r, "value", "output, wrong class: token 1");
    expect_finding(r, "value", "head 1, channel 0: want nan, got 0 (0x0000), allowed only nan");
    cr_expect(r->findings_all == 16 && r->findings == AT_RECORD_FINDINGS);
    cr_expect_eq(report_of(r, "output")->mismatches, 16);
}

Test(judge, exact_cases_take_the_rounded_exact_value_alone) {
    plan_case_start(&x, tiny, "uniform_codes");
    x.attr[SCALE].f = 0, x.c.expect = AT_EXPECT_EXACT;
    x.sequence[0] = (at_sequence){.past = 30, .fresh = 2};
    reopen();
    cr_expect_eq(judged(&j)->verdict, AT_PASS);
    j.question.exact = false;
    j.question.arithmetic = (or_arithmetic){0}; /* the widest: an ulp is nothing */
    uint16_t *element = output_at(&j, 1, 0, 2);
    const uint16_t right = *element;
    *element = right + 1;
    cr_expect_eq(judged(&j)->verdict, AT_PASS);
    j.question.exact = true, j.question.arithmetic.splits = 1;
    const at_record *r = judged(&j);
    expect_finding(r, "value", "output: token 1");
    cr_expect_eq(report_of(r, "output")->low, report_of(r, "output")->high);
    *element = 0x7e00;
    expect_finding(judged(&j), "value", "output, wrong class: token 1");
}

/* Equal weights in pieces of unlike length: lse differ, and what cancels to 0 comes out as a few u. */
Test(judge, exact_cases_leave_a_merge_of_equal_weights_its_budget_and_no_more) {
    plan_case_start(&x, tiny, "uniform_codes");
    x.attr[SCALE].f = 0, x.c.expect = AT_EXPECT_EXACT;
    x.sequence[0] = (at_sequence){.past = 31, .fresh = 1};
    reopen();
    uint16_t *element = output_at(&j, 0, 0, 5); /* as many +64 as -64 */
    cr_assert_eq(*element, 0);
    *element = or_round(OR_F16, 64 * 0x1p-23);
    expect_finding(judged(&j), "value", "output: token 0");
    j.question.arithmetic.splits = 4;
    cr_expect_eq(judged(&j)->verdict, AT_PASS);
    *element = or_round(OR_F16, 64 * 0x1p-13);
    expect_finding(judged(&j), "value", "output: token 0");
}

Test(judge, exact_cases_hold_a_merge_to_the_bits_where_one_key_carries_the_row) {
    plan_case_start(&x, tiny, "one_hot");
    x.c.expect = AT_EXPECT_EXACT;
    x.sequence[0] = (at_sequence){.past = 31, .fresh = 1};
    reopen();
    j.question.arithmetic = (or_arithmetic){0};
    cr_expect_eq(judged(&j)->verdict, AT_PASS);
    ++*output_at(&j, 0, 1, 3);
    const at_record *r = judged(&j);
    expect_finding(r, "value", "output: token 0");
    cr_expect_eq(report_of(r, "output")->low, report_of(r, "output")->high);
}

/* An element whose excess lies between 0.75 and 1, found by steps away from the right one. */
static bool make_marginal(void) {
    for (int64_t i = 0; i < j.plan->rows * 16; i++) {
        const uint16_t right = j.output[i];
        for (int step = 1; step < 200; step++) {
            j.output[i] = (uint16_t)(right + step);
            const at_record *r = judged(&j);
            if (r->findings_all > 0) break;
            if (r->tensor[1].excess > 0.75) return true;
        }
        j.output[i] = right;
    }
    return false;
}

Test(judge, what_nearly_uses_up_its_budget_is_marginal_from_64_keys_on) {
    plan_case_start(&x, tiny, "normal");
    x.c.dtype = AT_F16;
    const int64_t past[] = {62, 63};
    for (int i = 0; i < 2; i++) {
        x.sequence[0] = (at_sequence){.past = past[i], .fresh = 1};
        reopen();
        j.question.arithmetic = (or_arithmetic){0};
        cr_assert(make_marginal());
        const at_record *r = judged(&j);
        cr_expect_eq(r->verdict, i == 0 ? AT_PASS : AT_MARGINAL, "%d keys", (int)past[i] + 1);
        cr_expect_eq(r->findings_all, 0);
    }
    *output_at(&j, 0, 0, 0) = 0x7e00;
    cr_expect_eq(judged(&j)->verdict, AT_FAIL);
}

/* The answers of a kernel whose scale is `times` what it should be, each element within what bfloat16 weights excuse.
 */
static const at_record *judged_with_scale(double times) {
    answer bent;
    plan_case_start(&x, glm, "normal");
    x.c.dtype = AT_BF16, x.sequence[0] = (at_sequence){.past = 200, .fresh = 24};
    reopen();
    answer_open(&bent, j.plan);
    bent.problem.scale *= times;
    for (int64_t i = 0; i < 48; i++) {
        const or_row *row = answer_row(&bent, i / 2, i % 2);
        for (int64_t d = 0; d < 128; d++) j.output[i * 128 + d] = or_round(OR_BF16, row->o[d]);
    }
    answer_close(&bent);
    j.question.arithmetic.p = OR_BF16, j.question.mode = OR_STATISTICAL;
    return judged(&j);
}

Test(judge, a_scale_that_is_off_in_no_element_is_found_in_their_drift) {
    cr_expect_eq(judged_with_scale(1)->findings_all, 0);
    const at_record *r = judged_with_scale(0.995);
    cr_expect_eq(report_of(r, "output")->mismatches, 0);
    expect_finding(r, "bias", "gain -0.00"); /* weights that are too even shrink the sum as well */
    cr_assert_eq(r->findings_all, 2);
    cr_expect_str_eq(r->finding[1].detector, "bias");
    cr_expect_not_null(strstr(r->finding[1].text, "slope -0.005 over 48 rows"), "%s", r->finding[1].text);
    j.question.mode = OR_RIGOROUS; /* whose data need not be independent: no statistics */
    cr_expect_eq(judged(&j)->findings_all, 0);
}

Test(judge, of_a_sample_the_rows_asked_for_are_judged_and_no_others) {
    const int64_t rows[] = {0, 3, 9};
    j.question.row = rows, j.question.rows = 3;
    *output_at(&j, 1, 0, 0) = 0x7e00; /* row 2 */
    cr_expect_eq(judged(&j)->verdict, AT_PASS);
    cr_expect_eq(report_of(judged(&j), "output")->elements, 3 * 16);
    *output_at(&j, 4, 1, 15) = 0x7e00; /* row 9 */
    expect_finding(judged(&j), "value", "output, wrong class: token 4");
    expect_finding(judged(&j), "value", "head 1, channel 15");
}

Test(judge, a_call_without_tokens_has_a_write_set_too) {
    x.c.sequences = 0;
    reopen();
    const at_record *r = judged(&j);
    cr_expect(r->verdict == AT_PASS && r->tensor[1].elements == 0 && r->tensor[1].token == -1);
    j.cache[0] ^= 1;
    expect_finding(judged(&j), "write-set", "cache page 0, slot 0, channel 0");
}

Test(judge, bfloat16_is_judged_in_its_own_steps) {
    x.c.dtype = AT_BF16;
    reopen();
    cr_expect_eq(judged(&j)->verdict, AT_PASS);
    *output_at(&j, 0, 1, 4) ^= 2;
    expect_finding(judged(&j), "value", "output: token 0");
    cr_expect_eq(report_of(&j.record, "output")->ulps, 2);
    cr_expect(report_of(&j.record, "output")->fixed < 1); /* the old fixed tolerance would have let it pass */
}
