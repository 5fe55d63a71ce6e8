/* The table of wrong readings, behind the steps that they get wrong and where each may matter. */
#include "hypotheses_reading.h"

#include "rope.h"
#include "write.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int64_t fresh_of(const or_problem *p, int64_t b) {
    return (int64_t)p->cumulative_sequence_length[b + 1] - p->cumulative_sequence_length[b];
}
static int64_t context_of(const or_problem *p, int64_t b) {
    return p->past_seqlens[b] + fresh_of(p, b);
}
static int64_t owned(const or_problem *p) {
    return p->sequences > 0 ? p->cumulative_sequence_length[p->sequences] : 0;
}

/* Of any sequence with a token in the call. */
static bool some(const or_problem *p, bool (*is)(const or_problem *, int64_t b)) {
    for (int64_t b = 0; b < p->sequences; b++)
        if (fresh_of(p, b) > 0 && is(p, b)) return true;
    return false;
}

/* clang-format off */
static bool has_past(const or_problem *p, int64_t b) { return p->past_seqlens[b] > 0; }
static bool has_two_tokens(const or_problem *p, int64_t b) { return fresh_of(p, b) > 1; }
static bool has_position(const or_problem *p, int64_t b) { return context_of(p, b) > 1; }
static bool has_two_pages(const or_problem *p, int64_t b) { return context_of(p, b) > p->block_size; }
/* clang-format on */
static bool has_row_before(const or_problem *p, int64_t b) {
    (void)p;
    return b > 0;
}
static bool has_too_few_columns(const or_problem *p, int64_t b) {
    return p->max_blocks > 0 && b + 1 < p->sequences && context_of(p, b) > p->max_blocks * p->block_size;
}
static bool has_page_to_spare(const or_problem *p, int64_t b) {
    return or_slot_of(p, b, (context_of(p, b) - 1) / p->block_size * p->block_size + p->block_size) >= 0;
}
static bool has_a_hole(const or_problem *p, int64_t b) {
    for (int64_t j = 0; j < context_of(p, b) && j < p->max_blocks * p->block_size; j += p->block_size)
        if (or_slot_of(p, b, j) < 0) return true;
    return false;
}

/* clang-format off */
static bool applies_always(const or_setting *s) { return s->problem->tokens > 0; }
static bool applies_windowed(const or_setting *s) { return s->problem->window_before >= 0; }
static bool applies_causal_batch(const or_setting *s) {
    return !s->problem->not_causal && some(s->problem, has_two_tokens);
}
static bool applies_past_page(const or_setting *s) { return some(s->problem, has_two_pages); }
static bool applies_next_page(const or_setting *s) { return some(s->problem, has_page_to_spare); }
static bool applies_later_rows(const or_setting *s) { return some(s->problem, has_row_before); }
static bool applies_few_columns(const or_setting *s) { return some(s->problem, has_too_few_columns); }
static bool applies_sequences(const or_setting *s) { return s->problem->sequences > 1; }
static bool applies_unmapped(const or_setting *s) { return s->problem->blocks > 0 && some(s->problem, has_a_hole); }
static bool applies_past(const or_setting *s) { return some(s->problem, has_past); }
static bool applies_rotated(const or_setting *s) { return s->problem->rotary_dim > 0; }
static bool applies_paired(const or_setting *s) { return s->problem->rotary_dim > 2; }
static bool applies_rotated_past(const or_setting *s) {
    return applies_rotated(s) && some(s->problem, has_position);
}
static bool applies_chunked(const or_setting *s) { return applies_rotated(s) && applies_past(s); }
static bool applies_capped(const or_setting *s) { return s->problem->softcap > 0; }
static bool applies_not_one(const or_setting *s) { return s->problem->scale != 1; }
static bool applies_capped_scale(const or_setting *s) { return applies_capped(s) && applies_not_one(s); }
static bool applies_heads(const or_setting *s) { return s->problem->heads > 1; }
static bool applies_narrow_values(const or_setting *s) { return s->problem->v_head_size < s->problem->head_size; }
static bool applies_previous(const or_setting *s) { return s->previous != NULL; }
/* clang-format on */

static double standard_scale(const or_problem *p) {
    return 1 / sqrt((double)p->head_size);
}

