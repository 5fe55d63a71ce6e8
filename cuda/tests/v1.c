/* v1 on the CPU against numbers worked by hand; what it does on real shapes is judged by the harness. */
#include "../../harness/subject.h"
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    HS = 8,
    BS = 16,
    BLOCKS = 2,
    MOST_TOKENS = 6,
    TILE = 128,
    MOST_PAGES = TILE / BS + 1,
    NAN_WITH_PAYLOAD = 0x7e01
};

/* The bits of a value that the type holds exactly, infinities and NaN included. */
static uint16_t encode(at_dtype dtype, float x) {
    uint32_t u;
    memcpy(&u, &x, sizeof u);
    if (dtype == AT_BF16) return (uint16_t)(u >> 16);
    if (x == 0) return 0;
    if (!isfinite(x)) return isnan(x) ? 0x7fff : x < 0 ? 0xfc00 : 0x7c00;
    return (uint16_t)((u >> 16 & 0x8000) | (((u >> 23 & 0xff) - 112) << 10) | (u >> 13 & 0x3ff));
}

/* NaN of any kind is one. */
static uint16_t one_nan(at_dtype dtype, uint16_t bits) {
    return (bits & 0x7fff) > (dtype == AT_BF16 ? 0x7f80 : 0x7c00) ? 0x7fff : bits;
}

static int run_at_once(at_cpu_stream *stream, const at_cpu_launch *launch) {
    (void)stream;
    const at_cpu_how how = {.order = AT_RANDOM, .seed = 1, .late = 1, .shared_limit = 163 * 1024};
    const char *wrong = launch->run(launch, &how);
    cr_assert(wrong == NULL, "%s", wrong);
    return 0;
}

static int refuse_to_run(at_cpu_stream *stream, const at_cpu_launch *launch) {
    (void)stream, (void)launch;
    return 1;
}

/* One sequence, one head, no rotation, one page of keys and one of nobody; each row has one value in all its channels.
 */
typedef struct {
    at_attr attr[6];
    at_node node;
    at_call call;
    at_cpu_stream stream;
    at_dtype dtype;
    _Alignas(16) uint16_t query[MOST_TOKENS * HS], key[MOST_TOKENS * HS], cache[BLOCKS * BS * HS],
        past_the_cache[HS], output[MOST_TOKENS * HS];
    int32_t cumulative[2], past[1], table[MOST_PAGES], slot[MOST_TOKENS];
} small;

static at_tensor tensor(at_dtype dtype, void *data, uint32_t rank, int64_t a, int64_t b) {
    return (at_tensor){.dtype = dtype, .rank = rank, .shape = {a, b}, .data = data};
}

static void set_up(small *s, at_dtype dtype, const char *dialect, int tokens) {
    memset(s, 0, sizeof *s);
    memset(s->output, 0xa5, sizeof s->output);
    memset(s->key, 0xff, sizeof s->key); /* NaN, as is the cache */
    memset(s->cache, 0xff, sizeof s->cache);
    s->dtype = dtype;
    s->attr[0] = (at_attr){.name = "num_heads", .type = AT_INT, .i = 1};
    s->attr[1] = (at_attr){.name = "kv_num_heads", .type = AT_INT, .i = 1};
    s->attr[2] = (at_attr){.name = "kv_cache_layout", .type = AT_STRING, .s = "LATENT"};
    s->attr[3] = (at_attr){.name = "scale", .type = AT_FLOAT, .f = 1};
    s->attr[4] = (at_attr){.name = "local_window_size", .type = AT_INT, .i = -1};
    s->attr[5] = (at_attr){.name = "softcap", .type = AT_FLOAT, .f = 0};
    s->node = (at_node){dialect, s->attr, 6};
    s->stream = (at_cpu_stream){AT_SUBJECT_ABI, 0, run_at_once};
    s->cumulative[1] = tokens;
    for (int t = 0; t < tokens; ++t) s->slot[t] = t;
    at_tensor *in = s->call.in;
    in[AT_QUERY] = tensor(dtype, s->query, 2, tokens, HS);
    in[AT_KEY] = tensor(dtype, s->key, 2, tokens, HS);
    in[AT_KEY_CACHE] = (at_tensor){.dtype = dtype, .rank = 4, .shape = {BLOCKS, BS, 1, HS}, .data = s->cache};
    in[AT_CUMULATIVE_SEQUENCE_LENGTH] = tensor(AT_I32, s->cumulative, 1, 2, 0);
    in[AT_PAST_SEQLENS] = tensor(AT_I32, s->past, 1, 1, 0);
    in[AT_BLOCK_TABLE] = tensor(AT_I32, s->table, 2, 1, 1);
    in[AT_SLOT_MAPPING] = tensor(AT_I32, s->slot, 1, tokens, 0);
    s->call.out[AT_OUTPUT] = tensor(dtype, s->output, 2, tokens, HS);
    s->call.stream = &s->stream;
}

