/* Each wrong reading against an answer worked out by hand; where it applies, and that it is then another answer. */
#include "../hypotheses.h"

#include "../rope.h"
#include "../write.h"
#include "scene.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HS = 32, VHS = 16, HEADS = 2, TOKENS = 5 };
static const int32_t past[] = {18, 3}, fresh[] = {3, 2};
static const shape two = {OR_F16, HEADS, HS, 16, 16, 3, 2, past, fresh};
static const or_arithmetic exact = {.rope = OR_ROPE_EXACT};

/* Sequence 0: positions 0..20, its tokens 18, 19, 20. Sequence 1: positions 0..4, its tokens 3 and 4. */
static scene *scene_with(uint64_t seed, or_dialect dialect, or_attr a, or_attr b) {
    scene *s = scene_new(&two, seed);
    RESOLVE(s, dialect, INT("v_head_size", VHS), FLOAT("scale", 0.5), INT("do_rotary", 1), INT("rotary_offset", VHS), a,
            b);
    return s;
}
static const or_attr nothing = {.name = "local_window_size", .type = OR_INT, .i = -1};

static or_setting setting_of(const scene *s) {
    return (or_setting){.problem = &s->p, .cache = s->cache, .how = &exact, .rotary_rows = 21};
}

static const or_hypothesis *hypothesis(const char *id) {
    const or_hypothesis *h = or_hypothesis_by_id(id);
    cr_assert_not_null(h, "%s", id);
    return h;
}

static void wrong_row(double *o, const scene *s, const char *id, int64_t token, int64_t head) {
    const or_setting at = setting_of(s);
    cr_assert(or_hypothesis_applies(hypothesis(id), &at), "%s does not apply", id);
    cr_assert(or_hypothesis_rows(o, NULL, hypothesis(id), &at, &(or_place){token, head}, 1));
}

static void right_row(double *o, const scene *s, int64_t token, int64_t head) {
    or_attention *a = or_attention_new(&s->p, s->cache, &exact);
    memcpy(o, or_attend(a, token, head)->o, VHS * sizeof *o);
    or_attention_free(a);
}

/* Readings that see other keys: with q = 0 the answer is the mean of what is seen. */

/* Channel 0 of position j holds 2^(j % 11), of sequence 1 its negative; what is nobody's holds 1000. */
static scene *coded(int64_t window) {
    scene *s = scene_with(0, OR_GENAI, (or_attr)INT("local_window_size", window), nothing);
    if (window >= 0) s->p.window_before = window;
    for (int64_t i = 0; i < s->blocks * 16; i++) s->cache[i * HS] = or_round(OR_F16, 1000);
    for (int64_t j = 0; j < 21; j++) scene_cached(s, 0, j, 0, (double)(1 << j % 11));
    for (int64_t j = 0; j < 5; j++) scene_cached(s, 1, j, 0, -(double)(1 << j % 11));
    return s;
}

static double mean_of(int64_t from, int64_t to) {
    double sum = 0;
    for (int64_t j = from; j <= to; j++) sum += 1 << j % 11;
    return sum / (double)(to - from + 1);
}

static const struct {
    const char *id;
    int64_t window, token;
    double extra; /* entries of 1000 beside positions from..to of sequence 0 */
    int64_t from, to;
} seen[] = {
    {"window-wider", 4, 1, 0, 14, 19}, {"window-narrower", 4, 1, 0, 16, 19},   {"window-off", 4, 1, 0, 0, 19},
    {"not-causal", -1, 0, 0, 0, 20},   {"own-token-dropped", -1, 1, 0, 0, 18}, {"page-tail", -1, 1, 11, 0, 20},
    {"page-more", -1, 1, 27, 0, 20},   {"cache-ignored", -1, 1, 0, 18, 19},    {"past-ignored", -1, 1, 0, 0, 1},
    {"value-first", -1, 1, 0, 0, 0},   {"value-last", -1, 1, 0, 19, 19},       {"value-mean", -1, 1, 0, 0, 19},
};

