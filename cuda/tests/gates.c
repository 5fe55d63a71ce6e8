/* Every rule at each gate it owns: id and code in both dialects, alone and beside another. */
#include "good_call.h"
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>
#include <string.h>

static const change table[] = {
    {"layout-value", NODE_GATES, {NODE, NODE}, .set = STRING("kv_cache_layout", "PAGED")},
    {"layout-value", NODE_GATES, {NODE, NODE}, .set = STRING("kv_cache_layout", "latent")},
    {"layout", NODE_GATES, {MAY, MAY}, .set = STRING("kv_cache_layout", "SEPARATE")},
    {"layout", NODE_GATES, {MAY, MAY}, .drop = "kv_cache_layout"},
    {"attribute.unknown", NODE_GATES, {NODE, NODE}, .add = INT("num_head", 2)},
    {"attribute.type", NODE_GATES, {NODE, NODE}, .set = FLOAT("num_heads", 2)},
    {"attribute.type", NODE_GATES, {NODE, NODE}, .set = STRING("scale", "0.25")},
    {"attribute.type", NODE_GATES, {NODE, NODE}, .set = INT("k_quant_type", 0)},
    {"attribute.twice", NODE_GATES, {NODE, NODE}, .add = INT("num_heads", H)},
    {"num-heads", NODE_GATES, {NODE, NODE}, .set = INT("num_heads", 0)},
    {"num-heads", NODE_GATES, {NODE, NODE}, .drop = "num_heads"},
    {"kv-heads", NODE_GATES, {NODE, NODE}, .set = INT("kv_num_heads", 2)},
    {"kv-heads", NODE_GATES, {NODE, NODE}, .drop = "kv_num_heads"},
    {"quant.k_quant_type", NODE_GATES, {MAY, MAY}, .set = STRING("k_quant_type", "PER_TENSOR")},
    {"quant.v_quant_type", NODE_GATES, {MAY, MAY}, .set = STRING("v_quant_type", "PER_CHANNEL")},
    {"quant.k_cache_dtype", NODE_GATES, {MAY, MAY}, .set = STRING("k_cache_dtype", "int8")},
    {"quant.v_cache_dtype", NODE_GATES, {MAY, MAY}, .set = STRING("v_cache_dtype", "00")},
    {"v-head-size-negative", NODE_GATES, {NODE, NODE}, .set = INT("v_head_size", -1)},
    {"rotary-offset", NODE_GATES, {NODE, NODE}, .set = INT("rotary_offset", -8)},
    {"rotary-offset", NODE_GATES, {NONE, NODE}, .set = INT("rotary_offset", 12)},
    {"scale-range", NODE_GATES, {NODE, NODE}, .set = FLOAT("scale", NAN)},
    {"scale-range", NODE_GATES, {NODE, NODE}, .set = FLOAT("scale", -INFINITY)},
    {"softcap-range", NODE_GATES, {NODE, NODE}, .set = FLOAT("softcap", NAN)},
    {"softcap-range", NODE_GATES, {NODE, NODE}, .set = FLOAT("softcap", INFINITY)},
    {"not-causal", NODE_GATES, {MAY, NODE}, .set = INT("is_causal", 0)},
    {"dtype.query", INPUT_GATES, {NODE, NODE}, .verb = DTYPE, .tensor = AT_QUERY, .value = AT_F32},
    {"dtype.query", INPUT_GATES, {NODE, NODE}, .verb = DTYPE, .tensor = AT_QUERY, .value = AT_I32},
    {"present.value", INPUT_GATES, {NODE, NODE}, .verb = GIVE, .tensor = AT_VALUE},
    {"present.value_cache", INPUT_GATES, {NODE, NODE}, .verb = GIVE, .tensor = AT_VALUE_CACHE},
    {"present.value_cache_out", PA_EXECUTE, {NODE, NODE}, .verb = GIVE, .tensor = PA_VALUE_CACHE_OUT},
    {"present.head_sink", INPUT_GATES, {MAY, NODE}, .verb = GIVE, .tensor = AT_HEAD_SINK},
    {"present.q_norm_weight", INPUT_GATES, {MAY, NODE}, .verb = GIVE, .tensor = AT_Q_NORM_WEIGHT},
    {"present.k_norm_weight", INPUT_GATES, {MAY, NODE}, .verb = GIVE, .tensor = AT_K_NORM_WEIGHT},
    {"present.k_scale", INPUT_GATES, {MAY, NODE}, .verb = GIVE, .tensor = AT_K_SCALE},
    {"present.v_scale", INPUT_GATES, {MAY, NODE}, .verb = GIVE, .tensor = AT_V_SCALE},
    {"required.query", PA_EXECUTE, {NODE, NODE}, .verb = LEAVE_OUT, .tensor = AT_QUERY},
    {"required.key", PA_EXECUTE, {NODE, NODE}, .verb = LEAVE_OUT, .tensor = AT_KEY},
    {"required.key_cache", PA_EXECUTE, {NODE, NODE}, .verb = LEAVE_OUT, .tensor = AT_KEY_CACHE},
    {"required.cumulative_sequence_length",
     PA_EXECUTE,
     {NODE, NODE},
     .verb = LEAVE_OUT,
     .tensor = AT_CUMULATIVE_SEQUENCE_LENGTH},
    {"required.past_seqlens", PA_EXECUTE, {NODE, NODE}, .verb = LEAVE_OUT, .tensor = AT_PAST_SEQLENS},
    {"required.block_table", PA_EXECUTE, {NODE, NODE}, .verb = LEAVE_OUT, .tensor = AT_BLOCK_TABLE},
    {"required.output", PA_EXECUTE, {NODE, NODE}, .verb = LEAVE_OUT, .tensor = PA_OUTPUT},
    {"required.slot_mapping", PA_EXECUTE, {NODE, NONE}, .verb = LEAVE_OUT, .tensor = AT_SLOT_MAPPING},
    {"required.cos_cache", PA_EXECUTE, {NODE, NODE}, .verb = LEAVE_OUT, .tensor = AT_COS_CACHE},
    {"required.cos_cache", PA_EXECUTE, {NONE, NODE}, .verb = LEAVE_OUT, .tensor = AT_COS_CACHE, .drop = "do_rotary"},
    {"required.sin_cache", PA_EXECUTE, {NODE, NODE}, .verb = LEAVE_OUT, .tensor = AT_SIN_CACHE},
    {"required.sin_cache", PA_EXECUTE, {NONE, NODE}, .verb = LEAVE_OUT, .tensor = AT_SIN_CACHE, .drop = "do_rotary"},
    {"dtype.key", PA_EXECUTE, {CALL, CALL}, .verb = DTYPE, .tensor = AT_KEY, .value = AT_F32},
    {"dtype.key_cache", PA_EXECUTE, {CALL, CALL}, .verb = DTYPE, .tensor = AT_KEY_CACHE, .value = AT_I8},
    {"dtype.cos_cache", PA_EXECUTE, {CALL, CALL}, .verb = DTYPE, .tensor = AT_COS_CACHE, .value = AT_F32},
    {"dtype.sin_cache", PA_EXECUTE, {CALL, CALL}, .verb = DTYPE, .tensor = AT_SIN_CACHE, .value = AT_F32},
    {"dtype.sin_cache",
     PA_EXECUTE,
     {NONE, CALL},
     .verb = DTYPE,
     .tensor = AT_SIN_CACHE,
     .value = AT_F32,
     .drop = "do_rotary"},
    {"dtype.output", PA_EXECUTE, {CALL, CALL}, .verb = DTYPE, .tensor = PA_OUTPUT, .value = AT_F32},
    {"dtype.cumulative_sequence_length",
     PA_EXECUTE,
     {CALL, CALL},
     .verb = DTYPE,
     .tensor = AT_CUMULATIVE_SEQUENCE_LENGTH,
     .value = AT_I64},
    {"dtype.past_seqlens", PA_EXECUTE, {CALL, CALL}, .verb = DTYPE, .tensor = AT_PAST_SEQLENS, .value = AT_I64},
    {"dtype.block_table", PA_EXECUTE, {CALL, CALL}, .verb = DTYPE, .tensor = AT_BLOCK_TABLE, .value = AT_I64},
    {"dtype.slot_mapping", PA_EXECUTE, {CALL, CALL}, .verb = DTYPE, .tensor = AT_SLOT_MAPPING, .value = AT_I64},
    {"dtype.attention_metadata",
     PA_EXECUTE,
     {NONE, CALL},
     .verb = DTYPE,
     .tensor = AT_ATTENTION_METADATA,
     .value = AT_I64},
    {"rank.key_cache", PA_EXECUTE, {CALL, CALL}, .verb = RANK, .tensor = AT_KEY_CACHE, .value = 3},
    {"rank.query", PA_EXECUTE, {CALL, CALL}, .verb = RANK, .tensor = AT_QUERY, .value = 3},
    {"rank.key", PA_EXECUTE, {CALL, CALL}, .verb = RANK, .tensor = AT_KEY, .value = 1},
    {"rank.block_table", PA_EXECUTE, {CALL, CALL}, .verb = RANK, .tensor = AT_BLOCK_TABLE, .value = 1},
    {"rank.cos_cache", PA_EXECUTE, {CALL, CALL}, .verb = RANK, .tensor = AT_COS_CACHE, .value = 3},
    {"rank.cos_cache", PA_EXECUTE, {NONE, CALL}, .verb = RANK, .tensor = AT_COS_CACHE, .value = 3, .drop = "do_rotary"},
    {"rank.sin_cache", PA_EXECUTE, {CALL, CALL}, .verb = RANK, .tensor = AT_SIN_CACHE, .value = 0},
    {"rank.output", PA_EXECUTE, {CALL, CALL}, .verb = RANK, .tensor = PA_OUTPUT, .value = 3},
    {"rank.cumulative_sequence_length",
     PA_EXECUTE,
     {CALL, CALL},
     .verb = RANK,
     .tensor = AT_CUMULATIVE_SEQUENCE_LENGTH,
     .value = 2},
    {"rank.past_seqlens", PA_EXECUTE, {CALL, CALL}, .verb = RANK, .tensor = AT_PAST_SEQLENS, .value = 0},
    {"rank.slot_mapping", PA_EXECUTE, {CALL, CALL}, .verb = RANK, .tensor = AT_SLOT_MAPPING, .value = 2},
    {"block-size", PA_EXECUTE, {CALL, CALL}, .verb = DIM, .tensor = AT_KEY_CACHE, .axis = 1, .value = 24},
    {"block-size", PA_EXECUTE, {CALL, CALL}, .verb = DIM, .tensor = AT_KEY_CACHE, .axis = 1, .value = 8},
    {"block-size", PA_EXECUTE, {CALL, CALL}, .verb = DIM, .tensor = AT_KEY_CACHE, .axis = 1, .value = 0},
    {"cache-heads", PA_EXECUTE, {CALL, CALL}, .verb = DIM, .tensor = AT_KEY_CACHE, .axis = 2, .value = 2},
    {"query-hidden", PA_EXECUTE, {CALL, CALL}, .verb = DIM, .tensor = AT_QUERY, .axis = 1, .value = H * HS + 1},
    {"query-hidden", PA_EXECUTE, {CALL, CALL}, .set = INT("num_heads", H + 1)},
    {"query-hidden", PA_EXECUTE, {CALL, CALL}, .set = INT("num_heads", INT64_MAX / 2)},
    {"key-hidden", PA_EXECUTE, {CALL, CALL}, .verb = DIM, .tensor = AT_KEY, .axis = 1, .value = HS - 1},
    {"key-rows", PA_EXECUTE, {CALL, CALL}, .verb = DIM, .tensor = AT_KEY, .axis = 0, .value = T + 1},
    {"batch.cumulative_sequence_length",
     PA_EXECUTE,
     {CALL, CALL},
     .verb = DIM,
     .tensor = AT_CUMULATIVE_SEQUENCE_LENGTH,
     .axis = 0,
     .value = B},
    {"batch.block_table", PA_EXECUTE, {CALL, CALL}, .verb = DIM, .tensor = AT_BLOCK_TABLE, .axis = 0, .value = B + 1},
    {"batch.slot_mapping", PA_EXECUTE, {CALL, CALL}, .verb = DIM, .tensor = AT_SLOT_MAPPING, .axis = 0, .value = T - 1},
    {"v-head-size", PA_EXECUTE, {CALL, CALL}, .set = INT("v_head_size", HS + 1)},
    {"scale-required", PA_EXECUTE, {CALL, CALL}, .drop = "scale"},
    {"scale-required", PA_EXECUTE, {NONE, CALL}, .set = FLOAT("scale", 0.0f)},
    {"cos-sin-shape", PA_EXECUTE, {CALL, CALL}, .verb = DIM, .tensor = AT_SIN_CACHE, .axis = 0, .value = 63},
    {"cos-sin-shape", PA_EXECUTE, {CALL, CALL}, .verb = DIM, .tensor = AT_COS_CACHE, .axis = 1, .value = 2},
    {"rotary-span", PA_EXECUTE, {CALL, CALL}, .set = INT("rotary_offset", 24)},
    {"rotary-span", PA_EXECUTE, {CALL, CALL}, .set = INT("rotary_offset", INT64_MAX - 7)},
    {"rotary-span", PA_EXECUTE, {CALL, CALL}, .set = INT("rotary_offset", HS + 8), .drop = "do_rotary"},
    {"output-shape", PA_EXECUTE, {CALL, CALL}, .verb = DIM, .tensor = PA_OUTPUT, .axis = 0, .value = T + 1},
    {"output-shape", PA_EXECUTE, {CALL, CALL}, .verb = DIM, .tensor = PA_OUTPUT, .axis = 1, .value = H * HS},
    {"cache-alias", PA_EXECUTE, {CALL, CALL}, .verb = ELSEWHERE, .tensor = PA_KEY_CACHE_OUT},
    {"metadata-shape", PA_EXECUTE, {NONE, CALL}, .verb = DIM, .tensor = AT_ATTENTION_METADATA, .axis = 0, .value = 4},
    {"metadata-shape", PA_EXECUTE, {NONE, CALL}, .verb = RANK, .tensor = AT_ATTENTION_METADATA, .value = 2},
    {"not-warmed", PA_EXECUTE, {AT_NOT_WARMED, NONE}, .verb = CAPTURE},
};
enum { CASES = sizeof table / sizeof *table };

