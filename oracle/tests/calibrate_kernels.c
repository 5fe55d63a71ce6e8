/* Honest kernels in exact float32: the plain one, a split one, one of two passes, and tiled ones on tensor cores. */
#include "calibrate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static float fused(float a, float b, float c) {
    return (float)((double)a * b + c);
}

/* Exp and tanh: the true value with an error inside the documented one. */

static double along(curve c, double x) {
    return c == SINE ? sin(1000 * x) : c == HIGH ? 0.75 : -0.75;
}

/* 2 ulp; exact at 0 and -inf, as every implementation is; results below the least normal vanish. */
static float ex2(float x, curve c) {
    if (x == 0 || x == -INFINITY) return x == 0;
    const double y = exp2(x) * (1 + 0x1p-22 * along(c, x));
    return y < 0x1p-126 ? 0 : (float)y;
}

static const float log2e = 0x1.715476p+0f;

static float exponential(float x, const input *in, const kernel *k) {
    switch (k->how.exp) {
    case OR_EXP_FAST: return ex2(x * log2e, in->curve);
    case OR_EXP2_APPROX: return ex2(x, in->curve); /* x is in base 2 already */
    default: return x == 0 || x == -INFINITY ? x == 0 : (float)(exp(x) * (1 + 0x1p-22 * along(in->curve, x)));
    }
}

static float hyperbolic(float x, const input *in, const kernel *k) {
    const double limit = k->how.tanh == OR_TANH_APPROX ? 0x1p-11 : 0x1p-22;
    return (float)(tanh(x) * (1 + limit * along(in->curve, x)));
}

/* n products over `lanes` chains that are then joined in pairs. */
static float lane_dot(const float *q, const float *k, int64_t n, int lanes) {
    float sum[128] = {0};
    for (int64_t i = 0; i < n; i += lanes) {
        const int64_t used = n - i < lanes ? n - i : lanes;
        for (int64_t l = 0; l < used; l++) sum[l] = fused(q[i + l], k[i + l], sum[l]);
    }
    for (int half = lanes / 2; half > 0; half /= 2)
        for (int l = 0; l < half; l++) sum[l] += sum[l + half];
    return sum[0];
}

/* In the unit of the kernel's exponential. */
static float logit(float dot, const input *in, const kernel *k) {
    const bool base2 = k->how.exp == OR_EXP2_APPROX;
    if (!(in->softcap > 0)) return dot * (base2 ? in->scale * log2e : in->scale);
    const float s = base2 ? dot * (in->scale / in->softcap) : dot * in->scale / in->softcap;
    return hyperbolic(s, in, k) * (base2 ? in->softcap * log2e : in->softcap);
}

typedef struct {
    float m, l, o[512];
} partial;

static void stream(partial *state, const input *in, const kernel *k, int64_t from, int64_t to) {
    *state = (partial){.m = -INFINITY};
    for (int64_t j = from; j < to; j++) {
        const float *row = in->k + j * in->hs, s = logit(lane_dot(in->q, row, in->hs, k->block), in, k);
        const float m = s > state->m ? s : state->m, shrink = exponential(state->m - m, in, k),
                    p = exponential(s - m, in, k);
        state->m = m;
        state->l = fused(state->l, shrink, in->fault == DENOMINATOR_SHORT && j == in->n / 2 ? 0 : p);
        for (int64_t d = 0; d < in->vhs; d++) state->o[d] = fused(p, row[d], state->o[d] * shrink);
    }
}

static void plain(float *o, const input *in, const kernel *k) {
    partial all;
    stream(&all, in, k, 0, in->n);
    for (int64_t d = 0; d < in->vhs; d++) o[d] = all.o[d] / all.l;
}

static float to_type(or_dtype t, double x) {
    return t == OR_F32 ? (float)x : (float)or_decode(t, or_round(t, x));
}

static void split(float *o, const input *in, const kernel *k) {
    enum { MOST = 8 };
    static partial part[MOST];
    float lse[MOST], top = -INFINITY, sum = 0;
    const int64_t pieces = k->how.splits, length = (in->n + pieces - 1) / pieces;
    const or_dtype type = k->how.partial == OR_F32 ? OR_F32 : in->dtype;
    int used = 0;
    for (int64_t from = 0; from < in->n; from += length, used++) {
        stream(&part[used], in, k, from, from + length < in->n ? from + length : in->n);
        lse[used] = part[used].m + (float)log2(part[used].l);
        top = lse[used] > top ? lse[used] : top;
    }
    for (int64_t d = 0; d < in->vhs; d++) o[d] = 0;
    for (int i = 0; i < used; i++) {
        const float weight = exponential(lse[i] - top, in, k);
        sum += weight;
        for (int64_t d = 0; d < in->vhs; d++) o[d] = fused(weight, to_type(type, part[i].o[d] / part[i].l), o[d]);
    }
    for (int64_t d = 0; d < in->vhs; d++) o[d] *= 1 / sum;
}

