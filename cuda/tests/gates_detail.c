/* What the rules leave alone, where the dialects part, and the sentences. */
#include "good_call.h"
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

static void set_tokens(given *g, int64_t tokens) {
    at_tensor *const counts_tokens[] = {&g->call.in[AT_QUERY], &g->call.in[AT_KEY], &g->call.in[AT_SLOT_MAPPING],
                                        &g->call.out[AT_OUTPUT]};
    for (int i = 0; i < 4; ++i) counts_tokens[i]->shape[0] = tokens;
}

Test(gates_detail, tokens_times_heads_may_fill_a_grid_and_not_exceed_it) {
    static const struct {
        int64_t tokens;
        at_code code;
    } cases[] = {{0, NONE}, {INT32_MAX / H, NONE}, {INT32_MAX / H + 1, CALL}, {INT64_MAX / 2, CALL}};
    for (int i = 0; i < 4; ++i) {
        given g;
        good_call(&g, PA_GENAI, AT_F16);
        set_tokens(&g, cases[i].tokens);
        expect_answer(PA_EXECUTE, &g, cases[i].code, "grid-limit");
        good_call(&g, PA_ONNXRUNTIME, AT_F16);
        set_tokens(&g, cases[i].tokens);
        expect_answer(PA_EXECUTE, &g, NONE, "grid-limit");
    }
}

Test(gates_detail, negative_metadata_is_refused_by_onnxruntime_alone) {
    given g;
    good_call(&g, PA_ONNXRUNTIME, AT_F16);
    g.metadata[1] = -1;
    expect_answer(PA_EXECUTE, &g, CALL, "metadata-negative");
    good_call(&g, PA_GENAI, AT_F16);
    g.metadata[1] = -1;
    expect_answer(PA_EXECUTE, &g, NONE, "metadata-negative");
}

Test(gates_detail, granularity_is_asked_by_onnxruntime_alone) {
    static const struct {
        int64_t head_size, columns;
        const char *drop, *id; /* NULL: accepted */
    } cases[] = {
        {40, 8, NULL, "granularity.head_size"}, {40, 8, "do_rotary", "granularity.head_size"}, /* the tables are checked
                                                                                                  where they are given
                                                                                                */
        {36, 0, NULL, "granularity.head_size"}, {32, 4, NULL, "granularity.cos_cache"},        {48, 16, NULL, NULL},
    };
    for (int i = 0; i < 5; ++i) {
        for (int d = 0; d < PA_DIALECTS; ++d) {
            given g;
            good_call(&g, (pa_dialect)d, AT_BF16);
            g.call.in[AT_QUERY].shape[1] = H * cases[i].head_size;
            g.call.in[AT_KEY].shape[1] = g.call.in[AT_KEY_CACHE].shape[3] = cases[i].head_size;
            g.call.in[AT_COS_CACHE].shape[1] = g.call.in[AT_SIN_CACHE].shape[1] = cases[i].columns;
            apply_change(&g, &(change){.drop = cases[i].drop});
            bool refused = d == PA_ONNXRUNTIME && cases[i].id;
            expect_answer(PA_EXECUTE, &g, refused ? CALL : NONE, cases[i].id);
        }
    }
}

Test(gates_detail, a_head_size_of_40_without_tables_is_legal_in_both_dialects) {
    for (int d = 0; d < PA_DIALECTS; ++d) {
        given g;
        good_call(&g, (pa_dialect)d, AT_F16);
        g.call.in[AT_QUERY].shape[1] = H * 40;
        g.call.in[AT_KEY].shape[1] = g.call.in[AT_KEY_CACHE].shape[3] = 40;
        g.call.in[AT_COS_CACHE].dtype = g.call.in[AT_SIN_CACHE].dtype = AT_ABSENT;
        apply_change(&g, &(change){.drop = "do_rotary"});
        expect_answer(PA_EXECUTE, &g, NONE, "good");
    }
}

