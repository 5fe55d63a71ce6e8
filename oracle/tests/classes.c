/* NaN and infinities, by the two-pass equations and by what float can make of them. */
#include "../classes.h"

#include "scene.h"

#include <criterion/criterion.h>
#include <math.h>

enum { F = OR_FINITE, N = OR_NAN, P = OR_PLUS_INF, M = OR_MINUS_INF };

/* One token, the last of three positions. hs 4, vhs 2: channels 2 and 3 of a key reach the scores alone. */
static const int32_t past[] = {2}, fresh[] = {1};
typedef struct {
    const char *what;
    or_dtype t;
    double q[4], k[3][4];
    double scale, softcap;
    or_arithmetic how;
    unsigned classes[2];
    double o; /* channel 0, where it may be finite */
} row;

static const or_arithmetic in_float = {.rope = OR_ROPE_EXACT, .p = OR_F32},
                           in_half = {.rope = OR_ROPE_EXACT, .p = OR_F16};

static void check(const row *c) {
    const shape of = {c->t, 1, 4, 0, 16, 1, 1, past, fresh};
    scene *s = scene_new(&of, 0);
    RESOLVE(s, OR_GENAI, FLOAT("scale", c->scale), FLOAT("softcap", c->softcap), INT("v_head_size", 2));
    for (int d = 0; d < 4; d++) scene_query(s, 0, 0, d, c->q[d]);
    for (int j = 0; j < 3; j++)
        for (int d = 0; d < 4; d++) scene_cached(s, 0, j, d, c->k[j][d]);
    or_attention *a = or_attention_new(&s->p, s->cache, &c->how);
    const or_row *r = or_attend(a, 0, 0);
    for (int d = 0; d < 2; d++)
        cr_assert_eq(r->classes[d], c->classes[d], "%s: channel %d may be %u", c->what, d, r->classes[d]);
    if (c->classes[0] & F) cr_assert_float_eq(r->o[0], c->o, 1e-12 * fabs(c->o), "%s: %g", c->what, r->o[0]);
    or_attention_free(a);
    scene_free(s);
}

#define CHECK(...) check(&(const row){__VA_ARGS__})

Test(classes, numbers_are_numbers) {
    CHECK("plain", OR_F16, {1, 0, 0, 0}, {{0, 1}, {0, 2}, {0, 6}}, 1, 0, in_float, {F, F}, 0);
    CHECK("large", OR_F16, {0}, {{60000}, {60000}, {60000}}, 1, 0, in_half, {F, F}, 60000);
    CHECK("plain bf16", OR_BF16, {0}, {{1}, {2}, {6}}, 1, 0, in_float, {F, F}, 3);
}

Test(classes, a_visible_nan_makes_the_row_nan) {
    CHECK("in a key", OR_F16, {1, 1, 1, 1}, {{1}, {1, 1, NAN}, {1}}, 1, 0, in_float, {N, N}, 0);
    CHECK("in the query", OR_BF16, {NAN}, {{1}, {1}, {1}}, 1, 0, in_float, {N, N}, 0);
    CHECK("where q is 0", OR_F16, {0}, {{1}, {1, 1, 1, NAN}, {1}}, 1, 0, in_float, {N, N}, 0);
    CHECK("under softcap", OR_F16, {1, 1, 1, 1}, {{1}, {1, 1, NAN}, {1}}, 1, 2, in_float, {N, N}, 0);
    CHECK("0 of an infinity", OR_F16, {0}, {{1}, {1, 1, 1, INFINITY}, {1}}, 1, 0, in_float, {N, N}, 0);
}

Test(classes, a_score_of_plus_infinity_makes_the_row_nan) {
    CHECK("one", OR_F16, {0, 0, 1, 0}, {{1}, {1, 1, INFINITY}, {1}}, 1, 0, in_float, {N, N}, 0);
    CHECK("beside -inf", OR_F16, {0, 0, 1, 0}, {{1, 1, -INFINITY}, {1, 1, INFINITY}, {1}}, 1, 0, in_float, {N, N}, 0);
    CHECK("by a negative scale", OR_BF16, {0, 0, 1, 0}, {{1}, {1, 1, -INFINITY}, {1}}, -1, 0, in_float, {N, N}, 0);
}

Test(classes, scores_of_minus_infinity_weigh_nothing_unless_all_are) {
    CHECK("one", OR_F16, {0, 0, 1, 0}, {{9, 9, -INFINITY}, {1}, {3}}, 1, 0, in_float, {F, F}, 2);
    CHECK("of an infinite value", OR_F16, {1, 0, 0, 0}, {{-INFINITY}, {0, 4}, {0, 6}}, 1, 0, in_float, {N, F}, 0);
    CHECK("all", OR_F16, {0, 0, 1, 0}, {{1, 1, -INFINITY}, {1, 1, -INFINITY}, {1, 1, -INFINITY}}, 1, 0, in_float,
          {N, N}, 0);
}

Test(classes, softcap_brings_infinite_scores_back) {
    CHECK("plus", OR_F16, {0, 0, 1, 0}, {{1, 0, INFINITY}, {0}, {0, 0, -INFINITY}}, 1, 0.5, in_float, {F, F},
          exp(0.5) / (exp(0.5) + 1 + exp(-0.5)));
    CHECK("the value stays infinite", OR_F16, {1, 0, 0, 0}, {{INFINITY}, {0}, {0}}, 1, 0.5, in_float, {P, F}, 0);
    CHECK("of both signs", OR_F16, {1, 0, 0, 0}, {{INFINITY}, {-INFINITY}, {0}}, 1, 0.5, in_float, {N, F}, 0);
    CHECK("minus", OR_F16, {1, 0, 0, 0}, {{0}, {-INFINITY, 1}, {0}}, 1, 0.5, in_float, {M, F}, 0);
}

