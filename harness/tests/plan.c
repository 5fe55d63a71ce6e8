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
        {&glm, "one_hot", AT_BF16, "b820bfe73a3e5c55cd18cec24a20d10b52d14dc04415ab02044aa895d86cdcf3"},
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
    x.sequence[1] = (at_sequence){0, 18}, x.c.sequences = 2;
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

/* What lies where */

/* Is a row nothing but what poison puts there? */
static bool is_poisoned(const at_plan *plan, int64_t slot) {
    const int64_t hs = plan->problem.head_size;
    const uint16_t *row = (const uint16_t *)plan->call.in[OR_KEY_CACHE].data + slot * hs;
    for (int64_t d = 0; d < hs; d++) {
        if (row[d] != at_poison_bits(plan->c->poison, plan->problem.dtype, (uint64_t)(slot * hs + d))) return false;
    }
    return true;
}

static const int real_poisons[] = {AT_POISON_ZERO, AT_POISON_NAN, AT_POISON_INF, AT_POISON_LARGEST};
enum { REAL_POISONS = sizeof real_poisons / sizeof *real_poisons };

/* Two sequences, of which one has a window before it; two pages of nobody. */
static void crowd(plan_case *x) {
    plan_case_start(x, tiny, "normal");
    x->sequence[0] = (at_sequence){40, 3}, x->sequence[1] = (at_sequence){16, 2}, x->sequence[2] = (at_sequence){20, 0};
    x->c.sequences = 3, x->c.spare_pages = 2, x->c.spare_columns = 1, x->c.page_order = AT_PAGES_RANDOM;
    x->attr[WINDOW].i = 17;
}

Test(plan, poison_lies_everywhere_but_in_rows_that_a_token_sees) {
    for (int k = 0; k < REAL_POISONS; k++) {
        plan_case x;
        crowd(&x);
        x.c.poison = real_poisons[k];
        at_plan *plan = plan_made(&x, OR_GENAI);
        const or_problem *p = &plan->problem;
        bool seen[200] = {false};
        for (int64_t b = 0; b < 2; b++) {
            for (int64_t j = 0; j < x.sequence[b].past; j++) seen[or_slot_of(p, b, j)] = j >= x.sequence[b].past - 17;
        }
        for (int64_t slot = 0; slot < p->blocks * p->block_size; slot++) {
            cr_expect_eq(is_poisoned(plan, slot), !seen[slot], "poison %d, slot %d", k, (int)slot);
        }
        at_plan_free(plan);
    }
}

Test(plan, the_answer_does_not_depend_on_the_poison) {
    plan_case x;
    double *first[5] = {0};
    for (int poison = 0; poison < AT_POISONS; poison++) {
        answer a;
        crowd(&x);
        x.c.poison = poison;
        at_plan *plan = plan_made(&x, OR_GENAI);
        answer_open(&a, plan);
        for (int64_t t = 0; t < 5; t++) {
            const or_row *r = answer_row(&a, t, 1);
            if (poison == 0) first[t] = malloc(16 * sizeof(double)), memcpy(first[t], r->o, 16 * sizeof(double));
            cr_expect_eq(memcmp(first[t], r->o, 16 * sizeof(double)), 0, "poison %d, token %d", poison, (int)t);
        }
        answer_close(&a);
        at_plan_free(plan);
    }
    for (int t = 0; t < 5; t++) free(first[t]);
}

Test(plan, the_neighbour_s_rows_are_real_rows_of_another_sequence) {
    plan_case x;
    crowd(&x);
    x.c.poison = AT_POISON_NEIGHBOUR, x.sequence[2].fresh = 1;
    plan_case_set(&x, "angle", 2); /* cached rows are then the fresh ones */
    x.c.design = "uniform_codes";
    at_plan *plan = plan_made(&x, OR_GENAI);
    const or_problem *p = &plan->problem;
    const uint16_t *cache = plan->call.in[OR_KEY_CACHE].data;
    for (int64_t b = 0; b < 3; b++) {
        const int64_t tail = or_slot_of(p, b, x.sequence[b].past + x.sequence[b].fresh);
        const uint16_t *row = cache + tail * 32;
        int64_t j = 0, code = (int64_t)or_decode(OR_F16, row[0]) + 128;
        for (int bit = 0; bit < 15; bit++) j |= (int64_t)(or_decode(OR_F16, row[1 + bit]) > 0) << bit;
        const int64_t shift = ((code - 37 * j) % 256 + 256) % 256; /* 101 times the sequence */
        cr_expect(shift == 0 || shift == 101 || shift == 202, "%d", (int)shift);
        cr_expect_neq(shift, 101 * b, "the tail of sequence %d holds a row of another", (int)b);
        cr_expect_lt(j, 43);
    }
    at_plan_free(plan);
}

