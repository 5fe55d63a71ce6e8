#include "reference.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

static long double value(or_dtype t, uint16_t bits) {
    const int width = t == OR_F16 ? 10 : 7, bias = t == OR_F16 ? 15 : 127;
    const int exponent = (bits & 0x7fff) >> width, fraction = bits & ((1 << width) - 1);
    const long double magnitude =
        exponent ? ldexpl(1 + ldexpl(fraction, -width), exponent - bias) : ldexpl(fraction, 1 - bias - width);
    return bits >> 15 ? -magnitude : magnitude;
}

/* Rotation of a pair is multiplication by cos + i sin. */
static void rotate(long double *x, const or_problem *p, int64_t position) {
    const int64_t pairs = p->rotary_dim / 2;
    for (int64_t i = 0; i < pairs; i++) {
        long double *re = x + p->rotary_offset + (p->interleaved ? 2 * i : i), *im = re + (p->interleaved ? 1 : pairs);
        const long double complex turn = value(p->dtype, p->cos_cache[position * pairs + i]) +
                                         I * value(p->dtype, p->sin_cache[position * pairs + i]);
        const long double complex z = (*re + I * *im) * turn;
        *re = creall(z), *im = cimagl(z);
    }
}

/* The rows of the cache that the token sees, as pointers. */
static int64_t visible_rows(const uint16_t **rows, const or_problem *p, const uint16_t *cache, int64_t b,
                            int64_t position) {
    int64_t n = 0;
    for (int64_t column = 0; column < p->max_blocks; column++)
        for (int64_t i = 0; i < p->block_size; i++) {
            const int64_t j = column * p->block_size + i, page = p->block_table[b * p->max_blocks + column];
            const int64_t end =
                p->past_seqlens[b] + p->cumulative_sequence_length[b + 1] - p->cumulative_sequence_length[b];
            if (page < 0 || page >= p->blocks || j >= end || (!p->not_causal && j > position)) continue;
            if (p->window_before >= 0 && position - j > p->window_before) continue;
            rows[n++] = cache + (page * p->block_size + i) * p->head_size;
        }
    return n;
}

static long double score(const long double *q, const uint16_t *k, const or_problem *p) {
    long double sum = 0;
    for (int64_t i = p->head_size; i-- > 0;) sum += q[i] * value(p->dtype, k[i]);
    const long double s = sum * p->scale;
    return p->softcap > 0 ? p->softcap * tanhl(s / p->softcap) : s;
}

bool reference_row(long double *o, long double *spread, const or_problem *p, const uint16_t *cache, int64_t token,
                   int64_t head) {
    int64_t b = 0;
    while (p->cumulative_sequence_length[b + 1] <= token) b++;
    const int64_t position = p->past_seqlens[b] + (token - p->cumulative_sequence_length[b]);
    const uint16_t **rows = calloc((size_t)(p->max_blocks * p->block_size), sizeof *rows);
    long double *q = calloc((size_t)p->head_size, sizeof *q),
                *w = calloc((size_t)(p->max_blocks * p->block_size), sizeof *w);
    for (int64_t i = 0; i < p->head_size; i++)
        q[i] = value(p->dtype, p->query[(token * p->heads + head) * p->head_size + i]);
    rotate(q, p, position);

    const int64_t n = visible_rows(rows, p, cache, b, position);
    long double most = -HUGE_VALL, sum = 0;
    for (int64_t j = 0; j < n; j++) most = fmaxl(most, w[j] = score(q, rows[j], p));
    for (int64_t j = 0; j < n; j++) sum += w[j] = expl(w[j] - most);
    for (int64_t d = 0; d < p->v_head_size; d++) {
        o[d] = spread[d] = 0;
        for (int64_t j = n; j-- > 0;) {
            const long double v = value(p->dtype, rows[j][d]);
            o[d] += w[j] * v / sum;
            spread[d] += w[j] * fabsl(v) / sum;
        }
    }
    free(rows), free(q), free(w);
    return n > 0;
}