Test(hypotheses, readings_of_other_keys_have_the_mean_of_what_they_see) {
    for (size_t i = 0; i < sizeof seen / sizeof seen[0]; i++) {
        scene *s = coded(seen[i].window);
        double o[VHS];
        wrong_row(o, s, seen[i].id, seen[i].token, 1);
        const double n = (double)(seen[i].to - seen[i].from + 1);
        const double want = (n * mean_of(seen[i].from, seen[i].to) + 1000 * seen[i].extra) / (n + seen[i].extra);
        cr_expect_float_eq(o[0], want, 1e-9, "%s: %g for %g", seen[i].id, o[0], want);
        scene_free(s);
    }
}

Test(hypotheses, one_key_less_than_the_token_itself_is_none) {
    scene *s = coded(0);
    double o[VHS];
    wrong_row(o, s, "window-narrower", 1, 0);
    for (int d = 0; d < VHS; d++) cr_expect_eq(o[d], 0);
    scene_free(s);
}

/* The budget of a row in a problem, with the cache that stands. */
static void budget_of(double *bound, const scene *s, const or_problem *p, int64_t token) {
    or_attention *a = or_attention_new(p, s->cache, &exact);
    or_budget *b = or_budget_new(p, s->cache, &exact, OR_RIGOROUS);
    or_budget_row(b, or_attend(a, token, 0), token, 0, bound);
    or_budget_free(b);
    or_attention_free(a);
}

Test(hypotheses, the_bound_of_a_reading_is_that_of_what_it_sees) {
    scene *s = scene_with(6, OR_GENAI, nothing, nothing);
    const or_setting at = setting_of(s);
    or_problem wide = s->p;
    s->p.window_before = 3;
    wide.window_before = -1;
    double right[VHS], whole[VHS], o[VHS], bound[VHS];
    budget_of(right, s, &s->p, 1);
    budget_of(whole, s, &wide, 1);
    cr_assert(or_hypothesis_rows(o, bound, hypothesis("window-off"), &at, &(or_place){1, 0}, 1));
    for (int d = 0; d < VHS; d++) cr_expect(bound[d] == whole[d] && bound[d] != right[d], "%g", bound[d]);
    /* of keys past the context too */
    cr_assert(or_hypothesis_rows(o, bound, hypothesis("page-more"), &at, &(or_place){2, 0}, 1));
    for (int d = 0; d < VHS; d++) cr_expect(bound[d] > 0 && isfinite(bound[d]), "%g", bound[d]);
    scene_free(s);
}

Test(hypotheses, a_stale_last_page_is_the_one_before_it) {
    scene *s = coded(-1);
    double o[VHS];
    wrong_row(o, s, "page-stale", 1, 0); /* positions 16..19 are read at 0..3 */
    cr_expect_float_eq(o[0], (16 * mean_of(0, 15) + 4 * mean_of(0, 3)) / 20, 1e-9);
    scene_free(s);
}

Test(hypotheses, half_a_page_is_found_in_half_the_slots) {
    scene *s = coded(-1);
    double o[VHS], sum = 0;
    wrong_row(o, s, "page-halved", 1, 0);
    for (int64_t j = 0; j < 20; j++) sum += or_decode(OR_F16, s->cache[(s->table[j / 8] * 8 + j % 8) * HS]);
    cr_expect_float_eq(o[0], sum / 20, 1e-9);
    scene_free(s);
}

Test(hypotheses, the_next_row_of_the_table_is_another_sequence) {
    scene *s = coded(-1);
    double o[VHS];
    wrong_row(o, s, "table-row-next", 3, 0); /* position 3 of sequence 1, read from sequence 0 */
    cr_expect_float_eq(o[0], mean_of(0, 3), 1e-9);
    wrong_row(o, s, "table-row-next", 0, 0); /* and the last sequence's next is the first */
    cr_expect_float_eq(o[0], (-5 * mean_of(0, 4) + 14 * 1000.) / 19, 1e-9);
    scene_free(s);
}