static bool applies_scaled(const or_setting *s) {
    return fabs(s->problem->scale / standard_scale(s->problem) - 1) > 1e-6;
}

static bool applies_skipped(const or_setting *s) {
    const or_problem *p = s->problem;
    for (int64_t t = 0; p->slot_mapping && t < owned(p); t++)
        if (p->slot_mapping[t] < 0) return p->blocks > 0;
    return false;
}

/* Some token's row is not written where its position is read. */
static bool applies_elsewhere(const or_setting *s) {
    const or_problem *p = s->problem;
    for (int64_t t = 0; t < owned(p); t++) {
        const int64_t read = or_slot_of(p, or_sequence_of(p, t), or_position_of(p, t));
        if (read >= 0 && or_write_slot(p, t) != read) return true;
    }
    return false;
}

/* Tokens of nobody that have a row of cos and sin. */
static bool applies_padded(const or_setting *s) {
    const or_problem *p = s->problem;
    if (p->sequences == 0 || owned(p) >= p->tokens) return false;
    const int64_t last = context_of(p, p->sequences - 1) + p->tokens - owned(p);
    return p->rotary_dim == 0 || last <= s->rotary_rows;
}

static int32_t *copy_index(or_reading *r, const int32_t *from, int64_t n) {
    r->own_index = malloc((size_t)n * sizeof *r->own_index);
    if (r->own_index) memcpy(r->own_index, from, (size_t)n * sizeof *r->own_index);
    return r->own_index;
}

static uint16_t *copy_cache(or_reading *r) {
    const size_t bytes = (size_t)(r->p.blocks * r->p.block_size * r->p.head_size) * sizeof *r->own_cache;
    r->own_cache = malloc(bytes);
    if (r->own_cache) memcpy(r->own_cache, r->cache, bytes);
    r->cache = r->own_cache;
    return r->own_cache;
}

/* The row that token t should have written, to `slot`. */
static bool write_row(or_reading *r, int64_t t, int64_t slot) {
    const int64_t hs = r->p.head_size;
    or_written *row = malloc((size_t)hs * sizeof *row);
    if (!row) return false;
    or_written_row(row, &r->p, r->setting->how, t);
    for (int64_t d = 0; d < hs; d++) r->own_cache[slot * hs + d] = row[d].bits;
    free(row);
    return true;
}

/* clang-format off */
static bool prepare_window_wider(or_reading *r) { return r->p.window_before++, true; }
static bool prepare_window_off(or_reading *r) { return r->p.window_before = -1, true; }
static bool prepare_not_causal(or_reading *r) { return r->p.not_causal = true; }
static bool prepare_no_rope(or_reading *r) { return r->p.rotary_dim = 0, true; }
static bool prepare_other_pairs(or_reading *r) { return r->p.interleaved = !r->p.interleaved, true; }
static bool prepare_no_softcap(or_reading *r) { return r->p.softcap = 0, true; }
static bool prepare_default_scale(or_reading *r) { return r->p.scale = standard_scale(&r->p), true; }
static bool prepare_no_scale(or_reading *r) { return r->p.scale = 1, true; }
static bool prepare_page_halved(or_reading *r) { return r->p.block_size /= 2, r->p.blocks *= 2, true; }
/* clang-format on */

static bool prepare_next_table_row(or_reading *r) {
    const int64_t n = r->p.max_blocks, rows = r->p.sequences;
    const int32_t *from = r->p.block_table;
    int32_t *table = copy_index(r, from, rows * n);
    if (!table) return false;
    for (int64_t b = 0; b < rows; b++) memcpy(table + b * n, from + (b + 1) % rows * n, (size_t)n * sizeof *table);
    r->p.block_table = table;
    return true;
}

static bool prepare_first_table_row(or_reading *r) {
    const int64_t n = r->p.max_blocks, rows = r->p.sequences;
    int32_t *table = copy_index(r, r->p.block_table, rows * n);
    if (!table) return false;
    for (int64_t b = 1; b < rows; b++) memcpy(table + b * n, table, (size_t)n * sizeof *table);
    r->p.block_table = table;
    return true;
}