Test(plan, table_entries_past_a_sequence_are_far_out_of_range_or_stale) {
    for (int poison = AT_POISON_NAN; poison <= AT_POISON_NEIGHBOUR; poison += AT_POISON_NEIGHBOUR - AT_POISON_NAN) {
        plan_case x;
        crowd(&x);
        x.c.poison = poison;
        at_plan *plan = plan_made(&x, OR_GENAI);
        const or_problem *p = &plan->problem;
        const int64_t pages[] = {3, 2, 2};
        for (int64_t b = 0; b < 3; b++) {
            for (int64_t i = 0; i < p->max_blocks; i++) {
                const int32_t entry = p->block_table[b * p->max_blocks + i];
                const bool valid = entry >= 0 && entry < p->blocks;
                cr_expect_eq(valid, i < pages[b] || poison == AT_POISON_NEIGHBOUR);
                if (!valid) cr_expect_gt(entry, 1000000);
            }
        }
        at_plan_free(plan);
    }
}

Test(plan, slots_follow_the_table_and_skipped_tokens_have_none) {
    plan_case x;
    int64_t skip[] = {1}, beyond[] = {3, 4};
    crowd(&x);
    x.c.skip = skip, x.c.skips = 1, x.c.beyond = beyond, x.c.beyonds = 2, x.c.padded_tokens = 2;
    at_plan *plan = plan_made(&x, OR_GENAI);
    const or_problem *p = &plan->problem;
    const int32_t *slot = p->slot_mapping;
    cr_assert_eq(p->tokens, 7);
    cr_expect_eq(slot[0], or_slot_of(p, 0, 40));
    cr_expect_eq(slot[1], -1);
    cr_expect_eq(slot[2], or_slot_of(p, 0, 42));
    cr_expect_eq(slot[3], p->blocks * 16, "the first slot past the cache");
    cr_expect_gt(slot[4], 1000000);
    cr_expect(slot[5] == -1 && slot[6] == -1);
    for (int64_t t = 0; t < 7; t++) {
        const bool written = t == 0 || t == 2;
        for (int64_t d = 0; d < 32; d++)
            cr_expect_eq(or_class(OR_F16, p->key[t * 32 + d]), written ? OR_FINITE : OR_NAN, "key of token %d", (int)t);
        for (int64_t d = 0; d < 64; d++)
            cr_expect_eq(or_class(OR_F16, p->query[t * 64 + d]), t < 5 ? OR_FINITE : OR_NAN, "query of token %d",
                         (int)t);
    }
    at_plan_free(plan);
}

/* Reading the fresh key would show: it is NaN, and the cache has the row that the design gives that position. */
Test(plan, the_cache_holds_a_row_already_where_a_token_writes_none) {
    for (int kind = 0; kind < 2; kind++) {
        plan_case x;
        int64_t token[] = {1};
        crowd(&x);
        x.c.poison = AT_POISON_NAN;
        *(kind ? &x.c.skip : &x.c.beyond) = token, *(kind ? &x.c.skips : &x.c.beyonds) = 1;
        at_plan *plan = plan_made(&x, OR_GENAI);
        answer a;
        answer_open(&a, plan);
        cr_expect(is_poisoned(plan, or_slot_of(&plan->problem, 0, 40)), "is written");
        cr_expect_not(is_poisoned(plan, or_slot_of(&plan->problem, 0, 41)), "is not");
        for (int64_t t = 0; t < 3; t++) cr_expect_eq(answer_row(&a, t, 0)->classes[0], OR_FINITE);
        answer_close(&a);
        at_plan_free(plan);
    }
}

