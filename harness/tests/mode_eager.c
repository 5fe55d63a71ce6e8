/* eager: what each detector beside the oracle is for, and the subject that has to set it off. */
#include "attempts.h"

#include <criterion/criterion.h>

Test(mode_eager, a_right_subject_passes) {
    static const char *const subjects[] = {"right", "modest", "foreign", "uncaptured"};
    void (*const cases[])(plan_case *) = {case_of_decode, case_of_prefill, case_of_nan};
    for (size_t s = 0; s < sizeof subjects / sizeof *subjects; s++) {
        for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
            plan_case x;
            cases[c](&x);
            expect_verdict(AT_PASS, subjects[s], "eager", &x);
            x.c.dtype = AT_BF16;
            expect_verdict(AT_PASS, subjects[s], "eager", &x);
        }
    }
}

Test(mode_eager, each_fault_is_found_by_the_detector_that_is_for_it) {
    static const struct {
        const char *subject, *detector, *words;
    } expected[] = {
        {"past_end", "canary", "output: a byte was written 1 past the end of its 320 bytes"},
        {"past_workspace", "canary", "workspace: a byte was written 1 past the end of its 68 bytes"},
        {"changes_input", "input", "query: byte 0 changed from"},
        {"changes_slot", "write-set", "channel 3 changed from"},
        {"skips_element", "value", "output, wrong class: token 4"},
        {"changes_its_mind", "repeat", "second eager run and first differ: token 0, head 0, channel 5: 0x"},
        {"follows_order", "repeat", "second eager run and first differ: token 0, head 0, channel 5: 0x"},
        {"trusts_workspace", "repeat", "second eager run and first differ: token 0, head 0, channel 0: 0xa5a5"},
        {"turns_back", "value", "written row, rotated: token 0 (sequence 0, position 40, page 2, slot"},
        {"refuses_at_supports", "refusal",
         "supports refused a legal call with INVALID_NODE (no rule): it is not as it has to be"},
        {"refuses_at_create", "refusal", "create refused a legal call with INVALID_NODE"},
        {"refuses_at_prepare", "refusal", "prepare refused a legal call with INVALID_CALL"},
        {"refuses_at_execute", "refusal", "execute refused a legal call with INVALID_CALL"},
        {"unfounded", "refusal", "execute said NOT_IMPLEMENTED by not-causal, a rule that nothing here breaks"},
        {"second_thoughts", "refusal", "execute refused with NOT_IMPLEMENTED (no rule) what it had accepted before"},
        {"no_kernel", "refusal", "create accepted and returned no kernel"},
    };
    plan_case x;
    case_of_decode(&x);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        expect_found(expected[i].subject, "eager", &x, expected[i].detector, expected[i].words);
    }
}

Test(mode_eager, a_fault_that_the_oracle_does_not_see_is_found_by_one_detector_alone) {
    static const char *const subjects[] = {"past_end", "past_workspace", "changes_input", "changes_its_mind"};
    plan_case x;
    case_of_decode(&x);
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++) {
        const at_record *r = attempt(subjects[i], "eager", &x);
        for (int f = 1; f < r->findings; f++)
            cr_expect_str_eq(r->finding[f].detector, r->finding[0].detector, "%s", findings_of(r));
        cr_expect_eq(r->tensor[0].mismatches + r->tensor[1].mismatches, 0);
    }
}

Test(mode_eager, a_nan_that_is_due_hides_neither_a_zero_nor_an_element_never_written) {
    plan_case x;
    case_of_nan(&x);
    expect_found("zero_for_nan", "eager", &x, "value", "output, wrong class: token 0");
    expect_found("skips_nan", "eager", &x, "unwritten", "output of token 0, head 0, channel 0 was never written");
    case_of_decode(&x);
    expect_verdict(AT_PASS, "zero_for_nan", "eager", &x);
    expect_verdict(AT_PASS, "skips_nan", "eager", &x);
}