/* Rows as wide as the whole table, each with what follows it; past the table's end nothing is mapped. */
static bool prepare_table_runs_on(or_reading *r) {
    const int64_t n = r->p.max_blocks, all = r->p.sequences * n;
    int32_t *table = malloc((size_t)(r->p.sequences * all) * sizeof *table);
    if (!table) return false;
    for (int64_t b = 0; b < r->p.sequences; b++)
        for (int64_t i = 0; i < all; i++) table[b * all + i] = b * n + i < all ? r->p.block_table[b * n + i] : -1;
    r->p.block_table = r->own_index = table;
    r->p.max_blocks = all;
    return true;
}

static bool prepare_unmapped_as_zero(or_reading *r) {
    const int64_t n = r->p.sequences * r->p.max_blocks;
    int32_t *table = copy_index(r, r->p.block_table, n);
    if (!table) return false;
    for (int64_t i = 0; i < n; i++)
        if (table[i] < 0 || table[i] >= r->p.blocks) table[i] = 0;
    r->p.block_table = table;
    return true;
}

static bool prepare_padded_as_last(or_reading *r) {
    int32_t *start = copy_index(r, r->p.cumulative_sequence_length, r->p.sequences + 1);
    if (!start) return false;
    start[r->p.sequences] = (int32_t)r->p.tokens;
    r->p.cumulative_sequence_length = start;
    return true;
}

static bool prepare_past_ignored(or_reading *r) {
    int32_t *past = copy_index(r, r->p.past_seqlens, r->p.sequences);
    if (!past) return false;
    memset(past, 0, (size_t)r->p.sequences * sizeof *past);
    r->p.past_seqlens = past;
    return true;
}

static bool prepare_slot_minus_one(or_reading *r) {
    if (!copy_cache(r)) return false;
    for (int64_t t = 0; t < owned(&r->p); t++)
        if (r->p.slot_mapping[t] < 0 && !write_row(r, t, 0)) return false;
    return true;
}

static bool prepare_fresh_key(or_reading *r) {
    if (!copy_cache(r)) return false;
    for (int64_t t = 0; t < owned(&r->p); t++) {
        const int64_t slot = or_slot_of(&r->p, or_sequence_of(&r->p, t), or_position_of(&r->p, t));
        if (slot >= 0 && !write_row(r, t, slot)) return false;
    }
    return true;
}

static void keep(or_reading *r, bool (*kept)(const or_reading *, int64_t position)) {
    int64_t n = 0;
    for (int64_t j = 0; j < r->keys; j++)
        if (kept(r, r->at[j])) r->at[n] = r->at[j], r->slot[n++] = r->slot[j];
    r->keys = n;
}

static bool is_not_own(const or_reading *r, int64_t j) {
    return j != r->position;
}
/* Not by a smaller window_before: where that is 0 already, -1 would mean no window at all. */
static bool is_not_oldest(const or_reading *r, int64_t j) {
    return j > r->position - r->p.window_before;
}
static bool is_of_this_call(const or_reading *r, int64_t j) {
    return j >= r->p.past_seqlens[r->sequence];
}
static void step_drop_own(or_reading *r) {
    keep(r, is_not_own);
}
static void step_drop_oldest(or_reading *r) {
    keep(r, is_not_oldest);
}
static void step_drop_past(or_reading *r) {
    keep(r, is_of_this_call);
}

static int64_t last_seen(const or_reading *r) {
    return r->p.not_causal ? context_of(&r->p, r->sequence) - 1 : r->position;
}

/* Positions after the last one seen, up to `end`. */
static void read_on(or_reading *r, int64_t end) {
    for (int64_t j = last_seen(r) + 1; j < end; j++) or_reading_add(r, j, or_slot_of(&r->p, r->sequence, j));
}

static int64_t end_of_page(const or_reading *r) {
    return (last_seen(r) / r->p.block_size + 1) * r->p.block_size;
}
static void step_page_tail(or_reading *r) {
    read_on(r, end_of_page(r));
}
static void step_page_more(or_reading *r) {
    read_on(r, end_of_page(r) + r->p.block_size);
}

static void step_page_stale(or_reading *r) {
    const int64_t first = end_of_page(r) - r->p.block_size;
    for (int64_t j = 0; j < r->keys; j++)
        if (r->at[j] >= first && first > 0) {
            const int64_t slot = or_slot_of(&r->p, r->sequence, r->at[j] - r->p.block_size);
            if (slot >= 0) r->slot[j] = slot;
        }
}