Test(plan, an_unmapped_page_hides_its_positions_and_is_not_written) {
    plan_case x;
    at_unmapped hole[] = {{0, 2, 1 << 20}, {1, 0, -1}};
    crowd(&x);
    x.c.unmapped = hole, x.c.unmappeds = 2, x.c.poison = AT_POISON_NAN;
    at_plan *plan = plan_made(&x, OR_GENAI);
    answer a;
    answer_open(&a, plan);
    cr_expect_eq(plan->problem.block_table[2], 1 << 20);
    for (int64_t t = 0; t < 3; t++) cr_expect_eq(plan->problem.slot_mapping[t], -1);
    cr_expect_eq(answer_row(&a, 0, 0)->keys, 9, "23 to 31 of 23 to 40");
    cr_expect_eq(answer_row(&a, 3, 0)->keys, 1);
    cr_expect_eq(answer_row(&a, 3, 0)->classes[0], OR_FINITE);
    answer_close(&a);
    at_plan_free(plan);
}

Test(plan, a_shared_prefix_holds_the_first_sequence_s_rows) {
    plan_case x;
    plan_case_start(&x, tiny, "uniform_codes");
    x.sequence[0] = (at_sequence){0, 33}, x.sequence[1] = (at_sequence){35, 1}, x.c.sequences = 2,
    x.c.shared_prefix = 2;
    x.c.poison = AT_POISON_NAN;
    at_plan *plan = plan_made(&x, OR_GENAI);
    answer a;
    answer_open(&a, plan);
    cr_expect_eq(plan->problem.block_table[1], plan->problem.block_table[3 + 1]);
    cr_expect_eq(or_decode(OR_F16, cached_row(&a, 1, 20)[0]), (37 * 20) % 256 - 128,
                 "written by sequence 0 in this call");
    cr_expect_eq(or_decode(OR_F16, cached_row(&a, 1, 33)[0]), (37 * 33 + 101) % 256 - 128, "its own");
    cr_expect_eq(answer_row(&a, 33, 0)->classes[0], OR_FINITE);
    answer_close(&a);
    at_plan_free(plan);
}

Test(plan, nothing_to_do_is_a_plan_too) {
    static const at_sequence none[] = {{0, 0}, {33, 0}, {0, 5}};
    for (size_t sequences = 0; sequences <= 3; sequences++) {
        plan_case x;
        plan_case_start(&x, tiny, "normal");
        memcpy(x.sequence, none, sizeof none);
        x.c.sequences = sequences, x.c.poison = AT_POISON_NEIGHBOUR;
        at_plan *plan = plan_made(&x, OR_GENAI);
        cr_expect_eq(plan->problem.tokens, sequences == 3 ? 5 : 0);
        cr_expect_eq(plan->rows, plan->problem.tokens * 2);
        cr_expect_eq(plan->problem.sequences, (int64_t)sequences);
        at_plan_free(plan);
    }
}

/* Overrides */

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

/* The suite's rule */

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
    cr_expect_str_eq(plan_complaint(&x, OR_GENAI),
                     "expects kv-heads at create, but there the first broken rule in dialect onnx-genai is none");
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
    x.sequence[0] = (at_sequence){0, 1 << 30}, x.attr[HEADS].i = 4;
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
    x.sequence[1] = (at_sequence){31, 2}, x.c.sequences = 2, x.c.shared_prefix = 2;
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

/* Exact */

Test(plan, exact_values_far_from_where_rounding_changes_are_accepted) {
    static const int64_t windows[] = {-1, 0, 1, 2, 15, 16, 17, 40, 41, 42};
    for (size_t w = 0; w < sizeof windows / sizeof *windows; w++) {
        for (int dialect = 0; dialect < OR_DIALECTS; dialect++) {
            plan_case x;
            plan_case_start(&x, glm, "uniform_codes");
            x.attr[WINDOW].i = windows[w], x.c.expect = AT_EXPECT_EXACT;
            for (x.c.dtype = AT_F16; x.c.dtype <= AT_BF16; x.c.dtype++) at_plan_free(plan_made(&x, dialect));
        }
    }
}