Test(gates, a_good_node_and_call_pass_all_three_in_both_dialects_and_types) {
    for (int d = 0; d < PA_DIALECTS; ++d) {
        for (int dtype = AT_F16; dtype <= AT_BF16; ++dtype) {
            given g;
            good_call(&g, (pa_dialect)d, (at_dtype)dtype);
            for (unsigned gate = PA_SUPPORTS; gate <= PA_EXECUTE; gate *= 2)
                expect_answer(gate, &g, AT_ACCEPTED, "good");
        }
    }
}

Test(gates, each_rule_answers_at_each_gate_it_owns_and_at_no_other) {
    for (int i = 0; i < CASES; ++i) {
        for (int d = 0; d < PA_DIALECTS; ++d) {
            for (unsigned gate = PA_SUPPORTS; gate <= PA_EXECUTE; gate *= 2) {
                given g;
                good_call(&g, (pa_dialect)d, AT_F16);
                apply_change(&g, &table[i]);
                if (table[i].gates & gate)
                    expect_answer(gate, &g, table[i].code[d], table[i].id);
                else if (gate != PA_EXECUTE)
                    expect_answer(gate, &g, AT_ACCEPTED, table[i].id);
            }
        }
    }
}

static const char *attribute_of(const change *c) {
    return c->set.name ? c->set.name : c->add.name ? c->add.name : c->drop;
}

