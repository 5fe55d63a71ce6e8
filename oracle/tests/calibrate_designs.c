/* The data: ordinary, exact, and what breaks bounds that look right. Logits below are before softcap, in units of the
 * softmax. */
#include "calibrate.h"

#include "../rope.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double normal(uint64_t *random) {
    const uint64_t x = scene_random(random);
    double sum = 0;
    for (int i = 0; i < 4; i++) sum += (double)(x >> 16 * i & 0xffff) + 0.5;
    return (sum * 0x1p-16 - 2) * sqrt(3);
}

static double uniform(uint64_t *random, double lo, double hi) {
    return lo + (hi - lo) * (scene_uniform(random) + 1) / 2;
}

static void normals(double *x, int64_t n, double amplitude, uint64_t *random) {
    for (int64_t i = 0; i < n; i++) x[i] = amplitude * normal(random);
}

static void all_normal(sample *s, double amplitude) {
    normals(s->q, s->w.hs, amplitude, s->random);
    normals(s->k, s->n * s->w.hs, amplitude, s->random);
}

/* Logits by design: q has its rotated span alone, and each key's span points along it. */

static double to_type(const sample *s, double x) {
    return or_decode(s->scene->of.dtype, or_round(s->scene->of.dtype, x));
}

static void write_query(sample *s) {
    for (int64_t i = 0; i < s->w.hs; i++) scene_query(s->scene, 0, 0, i, s->q[i]);
}

/* q as the scores see it; values are normals of that amplitude. */
static void pointed(sample *s, double *q, double value) {
    double x[576];
    memset(s->q, 0, (size_t)s->w.hs * sizeof *s->q);
    normals(s->q + s->w.off, s->w.rotary, 1, s->random);
    normals(s->k, s->n * s->w.hs, value, s->random);
    write_query(s);
    or_decode_row(x, s->scene->of.dtype, s->scene->query, (size_t)s->w.hs);
    or_rotate(q, x, &s->scene->p, s->n - 1);
}

static void aim(sample *s, const double *q, int64_t j, double logit) {
    double norm = 0;
    for (int64_t i = s->w.off; i < s->w.off + s->w.rotary; i++) norm += q[i] * q[i];
    for (int64_t i = s->w.off; i < s->w.off + s->w.rotary; i++) s->k[j * s->w.hs + i] = logit / s->scale * q[i] / norm;
}

static double *value(sample *s, int64_t j) {
    return s->k + j * s->w.hs;
}

static void normal_low(sample *s) {
    all_normal(s, 0.1);
}
static void normal_middle(sample *s) {
    all_normal(s, 0.7);
}
static void normal_high(sample *s) {
    all_normal(s, 3);
}
static void flat(sample *s) {
    all_normal(s, uniform(s->random, 0.02, 0.06));
}

/* Logits of thousands; every other time two channels bring them back to near ties, which an error of the score then
 * decides. */
static void hot(sample *s) {
    double q[576], x[576];
    const double amplitude = exp2(uniform(s->random, 2, 6.5));
    all_normal(s, amplitude);
    if (scene_random(s->random) & 1) return;
    s->q[0] = s->q[1] = amplitude;
    write_query(s);
    or_decode_row(x, s->scene->of.dtype, s->scene->query, (size_t)s->w.hs);
    or_rotate(q, x, &s->scene->p, s->n - 1);
    for (int64_t j = 0; j < s->n; j++) {
        double *k = s->k + j * s->w.hs, logit = j == 0 ? 0 : -uniform(s->random, 4, 9);
        for (int i = 0; i < 2; i++) {
            double sum = k[i] = 0;
            for (int64_t d = i; d < s->w.hs; d++) sum += q[d] * (k[d] = to_type(s, k[d]));
            if (i == 1) sum += q[0] * k[0];
            k[i] = to_type(s, (logit / s->scale - sum) / q[i]);
        }
    }
}
static void capped(sample *s) {
    s->softcap = 30, normal_high(s);
}