static void raw_query(or_reading *r, int64_t head) {
    const or_problem *p = &r->p;
    or_decode_row(r->q, p->dtype, p->query + (r->token * p->heads + head) * p->head_size, (size_t)p->head_size);
}

/* q turned by the angle of a position, times `sign`. */
static void turn(or_reading *r, int64_t position, double sign) {
    const or_problem *p = &r->p;
    const or_rope rope = r->setting->how->rope;
    for (int64_t i = 0; i < p->rotary_dim / 2; i++) {
        or_pair pair = or_pair_of(p, position, i);
        pair.sin *= sign;
        const double x = r->q[pair.first], y = r->q[pair.second];
        r->q[pair.first] = or_rotated(p->dtype, rope, or_first(pair, x, y));
        r->q[pair.second] = or_rotated(p->dtype, rope, or_second(pair, x, y));
    }
}

static void turn_raw(or_reading *r, int64_t position, double sign) {
    raw_query(r, r->head), turn(r, position, sign);
}

static void step_other_sign(or_reading *r) {
    turn_raw(r, r->position, -1);
}
static void step_rotated_twice(or_reading *r) {
    turn(r, r->position, 1);
}
static void step_position_before(or_reading *r) {
    turn_raw(r, r->position > 0 ? r->position - 1 : 0, 1);
}
static void step_position_in_chunk(or_reading *r) {
    turn_raw(r, r->position - r->p.past_seqlens[r->sequence], 1);
}

/* The last position has none after it where cos and sin are just long enough. */
static void step_position_after(or_reading *r) {
    const int64_t known = r->setting->rotary_rows > 0 ? r->setting->rotary_rows : context_of(&r->p, r->sequence);
    turn_raw(r, r->position + 1 < known ? r->position + 1 : r->position, 1);
}

static void step_next_head(or_reading *r) {
    raw_query(r, (r->head + 1) % r->p.heads), turn(r, r->position, 1);
}

/* scale c tanh(<q, k> / c) */
static void step_cap_before_scale(or_reading *r) {
    const or_problem right = r->p;
    r->p.scale = 1;
    or_reading_score(r);
    r->p = right;
    for (int64_t j = 0; j < r->keys; j++) r->logit[j] *= right.scale;
}

static bool is_hidden(const or_reading *r, int64_t j) {
    return j > last_seen(r) || (r->p.window_before >= 0 && j < r->position - r->p.window_before);
}

/* All that lies in the pages of the sequence. */
static void step_cap_after_mask_list(or_reading *r) {
    const int64_t end = (context_of(&r->p, r->sequence) + r->p.block_size - 1) / r->p.block_size * r->p.block_size;
    r->keys = 0;
    for (int64_t j = 0; j < end; j++) or_reading_add(r, j, or_slot_of(&r->p, r->sequence, j));
}

static void step_cap_after_mask(or_reading *r) {
    for (int64_t j = 0; j < r->keys; j++)
        if (is_hidden(r, r->at[j])) r->logit[j] = -r->p.softcap;
}

static void step_value_late(or_reading *r) {
    if (r->keys > 0) or_reading_mix(r, 1);
}

static void step_nan_to_zero(or_reading *r) {
    for (int64_t d = 0; d < r->p.v_head_size; d++)
        if (isnan(r->o[d])) r->o[d] = 0;
}

static void step_zeros(or_reading *r) {
    memset(r->o, 0, (size_t)r->p.v_head_size * sizeof *r->o);
}

static void step_mean_value(or_reading *r) {
    for (int64_t j = 0; j < r->keys; j++) r->logit[j] = 0;
    or_reading_mix(r, 0);
}

static void copy_value(or_reading *r, int64_t j) {
    if (r->keys == 0) return;
    or_decode_row(r->o, r->p.dtype, r->cache + r->slot[j] * r->p.head_size, (size_t)r->p.v_head_size);
}

static void step_first_value(or_reading *r) {
    copy_value(r, 0);
}
static void step_last_value(or_reading *r) {
    copy_value(r, r->keys - 1);
}