/* Tensor cores: tiles of keys, P rounded to T. */

typedef struct {
    float m, l, *o;
} running;

static float towards_zero(or_dtype t, float x) {
    const uint16_t nearest = or_round(t, x);
    return (float)or_decode(t, or_decode(t, nearest) > x ? (uint16_t)(nearest - 1) : nearest);
}

static void tile(running *r, const input *in, const kernel *k, int64_t from, int64_t count) {
    float s[64], p[64], sum = 0, m = r->m;
    const bool capped = in->softcap > 0;
    const float unit = (capped ? in->softcap : in->scale) * log2e;
    for (int64_t j = 0; j < count; j++) {
        s[j] = 0;
        for (int64_t i = 0; i < in->hs; i += k->block)
            s[j] = tensor_dot(s[j], in->q + i, in->k + (from + j) * in->hs + i,
                              in->hs - i < k->block ? in->hs - i : k->block, in->dtype, k);
        if (capped) s[j] = hyperbolic(s[j] * (in->scale / in->softcap), in, k);
        m = s[j] > m ? s[j] : m;
    }
    const float maximum = m * unit, shrink = r->m == -INFINITY ? 0 : ex2((r->m - m) * unit, in->curve);
    for (int64_t j = 0; j < count; j++) {
        const float exact = ex2(fused(s[j], unit, -maximum), in->curve);
        p[j] = in->fault == P_TRUNCATED ? towards_zero(in->dtype, exact) : to_type(in->dtype, exact);
        if (in->fault == DENOMINATOR_SHORT && from + j == in->n / 2) continue;
        sum += k->how.sum_of_rounded_p ? p[j] : exact;
    }
    r->m = m;
    r->l = fused(r->l, shrink, sum);
    for (int64_t d = 0; d < in->vhs; d++) r->o[d] *= shrink;
    for (int64_t j = 0; j < count; j += k->block)
        tensor_rows(r->o, in->vhs, p + j, in->k + (from + j) * in->hs, in->hs,
                    count - j < k->block ? count - j : k->block, in->dtype, k);
}

static void flash(float *o, const input *in, const kernel *k) {
    running r = {.m = -INFINITY, .o = o};
    const int64_t size = k->how.tile;
    memset(o, 0, (size_t)in->vhs * sizeof *o);
    for (int64_t from = 0; from < in->n; from += size) tile(&r, in, k, from, in->n - from < size ? in->n - from : size);
    const float reciprocal = 1 / r.l;
    for (int64_t d = 0; d < in->vhs; d++) o[d] *= reciprocal;
}

/* As softmax is taught: maximum, sum, and weights that are divided by it before they are rounded to T. */
static void divided(float *o, const input *in, const kernel *k) {
    float top = -INFINITY, sum = 0, *s = malloc((size_t)in->n * sizeof *s);
    for (int64_t j = 0; j < in->n; j++) {
        s[j] = logit(lane_dot(in->q, in->k + j * in->hs, in->hs, k->block), in, k);
        top = s[j] > top ? s[j] : top;
    }
    for (int64_t j = 0; j < in->n; j++) sum += exponential(s[j] - top, in, k);
    memset(o, 0, (size_t)in->vhs * sizeof *o);
    for (int64_t j = 0; j < in->n; j++) {
        const float p = to_type(in->dtype, exponential(s[j] - top, in, k) / sum);
        for (int64_t d = 0; d < in->vhs; d++) o[d] = fused(p, in->k[j * in->hs + d], o[d]);
    }
    free(s);
}