static void set_row(const small *s, uint16_t *rows, int row, float value) {
    for (int c = 0; c < HS; ++c) rows[row * HS + c] = encode(s->dtype, value);
}

static at_code execute(small *s, at_refusal *why) {
    const at_subject *v1 = at_subject_v1(0);
    at_kernel *kernel;
    cr_assert(eq(int, (int)v1->create(&s->node, 0, &kernel, why), AT_ACCEPTED), "%s", why->text);
    at_code code = v1->execute(kernel, &s->call, why);
    v1->destroy(kernel);
    return code;
}

static void run(small *s) {
    at_refusal why;
    cr_assert(eq(int, (int)execute(s, &why), AT_ACCEPTED), "%s", why.text);
}

static void expect_row(const small *s, int row, float value) {
    for (int c = 0; c < HS; ++c) {
        uint16_t got = one_nan(s->dtype, s->output[row * HS + c]), want = one_nan(s->dtype, encode(s->dtype, value));
        cr_expect(eq(u16, got, want), "row %d channel %d is not %g", row, c, (double)value);
    }
}

/* What ONNX Runtime 1.29 answered on a GPU, and the other dialect's reading of the same windows: q = 0, keys valued 1
 * to 6. */
Test(v1, a_window_counts_the_token_itself_in_onnxruntime_and_not_in_onnx_genai) {
    static const struct {
        const char *dialect;
        int64_t window;
        float row[MOST_TOKENS];
    } cases[] = {
        {"onnxruntime", 0, {1, 1.5f, 2, 2.5f, 3, 3.5f}},
        {"onnxruntime", -5, {1, 1.5f, 2, 2.5f, 3, 3.5f}},
        {"onnxruntime", 1, {1, 2, 3, 4, 5, 6}},
        {"onnxruntime", 2, {1, 1.5f, 2.5f, 3.5f, 4.5f, 5.5f}},
        {"onnx-genai", -1, {1, 1.5f, 2, 2.5f, 3, 3.5f}},
        {"onnx-genai", 0, {1, 2, 3, 4, 5, 6}},
        {"onnx-genai", 1, {1, 1.5f, 2.5f, 3.5f, 4.5f, 5.5f}},
        {"onnx-genai", 2, {1, 1.5f, 2, 3, 4, 5}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        for (at_dtype dtype = AT_F16; dtype <= AT_BF16; ++dtype) {
            small s;
            set_up(&s, dtype, cases[i].dialect, MOST_TOKENS);
            s.attr[4].i = cases[i].window;
            for (int t = 0; t < MOST_TOKENS; ++t) set_row(&s, s.key, t, (float)(t + 1));
            run(&s);
            for (int t = 0; t < MOST_TOKENS; ++t) expect_row(&s, t, cases[i].row[t]);
        }
    }
}

/* q = 1, so a score is the sum of the key's channels; the last token sees all three keys. */
Test(v1, nan_and_infinity_come_out_as_the_two_pass_equations_have_them) {
    static const struct {
        const char *why;
        float key[3], softcap, want;
    } cases[] = {
        {"a first NaN stays", {NAN, 1, 1}, 0, NAN},
        {"a last NaN stays", {1, 1, NAN}, 0, NAN},
        {"nothing but NaN", {NAN, NAN, NAN}, 0, NAN},
        {"a NaN stays under softcap", {1, NAN, 1}, 2, NAN},
        {"a score of inf is inf - inf", {1, INFINITY, 1}, 0, NAN},
        {"all scores -inf are -inf + inf", {-INFINITY, -INFINITY, -INFINITY}, 0, NAN},
        {"0 x -inf, first", {-INFINITY, 1, 1}, 0, NAN},
        {"0 x -inf, last", {1, 1, -INFINITY}, 0, NAN},
        {"capped infinities are values, and V has both", {INFINITY, -INFINITY, 1}, 2, NAN},
        {"capped, V has one", {INFINITY, 1, 1}, 2, INFINITY},
        {"nothing odd", {2, 2, 2}, 0, 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        small s;
        set_up(&s, AT_BF16, "onnx-genai", 3);
        s.attr[5].f = cases[i].softcap;
        for (int t = 0; t < 3; ++t) set_row(&s, s.query, t, 1), set_row(&s, s.key, t, cases[i].key[t]);
        run(&s);
        cr_log_info("%s", cases[i].why);
        expect_row(&s, 2, cases[i].want);
    }
}

/* v_head_size 4: the infinite channels lie past V, so a weight of exactly 0 shows. */
Test(v1, a_score_of_minus_infinity_weighs_nothing_before_and_after_others) {
    for (int odd = 0; odd < 3; ++odd) {
        small s;
        set_up(&s, AT_F16, "onnx-genai", 3);
        s.attr[5] = (at_attr){.name = "v_head_size", .type = AT_INT, .i = 4};
        s.call.out[AT_OUTPUT].shape[1] = 4;
        for (int t = 0; t < 3; ++t) {
            set_row(&s, s.query, t, 1), set_row(&s, s.key, t, t == odd ? 64 : 3);
            s.key[t * HS + 7] = encode(AT_F16, t == odd ? -INFINITY : 3);
        }
        run(&s);
        for (int d = 0; d < 4; ++d) cr_expect(eq(u16, s.output[2 * 4 + d], encode(AT_F16, 3)));
    }
}

Test(v1, a_row_that_sees_nothing_is_exactly_zero_and_hidden_rows_are_not_touched) {
    static const struct {
        int32_t block;
        int64_t columns;
    } cases[] = {{-1, 1}, {BLOCKS, 1}, {INT32_MAX, 1}, {0, 0}};
    for (int i = 0; i < 4; ++i) {
        small s;
        set_up(&s, AT_F16, "onnx-genai", 2);
        for (int t = 0; t < 2; ++t) set_row(&s, s.key, t, 7);
        s.table[0] = cases[i].block;
        s.call.in[AT_BLOCK_TABLE].shape[1] = cases[i].columns;
        run(&s);
        for (int t = 0; t < 2; ++t) expect_row(&s, t, 0);
    }
}

/* 128 keys of which none has a weight, and then one that has all of it. */
Test(v1, a_first_tile_without_weight_leaves_no_trace) {
    for (int32_t first_pages = -1; first_pages <= 1; first_pages += 2) { /* not mapped; a page of scores of -inf */
        small s;
        set_up(&s, AT_F16, "onnx-genai", 1);
        s.attr[5] = (at_attr){.name = "v_head_size", .type = AT_INT, .i = 4};
        s.call.out[AT_OUTPUT].shape[1] = 4;
        s.call.in[AT_BLOCK_TABLE].shape[1] = MOST_PAGES;
        s.past[0] = TILE;
        for (int i = 0; i < TILE / BS; ++i) s.table[i] = first_pages;
        for (int j = BS; j < 2 * BS; ++j) set_row(&s, s.cache, j, 64), s.cache[j * HS + 7] = encode(AT_F16, -INFINITY);
        set_row(&s, s.query, 0, 1), set_row(&s, s.key, 0, 3);
        run(&s);
        for (int d = 0; d < 4; ++d) cr_expect(eq(u16, s.output[d], encode(AT_F16, 3)));
    }
}

Test(v1, padded_tokens_and_slots_outside_the_cache_write_nothing) {
    small s;
    uint16_t before[BLOCKS * BS * HS];
    set_up(&s, AT_F16, "onnx-genai", 4);
    s.cumulative[1] = 3; /* token 3 is nobody's */
    s.slot[0] = -1, s.slot[1] = BLOCKS * BS, s.slot[2] = INT32_MIN;
    memset(s.cache, 0, sizeof s.cache);
    for (int j = 0; j < 3; ++j) set_row(&s, s.cache, j, 4);
    for (int t = 0; t < 4; ++t) set_row(&s, s.key, t, NAN);
    memcpy(before, s.cache, sizeof before);
    run(&s);
    cr_assert(memcmp(before, s.cache, sizeof before) == 0);
    for (int c = 0; c < HS; ++c) cr_expect(eq(u16, s.past_the_cache[c], 0));
    for (int t = 0; t < 3; ++t) expect_row(&s, t, 4); /* what the cache held */
    expect_row(&s, 3, 0);
}

Test(v1, slots_are_derived_from_the_table_where_onnxruntime_gives_none) {
    small s;
    set_up(&s, AT_BF16, "onnxruntime", 2);
    s.call.in[AT_SLOT_MAPPING].dtype = AT_ABSENT;
    s.table[0] = 1;
    for (int t = 0; t < 2; ++t) set_row(&s, s.key, t, 5);
    run(&s);
    cr_assert(memcmp(s.cache + BS * HS, s.key, 2 * HS * sizeof *s.key) == 0);
    expect_row(&s, 1, 5);
}

Test(v1, a_row_that_is_not_rotated_is_written_bit_for_bit) {
    small s;
    set_up(&s, AT_F16, "onnx-genai", 1);
    for (int c = 0; c < HS; ++c) s.key[c] = (uint16_t)(NAN_WITH_PAYLOAD + c * 0x2001);
    run(&s);
    cr_assert(memcmp(s.cache, s.key, HS * sizeof *s.key) == 0);
}

Test(v1, nothing_to_do_launches_nothing) {
    small s;
    set_up(&s, AT_F16, "onnx-genai", 0);
    s.stream.launch = refuse_to_run;
    run(&s);
}

Test(v1, a_stream_that_fails_is_a_device_error_with_words) {
    small s;
    at_refusal why;
    set_up(&s, AT_F16, "onnx-genai", 1);
    s.stream.launch = refuse_to_run;
    cr_assert(eq(int, (int)execute(&s, &why), AT_DEVICE_ERROR));
    cr_assert(why.rule == NULL && why.text[0]);
}

Test(v1, heads_too_wide_for_shared_memory_are_refused_before_anything_is_launched) {
    enum { WIDE = 6000 };
    small s;
    at_refusal why;
    set_up(&s, AT_F16, "onnx-genai", 1);
    s.stream.launch = refuse_to_run;
    s.call.in[AT_QUERY].shape[1] = s.call.in[AT_KEY].shape[1] = s.call.in[AT_KEY_CACHE].shape[3] = WIDE;
    s.call.out[AT_OUTPUT].shape[1] = WIDE;
    cr_assert(eq(int, (int)execute(&s, &why), AT_NOT_IMPLEMENTED));
    cr_assert(why.rule == NULL && strstr(why.text, "head_size 6000"));
}

Test(v1, a_signature_counts_once_it_ran) {
    const at_subject *v1 = at_subject_v1(0);
    at_kernel *kernel;
    at_refusal why;
    small s;
    set_up(&s, AT_F16, "onnx-genai", 1);
    cr_assert(eq(int, (int)v1->create(&s.node, 0, &kernel, &why), AT_ACCEPTED));
    cr_expect(eq(int, (int)v1->capture_ready(kernel, &s.call, &why), AT_NOT_WARMED));
    s.stream.launch = refuse_to_run;
    cr_expect(eq(int, (int)v1->execute(kernel, &s.call, &why), AT_DEVICE_ERROR));
    cr_expect(eq(int, (int)v1->capture_ready(kernel, &s.call, &why), AT_NOT_WARMED));
    s.stream.launch = run_at_once;
    cr_expect(eq(int, (int)v1->execute(kernel, &s.call, &why), AT_ACCEPTED));
    cr_expect(eq(int, (int)v1->capture_ready(kernel, &s.call, &why), AT_ACCEPTED));
    v1->destroy(kernel);
}