Test(hypotheses, the_first_row_of_the_table_is_right_for_sequence_0_alone) {
    scene *s = coded(-1);
    double o[VHS], right[VHS];
    wrong_row(o, s, "table-row-first", 3, 0);
    cr_expect_float_eq(o[0], mean_of(0, 3), 1e-9);
    wrong_row(o, s, "table-row-first", 0, 0);
    right_row(right, s, 0, 0);
    cr_expect_eq(o[0], right[0]);
    scene_free(s);
}

Test(hypotheses, past_its_columns_a_row_runs_on_into_the_next) {
    scene *s = coded(-1);
    const or_setting at = setting_of(s);
    cr_expect(!or_hypothesis_applies(hypothesis("table-runs-on"), &at), "no context is longer than its row");
    const int32_t narrow[] = {s->table[0], s->table[s->p.max_blocks]};
    double o[VHS], bound[VHS], right[VHS];
    s->p.block_table = narrow, s->p.max_blocks = 1;
    right_row(right, s, 1, 0);
    cr_expect_float_eq(right[0], mean_of(0, 15), 1e-9);
    wrong_row(o, s, "table-runs-on", 1, 0); /* positions 16..19 are those of sequence 1, 0..3 */
    cr_expect_float_eq(o[0], (16 * mean_of(0, 15) - 4 * mean_of(0, 3)) / 20, 1e-9);
    wrong_row(o, s, "table-runs-on", 4, 0); /* nothing follows the last */
    right_row(right, s, 4, 0);
    cr_expect_eq(o[0], right[0]);
    cr_assert(or_hypothesis_rows(o, bound, hypothesis("table-runs-on"), &at, &(or_place){1, 0}, 1));
    for (int d = 0; d < VHS; d++) cr_expect(bound[d] > 0 && isfinite(bound[d]), "%g", bound[d]);
    scene_free(s);
}

Test(hypotheses, a_page_that_is_not_mapped_is_read_from_page_0) {
    scene *s = coded(-1);
    s->table[0] = -1;
    double o[VHS], right[VHS];
    right_row(right, s, 0, 0);
    cr_expect_float_eq(right[0], mean_of(16, 18), 1e-9);
    for (int64_t i = 0; i < 16; i++) s->cache[i * HS] = or_round(OR_F16, 7);
    wrong_row(o, s, "unmapped-as-zero", 0, 0);
    double sum = 16 * 7;
    for (int64_t j = 16; j <= 18; j++) sum += or_decode(OR_F16, s->cache[or_slot_of(&s->p, 0, j) * HS]);
    cr_expect_float_eq(o[0], sum / 19, 1e-9);
    scene_free(s);
}

Test(hypotheses, tokens_of_nobody_are_the_last_sequences) {
    scene *s = coded(-1);
    s->start[2] = 4; /* the last token is nobody's; it would be at position 4 */
    double o[VHS], right[VHS];
    right_row(right, s, 4, 0);
    cr_expect_eq(right[0], 0);
    wrong_row(o, s, "padding-as-last", 4, 0);
    cr_expect_float_eq(o[0], -mean_of(0, 4), 1e-9);
    const or_setting short_table = {.problem = &s->p, .cache = s->cache, .how = &exact, .rotary_rows = 4};
    cr_expect(!or_hypothesis_applies(hypothesis("padding-as-last"), &short_table), "cos has no row for it");
    scene_free(s);
}

