/* A right attention in plain C: rows first, then every row by a running maximum over tiles of 16 keys, weights rounded
 * to the node's type before P.V. And the places where a fault may bend it. */
#ifndef PLAIN_H
#define PLAIN_H

#include "../../subject.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TILE = 16, MOST_SEQUENCES = 64 };

typedef struct {
    int64_t heads, v_head_size, rotary_offset, window;
    int rotates, interleaved;
    float scale, softcap;
} attributes;

typedef struct {
    attributes node;
    at_dtype type;
    int64_t tokens, sequences, head_size, v_head_size, rotary_dim, block_size, blocks, columns;
    const uint16_t *query, *key, *cos, *sin;
    uint16_t *cache, *output;
    const int32_t *ends, *past, *table, *slot;
    float *sum;       /* [vhs] in the workspace                    */
    uint32_t *ticket; /* behind it; for a fault that counts on it  */
    size_t workspace_bytes;
    int captured; /* recorded, not run at once */
    uint32_t fault;
    at_kernel *kernel;
    int32_t baked[MOST_SEQUENCES]; /* for a fault: past_seqlens as execute saw them */
} problem;

/* How a fault bends it; the right one has every field 0. */
typedef struct {
    int64_t tile;        /* keys of a tile; 0: TILE                               */
    int slot_order;      /* keys in the order of their slots                      */
    int from_chunk;      /* positions are counted from the call's first token     */
    int skipped_too;     /* a negative slot is taken from the table               */
    int rounds_products; /* rows are rotated with each product rounded            */
    int turns_back;      /* one channel of the first row gets the other sign      */
    int zero_for_nan;    /* a NaN becomes 0                                       */
    int nan_unwritten;   /* an element that is due a NaN is left as it was        */
    int trusts_ticket;   /* a row is written only where the ticket is 0           */
    const int32_t *past; /* instead of the call's                                 */
} bend;

static float widen(at_dtype type, uint16_t bits) {
    const uint32_t sign = (uint32_t)(bits & 0x8000) << 16, exponent = bits >> 10 & 31, mantissa = bits & 1023;
    uint32_t wide = (uint32_t)bits << 16;
    float x;
    if (type == AT_F16 && exponent == 0) return (sign ? -1.0F : 1.0F) * ldexpf((float)mantissa, -24);
    if (type == AT_F16) wide = sign | (exponent == 31 ? 255U : exponent + 112) << 23 | mantissa << 13;
    memcpy(&x, &wide, sizeof x);
    return x;
}

