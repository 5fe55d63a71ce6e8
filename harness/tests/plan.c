#include "plan_case.h"

#include "../digest.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Plans are the same bits on every host: digests of all inputs, with types and shapes. A change here changes every
 * recorded run. */
Test(plan, inputs_of_a_case_are_the_same_bits_on_every_host) {
    static const struct {
        const geometry *g;
        const char *design;
        at_dtype dtype;
        const char *digest;
    } expected[] = {
        {&glm, "uniform_codes", AT_F16, "f7253fdb193642f95adebdceff6cad3a4c1126f8271c16a9ad73d51b73f7daad"},
        {&glm, "one_hot", AT_BF16, "50afe2b6b37346c9c486396913fa94bd4adbb1dbc71d85385cb0062afa5598ac"},
        {&mla, "rope_retrieval", AT_F16, "40a4d8320944e602a0aa44e339923409625250fdf891f39d9f14d6a2857196fe"},
        {&tiny, "normal", AT_F16, "001b87dfe866b688ff8ebc695ee0e7ece585579867f17fb4f43d19572a2fc7e0"},
        {&overlapping, "normal", AT_BF16, "0b78dea29b4b729a8f34e9b4ddebe88730dc1e5652f54f1eef92f6ec6ae0d604"},
        {&tiny, "two_keys", AT_F16, "e17caf91aecad494b1707e0081f08a5872d303529dc616a5309f03f8a5f94f0d"},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        plan_case x;
        plan_case_start(&x, *expected[i].g, expected[i].design);
        x.c.dtype = expected[i].dtype, x.c.page_order = AT_PAGES_RANDOM, x.c.poison = AT_POISON_NAN,
        x.c.spare_pages = 2;
        at_plan *plan = plan_made(&x, OR_GENAI);
        cr_expect_str_eq(plan->inputs_digest, expected[i].digest, "%s: %s", expected[i].design, plan->inputs_digest);
        at_plan_free(plan);
    }
}

Test(plan, the_same_seed_gives_the_same_plan_and_another_seed_another) {
    plan_case x;
    at_plan *other;
    plan_case_start(&x, tiny, "normal");
    at_plan *a = plan_made(&x, OR_GENAI), *b = plan_made(&x, OR_GENAI);
    cr_assert_eq(at_plan_make(&other, &x.c, OR_GENAI, 2, NULL), AT_OK);
    cr_expect_str_eq(a->inputs_digest, b->inputs_digest);
    cr_expect_str_neq(a->inputs_digest, other->inputs_digest);
    cr_expect_str_neq(a->digest[OR_QUERY], other->digest[OR_QUERY]);
    cr_expect_str_eq(a->digest[OR_PAST_SEQLENS], other->digest[OR_PAST_SEQLENS]);
    cr_expect_str_eq(a->digest[OR_VALUE], "");
    at_plan_free(a), at_plan_free(b), at_plan_free(other);
}

Test(plan, a_plain_call_has_the_tensors_of_a_latent_node_in_their_shapes) {
    plan_case x;
    plan_case_start(&x, glm, "normal");
    x.sequence[1] = (at_sequence){.past = 0, .fresh = 18}, x.c.sequences = 2;
    x.c.spare_pages = 1, x.c.spare_columns = 2;
    at_plan *plan = plan_made(&x, OR_GENAI);
    const struct {
        int index;
        or_tensor t;
    } expected[] = {
        {OR_QUERY, {OR_F16, 2, {21, 384}, NULL}},           {OR_KEY, {OR_F16, 2, {21, 192}, NULL}},
        {OR_KEY_CACHE, {OR_F16, 4, {6, 16, 1, 192}, NULL}}, {OR_CUMULATIVE_SEQUENCE_LENGTH, {OR_I32, 1, {3}, NULL}},
        {OR_PAST_SEQLENS, {OR_I32, 1, {2}, NULL}},          {OR_BLOCK_TABLE, {OR_I32, 2, {2, 5}, NULL}},
        {OR_COS_CACHE, {OR_F16, 2, {43, 32}, NULL}},        {OR_SIN_CACHE, {OR_F16, 2, {43, 32}, NULL}},
        {OR_SLOT_MAPPING, {OR_I32, 1, {21}, NULL}},
    };
    size_t present = 0;
    for (int i = 0; i < OR_INPUTS; i++) present += plan->call.in[i].dtype != OR_ABSENT;
    cr_expect_eq(present, sizeof expected / sizeof *expected);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const or_tensor *t = &plan->call.in[expected[i].index];
        cr_expect_eq(t->dtype, expected[i].t.dtype);
        cr_assert_eq(t->rank, expected[i].t.rank, "%s", or_input_name(expected[i].index));
        for (uint32_t d = 0; d < t->rank; d++)
            cr_expect_eq(t->shape[d], expected[i].t.shape[d], "%s", or_input_name(expected[i].index));
    }
    cr_expect_eq(plan->call.out[OR_OUTPUT].shape[1], 256);
    cr_expect_eq(plan->call.out[OR_KEY_CACHE_OUT].data, plan->call.in[OR_KEY_CACHE].data);
    cr_expect(plan->cache_aliased);
    at_plan_free(plan);
}