Test(classes, an_infinite_value_whose_weight_may_vanish_may_be_nan) {
    CHECK("15 behind in half", OR_F16, {-1, 0, 0, 0}, {{INFINITY}, {0}, {-5}}, 1, 10, in_half, {P, F}, 0);
    CHECK("20 behind in half", OR_F16, {-1, 0, 0, 0}, {{INFINITY}, {0}, {-100}}, 1, 10, in_half, {P | N, F}, 0);
    CHECK("20 behind in float", OR_F16, {-1, 0, 0, 0}, {{INFINITY}, {0}, {-100}}, 1, 10, in_float, {P, F}, 0);
    CHECK("100 behind in float", OR_BF16, {-1, 0, 0, 0}, {{INFINITY}, {0}, {-1000}}, 1, 50, in_float, {P | N, F}, 0);
    CHECK("a finite one 20 behind", OR_F16, {-1, 0, 0, 0}, {{-INFINITY}, {0}, {100}}, 1, 10, in_half, {M, F}, 0);
    CHECK("not said", OR_F16, {-1, 0, 0, 0}, {{INFINITY}, {0}, {-100}}, 1, 10, (or_arithmetic){0}, {P | N, F}, 0);
    CHECK("2000 behind", OR_BF16, {-1, 0, 0, 0}, {{INFINITY}, {0}, {-1e6}}, 1, 1000, in_float, {N, F}, 0);
}

Test(classes, sums_that_only_double_holds_may_be_anything) {
    const unsigned any = F | N | P | M;
    CHECK("scores", OR_BF16, {0, 0, 3e38, 3e38}, {{1, 0, 2, -2}, {3, 0, 2, -2}, {2, 0, 0, 0}}, 1, 0, in_float,
          {any, any}, 2);
    CHECK("scaled scores", OR_F16, {0, 0, 1, 0}, {{1, 0, 100}, {1, 0, 100}, {1, 0, 100}}, 1e37, 0, in_float, {any, any},
          1);
    CHECK("values", OR_BF16, {0}, {{0x1.6p127}, {0x1.6p127}, {0x1.6p127}}, 1, 0, in_float, {any, any}, 0x1.6p127);
    CHECK("beside a NaN", OR_BF16, {0, 0, 3e38, 3e38}, {{1, 0, 2, -2}, {3, 0, NAN}, {2, 0, 0, 0}}, 1, 0, in_float,
          {N, N}, 0);
    CHECK("not quite", OR_BF16, {0}, {{0x1p126}, {0x1p126}, {0x1p126}}, 1, 0, in_float, {F, F}, 0x1p126);
    CHECK("nor scores", OR_BF16, {0, 0, 1e19, 0}, {{1, 0, 1e19}, {1, 0, 1e19}, {1, 0, 1e19}}, 1, 0, in_float, {F, F},
          1);
    CHECK("that meet an infinite one", OR_BF16, {0, 0, 2, 2}, {{1, 0, INFINITY, -3e38}, {1}, {1}}, 1, 5, in_float,
          {any, any}, 1);
    CHECK("beside an infinite score", OR_BF16, {0, 0, 1, 0}, {{4, 0, -INFINITY}, {1}, {3}}, 1, 0, in_float, {F, F}, 2);
}

Test(classes, a_query_that_half_does_not_hold_may_be_nan_unless_it_is_said_to_stay_exact) {
    static const double cos_and_sin[] = {1, -1};
    for (int said = 0; said < 2; said++) {
        const shape of = {OR_F16, 1, 2, 2, 16, 1, 1, (const int32_t[]){0}, fresh};
        scene *s = scene_new(&of, 0);
        s->cos[0] = or_round(OR_F16, cos_and_sin[0]), s->sin[0] = or_round(OR_F16, cos_and_sin[1]);
        scene_query(s, 0, 0, 0, 40000);
        scene_query(s, 0, 0, 1, 40000);
        RESOLVE(s, OR_GENAI, INT("do_rotary", 1));
        const or_arithmetic how = {.rope = said ? OR_ROPE_EXACT : OR_ROPE_UNSAID};
        or_attention *a = or_attention_new(&s->p, s->cache, &how);
        cr_assert_eq(or_attend(a, 0, 0)->classes[0], said ? F : F | N);
        or_attention_free(a);
        scene_free(s);
    }
}

Test(classes, what_is_not_visible_has_no_class) {
    static const double poison[] = {NAN, INFINITY, -INFINITY, 65504};
    const shape of = {OR_F16, 1, 4, 0, 16, 2, 1, (const int32_t[]){4}, (const int32_t[]){2}};
    for (int i = 0; i < 4; i++) {
        scene *s = scene_new(&of, 47);
        for (int d = 0; d < 4; d++) {
            scene_cached(s, 0, 5, d, poison[i]);
            scene_cached(s, 0, 17, d, poison[i]);
            scene_cached(s, 0, 1, d, poison[i]);
        }
        RESOLVE(s, OR_GENAI, INT("local_window_size", 2));
        or_attention *a = or_attention_new(&s->p, s->cache, &in_float);
        for (int d = 0; d < 4; d++) {
            const or_row *r = or_attend(a, 0, 0);
            cr_assert(r->keys == 3 && r->classes[d] == F && fabs(r->o[d]) <= 1);
        }
        or_attention_free(a);
        scene_free(s);
    }
}