static uint16_t narrow(at_dtype type, float x) {
    const uint16_t sign = signbit(x) ? 0x8000 : 0;
    const float size = fabsf(x);
    uint32_t bits;
    int exponent;
    memcpy(&bits, &x, sizeof bits);
    if (type == AT_BF16)
        return isnan(x) ? (uint16_t)(bits >> 16 | 0x40) : (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
    if (isnan(x)) return sign | 0x7e00;
    if (size >= 65520) return sign | 0x7c00;
    if (size < 0x1p-14F) return sign | (uint16_t)rintf(ldexpf(size, 24));
    (void)frexpf(size, &exponent);
    return (uint16_t)(sign + ((exponent + 14) << 10) + (int)rintf(ldexpf(size, 11 - exponent)) - 1024);
}

static float rounded(at_dtype type, float x) {
    return widen(type, narrow(type, x));
}

static int64_t sequence_of(const problem *p, int64_t token) {
    for (int64_t b = 0; b < p->sequences; b++) {
        if (token < p->ends[b + 1]) return b;
    }
    return -1;
}

static int64_t position_of(const problem *p, const bend *how, int64_t b, int64_t token) {
    return token - p->ends[b] + (how->from_chunk ? 0 : how->past != NULL ? how->past[b] : p->past[b]);
}

static int64_t slot_of(const problem *p, int64_t b, int64_t position) {
    if (position / p->block_size >= p->columns) return -1;
    const int32_t page = p->table[b * p->columns + position / p->block_size];
    return page < 0 || page >= p->blocks ? -1 : page * p->block_size + position % p->block_size;
}

/* Rotates a row of floats in place; `round`: every product is rounded to the type first. */
static void rotate(const problem *p, float *row, int64_t position, int round) {
    const int64_t half = p->rotary_dim / 2;
    for (int64_t i = 0; i < half; i++) {
        const int64_t a = p->node.rotary_offset + (p->node.interleaved ? 2 * i : i),
                      b = a + (p->node.interleaved ? 1 : half);
        const float c = widen(p->type, p->cos[position * half + i]), s = widen(p->type, p->sin[position * half + i]);
        float xc = row[a] * c, ys = row[b] * s, yc = row[b] * c, xs = row[a] * s;
        if (round)
            xc = rounded(p->type, xc), ys = rounded(p->type, ys), yc = rounded(p->type, yc), xs = rounded(p->type, xs);
        row[a] = xc - ys;
        row[b] = yc + xs;
    }
}

static void write_row(const problem *p, const bend *how, int64_t token) {
    const int64_t b = sequence_of(p, token), hs = p->head_size, first = p->node.rotary_offset;
    float row[hs];
    if (b < 0) return;
    const int64_t position = position_of(p, how, b, token);
    int64_t slot = p->slot[token];
    if (slot < 0 && how->skipped_too) slot = slot_of(p, b, position);
    if (slot < 0 || slot >= p->blocks * p->block_size) return;
    uint16_t *out = memcpy(p->cache + slot * hs, p->key + token * hs, (size_t)hs * sizeof *out);
    for (int64_t d = 0; d < hs; d++) row[d] = widen(p->type, p->key[token * hs + d]);
    rotate(p, row, position, how->rounds_products);
    if (how->turns_back && token == 0 && p->rotary_dim > 0) row[first] = -row[first];
    for (int64_t d = first; d < first + p->rotary_dim; d++) out[d] = narrow(p->type, row[d]);
}

/* The slots that a token sees, in the order in which they are summed. */
static int64_t visible(const problem *p, const bend *how, int64_t *slot, int64_t b, int64_t position) {
    const int64_t first = p->node.window < 0 || p->node.window > position ? 0 : position - p->node.window;
    int64_t n = 0;
    for (int64_t j = first; j <= position; j++) {
        const int64_t s = slot_of(p, b, j);
        int64_t at = n;
        if (s < 0) continue;
        for (; how->slot_order && at > 0 && slot[at - 1] > s; at--) slot[at] = slot[at - 1];
        slot[at] = s;
        n++;
    }
    return n;
}

static float score(const problem *p, const float *q, int64_t slot) {
    float s = 0;
    for (int64_t d = 0; d < p->head_size; d++) s += q[d] * widen(p->type, p->cache[slot * p->head_size + d]);
    s *= isnan(p->node.scale) ? 1 / sqrtf((float)p->head_size) : p->node.scale; /* NaN: absent */
    return p->node.softcap > 0 ? p->node.softcap * tanhf(s / p->node.softcap) : s;
}

/* One tile: *max and *weights go on from the tile before. */
static void add_tile(const problem *p, const float *q, const int64_t *slot, int64_t n, float *max, float *weights) {
    float s[n], top = *max;
    for (int64_t j = 0; j < n; j++) {
        s[j] = score(p, q, slot[j]);
        top = fmaxf(top, s[j]);
    }
    const float shrink = *max == -INFINITY ? 1 : expf(*max - top);
    *max = top, *weights *= shrink;
    for (int64_t d = 0; d < p->v_head_size; d++) p->sum[d] *= shrink;
    for (int64_t j = 0; j < n; j++) {
        const float w = expf(s[j] - top), in_type = rounded(p->type, w);
        *weights += w;
        for (int64_t d = 0; d < p->v_head_size; d++)
            p->sum[d] += in_type * widen(p->type, p->cache[slot[j] * p->head_size + d]);
    }
}

static void put(const problem *p, const bend *how, uint16_t *out, float x) {
    if (isnan(x) && how->nan_unwritten) return;
    *out = narrow(p->type, isnan(x) && how->zero_for_nan ? 0 : x);
}

static void attend(const problem *p, const bend *how, int64_t token, int64_t head) {
    const int64_t b = sequence_of(p, token), hs = p->head_size, tile = how->tile ? how->tile : TILE;
    const int64_t position = b < 0 ? -1 : position_of(p, how, b, token);
    int64_t slot[position + 2], n = b < 0 ? 0 : visible(p, how, slot, b, position);
    float q[hs], max = -INFINITY, weights = 0;
    for (int64_t d = 0; d < hs; d++) q[d] = widen(p->type, p->query[(token * p->node.heads + head) * hs + d]);
    if (n > 0) rotate(p, q, position, 0);
    memset(p->sum, 0, (size_t)p->v_head_size * sizeof *p->sum);
    for (int64_t j = 0; j < n; j += tile) add_tile(p, q, slot + j, n - j < tile ? n - j : tile, &max, &weights);
    if (how->trusts_ticket && *p->ticket != 0) return;
    for (int64_t d = 0; d < p->v_head_size; d++) {
        put(p, how, &p->output[(token * p->node.heads + head) * p->v_head_size + d], n == 0 ? 0 : p->sum[d] / weights);
    }
}

#endif
