/* The oracle against a second formulation in long double, over shapes, dialects, holes and windows. */
#include "reference.h"

#include "../attend.h"
#include "scene.h"

#include <criterion/criterion.h>
#include <math.h>

static const int32_t past[] = {0, 37, 16, 5}, fresh[] = {5, 2, 0, 1};
static const int32_t long_past[] = {700}, single[] = {1};

typedef struct {
    shape of;
    int64_t v_head_size, offset, interleaved, window;
    double scale, softcap;
    int causal, hole;
} layout;

static const layout layouts[] = {
    {{OR_F16, 2, 32, 16, 16, 3, 4, past, fresh}, 16, 16, 0, -1, 0.2, 0, 1, 0},
    {{OR_BF16, 3, 40, 0, 16, 3, 4, past, fresh}, 40, 0, 0, 4, 0.16, 0, 1, 0},
    {{OR_F16, 1, 64, 64, 32, 2, 4, past, fresh}, 64, 0, 1, -1, 2, 30, 1, 1},
    {{OR_BF16, 4, 96, 32, 16, 4, 4, past, fresh}, 64, 64, 0, 17, 1, 1, 1, 1},
    {{OR_F16, 2, 72, 8, 64, 1, 4, past, fresh}, 64, 64, 1, 0, 3, 0, 1, 0},
    {{OR_BF16, 2, 64, 32, 16, 3, 4, past, fresh}, 48, 32, 1, -1, -1, 5, 0, 0},
    {{OR_F16, 1, 192, 64, 128, 6, 1, long_past, single}, 160, 128, 0, 600, 0.07, 0, 1, 0},
    {{OR_BF16, 2, 576, 64, 16, 50, 1, long_past, single}, 512, 512, 1, -1, 0.5, 0, 1, 1},
};

static scene *laid_out(const layout *l, uint64_t seed) {
    scene *s = scene_new(&l->of, seed);
    if (l->hole) s->table[0] = -1;
    RESOLVE(s, OR_GENAI, FLOAT("scale", l->scale), FLOAT("softcap", l->softcap), INT("local_window_size", l->window),
            INT("v_head_size", l->v_head_size), INT("do_rotary", l->of.rotary_dim > 0), INT("rotary_offset", l->offset),
            INT("rotary_interleaved", l->interleaved), INT("is_causal", l->causal));
    return s;
}

/* The largest difference from the reference, relative to what the sum is made of: sum_j p_j |v_j|. */
static double worst_difference(const scene *asked, const scene *judged) {
    long double want[576], spread[576], worst = 0;
    or_attention *a = or_attention_new(&asked->p, asked->cache, &(or_arithmetic){.rope = OR_ROPE_EXACT});
    for (int64_t t = 0; t < judged->tokens; t++)
        for (int64_t h = 0; h < judged->of.heads; h++) {
            const or_row *r = or_attend(a, t, h);
            cr_assert_eq(reference_row(want, spread, &judged->p, judged->cache, t, h), r->keys > 0);
            for (int64_t d = 0; d < judged->p.v_head_size; d++)
                worst = fmaxl(worst, fabsl(r->o[d] - want[d]) / (spread[d] + 1e-300L));
        }
    or_attention_free(a);
    return (double)worst;
}

Test(reference, attention_agrees_to_a_part_in_1e14) {
    for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++)
        for (uint64_t seed = 1; seed < 4; seed++) {
            scene *s = laid_out(&layouts[i], seed);
            const double worst = worst_difference(s, s);
            cr_assert_lt(worst, 1e-14, "layout %zu seed %lu: %g", i, (unsigned long)seed, worst);
            scene_free(s);
        }
}

Test(reference, a_changed_reading_does_not_agree) {
    layout right = layouts[0];
    right.softcap = 2, right.window = 9;
    layout wrong[6] = {right, right, right, right, right, right};
    wrong[0].window = 10, wrong[1].softcap = 0, wrong[2].interleaved = 1, wrong[3].offset = 15, wrong[4].scale = 0.201,
    wrong[5].causal = 0;
    for (int i = 0; i < 6; i++) {
        scene *s = laid_out(&right, 9), *w = laid_out(&wrong[i], 9);
        cr_assert_gt(worst_difference(w, s), 1e-6, "reading %d", i);
        scene_free(s), scene_free(w);
    }
}
