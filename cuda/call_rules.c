/* What the refusal table asks of a call: dtypes, shapes, aliases, the launch. A rule may rely on the ones before it in
 * the table: whoever reads a dimension stands after required, dtype and rank. */
#include "rules.h"
#include <inttypes.h>
#include <stdio.h>

enum { SHAPE_TEXT = 8 + AT_MAX_RANK * 22 };

static const char *shape_text(char text[SHAPE_TEXT], const at_tensor *t) {
    int n = snprintf(text, SHAPE_TEXT, "[");
    for (uint32_t i = 0; i < t->rank && i < AT_MAX_RANK; ++i)
        n += snprintf(text + n, (size_t)(SHAPE_TEXT - n), "%s%" PRId64, i ? ", " : "", t->shape[i]);
    snprintf(text + n, (size_t)(SHAPE_TEXT - n), "]");
    return text;
}

static int64_t dim(const pa_facts *f, int tensor, int axis) {
    return pa_tensor(f, tensor)->shape[axis];
}

static int64_t tokens(const pa_facts *f) {
    return dim(f, AT_QUERY, 0);
}

static int64_t sequences(const pa_facts *f) {
    return dim(f, AT_PAST_SEQLENS, 0);
}

static int64_t head_size(const pa_facts *f) {
    return dim(f, AT_KEY_CACHE, 3);
}

static int64_t v_head_size(const pa_facts *f) {
    return f->node->v_head_size ? f->node->v_head_size : head_size(f);
}

/* num_heads * size; past 2^63 no shape can match, and -1 does not either. */
static int64_t all_heads(const pa_facts *f, int64_t size) {
    int64_t product;
    return __builtin_mul_overflow(f->node->num_heads, size, &product) ? -1 : product;
}

bool pa_dtype_as_query(const pa_facts *f, at_refusal *why) {
    at_dtype got = pa_tensor(f, f->about)->dtype, query = pa_tensor(f, AT_QUERY)->dtype;
    if (!pa_looked_at(f, f->about) || got == query) return false;
    return pa_say(why, "%s is %s, and must be %s as query is", pa_tensor_names[f->about], pa_dtype_names[got],
                  pa_dtype_names[query]);
}

bool pa_dtype_int32(const pa_facts *f, at_refusal *why) {
    at_dtype got = pa_tensor(f, f->about)->dtype;
    if (got == AT_ABSENT || got == AT_I32) return false;
    return pa_say(why, "%s is %s, and must be int32", pa_tensor_names[f->about], pa_dtype_names[got]);
}

bool pa_rank(const pa_facts *f, at_refusal *why) {
    static const uint32_t ranks[PA_TENSORS] = {
        [AT_KEY_CACHE] = 4,    [AT_QUERY] = 2,        [AT_KEY] = 2,    [AT_BLOCK_TABLE] = 2,
        [AT_COS_CACHE] = 2,    [AT_SIN_CACHE] = 2,    [PA_OUTPUT] = 2, [AT_CUMULATIVE_SEQUENCE_LENGTH] = 1,
        [AT_PAST_SEQLENS] = 1, [AT_SLOT_MAPPING] = 1,
    };
    uint32_t got = pa_tensor(f, f->about)->rank;
    if (!pa_looked_at(f, f->about) || got == ranks[f->about]) return false;
    return pa_say(why, "%s has rank %" PRIu32 ", and must have %" PRIu32, pa_tensor_names[f->about], got,
                  ranks[f->about]);
}

bool pa_block_size(const pa_facts *f, at_refusal *why) {
    int64_t size = dim(f, AT_KEY_CACHE, 1);
    if (size >= 16 && (size & (size - 1)) == 0) return false;
    return pa_say(why, "key_cache has blocks of %" PRId64 " slots (dimension 1), and must have a power of two >= 16",
                  size);
}

bool pa_cache_heads(const pa_facts *f, at_refusal *why) {
    if (dim(f, AT_KEY_CACHE, 2) == 1) return false;
    return pa_say(why, "key_cache has %" PRId64 " heads (dimension 2), and must have 1", dim(f, AT_KEY_CACHE, 2));
}