Test(plan, optional_tensors_come_and_go) {
    plan_case x;
    plan_case_start(&x, glm, "normal");
    plan_case_override(&x, true, OR_KEY_CACHE_OUT, AT_LEAVE_OUT);
    plan_case_override(&x, false, OR_SLOT_MAPPING, AT_LEAVE_OUT);
    at_override *metadata = plan_case_override(&x, false, OR_ATTENTION_METADATA, AT_PUT_IN);
    metadata->shaped = true, metadata->rank = 1, metadata->shape[0] = 3;
    at_plan *plan = plan_made(&x, OR_ONNXRUNTIME);
    cr_expect_eq(plan->call.out[OR_KEY_CACHE_OUT].dtype, OR_ABSENT);
    cr_expect_null(plan->problem.slot_mapping);
    cr_expect_eq(or_write_slot(&plan->problem, 1), or_slot_of(&plan->problem, 0, 41));
    const int32_t *bound = plan->call.in[OR_ATTENTION_METADATA].data;
    cr_expect(bound[0] == 3 && bound[1] == 43 && bound[2] == 3);
    cr_expect(bound[-1] == -1 && bound[3] == -1, "a subject that reads beside them has to find what is no bound");
    at_plan_free(plan);
}

Test(plan, tables_of_angles_may_be_longer_and_without_rope_hold_nan) {
    plan_case x;
    plan_case_start(&x, glm, "normal");
    for (int i = OR_COS_CACHE; i <= OR_SIN_CACHE; i++) {
        at_override *o = plan_case_override(&x, false, i, AT_PUT_IN);
        o->shaped = true, o->rank = 2, o->shape[0] = 4096, o->shape[1] = 32;
    }
    at_plan *plan = plan_made(&x, OR_GENAI);
    cr_expect_eq(or_decode(OR_F16, plan->problem.cos_cache[4095 * 32]), or_decode(OR_F16, or_round(OR_F16, cos(4095))));
    at_plan_free(plan);
    plan_case_start(&x, unrotated, "normal");
    plan_case_override(&x, false, OR_COS_CACHE, AT_PUT_IN);
    plan_case_override(&x, false, OR_SIN_CACHE, AT_PUT_IN);
    plan = plan_made(&x, OR_GENAI);
    cr_expect_eq(plan->call.in[OR_COS_CACHE].shape[1], 20);
    cr_expect_eq(or_class(OR_F16, *(uint16_t *)plan->call.in[OR_COS_CACHE].data), OR_NAN);
    cr_expect_eq(plan->problem.rotary_dim, 0);
    at_plan_free(plan);
}

Test(plan, tables_of_angles_are_exactly_as_long_as_the_farthest_new_token_needs) {
    plan_case x;
    plan_case_start(&x, tiny, "normal");
    x.sequence[1] = (at_sequence){.past = 100, .fresh = 0}, x.c.sequences = 2;
    at_plan *plan = plan_made(&x, OR_GENAI);
    cr_expect_eq(plan->call.in[OR_COS_CACHE].shape[0], 43, "an idle sequence turns nothing");
    at_plan_free(plan);
}