Test(mode_eager, a_change_of_the_metadata_on_the_host_and_a_read_beside_it_are_found) {
    plan_case x;
    case_of_decode(&x);
    plan_case_override(&x, false, AT_ATTENTION_METADATA, AT_PUT_IN);
    expect_found("changes_metadata", "eager", &x, "input", "attention_metadata changed");
    expect_found("reads_before_metadata", "eager", &x, "refusal",
                 "execute refused a legal call with INVALID_CALL (metadata-negative)");
    expect_verdict(AT_PASS, "right", "eager", &x);
}

Test(mode_eager, touching_what_lies_beside_a_buffer_ends_at_an_unmapped_page) {
    plan_case x;
    case_of_decode(&x);
    cr_expect(
        dies_of_touching("before_start", "eager", &x)); /* in the second run, whose buffers start with their mappings */
    x.sequence[0].fresh = 2;                            /* four rows of key fill its last page to the end */
    cr_expect(dies_of_touching("reads_past_key", "eager", &x));
    cr_expect(dies_of_touching("reads_past_types", "eager", &x));
    cr_expect_not(dies_of_touching("right", "eager", &x));
}

Test(mode_eager, a_device_that_is_past_use_ends_the_process_and_says_so) {
    static const struct {
        const char *subject, *words;
    } expected[] = {{"sticky", "the device reports: kernel attention: an address that is not mapped"},
                    {"device_error", "the device reports: kernel attention: an address that is not mapped"},
                    {"sticky_at_replay", "the device reports: kernel attention: an address that is not mapped"}};
    plan_case x;
    case_of_decode(&x);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        at_status status;
        const at_record *r = attempt_on(NULL, expected[i].subject, "eager", &x, &status);
        cr_expect_eq(status, AT_FAILED, "%s", expected[i].subject);
        cr_expect(r->verdict == AT_FAIL && has_finding(r, "sticky", expected[i].words), "%s", findings_of(r));
    }
}

Test(mode_eager, what_a_subject_says_it_does_not_do_is_set_aside) {
    plan_case x;
    case_of_decode(&x);
    expect_verdict(AT_UNSUPPORTED, "not_implemented", "eager", &x);
    expect_verdict(AT_NOT_RUN, "out_of_memory", "eager", &x);
    cr_expect_str_eq(attempt("not_implemented", "eager", &x)->message,
                     "execute said NOT_IMPLEMENTED (no rule): it is not as it has to be");
    x.c.dialect = OR_ONNXRUNTIME;
    expect_verdict(AT_UNSUPPORTED, "right", "eager", &x);
    cr_expect_str_eq(attempt("right", "eager", &x)->message, "right does not list the dialect onnxruntime");
}

Test(mode_eager, hardening_is_asked_of_those_that_promise_it) {
    static char hardening[] = "hardening";
    char *tags[] = {hardening, NULL};
    plan_case x;
    case_of_decode(&x);
    x.c.tags = tags, x.c.padded_tokens = 2;
    expect_verdict(AT_PASS, "right", "eager", &x);
    expect_verdict(AT_UNSUPPORTED, "foreign", "eager", &x);
}

Test(mode_eager, figures_of_the_attempt_are_in_its_record) {
    plan_case x;
    case_of_decode(&x);
    const at_record *r = attempt("right", "eager", &x);
    cr_assert_eq(r->tensors, 2);
    cr_expect_str_eq(r->tensor[0].tensor, "key_cache_out");
    cr_expect_eq(r->tensor[0].elements, 5 * 32);
    cr_expect_str_eq(r->tensor[1].tensor, "output");
    cr_expect_eq(r->tensor[1].elements, 5 * 2 * 16);
    cr_expect(r->tensor[1].excess >= 0 && r->tensor[1].excess < 1);
    cr_expect_not_null(strstr(r->arithmetic, "q exact f32"));
    cr_expect_eq(strlen(r->inputs_digest), 64);
    cr_expect(r->seconds > 0 && r->seconds_oracle > 0 && r->seconds_subject > 0);
    r = attempt("modest", "eager", &x); /* the second answer is judged too, and its figures are kept once */
    cr_expect_eq(r->tensors, 2);
}

Test(mode_eager, a_case_that_cannot_be_planned_does_not_run) {
    plan_case x;
    case_of_decode(&x);
    x.c.design = "no such design";
    expect_verdict(AT_NOT_RUN, "right", "eager", &x);
}
