/* The suite's rule, and numbers that make no call. */
#include "plan_case.h"

#include <criterion/criterion.h>
#include <string.h>

Test(plan, who_expects_values_has_to_make_a_legal_call) {
    plan_case x;
    plan_case_start(&x, tiny, "normal");
    x.attr[KV_HEADS].i = 2;
    cr_expect_not_null(
        strstr(plan_complaint(&x, OR_GENAI), "supports may refuse it in dialect onnx-genai by kv-heads"));
    plan_case_start(&x, tiny, "normal");
    plan_case_override(&x, false, OR_SLOT_MAPPING, AT_LEAVE_OUT);
    cr_expect_not_null(
        strstr(plan_complaint(&x, OR_GENAI), "execute may refuse it in dialect onnx-genai by required.slot_mapping"));
    cr_expect_str_eq(plan_complaint(&x, OR_ONNXRUNTIME), "", "legal there");
    plan_case_start(&x, (geometry){72, 64, 64, 8, 2}, "normal");
    cr_expect_not_null(strstr(plan_complaint(&x, OR_ONNXRUNTIME), "granularity.head_size"));
    plan_case_start(&x, tiny, "normal");
    plan_case_override(&x, false, OR_HEAD_SINK, AT_PUT_IN);
    cr_expect_not_null(strstr(plan_complaint(&x, OR_GENAI), "present.head_sink"),
                       "a rule that only lets refuse is one too");
    plan_case_start(&x, tiny, "normal");
    plan_case_override(&x, true, OR_KEY_CACHE_OUT, AT_SEPARATE);
    cr_expect_not_null(strstr(plan_complaint(&x, OR_GENAI), "cache-alias"));
}

static void refused(plan_case *x, const char *rule, unsigned gates) {
    x->c.expect = AT_EXPECT_REFUSAL, x->c.rule = (char *)rule, x->c.gates = gates;
}

Test(plan, a_refusal_has_shapes_and_no_data) {
    plan_case x;
    plan_case_start(&x, tiny, "normal");
    x.attr[KV_HEADS].i = 2;
    refused(&x, "kv-heads", OR_SUPPORTS | OR_CREATE);
    at_plan *plan = plan_made(&x, OR_GENAI);
    cr_expect_str_eq(plan->rule->id, "kv-heads");
    cr_expect_eq(plan->call.in[OR_QUERY].shape[0], 3);
    for (int i = 0; i < OR_INPUTS; i++) cr_expect_null(plan->call.in[i].data);
    at_plan_free(plan);
}

Test(plan, a_refusal_has_to_break_its_rule_first_at_each_gate) {
    plan_case x;
    plan_case_start(&x, tiny, "normal");
    refused(&x, "kv-heads", OR_CREATE);
    cr_expect_str_eq(
        plan_complaint(&x, OR_GENAI),
        "expects kv-heads at create, but there the first broken rule in dialect onnx-genai is none; expect "
        "that one, or break no other");
    x.attr[HEADS].i = 0, x.attr[KV_HEADS].i = 2;
    cr_expect_not_null(
        strstr(plan_complaint(&x, OR_GENAI), "the first broken rule in dialect onnx-genai is num-heads"));
    x.attr[HEADS].i = 2;
    refused(&x, "kv-heads", OR_CREATE | OR_EXECUTE);
    cr_expect_not_null(strstr(plan_complaint(&x, OR_GENAI), "at execute"), "that gate does not own it");
    refused(&x, "kv-head", OR_CREATE);
    cr_expect_str_eq(plan_complaint(&x, OR_GENAI), "there is no rule kv-head");
    refused(&x, "kv-heads", 0);
    cr_expect_str_eq(plan_complaint(&x, OR_GENAI), "kv-heads: no gate is named");
}

Test(plan, refusals_of_the_moment_and_of_host_values_can_be_said) {
    plan_case x;
    plan_case_start(&x, tiny, "normal");
    x.c.cold_capture = true;
    refused(&x, "not-warmed", OR_EXECUTE);
    at_plan_free(plan_made(&x, OR_GENAI));
    x.c.cold_capture = false;
    cr_expect_str_neq(plan_complaint(&x, OR_GENAI), "");
    plan_case_start(&x, tiny, "normal");
    plan_case_override(&x, true, OR_KEY_CACHE_OUT, AT_SEPARATE);
    refused(&x, "cache-alias", OR_EXECUTE);
    at_plan *plan = plan_made(&x, OR_GENAI);
    cr_expect_not(plan->cache_aliased);
    at_plan_free(plan);
    plan_case_start(&x, tiny, "normal");
    plan_case_override(&x, false, OR_ATTENTION_METADATA, AT_PUT_IN);
    refused(&x, "metadata-negative", OR_EXECUTE);
    at_plan_free(plan_made(&x, OR_ONNXRUNTIME));
    plan_case_start(&x, tiny, "normal");
    x.sequence[0] = (at_sequence){.past = 0, .fresh = 1 << 30}, x.attr[HEADS].i = 4;
    refused(&x, "grid-limit", OR_EXECUTE);
    at_plan_free(plan_made(&x, OR_GENAI));
}

Test(plan, numbers_that_make_no_call_are_refused_with_what_would) {
    plan_case x;
    int64_t skip[] = {3};
    at_unmapped hole = {0, 1, 2};
    plan_case_start(&x, tiny, "normal");
    x.sequence[0].past = INT32_MAX;
    cr_expect_not_null(strstr(plan_complaint(&x, OR_GENAI), "are not lengths that int32 holds"));
    plan_case_start(&x, tiny, "normal");
    x.sequence[0].past = -1;
    cr_expect_not_null(strstr(plan_complaint(&x, OR_GENAI), "are not lengths"));
    plan_case_start(&x, tiny, "normal");
    x.sequence[1] = (at_sequence){.past = 31, .fresh = 2}, x.c.sequences = 2, x.c.shared_prefix = 2;
    cr_expect_not_null(
        strstr(plan_complaint(&x, OR_GENAI), "sequence 1: its 31 tokens do not fill 2 shared pages of 16"));
    plan_case_start(&x, tiny, "normal");
    x.c.skip = skip, x.c.skips = 1;
    cr_expect_str_eq(plan_complaint(&x, OR_GENAI), "skip: there is no token 3 among 3 new ones");
    plan_case_start(&x, tiny, "normal");
    x.c.unmapped = &hole, x.c.unmappeds = 1;
    cr_expect_not_null(strstr(plan_complaint(&x, OR_GENAI), "entry 2 is a page of the cache's 3"));
    hole = (at_unmapped){0, 3, -1};
    cr_expect_str_eq(plan_complaint(&x, OR_GENAI), "unmapped: there is no page 3 of sequence 0");
    plan_case_start(&x, tiny, "normal");
    x.c.spare_pages = INT32_MAX;
    cr_expect_not_null(strstr(plan_complaint(&x, OR_GENAI), "have slots that int32 does not hold"));
    plan_case_start(&x, tiny, "normal");
    x.c.design = "norm";
    cr_expect_str_eq(plan_complaint(&x, OR_GENAI), "there is no data design \"norm\"");
}