static void one_hot(sample *s) {
    double q[576];
    pointed(s, q, 1);
    const int64_t chosen = (int64_t)(scene_random(s->random) % (uint64_t)s->n);
    for (int64_t j = 0; j < s->n; j++) aim(s, q, j, j == chosen ? 110 : 0);
}

static void uniform_codes(sample *s) {
    memset(s->q, 0, (size_t)s->w.hs * sizeof *s->q);
    for (int64_t j = 0; j < s->n; j++)
        for (int64_t d = 0; d < s->w.hs; d++)
            value(s, j)[d] = d == 0   ? (double)(37 * j % 256 - 128)
                             : d < 16 ? (j >> (d - 1) & 1 ? 64 : -64)
                                      : (double)(d % 251);
}

static void saturate(sample *s) {
    double q[576];
    s->softcap = 1;
    pointed(s, q, 1);
    for (int64_t j = 0; j < s->n; j++) aim(s, q, j, scene_random(s->random) & 1 ? 1000 : 0.4);
}

/* One channel of q meets the same large value in every key. */
static void offset(sample *s) {
    all_normal(s, 0.7);
    const int64_t channel = s->w.off + s->w.rotary / 2 - 1, pair = s->w.hs - 1; /* the slowest pair */
    s->q[channel] = s->q[pair] = 0;
    write_query(s);
    double x[576] = {0}, q[576];
    s->q[channel] = x[channel] = 1024;
    or_rotate(q, x, &s->scene->p, s->n - 1);
    const int64_t large = fabs(q[channel]) > fabs(q[pair]) ? channel : pair;
    for (int64_t j = 0; j < s->n; j++) {
        value(s, j)[channel] = value(s, j)[pair] = 0;
        value(s, j)[large] = -5e4 / s->scale / q[large];
    }
}

static void mixed(sample *s) {
    for (int64_t d = 0; d < s->w.hs; d++) {
        const double q = exp2(uniform(s->random, -4, 1)), k = exp2(uniform(s->random, -4, 1));
        s->q[d] = q * normal(s->random);
        for (int64_t j = 0; j < s->n; j++) value(s, j)[d] = k * normal(s->random);
    }
}

/* sum |q||k| far above |<q, k>|: channels in opposing pairs that RoPE does not touch. */
static void cancel(sample *s) {
    all_normal(s, 0.5);
    for (int64_t d = 0; d + 1 < s->w.off; d += 2) {
        s->q[d] = s->q[d + 1] = 2 + normal(s->random) / 4;
        for (int64_t j = 0; j < s->n; j++) value(s, j)[d + 1] = -(value(s, j)[d] = 20 * normal(s->random));
    }
}

static void constant_values(sample *s) {
    double q[576];
    pointed(s, q, 1);
    for (int64_t j = 0; j < s->n; j++) {
        memcpy(value(s, j), value(s, 0), (size_t)s->w.vhs * sizeof(double));
        aim(s, q, j, normal(s->random));
    }
}

/* V repeats bits of j while logits rise with j: errors that follow the logit find a channel that goes along. */
static void ramp_codes(sample *s) {
    double q[576];
    pointed(s, q, 1);
    const double span = exp2(uniform(s->random, -5, 3));
    for (int64_t j = 0; j < s->n; j++) {
        for (int64_t d = 0; d < s->w.vhs; d++) value(s, j)[d] = j >> d % 13 & 1 ? 1 + (double)(d % 7) / 8 : -1;
        aim(s, q, j, span * (double)j / (double)s->n);
    }
}

static void ascending(sample *s) {
    double q[576];
    pointed(s, q, 1);
    for (int64_t j = 0; j < s->n; j++) aim(s, q, j, 0.05 * (double)j);
}

static void duplicates(sample *s) {
    all_normal(s, 0.7);
    for (int64_t j = 3; j < s->n; j++) memcpy(value(s, j), value(s, j % 3), (size_t)s->w.hs * sizeof(double));
}

