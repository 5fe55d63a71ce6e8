/* refuse: every way in which a gate can fail to refuse, and the subject that does it. */
#include "attempts.h"

#include <criterion/criterion.h>
#include <math.h>

static plan_case x;

static void several_heads(unsigned gates) {
    case_of_refusal(&x, "kv-heads", gates);
    x.attr[KV_HEADS].i = 2;
}

static void separate_caches(void) {
    case_of_refusal(&x, "layout", OR_SUPPORTS | OR_CREATE);
    x.attr[LAYOUT].s = "SEPARATE";
}

static void strange_query(unsigned gates) {
    case_of_refusal(&x, "dtype.query", gates);
    plan_case_override(&x, false, AT_QUERY, AT_PUT_IN)->dtype = AT_F32;
}

static void small_blocks(void) {
    case_of_refusal(&x, "block-size", OR_EXECUTE);
    at_override *o = plan_case_override(&x, false, AT_KEY_CACHE, AT_PUT_IN);
    *o = (at_override){.index = AT_KEY_CACHE, .how = AT_PUT_IN, .shaped = true, .rank = 4, .shape = {6, 8, 1, 32}};
}

static void cold_capture(void) {
    case_of_refusal(&x, "not-warmed", OR_EXECUTE);
    x.c.cold_capture = true;
}

static const unsigned node_gates = OR_SUPPORTS | OR_CREATE;

Test(mode_refuse, a_right_subject_refuses_at_each_gate_and_goes_on) {
    several_heads(node_gates), expect_verdict(AT_PASS, "right", "refuse", &x);
    separate_caches(), expect_verdict(AT_PASS, "right", "refuse", &x);
    strange_query(OR_SUPPORTS), expect_verdict(AT_PASS, "right", "refuse", &x);
    small_blocks(), expect_verdict(AT_PASS, "right", "refuse", &x);
    cold_capture(), expect_verdict(AT_PASS, "right", "refuse", &x);
}

Test(mode_refuse, a_good_call_is_made_and_judged_after_it) {
    several_heads(node_gates);
    cr_expect_eq(attempt("right", "refuse", &x)->tensors, 2); /* of a node of its own */
    small_blocks();
    const at_record *r = attempt("right", "refuse", &x);
    cr_assert_eq(r->tensors, 2); /* of the case's own node on the same kernel */
    cr_expect_eq(r->tensor[1].elements, 3 * 2 * 16);
}

Test(mode_refuse, accepting_is_found_at_the_gate_that_accepted) {
    several_heads(node_gates);
    expect_found("accepts_at_supports", "refuse", &x, "refusal",
                 "supports accepted; kv-heads is due: LATENT and kv_num_heads != 1");
    cr_expect_eq(attempt("accepts_at_supports", "refuse", &x)->findings_all, 1);
    expect_found("accepts_at_create", "refuse", &x, "refusal", "create accepted; kv-heads is due");
    cr_expect_eq(attempt("accepts_at_create", "refuse", &x)->findings_all, 1);
    strange_query(OR_SUPPORTS);
    expect_found("accepts_at_supports", "refuse", &x, "refusal", "supports accepted; dtype.query is due");
    small_blocks();
    expect_found("accepts_at_execute", "refuse", &x, "refusal",
                 "execute accepted; block-size is due: not a power of two, or < 16");
    cold_capture();
    expect_found("accepts_at_execute", "refuse", &x, "refusal", "execute accepted; not-warmed is due");
    separate_caches();
    expect_found("accepts_at_create", "refuse", &x, "refusal", "create accepted; layout is due");
}

Test(mode_refuse, a_gate_that_is_not_asked_does_not_count) {
    several_heads(OR_CREATE), expect_verdict(AT_PASS, "accepts_at_supports", "refuse", &x);
    several_heads(OR_SUPPORTS), expect_verdict(AT_PASS, "accepts_at_create", "refuse", &x);
}