Test(plan, an_exact_value_near_where_rounding_changes_is_refused_by_name) {
    plan_case x;
    plan_case_start(&x, tiny, "uniform_codes");
    x.sequence[0] = (at_sequence){271, 1}, x.c.expect = AT_EXPECT_EXACT;
    at_plan_free(plan_made(&x, OR_GENAI));
    x.sequence[0] = (at_sequence){272, 1}; /* -1088/273 lies 2^-20.09 of itself from a tie */
    const char *why = plan_complaint(&x, OR_GENAI);
    cr_expect_not_null(strstr(why, "output of token 0, head 0, channel 6 is -3.98534798"), "%s", why);
    cr_expect_not_null(strstr(why, "where the rounded float16 changes"), "%s", why);
    x.c.expect = AT_EXPECT_BUDGET;
    at_plan_free(plan_made(&x, OR_GENAI));
    plan_case_start(&x, glm, "edge_markers"); /* 16 keys and big markers: ties themselves */
    x.attr[WINDOW].i = 15, x.c.expect = AT_EXPECT_EXACT;
    cr_expect_not_null(strstr(plan_complaint(&x, OR_GENAI), "where the rounded float16 changes"));
}

Test(plan, the_check_of_exact_values_leaves_the_cache_as_it_was) {
    plan_case x;
    plan_case_start(&x, glm, "uniform_codes");
    x.c.poison = AT_POISON_NAN;
    at_plan *budget = plan_made(&x, OR_GENAI);
    x.c.expect = AT_EXPECT_EXACT;
    at_plan *exact = plan_made(&x, OR_GENAI);
    cr_expect_str_eq(budget->digest[OR_KEY_CACHE], exact->digest[OR_KEY_CACHE]);
    at_plan_free(budget), at_plan_free(exact);
}

/* Rows */

static bool has(const at_plan *plan, int64_t token) {
    for (int64_t i = 0; i < plan->rows; i++) {
        if (plan->row[i] / plan->problem.heads == token) return true;
    }
    return false;
}

Test(plan, all_rows_are_judged_unless_a_sample_is_asked_for) {
    plan_case x;
    crowd(&x);
    x.c.padded_tokens = 1;
    at_plan *plan = plan_made(&x, OR_GENAI);
    cr_assert_eq(plan->rows, 12);
    for (int64_t i = 0; i < 12; i++) cr_expect_eq(plan->row[i], i);
    at_plan_free(plan);
}

Test(plan, a_sample_has_the_ends_and_the_edges_of_pages_and_windows) {
    plan_case x;
    plan_case_start(&x, tiny, "normal");
    x.sequence[0] = (at_sequence){3, 60}, x.sequence[1] = (at_sequence){0, 30}, x.c.sequences = 2;
    x.attr[WINDOW].i = 21, x.c.sample_rows = 60;
    at_plan *plan = plan_made(&x, OR_GENAI);
    cr_assert_eq(plan->rows, 60);
    for (int64_t i = 1; i < 60; i++) cr_expect_lt(plan->row[i - 1], plan->row[i]);
    cr_expect(plan->row[0] == 0 && plan->row[59] == 179);
    static const int64_t positions[] = {15, 16, 21, 22, 31, 32, 37, 62};
    for (size_t i = 0; i < sizeof positions / sizeof *positions; i++)
        cr_expect(has(plan, positions[i] - 3), "position %d", (int)positions[i]);
    cr_expect(has(plan, 59) && has(plan, 60), "the last of one sequence and the first of the next");
    at_plan_free(plan);
}

Test(plan, a_sample_follows_the_seed) {
    plan_case x;
    at_plan *a, *b;
    int differ = 0;
    plan_case_start(&x, tiny, "uniform_codes");
    x.sequence[0] = (at_sequence){0, 500}, x.c.sample_rows = 20;
    cr_assert_eq(at_plan_make(&a, &x.c, OR_GENAI, 1, NULL), AT_OK);
    cr_assert_eq(at_plan_make(&b, &x.c, OR_GENAI, 2, NULL), AT_OK);
    for (int i = 0; i < 20; i++) differ += a->row[i] != b->row[i];
    cr_expect_gt(differ, 0);
    at_plan_free(a), at_plan_free(b);
}

/* The bridge, and digests */

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