/* What looks like a fault and is none. */
Test(gates_detail, legal_oddities_are_let_through) {
    static const change cases[] = {
        {.set = STRING("k_quant_type", "NONE")},
        {.set = STRING("k_quant_type", "None")},
        {.set = STRING("v_cache_dtype", "")},
        {.set = STRING("k_cache_dtype", "0")},
        {.set = FLOAT("softcap", -1.0f)},
        {.set = INT("local_window_size", INT64_MIN)},
        {.set = FLOAT("scale", -1.0f)},
        {.set = INT("is_causal", 1)},
        {.set = INT("do_rotary", 2)},
        {.verb = LEAVE_OUT, .tensor = PA_KEY_CACHE_OUT},
        {.verb = LEAVE_OUT, .tensor = AT_ATTENTION_METADATA},
        {.verb = DIM, .tensor = AT_BLOCK_TABLE, .axis = 1, .value = 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        for (int d = 0; d < PA_DIALECTS; ++d) {
            given g;
            good_call(&g, (pa_dialect)d, AT_F16);
            apply_change(&g, &cases[i]);
            for (unsigned gate = PA_SUPPORTS; gate <= PA_EXECUTE; gate *= 2)
                expect_answer(gate, &g, AT_ACCEPTED, "odd");
        }
    }
}

Test(gates_detail, rotary_tables_count_for_onnx_genai_only_where_something_is_rotated) {
    given g;
    good_call(&g, PA_GENAI, AT_F16);
    apply_change(&g, &(change){.set = INT("do_rotary", 0), .verb = RANK, .tensor = AT_COS_CACHE, .value = 7});
    expect_answer(PA_EXECUTE, &g, NONE, "rank.cos_cache");
    apply_change(&g, &(change){.set = INT("do_rotary", 2)}); /* any non-zero is true */
    expect_answer(PA_EXECUTE, &g, CALL, "rank.cos_cache");
}

Test(gates_detail, do_rotary_2_needs_no_tables_in_onnxruntime) {
    for (int d = 0; d < PA_DIALECTS; ++d) {
        given g;
        good_call(&g, (pa_dialect)d, AT_F16);
        g.call.in[AT_COS_CACHE].dtype = g.call.in[AT_SIN_CACHE].dtype = AT_ABSENT;
        apply_change(&g, &(change){.set = INT("do_rotary", 2)});
        expect_answer(PA_EXECUTE, &g, d == PA_GENAI ? NODE : NONE, "required.cos_cache");
    }
}

Test(gates_detail, supports_asks_for_nothing_that_is_missing) {
    given g;
    good_call(&g, PA_GENAI, AT_F16);
    memset(&g.call, 0, sizeof g.call);
    expect_answer(PA_SUPPORTS, &g, NONE, "required.query");
}

Test(gates_detail, a_warmed_signature_may_be_captured_and_another_may_not) {
    given g;
    at_refusal why;
    pa_node node;
    pa_warmed warmed = {0};
    good_call(&g, PA_GENAI, AT_F16);
    cr_assert(pa_node_read(&node, &g.node));
    pa_warmed_add(&warmed, &g.call);
    g.call.capturing = 1;
    cr_assert(eq(int, (int)pa_gate_execute(&node, &warmed, &g.call, &why), AT_ACCEPTED));
    g.call.in[AT_COS_CACHE].shape[0] = g.call.in[AT_SIN_CACHE].shape[0] = 65;
    cr_assert(eq(int, (int)pa_gate_execute(&node, &warmed, &g.call, &why), AT_NOT_WARMED));
    pa_warmed_free(&warmed);
}

Test(gates_detail, an_unknown_dialect_is_refused_with_the_ones_that_there_are) {
    given g;
    at_refusal why;
    good_call(&g, PA_GENAI, AT_F16);
    g.node.dialect = "vllm";
    cr_assert(eq(int, (int)pa_gate_create(&g.node, &why), AT_INVALID_NODE));
    cr_assert(why.rule == NULL);
    cr_assert(eq(str, why.text, "dialect \"vllm\" is neither onnx-genai nor onnxruntime"));
}

Test(gates_detail, a_sentence_has_the_values_and_what_would_be_right) {
    static const struct {
        change change;
        const char *text;
    } cases[] = {
        {{.verb = DIM, .tensor = AT_KEY_CACHE, .axis = 1, .value = 24},
         "key_cache has blocks of 24 slots (dimension 1), and must have a power of two >= 16"},
        {{.verb = DIM, .tensor = AT_SIN_CACHE, .axis = 0, .value = 63},
         "cos_cache is [64, 8] and sin_cache is [63, 8], and they must have one shape"},
        {{.verb = DTYPE, .tensor = AT_KEY, .value = AT_BF16}, "key is bfloat16, and must be float16 as query is"},
        {{.set = INT("v_head_size", 33)}, "v_head_size is 33, and must be at most the head_size of key_cache, 32"},
    };
    for (int i = 0; i < 4; ++i) {
        given g;
        at_refusal why;
        good_call(&g, PA_GENAI, AT_F16);
        apply_change(&g, &cases[i].change);
        ask_gate(PA_EXECUTE, &g, &why);
        cr_expect(eq(str, why.text, (char *)cases[i].text));
    }
}