static void positive_values(sample *s) {
    double q[576];
    pointed(s, q, 1);
    for (int64_t j = 0; j < s->n; j++) {
        for (int64_t d = 0; d < s->w.vhs; d++) value(s, j)[d] = fabs(value(s, j)[d]);
        aim(s, q, j, 0.5 * normal(s->random));
    }
}

/* One key far ahead of the rest, or one value far above the rest: each small term is lost whole, always to the same
 * side. */
static void swamp(sample *s) {
    double q[576];
    pointed(s, q, 1);
    const bool by_weight = scene_random(s->random) & 1;
    const double lead = by_weight ? uniform(s->random, 8, 20) : 0, large = by_weight ? 1 : 60000;
    for (int64_t j = 0; j < s->n; j++) {
        for (int64_t d = 0; d < s->w.vhs; d++)
            value(s, j)[d] =
                j == 0 ? large * uniform(s->random, 0.5, 1) : uniform(s->random, 0, large * (by_weight ? 1 : 0x1p-25));
        aim(s, q, j, j == 0 ? lead : 0);
    }
}

static void tiny_values(sample *s) {
    double q[576];
    pointed(s, q, 1);
    const bool f16 = s->scene->of.dtype == OR_F16;
    for (int64_t j = 0; j < s->n; j++) {
        for (int64_t d = 0; d < s->w.vhs; d++)
            value(s, j)[d] *= f16 ? exp2(uniform(s->random, -24, -14)) : exp2(uniform(s->random, -133, -116));
        aim(s, q, j, normal(s->random));
    }
}

const design designs[] = {
    {"normal 0.1", normal_low, true},  {"normal 0.7", normal_middle, true},
    {"normal 3", normal_high, true},   {"flat .02-.06", flat, true},
    {"one_hot", one_hot, false},       {"uniform_codes", uniform_codes, false},
    {"saturate", saturate, false},     {"cap30 normal 3", capped, true},
    {"offset -5e4", offset, true},     {"mixed", mixed, true},
    {"cancel", cancel, false},         {"const V", constant_values, false},
    {"ramp codes", ramp_codes, false}, {"ascending", ascending, false},
    {"duplicates", duplicates, false}, {"positive V", positive_values, true},
    {"swamp", swamp, false},           {"hot", hot, false},
    {"tiny V", tiny_values, false},
};
const size_t design_count = sizeof designs / sizeof designs[0];

const design *design_by_name(const char *name) {
    for (size_t i = 0; i < design_count; i++)
        if (strcmp(designs[i].name, name) == 0) return &designs[i];
    abort();
}

static void resolve(sample *s) {
    RESOLVE(s->scene, OR_GENAI, INT("do_rotary", 1), INT("rotary_offset", s->w.off), INT("v_head_size", s->w.vhs),
            FLOAT("scale", s->scale), FLOAT("softcap", s->softcap));
    s->scale = s->scene->p.scale;
}

void sample_make(sample *s, const design *design, or_dtype dtype, width w, int64_t n, uint64_t *random) {
    const int32_t past = (int32_t)(n - 1), fresh = 1;
    const shape of = {dtype, 1, w.hs, w.rotary, 16, (n + 15) / 16, 1, &past, &fresh};
    *s = (sample){.n = n, .w = w, .scale = 1 / sqrt((double)w.hs), .random = random};
    s->scene = scene_new(&of, 0);
    s->q = calloc((size_t)w.hs, sizeof(double));
    s->k = calloc((size_t)(n * w.hs), sizeof(double));
    resolve(s);
    design->fill(s);
    resolve(s);
    write_query(s);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < w.hs; i++) scene_cached(s->scene, 0, j, i, s->k[j * w.hs + i]);
}

void sample_free(sample *s) {
    scene_free(s->scene);
    free(s->q);
    free(s->k);
}
