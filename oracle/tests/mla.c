/* Multi-head latent attention, absorbed and not (DeepSeek-V2, section 2.1.2): the same answer by another formula.
 *
 * Not absorbed:  k[h,j] = [W_UK[h] c_j ; r_j],  v[h,j] = W_UV[h] c_j,  with per-head queries [a_h ; b_h].
 * Absorbed:      the operator on rows [c_j ; r_j] with queries [W_UK[h]^T a_h ; b_h], and W_UV[h] after it.
 * All entries are small integers, so that the absorbed query is exact in float16. */
#include "../attend.h"

#include "scene.h"

#include <criterion/criterion.h>
#include <math.h>

enum { HEADS = 3, NOPE = 6, LATENT = 16, ROPE = 8, VALUE = 5, CONTEXT = 21 };
static const int32_t past[] = {CONTEXT - 1}, fresh[] = {1};

typedef struct {
    double up_k[HEADS][NOPE][LATENT], up_v[HEADS][VALUE][LATENT];
    double a[HEADS][NOPE], b[HEADS][ROPE];
    double c[CONTEXT][LATENT], r[CONTEXT][ROPE]; /* r as it lies in the cache, rotated already */
} model;

static double small(uint64_t *state) {
    return (double)(scene_random(state) % 7) - 3;
}

static void fill(double *x, size_t n, uint64_t *state) {
    for (size_t i = 0; i < n; i++) x[i] = small(state);
}

static void make_model(model *m, uint64_t seed) {
    fill(&m->up_k[0][0][0], sizeof m->up_k / sizeof(double), &seed);
    fill(&m->up_v[0][0][0], sizeof m->up_v / sizeof(double), &seed);
    fill(&m->a[0][0], sizeof m->a / sizeof(double), &seed);
    fill(&m->b[0][0], sizeof m->b / sizeof(double), &seed);
    fill(&m->c[0][0], sizeof m->c / sizeof(double), &seed);
    fill(&m->r[0][0], sizeof m->r / sizeof(double), &seed);
}

/* The token's own turn of b, adjacent pairs. */
static void turned(double *out, const double *b, const scene *s) {
    for (int i = 0; i < ROPE / 2; i++) {
        const double c = or_decode(OR_F16, s->cos[(CONTEXT - 1) * ROPE / 2 + i]),
                     z = or_decode(OR_F16, s->sin[(CONTEXT - 1) * ROPE / 2 + i]);
        out[2 * i] = b[2 * i] * c - b[2 * i + 1] * z;
        out[2 * i + 1] = b[2 * i] * z + b[2 * i + 1] * c;
    }
}

static void decompressed(double *o, const model *m, const double *b, int h, double scale) {
    double s[CONTEXT], most = -INFINITY, sum = 0;
    for (int j = 0; j < CONTEXT; j++) {
        s[j] = 0;
        for (int i = 0; i < NOPE; i++) {
            double k = 0;
            for (int l = 0; l < LATENT; l++) k += m->up_k[h][i][l] * m->c[j][l];
            s[j] += m->a[h][i] * k;
        }
        for (int i = 0; i < ROPE; i++) s[j] += b[i] * m->r[j][i];
        s[j] *= scale;
        most = fmax(most, s[j]);
    }
    for (int j = 0; j < CONTEXT; j++) sum += s[j] = exp(s[j] - most);
    for (int d = 0; d < VALUE; d++) {
        o[d] = 0;
        for (int j = 0; j < CONTEXT; j++) {
            double v = 0;
            for (int l = 0; l < LATENT; l++) v += m->up_v[h][d][l] * m->c[j][l];
            o[d] += s[j] / sum * v;
        }
    }
}

static scene *absorbed(const model *m, double scale) {
    const shape of = {OR_F16, HEADS, LATENT + ROPE, ROPE, 16, 2, 1, past, fresh};
    scene *s = scene_new(&of, 53);
    for (int h = 0; h < HEADS; h++) {
        for (int l = 0; l < LATENT; l++) {
            double q = 0;
            for (int i = 0; i < NOPE; i++) q += m->up_k[h][i][l] * m->a[h][i];
            scene_query(s, 0, h, l, q);
        }
        for (int i = 0; i < ROPE; i++) scene_query(s, 0, h, LATENT + i, m->b[h][i]);
    }
    for (int j = 0; j < CONTEXT; j++) {
        for (int l = 0; l < LATENT; l++) scene_cached(s, 0, j, l, m->c[j][l]);
        for (int i = 0; i < ROPE; i++) scene_cached(s, 0, j, LATENT + i, m->r[j][i]);
    }
    RESOLVE(s, OR_GENAI, FLOAT("scale", scale), INT("v_head_size", LATENT), INT("do_rotary", 1),
            INT("rotary_interleaved", 1), INT("rotary_offset", LATENT));
    return s;
}

static double worst_of_head(or_attention *a, const scene *s, const model *m, int h, double scale) {
    const double *latent = or_attend(a, 0, h)->o;
    double want[VALUE], b[ROPE], worst = 0;
    turned(b, m->b[h], s);
    decompressed(want, m, b, h, scale);
    for (int d = 0; d < VALUE; d++) {
        double got = 0;
        for (int l = 0; l < LATENT; l++) got += m->up_v[h][d][l] * latent[l];
        worst = fmax(worst, fabs(got - want[d]));
    }
    return worst;
}

Test(mla, the_absorbed_form_is_the_decompressed_one) {
    for (uint64_t seed = 1; seed <= 20; seed++) {
        model m;
        make_model(&m, seed);
        scene *s = absorbed(&m, 0.015625);
        or_attention *a = or_attention_new(&s->p, s->cache, &(or_arithmetic){.rope = OR_ROPE_EXACT});
        for (int h = 0; h < HEADS; h++) {
            cr_assert_lt(worst_of_head(a, s, &m, h, 0.015625), 1e-12);
            cr_assert_gt(worst_of_head(a, s, &m, h, 0.0157), 1e-6, "another scale is another answer");
        }
        or_attention_free(a);
        scene_free(s);
    }
}