Test(hypotheses, a_row_with_slot_minus_one_lands_in_slot_0) {
    scene *s = coded(-1);
    s->slots[1] = -1;
    scene_key(s, 1, 0, 333);
    double o[VHS];
    s->table[0] = 0; /* sequence 0 begins at slot 0 */
    wrong_row(o, s, "slot-minus-one", 0, 0);
    double sum = 333;
    for (int64_t j = 1; j <= 18; j++) sum += or_decode(OR_F16, s->cache[or_slot_of(&s->p, 0, j) * HS]);
    cr_expect_float_eq(o[0], sum / 19, 1e-9);
    scene_free(s);
}

Test(hypotheses, the_fresh_key_is_read_instead_of_the_cache) {
    scene *s = coded(-1);
    const or_setting at = setting_of(s);
    cr_expect(!or_hypothesis_applies(hypothesis("fresh-key"), &at), "each row is written where it is read");
    s->slots[1] = -1;
    for (int64_t t = 0; t < TOKENS; t++) scene_key(s, t, 0, 100 + (double)t);
    double o[VHS];
    wrong_row(o, s, "fresh-key", 1, 0);
    cr_expect_float_eq(o[0], (18 * mean_of(0, 17) + 100 + 101) / 20, 1e-9);
    scene_free(s);
}

/* Readings of the query: what they score is what another query would. */

/* The right answer once the raw query of (0, 0) is x: for readings that can be said as another raw query. */
static void row_of_query(double *o, scene *s, const double *x) {
    uint16_t kept[HS];
    memcpy(kept, s->query, sizeof kept);
    const int64_t r = s->p.rotary_dim;
    s->p.rotary_dim = 0;
    double *scores = calloc(HS, sizeof *scores);
    or_attention *a = or_attention_new(&s->p, s->cache, &exact);
    const or_row *row = or_attend(a, 0, 0);
    double max = -INFINITY, sum = 0, logit[64];
    for (int64_t j = 0; j < row->keys; j++) {
        double dot = 0;
        for (int64_t i = 0; i < HS; i++) dot += x[i] * or_decode(OR_F16, s->cache[row->slot[j] * HS + i]);
        logit[j] = s->p.scale * dot;
        max = fmax(max, logit[j]);
    }
    for (int64_t d = 0; d < VHS; d++) o[d] = 0;
    for (int64_t j = 0; j < row->keys; j++) sum += exp(logit[j] - max);
    for (int64_t j = 0; j < row->keys; j++)
        for (int64_t d = 0; d < VHS; d++)
            o[d] += exp(logit[j] - max) / sum * or_decode(OR_F16, s->cache[row->slot[j] * HS + d]);
    or_attention_free(a);
    free(scores);
    s->p.rotary_dim = r;
}

typedef void turned(double *x, const double *raw, scene *s);
static void unrotated(double *x, const double *raw, scene *s) {
    (void)s, memcpy(x, raw, HS * sizeof *x);
}
static void pairs(double *x, const double *raw, scene *s) {
    s->p.interleaved = true, or_rotate(x, raw, &s->p, 18), s->p.interleaved = false;
}
static void before(double *x, const double *raw, scene *s) {
    or_rotate(x, raw, &s->p, 17);
}
static void after(double *x, const double *raw, scene *s) {
    or_rotate(x, raw, &s->p, 19);
}
static void in_chunk(double *x, const double *raw, scene *s) {
    or_rotate(x, raw, &s->p, 0);
}
static void twice(double *x, const double *raw, scene *s) {
    double once[HS];
    or_rotate(once, raw, &s->p, 18), or_rotate(x, once, &s->p, 18);
}
static void backwards(double *x, const double *raw, scene *s) {
    for (int64_t i = 0; i < 8; i++) s->sin[18 * 8 + i] ^= 0x8000;
    or_rotate(x, raw, &s->p, 18);
    for (int64_t i = 0; i < 8; i++) s->sin[18 * 8 + i] ^= 0x8000;
}
static void of_head_1(double *x, const double *raw, scene *s) {
    double other[HS];
    (void)raw;
    or_decode_row(other, OR_F16, s->query + HS, HS), or_rotate(x, other, &s->p, 18);
}

