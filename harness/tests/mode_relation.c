/* pages, batch, chunk, identity: bits that may not follow what the operator is not about. */
#include "attempts.h"

#include <criterion/criterion.h>

static plan_case decode, prefill, coded;

static void setup(void) {
    static char codes[] = "uniform_codes";
    case_of_decode(&decode);
    case_of_decode(&coded);
    case_of_prefill(&prefill);
    coded.c.design = codes;
}

TestSuite(mode_relation, .init = setup);

static const plan_case *case_for(const char *mode) {
    return strcmp(mode, "chunk") == 0 ? &prefill : strcmp(mode, "identity") == 0 ? &coded : &decode;
}

Test(mode_relation, a_right_subject_passes_and_so_does_one_that_promises_no_bits) {
    static const char *const modes[] = {"pages", "batch", "chunk", "identity"}, *const subjects[] = {"right", "modest",
                                                                                                     "uncaptured"};
    for (size_t m = 0; m < 4; m++) {
        for (size_t s = 0; s < 3; s++) expect_verdict(AT_PASS, subjects[s], modes[m], case_for(modes[m]));
        cr_expect_eq(attempt("right", modes[m], case_for(modes[m]))->tensors, 2, "the last answer's figures are kept");
    }
}

Test(mode_relation, each_fault_is_found_by_the_relation_that_is_for_it) {
    static const struct {
        const char *subject, *mode, *detector, *words;
    } expected[] = {
        {"slot_order", "pages", "pages", ": token"},
        {"batch_tiles", "batch", "batch", "sequence 0 alone: token"},
        {"chunk_tiles", "chunk", "chunk", "in pieces of 33: token"},
        {"chunk_rounding", "chunk", "chunk", "in pieces of 33: cache slot"},
        {"chunk_position", "chunk", "value", "written row, rotated: token"},
        {"turns_back", "identity", "identity", "without RoPE: cache slot"},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        expect_found(expected[i].subject, expected[i].mode, case_for(expected[i].mode), expected[i].detector,
                     expected[i].words);
    }
}

Test(mode_relation, what_only_a_relation_shows_passes_alone) {
    static const char *const subjects[] = {"slot_order", "batch_tiles", "chunk_tiles", "chunk_rounding",
                                           "chunk_position"};
    for (size_t s = 0; s < 5; s++) expect_verdict(AT_PASS, subjects[s], "eager", &prefill);
    for (size_t s = 0; s < 4; s++) expect_verdict(AT_PASS, subjects[s], "eager", &decode);
}

Test(mode_relation, answers_within_the_budget_pass_where_bits_are_not_promised_and_are_no_fault_of_other_relations) {
    static const struct {
        const char *subject, *mode;
    } expected[] = {
        {"batch_tiles", "pages"}, {"chunk_tiles", "pages"}, {"chunk_rounding", "pages"}, {"slot_order", "identity"}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        expect_verdict(AT_PASS, expected[i].subject, expected[i].mode, case_for(expected[i].mode));
    }
}

Test(mode_relation, identity_on_data_that_are_not_turned_back_is_the_harness_s_fault) {
    expect_verdict(AT_HARNESS_ERROR, "right", "identity", &decode);
    cr_expect_not_null(strstr(attempt("right", "identity", &decode)->message, "needs data whose rows are turned back"));
}

Test(mode_relation, a_relation_ends_where_the_subject_does_not_do_it) {
    static const char *const modes[] = {"pages", "batch", "chunk", "identity"};
    for (size_t m = 0; m < 4; m++) {
        expect_verdict(AT_UNSUPPORTED, "not_implemented", modes[m], case_for(modes[m]));
        cr_expect_eq(attempt("refuses_at_supports", modes[m], case_for(modes[m]))->findings_all, 1, "%s", modes[m]);
    }
}