Test(mode_refuse, another_code_rule_or_silence_is_found) {
    static const struct {
        const char *subject, *words;
    } expected[] = {
        {"wrong_code", "execute said INVALID_NODE (block-size); INVALID_CALL is due, by block-size"},
        {"wrong_rule",
         "execute refused by num-heads: \"it is not as it has to be\"; the contract's first broken rule is block-size"},
        {"no_rule",
         "execute refused by no rule: \"it is not as it has to be\"; the contract's first broken rule is block-size"},
        {"no_sentence", "execute refused by block-size without a sentence"},
    };
    small_blocks();
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        expect_found(expected[i].subject, "refuse", &x, "refusal", expected[i].words);
    }
}

Test(mode_refuse, a_foreign_subject_is_held_to_code_and_conduct_alone) {
    several_heads(node_gates), expect_verdict(AT_PASS, "foreign", "refuse", &x);
    small_blocks(), expect_verdict(AT_PASS, "foreign", "refuse", &x);
    separate_caches(), expect_verdict(AT_UNSUPPORTED, "foreign", "refuse", &x);
    cr_expect_not_null(strstr(attempt("foreign", "refuse", &x)->message, "accepts what layout lets a subject refuse"));
    case_of_refusal(&x, "scale-range", node_gates);
    x.attr[SCALE].f = INFINITY;
    expect_verdict(AT_UNSUPPORTED, "foreign", "refuse", &x);
    cr_expect_str_eq(attempt("foreign", "refuse", &x)->message,
                     "scale-range is asked of subjects that promise AT_HARDENED alone");
    expect_found("right", "refuse", &x, "refusal",
                 "supports accepted; scale-range is due"); /* it promises, and has no such rule */
}

Test(mode_refuse, a_call_beside_those_that_ran_is_as_cold_as_a_first_one) {
    static const char *const words[] = {"capture_ready says yes of a signature that never ran",
                                        "execute accepted; not-warmed is due"};
    cold_capture();
    expect_found("always_ready", "refuse", &x, "refusal", words[0]);
    cr_expect_eq(attempt("always_ready", "refuse", &x)->findings_all, 1);
    for (int i = 0; i < 2; i++) {
        expect_found("warmed_by_any", "refuse", &x, "refusal", words[i]);
        expect_found("warmed_by_inputs", "refuse", &x, "refusal", words[i]);
    }
}

Test(mode_refuse, work_recorded_before_the_refusal_is_found) {
    cold_capture();
    expect_found("records_first", "refuse", &x, "refusal", "execute refused and had recorded 1 kernels before");
}

Test(mode_refuse, what_ran_before_is_neither_forgotten_nor_made_up) {
    cold_capture();
    expect_found("warms_refused", "refuse", &x, "refusal", "execute accepted; not-warmed is due");
    expect_verdict(AT_PASS, "forgets_runs", "refuse", &x);
    small_blocks();
    expect_found("forgets_runs", "refuse", &x, "replay", "capture_ready says no after this signature ran eagerly");
    expect_verdict(AT_PASS, "warms_refused", "refuse", &x);
}

Test(mode_refuse, memory_touched_before_the_refusal_is_fatal) {
    small_blocks();
    cr_expect(dies_of_touching("touches_first", "refuse", &x));
    cr_expect_not(dies_of_touching("right", "refuse", &x));
}

Test(mode_refuse, a_kernel_is_there_after_a_yes_and_never_after_a_no) {
    several_heads(node_gates);
    expect_found("leaves_kernel", "refuse", &x, "refusal", "create refused and left a kernel");
    small_blocks();
    expect_found("no_kernel", "refuse", &x, "refusal", "create gave no kernel of a node that execute was to judge");
    expect_found("refuses_at_create", "refuse", &x, "refusal",
                 "create gave no kernel of a node that execute was to judge");
}

Test(mode_refuse, a_subject_that_does_not_go_on_is_found) {
    small_blocks();
    expect_found("sulks", "refuse", &x, "value", "written row, passed through: token 0");
    several_heads(OR_SUPPORTS);
    expect_found("forgets", "refuse", &x, "refusal", "create refused a legal call with INVALID_NODE");
}