#define SUMS .dot = OR_DOT_F32, .tanh = OR_TANH_LIBM, .tile = 1
#define TENSOR .dot = OR_DOT_TENSOR, .exp = OR_EXP2_APPROX, .p = OR_F16, .partial = OR_F32, .tile = 64, .splits = 1
/* clang-format off */
const kernel kernels[] = {
    {"plain", {.rope = OR_ROPE_EXACT, .exp = OR_EXP_FAST, .partial = OR_F32, .splits = 1, .p = OR_F32, SUMS}, 128, 0, 0.75, plain},
    {"plain, q in T", {.rope = OR_ROPE_ROUND, .exp = OR_EXP_LIBM, .partial = OR_F32, .splits = 1, .p = OR_F32, SUMS}, 8, 0, 0.75, plain},
    {"split", {.rope = OR_ROPE_EXACT, .exp = OR_EXP2_APPROX, .partial = OR_F32, .splits = 8, .p = OR_F32, SUMS}, 32, 0, 0.75, split},
    {"split, T partials", {.rope = OR_ROPE_FMA, .exp = OR_EXP2_APPROX, .partial = OR_F16, .splits = 4, .p = OR_F32, SUMS}, 32, 0, 1, split},
    {"two passes, P divided", {.rope = OR_ROPE_EXACT, .exp = OR_EXP_LIBM, .p = OR_F16, .partial = OR_F32, .splits = 1, SUMS}, 32, 0, 0.75, divided},
    {"flash, plain sum", {.rope = OR_ROPE_ROUND, .tanh = OR_TANH_LIBM, TENSOR}, 16, 25, 0.75, flash},
    {"flash, rounded sum", {.rope = OR_ROPE_SEP, .tanh = OR_TANH_LIBM, .sum_of_rounded_p = true, TENSOR}, 16, 25, 0.75, flash},
    {"flash, older card", {.rope = OR_ROPE_FMA, .tanh = OR_TANH_APPROX, TENSOR}, 8, 24, 0.9, flash},
};
/* clang-format on */
const size_t kernel_count = sizeof kernels / sizeof kernels[0];

const kernel *kernel_by_name(const char *name) {
    for (size_t i = 0; i < kernel_count; i++)
        if (strcmp(kernels[i].name, name) == 0) return &kernels[i];
    abort();
}

or_arithmetic arithmetic_of(const kernel *k, or_dtype t) {
    or_arithmetic how = k->how;
    if (how.p == OR_F16) how.p = t;
    if (how.partial == OR_F16) how.partial = t;
    return how;
}

static float rotated(or_dtype t, or_rope rope, double x, double cos, double y, double sin) {
    switch (rope) {
    case OR_ROPE_ROUND: return to_type(t, (float)(x * cos - y * sin));
    case OR_ROPE_SEP: return to_type(t, (double)to_type(t, x * cos) - to_type(t, y * sin));
    case OR_ROPE_FMA: return to_type(t, x * cos - to_type(t, y * sin));
    default: return (float)(x * cos - y * sin);
    }
}

static void rotate_query(float *q, const sample *s, or_rope rope, int64_t position) {
    const or_problem *p = &s->scene->p;
    const int64_t half = p->rotary_dim / 2;
    for (int64_t i = 0; i < p->head_size; i++) q[i] = (float)or_decode(p->dtype, p->query[i]);
    for (int64_t i = 0; i < half; i++) {
        const int64_t a = p->rotary_offset + i, b = a + half;
        const double x = q[a], y = q[b], c = or_decode(p->dtype, p->cos_cache[position * half + i]),
                     d = or_decode(p->dtype, p->sin_cache[position * half + i]);
        q[a] = rotated(p->dtype, rope, x, c, y, d);
        q[b] = rotated(p->dtype, rope, y, c, -x, d);
    }
}

conditions plain_conditions(const sample *s, const float *k, curve c) {
    return (conditions){.n = s->n, .scale = s->scene->p.scale, .softcap = s->scene->p.softcap, .k = k, .curve = c};
}

void answer(uint16_t *got, const kernel *k, const sample *s, const conditions *c) {
    const or_problem *p = &s->scene->p;
    float q[576], o[512];
    rotate_query(q, s, k->how.rope, s->n - 1 - c->late);
    k->run(o,
           &(input){p->dtype, c->n, p->head_size, p->v_head_size, q, c->k, (float)c->scale, (float)c->softcap, c->curve,
                    c->fault},
           k);
    for (int64_t d = 0; d < p->v_head_size; d++) got[d] = or_round(p->dtype, o[d]);
}

float *keys_of(const sample *s) {
    const or_problem *p = &s->scene->p;
    float *k = malloc((size_t)(s->n * p->head_size) * sizeof *k);
    for (int64_t j = 0; j < s->n; j++)
        for (int64_t i = 0; i < p->head_size; i++)
            k[j * p->head_size + i] =
                (float)or_decode(p->dtype, s->scene->cache[or_slot_of(p, 0, j) * p->head_size + i]);
    return k;
}