static const struct {
    const char *id;
    turned *query;
} queries[] = {
    {"rope-none", unrotated}, {"rope-pairs", pairs}, {"rope-sign", backwards},    {"rope-before", before},
    {"rope-after", after},    {"rope-twice", twice}, {"rope-in-chunk", in_chunk}, {"head-next", of_head_1},
};

Test(hypotheses, readings_of_the_query_score_with_another_one) {
    for (size_t i = 0; i < sizeof queries / sizeof queries[0]; i++) {
        scene *s = scene_with(4, OR_GENAI, nothing, nothing);
        double raw[HS], x[HS], want[VHS], o[VHS], right[VHS], apart = 0;
        or_decode_row(raw, OR_F16, s->query, HS);
        queries[i].query(x, raw, s);
        row_of_query(want, s, x);
        wrong_row(o, s, queries[i].id, 0, 0);
        right_row(right, s, 0, 0);
        for (int d = 0; d < VHS; d++) {
            cr_assert_float_eq(o[d], want[d], 1e-12, "%s, channel %d: %g for %g", queries[i].id, d, o[d], want[d]);
            apart = fmax(apart, fabs(o[d] - right[d]));
        }
        cr_expect_gt(apart, 1e-3, "%s is right here", queries[i].id);
        scene_free(s);
    }
}

Test(hypotheses, without_a_row_of_cos_after_it_the_last_position_has_none) {
    scene *s = scene_with(4, OR_GENAI, nothing, nothing);
    double o[VHS], right[VHS];
    wrong_row(o, s, "rope-after", 2, 0);
    right_row(right, s, 2, 0);
    for (int d = 0; d < VHS; d++) cr_assert_float_eq(o[d], right[d], 1e-12);
    scene_free(s);
}

/* What a key would be written as. */

Test(hypotheses, a_key_may_be_turned_as_a_reading_turns_a_query) {
    scene *s = scene_with(4, OR_GENAI, nothing, nothing);
    const or_setting at = setting_of(s);
    const int64_t token = 1;
    double k[HS], x[HS];
    or_decode_row(x, OR_F16, s->p.key + token * HS, HS);
    cr_assert(or_hypothesis_written(k, hypothesis("rope-none"), &at, token));
    cr_expect_arr_eq(k, x, sizeof x);
    cr_assert(or_hypothesis_written(k, hypothesis("rope-sign"), &at, token));
    for (int64_t i = 0; i < s->p.rotary_dim / 2; i++) {
        const or_pair pair = or_pair_of(&s->p, 19, i);
        cr_expect_float_eq(k[pair.first], x[pair.first] * pair.cos + x[pair.second] * pair.sin, 1e-12);
        cr_expect_float_eq(k[pair.second], x[pair.second] * pair.cos - x[pair.first] * pair.sin, 1e-12);
    }
    scene_free(s);
}

Test(hypotheses, what_does_not_turn_a_query_leaves_the_key_as_it_should_be) {
    scene *s = scene_with(4, OR_GENAI, nothing, nothing);
    const or_setting at = setting_of(s);
    double k[HS], x[HS], right[HS];
    or_decode_row(x, OR_F16, s->p.key + HS, HS);
    or_rotate(right, x, &s->p, 19);
    cr_assert(or_hypothesis_written(k, hypothesis("value-late"), &at, 1));
    for (int d = 0; d < HS; d++) cr_expect_float_eq(k[d], right[d], 1e-12);
    scene_free(s);
}

/* Readings of the score: two keys, <q, k> = 8 and 0, V 1 and 0. */

static double weight_of_first(const char *id, double scale, double cap) {
    static const int32_t one_past[] = {1}, one_fresh[] = {2};
    static const shape small = {OR_F16, 1, HS, 0, 16, 1, 1, one_past, one_fresh};
    scene *s = scene_new(&small, 0);
    RESOLVE(s, OR_GENAI, INT("v_head_size", VHS), FLOAT("scale", scale), FLOAT("softcap", cap));
    scene_query(s, 0, 0, 20, 1);
    scene_cached(s, 0, 0, 20, 8), scene_cached(s, 0, 0, 0, 1);
    double o[VHS];
    wrong_row(o, s, id, 0, 0);
    scene_free(s);
    return o[0];
}

