#include "scene.h"

#include <math.h>
#include <stdlib.h>

/* Marsaglia's xorshift, with a multiplication after it. */
uint64_t scene_random(uint64_t *state) {
    uint64_t x = *state;
    x ^= x >> 12, x ^= x << 25, x ^= x >> 27;
    *state = x;
    return x * UINT64_C(2685821657736338717);
}

double scene_uniform(uint64_t *state) {
    return (double)(scene_random(state) >> 11) * 0x1p-52 - 1;
}

static uint16_t *elements(or_dtype t, int64_t n, uint64_t *state) {
    uint16_t *x = calloc((size_t)n + 1, sizeof *x);
    for (int64_t i = 0; *state && i < n; i++) x[i] = or_round(t, scene_uniform(state));
    return x;
}

static void shuffle(int32_t *x, int64_t n, uint64_t *state) {
    for (int64_t i = n - 1; *state && i > 0; i--) {
        const int64_t j = (int64_t)(scene_random(state) % (uint64_t)(i + 1));
        const int32_t t = x[i];
        x[i] = x[j], x[j] = t;
    }
}

static int64_t make_lengths(scene *s) {
    int64_t longest = 0;
    s->start = calloc((size_t)s->of.sequences + 1, sizeof *s->start);
    s->past = calloc((size_t)s->of.sequences + 1, sizeof *s->past);
    for (int64_t b = 0; b < s->of.sequences; b++) {
        s->past[b] = s->of.past[b];
        s->start[b + 1] = s->start[b] + s->of.fresh[b];
        const int64_t context = s->of.past[b] + s->of.fresh[b];
        if (context > longest) longest = context;
    }
    s->tokens = s->start[s->of.sequences];
    return longest;
}

static void make_rotation(scene *s, int64_t positions) {
    const int64_t half = s->of.rotary_dim / 2;
    s->cos = calloc((size_t)(positions * half) + 1, sizeof *s->cos);
    s->sin = calloc((size_t)(positions * half) + 1, sizeof *s->sin);
    for (int64_t j = 0; j < positions; j++)
        for (int64_t i = 0; i < half; i++) {
            const double angle = (double)j / pow(100, (double)i / (double)half);
            s->cos[j * half + i] = or_round(s->of.dtype, cos(angle));
            s->sin[j * half + i] = or_round(s->of.dtype, sin(angle));
        }
}

static void make_pages(scene *s, uint64_t *state) {
    const int64_t mapped = s->of.sequences * s->of.max_blocks;
    s->blocks = mapped + 1;
    s->table = calloc((size_t)s->blocks, sizeof *s->table);
    for (int64_t i = 0; i < s->blocks; i++) s->table[i] = (int32_t)i;
    shuffle(s->table, s->blocks, state);
}

static void make_call(scene *s, int64_t positions) {
    const or_dtype t = s->of.dtype;
    const int64_t half = s->of.rotary_dim / 2, hs = s->of.head_size, n = s->tokens, b = s->of.sequences;
    or_tensor *in = s->call.in;
    in[OR_QUERY] = (or_tensor){t, 2, {n, s->of.heads * hs}, s->query};
    in[OR_KEY] = (or_tensor){t, 2, {n, hs}, s->key};
    in[OR_KEY_CACHE] = (or_tensor){t, 4, {s->blocks, s->of.block_size, 1, hs}, s->cache};
    in[OR_CUMULATIVE_SEQUENCE_LENGTH] = (or_tensor){OR_I32, 1, {b + 1}, s->start};
    in[OR_PAST_SEQLENS] = (or_tensor){OR_I32, 1, {b}, s->past};
    in[OR_BLOCK_TABLE] = (or_tensor){OR_I32, 2, {b, s->of.max_blocks}, s->table};
    in[OR_COS_CACHE] = (or_tensor){t, 2, {positions, half}, s->cos};
    in[OR_SIN_CACHE] = (or_tensor){t, 2, {positions, half}, s->sin};
    in[OR_SLOT_MAPPING] = (or_tensor){OR_I32, 1, {n}, s->slots};
}

static void make_slots(scene *s) {
    s->slots = calloc((size_t)s->tokens + 1, sizeof *s->slots);
    for (int64_t b = 0; b < s->of.sequences; b++)
        for (int64_t t = s->start[b]; t < s->start[b + 1]; t++) {
            const int64_t j = s->past[b] + t - s->start[b], bs = s->of.block_size;
            s->slots[t] = (int32_t)(s->table[b * s->of.max_blocks + j / bs] * bs + j % bs);
        }
}

scene *scene_new(const shape *of, uint64_t seed) {
    scene *s = calloc(1, sizeof *s);
    s->of = *of;
    const int64_t positions = make_lengths(s);
    make_pages(s, &seed);
    s->query = elements(of->dtype, s->tokens * of->heads * of->head_size, &seed);
    s->key = elements(of->dtype, s->tokens * of->head_size, &seed);
    s->cache = elements(of->dtype, s->blocks * of->block_size * of->head_size, &seed);
    make_rotation(s, positions);
    make_slots(s);
    make_call(s, positions);
    return s;
}

void scene_free(scene *s) {
    void *const arrays[] = {s->query, s->key, s->cache, s->cos, s->sin, s->start, s->past, s->table, s->slots};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) free(arrays[i]);
    free(s);
}

void scene_resolve(scene *s, or_dialect dialect, const or_attr *attr, size_t attrs) {
    or_attr all[32] = {INT("num_heads", s->of.heads), INT("kv_num_heads", 1), STRING("kv_cache_layout", "LATENT")};
    for (size_t i = 0; i < attrs && i + 3 < 32; i++) all[i + 3] = attr[i];
    const or_node node = {dialect, all, attrs + 3};
    or_problem_of(&s->p, &node, &s->call);
}

void scene_cached(scene *s, int64_t sequence, int64_t position, int64_t channel, double value) {
    const int64_t bs = s->of.block_size, page = s->table[sequence * s->of.max_blocks + position / bs];
    s->cache[(page * bs + position % bs) * s->of.head_size + channel] = or_round(s->of.dtype, value);
}

void scene_query(scene *s, int64_t token, int64_t head, int64_t channel, double value) {
    s->query[(token * s->of.heads + head) * s->of.head_size + channel] = or_round(s->of.dtype, value);
}

void scene_key(scene *s, int64_t token, int64_t channel, double value) {
    s->key[token * s->of.head_size + channel] = or_round(s->of.dtype, value);
}