bool pa_query_hidden(const pa_facts *f, at_refusal *why) {
    if (dim(f, AT_QUERY, 1) == all_heads(f, head_size(f))) return false;
    return pa_say(why, "query has %" PRId64 " columns, and must have num_heads %" PRId64 " x head_size %" PRId64,
                  dim(f, AT_QUERY, 1), f->node->num_heads, head_size(f));
}

bool pa_key_hidden(const pa_facts *f, at_refusal *why) {
    if (dim(f, AT_KEY, 1) == head_size(f)) return false;
    return pa_say(why, "key has %" PRId64 " columns, and must have the head_size of key_cache, %" PRId64,
                  dim(f, AT_KEY, 1), head_size(f));
}

bool pa_key_rows(const pa_facts *f, at_refusal *why) {
    if (dim(f, AT_KEY, 0) == tokens(f)) return false;
    return pa_say(why, "key has %" PRId64 " rows, and must have as many as query, %" PRId64, dim(f, AT_KEY, 0),
                  tokens(f));
}

bool pa_cumulative_length(const pa_facts *f, at_refusal *why) {
    int64_t got = dim(f, AT_CUMULATIVE_SEQUENCE_LENGTH, 0);
    if (got == sequences(f) + 1) return false;
    return pa_say(
        why, "cumulative_sequence_length has %" PRId64 " entries, and must have one more than past_seqlens, %" PRId64,
        got, sequences(f) + 1);
}

bool pa_table_rows(const pa_facts *f, at_refusal *why) {
    if (dim(f, AT_BLOCK_TABLE, 0) == sequences(f)) return false;
    return pa_say(why, "block_table has %" PRId64 " rows, and must have one for each entry of past_seqlens, %" PRId64,
                  dim(f, AT_BLOCK_TABLE, 0), sequences(f));
}

bool pa_slots_length(const pa_facts *f, at_refusal *why) {
    if (!pa_given(f, AT_SLOT_MAPPING) || dim(f, AT_SLOT_MAPPING, 0) == tokens(f)) return false;
    return pa_say(why, "slot_mapping has %" PRId64 " entries, and must have one for each row of query, %" PRId64,
                  dim(f, AT_SLOT_MAPPING, 0), tokens(f));
}

bool pa_v_head_size(const pa_facts *f, at_refusal *why) {
    if (f->node->v_head_size <= head_size(f)) return false;
    return pa_say(why, "v_head_size is %" PRId64 ", and must be at most the head_size of key_cache, %" PRId64,
                  f->node->v_head_size, head_size(f));
}

bool pa_scale_required(const pa_facts *f, at_refusal *why) {
    if (pa_scale_given(f->node) || v_head_size(f) == head_size(f)) return false;
    return pa_say(why,
                  "scale is not given%s, and is required where v_head_size %" PRId64 " differs from head_size %" PRId64,
                  f->node->scale_listed ? " (0 says so)" : "", v_head_size(f), head_size(f));
}

static bool rotary_looked_at(const pa_facts *f) {
    return pa_looked_at(f, AT_COS_CACHE) && pa_looked_at(f, AT_SIN_CACHE);
}

bool pa_cos_sin_shape(const pa_facts *f, at_refusal *why) {
    const at_tensor *cosines = pa_tensor(f, AT_COS_CACHE), *sines = pa_tensor(f, AT_SIN_CACHE);
    if (!rotary_looked_at(f) || (cosines->shape[0] == sines->shape[0] && cosines->shape[1] == sines->shape[1]))
        return false;
    char of_cos[SHAPE_TEXT], of_sin[SHAPE_TEXT];
    return pa_say(why, "cos_cache is %s and sin_cache is %s, and they must have one shape", shape_text(of_cos, cosines),
                  shape_text(of_sin, sines));
}

