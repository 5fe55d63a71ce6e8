/* Two passes over the rows that a token sees: their scores, then their values weighed by the softmax. */
#include "attend.h"

#include "classes.h"
#include "rope.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct or_attention {
    const or_problem *problem;
    const uint16_t *cache;
    or_arithmetic how;
    double *raw;    /* [hs] q as the call gives it */
    double *latent; /* [hs] one cache row          */
    or_row row;
    double block[];
};

/* n elements of the block that follows an or_attention, all of eight bytes. */
static void *take(double **free_from, int64_t n) {
    void *taken = *free_from;
    *free_from += n;
    return taken;
}

or_attention *or_attention_new(const or_problem *p, const uint16_t *cache, const or_arithmetic *how) {
    const int64_t n = or_longest_context(p), hs = p->head_size, vhs = p->v_head_size, most = PTRDIFF_MAX / 128;
    if (hs > most || vhs > most) return NULL;
    or_attention *a = calloc(1, sizeof *a + (size_t)(3 * hs + 2 * vhs + 5 * n) * sizeof(double));
    if (!a) return NULL;
    double *block = a->block;
    a->problem = p;
    a->cache = cache;
    a->how = *how;
    a->raw = take(&block, hs);
    a->latent = take(&block, hs);
    a->row.q = take(&block, hs);
    a->row.o = take(&block, vhs);
    a->row.classes = take(&block, vhs);
    a->row.position = take(&block, n);
    a->row.slot = take(&block, n);
    a->row.s = take(&block, n);
    a->row.logit = take(&block, n);
    a->row.weight = take(&block, n);
    return a;
}

void or_attention_free(or_attention *a) {
    free(a);
}

static void make_query(or_attention *a, int64_t token, int64_t head, int64_t position) {
    const or_problem *p = a->problem;
    or_decode_row(a->raw, p->dtype, p->query + (token * p->heads + head) * p->head_size, (size_t)p->head_size);
    memcpy(a->row.q, a->raw, (size_t)p->head_size * sizeof *a->raw);
    for (int64_t i = 0; i < p->rotary_dim / 2; i++) {
        const or_pair pair = or_pair_of(p, position, i);
        const double x = a->raw[pair.first], y = a->raw[pair.second];
        a->row.q[pair.first] = or_rotated(p->dtype, a->how.rope, or_first(pair, x, y));
        a->row.q[pair.second] = or_rotated(p->dtype, a->how.rope, or_second(pair, x, y));
    }
}

static void list_visible(or_attention *a, int64_t sequence, int64_t position) {
    const or_problem *p = a->problem;
    const int32_t *start = p->cumulative_sequence_length + sequence;
    const int64_t end = p->past_seqlens[sequence] + (int64_t)start[1] - start[0];
    const int64_t last = p->not_causal ? end - 1 : position;
    const int64_t first = p->window_before < 0 || position < p->window_before ? 0 : position - p->window_before;
    or_row *r = &a->row;
    r->keys = 0;
    for (int64_t j = first; j <= last; j++) {
        const int64_t slot = or_slot_of(p, sequence, j);
        if (slot < 0) continue;
        r->position[r->keys] = j;
        r->slot[r->keys++] = slot;
    }
}

/* Eight sums, so that the additions need not wait for each other. */
static double dot(const double *x, const double *y, int64_t n) {
    double sum[8] = {0};
    int64_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (int l = 0; l < 8; l++) sum[l] += x[i + l] * y[i + l];
    for (; i < n; i++) sum[0] += x[i] * y[i];
    return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

static void score(or_attention *a) {
    const or_problem *p = a->problem;
    or_row *r = &a->row;
    for (int64_t j = 0; j < r->keys; j++) {
        or_decode_row(a->latent, p->dtype, a->cache + r->slot[j] * p->head_size, (size_t)p->head_size);
        r->s[j] = p->scale * dot(r->q, a->latent, p->head_size);
        r->logit[j] = p->softcap > 0 ? p->softcap * tanh(r->s[j] / p->softcap) : r->s[j];
    }
}

/* A NaN score is NaN in every weight, and so is +inf or nothing but -inf, by inf - inf. */
static void softmax(or_row *r) {
    r->max = -INFINITY;
    for (int64_t j = 0; j < r->keys; j++) r->max = fmax(r->max, r->logit[j]);
    double sum = 0;
    for (int64_t j = 0; j < r->keys; j++) sum += r->weight[j] = exp(r->logit[j] - r->max);
    for (int64_t j = 0; j < r->keys; j++) r->weight[j] /= sum;
}

static void add_values(or_attention *a) {
    const or_problem *p = a->problem;
    or_row *r = &a->row;
    memset(r->o, 0, (size_t)p->v_head_size * sizeof *r->o);
    for (int64_t j = 0; j < r->keys; j++) {
        or_decode_row(a->latent, p->dtype, a->cache + r->slot[j] * p->head_size, (size_t)p->v_head_size);
        for (int64_t d = 0; d < p->v_head_size; d++) r->o[d] += r->weight[j] * a->latent[d];
    }
}

const or_row *or_attend(or_attention *a, int64_t token, int64_t head) {
    const or_problem *p = a->problem;
    const int64_t sequence = or_sequence_of(p, token);
    or_row *r = &a->row;
    r->keys = 0;
    memset(r->q, 0, (size_t)p->head_size * sizeof *r->q);
    if (sequence >= 0) {
        const int64_t position = or_position_of(p, token);
        make_query(a, token, head, position);
        list_visible(a, sequence, position);
        score(a);
    }
    softmax(r);
    add_values(a);
    or_classify(r, p, a->cache, &a->how);
    return r;
}