static double logistic(double x) {
    return 1 / (1 + exp(-x));
}

Test(hypotheses, readings_of_the_score_weigh_two_keys_otherwise) {
    cr_expect_float_eq(weight_of_first("softcap-ignored", 0.25, 0.5), logistic(2), 1e-9);
    cr_expect_float_eq(weight_of_first("softcap-before-scale", 0.25, 0.5), logistic(0.25 * 0.5 * tanh(16)), 1e-9);
    cr_expect_float_eq(weight_of_first("scale-default", 0.25, 0), logistic(8 / sqrt(32)), 1e-9);
    cr_expect_float_eq(weight_of_first("scale-ignored", 0.25, 0), logistic(8), 1e-9);
    const double capped = exp(0.5 * tanh(4)), hidden = 14 * exp(-0.5); /* 16 slots of the page, two of them seen */
    cr_expect_float_eq(weight_of_first("softcap-after-mask", 0.25, 0.5), capped / (capped + 1 + hidden), 1e-9);
}

Test(hypotheses, readings_of_the_answer_change_it_alone) {
    scene *s = scene_with(4, OR_GENAI, nothing, nothing);
    double o[VHS], right[VHS], late[VHS];
    right_row(right, s, 0, 0);
    wrong_row(o, s, "zeros", 0, 0);
    for (int d = 0; d < VHS; d++) cr_expect_eq(o[d], 0);
    wrong_row(late, s, "value-late", 0, 0);
    for (int d = 0; d + 1 < VHS; d++) cr_expect_float_eq(late[d], right[d + 1], 1e-12);
    wrong_row(o, s, "nan-to-zero", 0, 0);
    for (int d = 0; d < VHS; d++) cr_expect_eq(o[d], right[d]);
    scene_cached(s, 0, 5, 3, NAN);
    wrong_row(o, s, "nan-to-zero", 0, 0);
    right_row(right, s, 0, 0);
    for (int d = 0; d < VHS; d++) cr_expect(o[d] == 0 && isnan(right[d]));
    scene_free(s);
}

Test(hypotheses, the_output_may_be_left_as_it_was) {
    scene *s = scene_with(4, OR_GENAI, nothing, nothing);
    uint16_t before[TOKENS * HEADS * VHS];
    for (size_t i = 0; i < TOKENS * HEADS * VHS; i++) before[i] = or_round(OR_F16, (double)i);
    or_setting at = setting_of(s);
    cr_expect(!or_hypothesis_applies(hypothesis("output-kept"), &at));
    at.previous = before;
    double o[VHS];
    cr_assert(or_hypothesis_applies(hypothesis("output-kept"), &at));
    cr_assert(or_hypothesis_rows(o, NULL, hypothesis("output-kept"), &at, &(or_place){3, 1}, 1));
    for (int d = 0; d < VHS; d++) cr_expect_eq(o[d], (3 * HEADS + 1) * VHS + d);
    scene_free(s);
}

Test(hypotheses, ids_are_one_of_a_kind) {
    size_t n = 0;
    for (; or_hypothesis_at(n); n++) {
        cr_expect_eq(or_hypothesis_by_id(or_hypothesis_id(or_hypothesis_at(n))), or_hypothesis_at(n));
        cr_expect_gt(strlen(or_hypothesis_about(or_hypothesis_at(n))), 5u);
    }
    cr_expect_eq(n, 38);
    cr_expect_null(or_hypothesis_by_id("window"));
}