/* Without tables the rotated span is empty, and its offset still has to lie in the row. */
bool pa_rotary_span(const pa_facts *f, at_refusal *why) {
    int64_t columns = rotary_looked_at(f) ? dim(f, AT_COS_CACHE, 1) : 0, offset = f->node->rotary_offset;
    if (offset <= head_size(f) && columns <= (head_size(f) - offset) / 2) return false;
    return pa_say(why,
                  "rotary_offset %" PRId64 " + 2 x %" PRId64 " columns of cos_cache must not exceed head_size %" PRId64,
                  offset, columns, head_size(f));
}

/* This dialect checks rotary tables wherever they are given, do_rotary or not. */
bool pa_granularity_head_size(const pa_facts *f, at_refusal *why) {
    int64_t unit = rotary_looked_at(f) ? 16 : 8;
    if (head_size(f) % unit == 0) return false;
    return pa_say(why, "head_size is %" PRId64 ", and must be a multiple of %" PRId64 "%s", head_size(f), unit,
                  unit == 16 ? " where cos_cache and sin_cache are given" : "");
}

bool pa_granularity_cos_cache(const pa_facts *f, at_refusal *why) {
    if (!rotary_looked_at(f) || dim(f, AT_COS_CACHE, 1) % 8 == 0) return false;
    return pa_say(why, "cos_cache has %" PRId64 " columns, and must have a multiple of 8", dim(f, AT_COS_CACHE, 1));
}

bool pa_output_shape(const pa_facts *f, at_refusal *why) {
    const at_tensor *output = pa_tensor(f, PA_OUTPUT);
    if (output->shape[0] == tokens(f) && output->shape[1] == all_heads(f, v_head_size(f))) return false;
    char text[SHAPE_TEXT];
    return pa_say(why, "output is %s, and must be [%" PRId64 ", num_heads %" PRId64 " x v_head_size %" PRId64 "]",
                  shape_text(text, output), tokens(f), f->node->num_heads, v_head_size(f));
}

bool pa_cache_alias(const pa_facts *f, at_refusal *why) {
    if (!pa_given(f, PA_KEY_CACHE_OUT) || pa_tensor(f, PA_KEY_CACHE_OUT)->data == pa_tensor(f, AT_KEY_CACHE)->data)
        return false;
    return pa_say(
        why, "key_cache_out is at %p and key_cache at %p, and they must be one buffer: the cache is updated in place",
        pa_tensor(f, PA_KEY_CACHE_OUT)->data, pa_tensor(f, AT_KEY_CACHE)->data);
}

bool pa_metadata_shape(const pa_facts *f, at_refusal *why) {
    const at_tensor *metadata = pa_tensor(f, AT_ATTENTION_METADATA);
    if (!pa_given(f, AT_ATTENTION_METADATA) ||
        (metadata->rank == 1 && (metadata->shape[0] == 2 || metadata->shape[0] == 3)))
        return false;
    char text[SHAPE_TEXT];
    return pa_say(why, "attention_metadata is %s, and must be [2] or [3]", shape_text(text, metadata));
}

bool pa_metadata_negative(const pa_facts *f, at_refusal *why) {
    const at_tensor *metadata = pa_tensor(f, AT_ATTENTION_METADATA);
    const int32_t *bound = metadata->data;
    if (!pa_given(f, AT_ATTENTION_METADATA) || bound == NULL) return false;
    for (int64_t i = 0; i < metadata->shape[0]; ++i)
        if (bound[i] < 0)
            return pa_say(why, "attention_metadata[%" PRId64 "] is %" PRId32 ", and must not be negative", i, bound[i]);
    return false;
}

bool pa_grid_limit(const pa_facts *f, at_refusal *why) {
    int64_t blocks = all_heads(f, tokens(f));
    if (0 <= blocks && blocks <= INT32_MAX) return false;
    return pa_say(why, "%" PRId64 " tokens x %" PRId64 " heads need more than the %d blocks that a grid can have",
                  tokens(f), f->node->num_heads, INT32_MAX);
}

bool pa_not_warmed(const pa_facts *f, at_refusal *why) {
    if (!f->call->capturing || pa_warmed_has(f->warmed, f->call)) return false;
    return pa_say(why, "the stream is capturing, and a call of these dtypes and shapes has not run on this kernel; run "
                       "it once eagerly");
}