static bool changes_two_things(const change *c) {
    return c->drop && (c->verb || c->set.name);
}

/* Neither undoes the other, as far as one thing each tells. */
static bool independent(const change *a, const change *b) {
    if (changes_two_things(a) || changes_two_things(b)) return false;
    const char *of_a = attribute_of(a), *of_b = attribute_of(b);
    return !(of_a && of_b && strcmp(of_a, of_b) == 0) && !(a->verb && b->verb && a->tensor == b->tensor);
}

static bool breaks(const change *c, pa_dialect d, unsigned gate) {
    return c->gates & gate && c->code[d] != NONE;
}

Test(gates, of_two_broken_rules_the_first_in_the_table_answers) {
    int pairs = 0;
    for (int i = 0; i < CASES; ++i) {
        for (int j = i + 1; j < CASES; ++j) {
            for (int d = 0; d < PA_DIALECTS; ++d) {
                for (unsigned gate = PA_SUPPORTS; gate <= PA_EXECUTE; gate *= 2) {
                    if (!breaks(&table[i], d, gate) || !breaks(&table[j], d, gate)) continue;
                    if (!independent(&table[i], &table[j])) continue;
                    given g;
                    good_call(&g, (pa_dialect)d, AT_F16);
                    apply_change(&g, &table[j]);
                    apply_change(&g, &table[i]);
                    expect_answer(gate, &g, table[i].code[d], table[i].id);
                    ++pairs;
                }
            }
        }
    }
    cr_assert(gt(int, pairs, 5000));
}

Test(gates, no_rule_is_without_a_test) {
    static const char *const by_name[] = {"grid-limit", "metadata-negative", "granularity.head_size",
                                          "granularity.cos_cache"};
    size_t rules;
    const pa_rule *rule = pa_rules(&rules);
    cr_assert(eq(sz, rules, 75));
    for (size_t r = 0; r < rules; ++r) {
        bool tested = false;
        for (int i = 0; i < CASES; ++i) tested |= strcmp(table[i].id, rule[r].id) == 0;
        for (int i = 0; i < 4; ++i) tested |= strcmp(by_name[i], rule[r].id) == 0;
        cr_expect(tested, "%s", rule[r].id);
    }
}