Test(plan, tables_of_angles_may_not_be_shorter) {
    plan_case x;
    plan_case_start(&x, glm, "normal");
    for (int i = OR_COS_CACHE; i <= OR_SIN_CACHE; i++) {
        at_override *o = plan_case_override(&x, false, i, AT_PUT_IN);
        o->shaped = true, o->rank = 2, o->shape[0] = 42, o->shape[1] = 32;
    }
    cr_expect_not_null(strstr(plan_complaint(&x, OR_GENAI), "cos_cache has a shape that its sequences do not fill"));
}

Test(plan, missing_columns_of_the_table_hide_positions) {
    for (int64_t columns = 0; columns <= 2; columns++) {
        plan_case x;
        plan_case_start(&x, tiny, "normal");
        at_override *table = plan_case_override(&x, false, OR_BLOCK_TABLE, AT_PUT_IN);
        table->shaped = true, table->rank = 2, table->shape[0] = 1, table->shape[1] = columns;
        at_plan *plan = plan_made(&x, OR_GENAI);
        answer a;
        answer_open(&a, plan);
        cr_expect_eq(answer_row(&a, 0, 0)->keys, 16 * columns);
        cr_expect_eq(plan->problem.slot_mapping[0], -1);
        answer_close(&a);
        at_plan_free(plan);
    }
}

Test(plan, shapes_that_the_sequences_do_not_fill_are_refused) {
    plan_case x;
    plan_case_start(&x, tiny, "normal");
    for (int i = 0; i < 2; i++) {
        at_override *o = plan_case_override(&x, false, i == 0 ? OR_QUERY : OR_KEY, AT_PUT_IN);
        o->shaped = true, o->rank = 2, o->shape[0] = 4, o->shape[1] = i == 0 ? 64 : 32;
    }
    cr_expect_not_null(strstr(plan_complaint(&x, OR_GENAI), "query has a shape that its sequences do not fill"));
    plan_case_start(&x, tiny, "normal");
    at_override *o = plan_case_override(&x, false, OR_KEY_CACHE, AT_PUT_IN);
    o->shaped = true, o->rank = 4;
    for (int d = 0; d < 4; d++) o->shape[d] = (int64_t)1 << 40;
    cr_expect_not_null(strstr(plan_complaint(&x, OR_GENAI), "the bytes of key_cache cannot be counted"));
}

Test(plan, a_subject_is_handed_the_same_node_and_shapes) {
    plan_case x;
    at_node node;
    at_call call;
    at_attr attr[PLAIN_ATTRIBUTES];
    plan_case_start(&x, glm, "normal");
    at_plan *plan = plan_made(&x, OR_ONNXRUNTIME);
    at_plan_node(&node, attr, plan);
    at_plan_call(&call, plan);
    cr_expect_str_eq(node.dialect, "onnxruntime");
    cr_assert_eq(node.attrs, PLAIN_ATTRIBUTES);
    for (int i = 0; i < PLAIN_ATTRIBUTES; i++) {
        cr_expect(node.attr[i].name == x.attr[i].name && node.attr[i].type == x.attr[i].type &&
                  node.attr[i].i == x.attr[i].i && node.attr[i].f == x.attr[i].f && node.attr[i].s == x.attr[i].s);
    }
    cr_expect(call.in[AT_QUERY].dtype == AT_F16 && call.in[AT_QUERY].rank == 2 && call.in[AT_QUERY].shape[1] == 384);
    cr_expect(call.in[AT_VALUE].dtype == AT_ABSENT && call.in[AT_QUERY].data == NULL &&
              call.out[AT_KEY_CACHE_OUT].data == NULL);
    cr_expect_eq(call.out[AT_KEY_CACHE_OUT].shape[3], 192);
    at_plan_free(plan);
}

Test(plan, digests_are_sha_256) {
    char digest[AT_DIGEST_TEXT];
    cr_assert_eq(at_digest(digest, "abc", 3, NULL), AT_OK);
    cr_expect_str_eq(digest, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
                     "the answer that FIPS 180-2 gives");
    cr_assert_eq(at_digest(digest, NULL, 0, NULL), AT_OK);
    cr_expect_str_eq(digest, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}