static void step_previous(or_reading *r) {
    const int64_t vhs = r->p.v_head_size;
    or_decode_row(r->o, r->p.dtype, r->setting->previous + (r->token * r->p.heads + r->head) * vhs, (size_t)vhs);
}

#define READING(id_, about_, where, ...)                                                                               \
    { .id = id_, .about = about_, .applies = applies_##where, __VA_ARGS__ }
#define CHANGED(id, about, where, step) READING(id, about, where, .prepare = prepare_##step)
#define QUERY(id, about, where, step) READING(id, about, where, .query = step_##step)
#define KEYS(id, about, where, step) READING(id, about, where, .list = step_##step)
#define SCORE(id, about, where, step) READING(id, about, where, .score = step_##step)
#define ANSWER(id, about, where, step) READING(id, about, where, .answer = step_##step)

const or_hypothesis or_hypothesis_table[] = {
    CHANGED("window-wider", "the window keeps one key more", windowed, window_wider),
    KEYS("window-narrower", "the window keeps one key less", windowed, drop_oldest),
    CHANGED("window-off", "the window is ignored", windowed, window_off),
    CHANGED("not-causal", "a token sees those after it", causal_batch, not_causal),
    KEYS("own-token-dropped", "a token does not see itself", always, drop_own),

    KEYS("page-tail", "the last page is read to its end", always, page_tail),
    KEYS("page-more", "one page more is read", next_page, page_more),
    KEYS("page-stale", "the last page is read where the one before it lies", past_page, page_stale),
    CHANGED("page-halved", "pages are taken for half as long", always, page_halved),
    CHANGED("table-row-next", "the block table's row of the next sequence", sequences, next_table_row),
    CHANGED("table-row-first", "the block table's row of sequence 0 for all", later_rows, first_table_row),
    CHANGED("table-runs-on", "past its columns a row of the block table runs on into the next", few_columns,
            table_runs_on),
    CHANGED("unmapped-as-zero", "a page that is not mapped is read from page 0", unmapped, unmapped_as_zero),
    CHANGED("padding-as-last", "tokens of nobody are computed for the last sequence", padded, padded_as_last),

    CHANGED("past-ignored", "positions count from 0 in each call", past, past_ignored),
    KEYS("cache-ignored", "only this call's tokens are seen", past, drop_past),
    CHANGED("slot-minus-one", "a row whose slot is negative is written to slot 0", skipped, slot_minus_one),
    CHANGED("fresh-key", "this call's keys are read instead of the cache", elsewhere, fresh_key),

    CHANGED("rope-none", "the query is not rotated", rotated, no_rope),
    CHANGED("rope-pairs", "the other pairing of rotated channels", paired, other_pairs),
    QUERY("rope-sign", "rotated the other way", rotated, other_sign),
    QUERY("rope-before", "rotated for the position before", rotated_past, position_before),
    QUERY("rope-after", "rotated for the position after", rotated, position_after),
    QUERY("rope-in-chunk", "rotated for the place in this call", chunked, position_in_chunk),
    QUERY("rope-twice", "rotated twice", rotated, rotated_twice),

    CHANGED("softcap-ignored", "softcap is ignored", capped, no_softcap),
    SCORE("softcap-before-scale", "softcap comes before the scale", capped_scale, cap_before_scale),
    READING("softcap-after-mask", "softcap comes after the mask: hidden keys weigh exp(-c)", capped,
            .list = step_cap_after_mask_list, .score = step_cap_after_mask),
    CHANGED("scale-default", "1/sqrt(head_size) for the given scale", scaled, default_scale),
    CHANGED("scale-ignored", "no scale", not_one, no_scale),

    ANSWER("value-late", "V begins one channel late", narrow_values, value_late),
    QUERY("head-next", "the query of the next head", heads, next_head),
    ANSWER("nan-to-zero", "NaN becomes 0", always, nan_to_zero),
    ANSWER("zeros", "nothing but zeros", always, zeros),
    ANSWER("value-mean", "the mean of the visible values", always, mean_value),
    ANSWER("value-first", "the first visible value", always, first_value),
    ANSWER("value-last", "the last visible value", always, last_value),
    ANSWER("output-kept", "what the output held before", previous, previous),
};

const size_t or_hypothesis_count = sizeof or_hypothesis_table / sizeof or_hypothesis_table[0];