Test(hypotheses, rows_come_in_the_order_of_their_places) {
    scene *s = scene_with(4, OR_GENAI, nothing, nothing);
    const or_setting at = setting_of(s);
    const or_place places[] = {{4, 1}, {0, 0}, {2, 1}};
    double together[3 * VHS], alone[VHS];
    cr_assert(or_hypothesis_rows(together, NULL, hypothesis("own-token-dropped"), &at, places, 3));
    for (size_t i = 0; i < 3; i++) {
        wrong_row(alone, s, "own-token-dropped", places[i].token, places[i].head);
        cr_expect_arr_eq(together + i * VHS, alone, sizeof alone);
    }
    scene_free(s);
}

/* A call in which what the readings get wrong is there, but NaN, a page before the last that is mapped, and a context
 * that is longer than its row of the table. */
static scene *rich(void) {
    scene *s = scene_with(8, OR_GENAI, (or_attr)INT("local_window_size", 3), (or_attr)FLOAT("softcap", 1.5));
    s->start[2] = 4;
    s->slots[1] = -1;
    s->table[0] = -1;
    s->table[1] = 0; /* slot 0 is position 16 of sequence 0 */
    return s;
}

Test(hypotheses, where_a_reading_applies_some_row_is_another) {
    scene *s = rich();
    uint16_t before[TOKENS * HEADS * VHS] = {0x3c00};
    or_setting at = setting_of(s);
    at.previous = before;
    or_place places[TOKENS * HEADS];
    for (int64_t i = 0; i < TOKENS * HEADS; i++) places[i] = (or_place){i / HEADS, i % HEADS};
    double right[TOKENS * HEADS * VHS], wrong[TOKENS * HEADS * VHS];
    for (int64_t i = 0; i < TOKENS * HEADS; i++) right_row(right + i * VHS, s, places[i].token, places[i].head);
    for (size_t h = 0; or_hypothesis_at(h); h++) {
        const char *id = or_hypothesis_id(or_hypothesis_at(h));
        double apart = 0;
        if (strcmp(id, "table-runs-on") == 0) continue;
        cr_assert(or_hypothesis_applies(or_hypothesis_at(h), &at), "%s does not apply", id);
        cr_assert(or_hypothesis_rows(wrong, NULL, or_hypothesis_at(h), &at, places, TOKENS * HEADS));
        for (int64_t i = 0; i < TOKENS * HEADS * VHS; i++) apart = fmax(apart, fabs(wrong[i] - right[i]));
        const bool elsewhere = strcmp(id, "nan-to-zero") == 0 || strcmp(id, "page-stale") == 0;
        if (!elsewhere) cr_expect_gt(apart, 1e-3, "%s gives the right answer", id);
    }
    scene_free(s);
}

/* One token alone, unrotated, uncapped, V as wide as K: nothing to get wrong but what always can be. */
Test(hypotheses, a_plain_call_leaves_few_readings) {
    static const int32_t none[] = {0}, one[] = {1};
    static const shape single = {OR_F16, 1, HS, 0, 16, 1, 1, none, one};
    scene *s = scene_new(&single, 6);
    RESOLVE(s, OR_GENAI, INT("v_head_size", 0), FLOAT("scale", 1));
    const or_setting at = {.problem = &s->p, .cache = s->cache, .how = &exact};
    static const char *const left[] = {"own-token-dropped", "page-tail",   "page-halved",
                                       "scale-default",     "nan-to-zero", "zeros",
                                       "value-mean",        "value-first", "value-last"};
    size_t n = 0;
    for (size_t h = 0; or_hypothesis_at(h); h++)
        if (or_hypothesis_applies(or_hypothesis_at(h), &at)) {
            cr_assert_lt(n, sizeof left / sizeof left[0], "%s", or_hypothesis_id(or_hypothesis_at(h)));
            cr_expect_str_eq(or_hypothesis_id(or_hypothesis_at(h)), left[n++]);
        }
    cr_expect_eq(n, sizeof left / sizeof left[0]);
    scene_free(s);
}
