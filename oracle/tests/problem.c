/* What attributes come to, dialect by dialect. */
#include "../problem.h"

#include "scene.h"

#include <criterion/criterion.h>
#include <math.h>

static const int32_t past[] = {4, 0}, fresh[] = {2, 3};
static const shape small = {OR_BF16, 3, 40, 16, 16, 2, 2, past, fresh};

Test(problem, shapes_say_the_sizes) {
    scene *s = scene_new(&small, 1);
    RESOLVE(s, OR_GENAI, INT("do_rotary", 1), INT("rotary_offset", 24));
    const or_problem *p = &s->p;
    cr_assert(p->dialect == OR_GENAI && p->dtype == OR_BF16);
    cr_assert(p->tokens == 5 && p->sequences == 2 && p->heads == 3);
    cr_assert(p->head_size == 40 && p->v_head_size == 40, "v_head_size absent is head_size");
    cr_assert(p->rotary_dim == 16 && p->rotary_offset == 24 && !p->interleaved && !p->not_causal);
    cr_assert(p->block_size == 16 && p->blocks == 5 && p->max_blocks == 2);
    cr_assert(p->query == s->query && p->key == s->key && p->cos_cache == s->cos && p->sin_cache == s->sin);
    cr_assert(p->block_table == s->table && p->past_seqlens == s->past && p->cumulative_sequence_length == s->start);
    cr_assert_eq(p->slot_mapping, s->slots);
    scene_free(s);
}

Test(problem, an_absent_slot_mapping_is_none) {
    scene *s = scene_new(&small, 1);
    s->call.in[OR_SLOT_MAPPING].dtype = OR_ABSENT;
    RESOLVE(s, OR_ONNXRUNTIME, INT("v_head_size", 32));
    cr_assert_null(s->p.slot_mapping);
    cr_assert_eq(s->p.v_head_size, 32);
    scene_free(s);
}

Test(problem, a_window_counts_the_token_itself_in_one_dialect) {
    static const struct {
        int64_t w, genai, onnxruntime;
    } rows[] = {{-5, -1, -1}, {-1, -1, -1}, {0, 0, -1}, {1, 1, 0}, {2, 2, 1}, {41, 41, 40}};
    scene *s = scene_new(&small, 1);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        RESOLVE(s, OR_GENAI, INT("local_window_size", rows[i].w));
        cr_assert_eq(s->p.window_before, rows[i].genai, "W %ld", (long)rows[i].w);
        RESOLVE(s, OR_ONNXRUNTIME, INT("local_window_size", rows[i].w));
        cr_assert_eq(s->p.window_before, rows[i].onnxruntime, "W %ld", (long)rows[i].w);
    }
    RESOLVE(s, OR_GENAI, INT("v_head_size", 0));
    cr_assert_eq(s->p.window_before, -1, "absent is off");
    cr_assert_eq(s->p.v_head_size, 40, "0 is head_size");
    scene_free(s);
}

Test(problem, truth_is_one_for_onnxruntime_and_not_zero_for_onnx_genai) {
    static const struct {
        int64_t value;
        bool genai, onnxruntime;
    } rows[] = {{0, false, false}, {1, true, true}, {2, true, false}, {-1, true, false}};
    scene *s = scene_new(&small, 1);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (int d = 0; d < OR_DIALECTS; d++) {
            const bool want = d == OR_GENAI ? rows[i].genai : rows[i].onnxruntime;
            RESOLVE(s, (or_dialect)d, INT("do_rotary", rows[i].value), INT("rotary_offset", 8));
            cr_assert_eq(s->p.rotary_dim, want ? 16 : 0, "do_rotary %ld", (long)rows[i].value);
            cr_assert_eq(s->p.cos_cache != NULL, want);
            RESOLVE(s, (or_dialect)d, INT("do_rotary", 1), INT("rotary_interleaved", rows[i].value));
            cr_assert_eq(s->p.interleaved, want, "rotary_interleaved %ld", (long)rows[i].value);
        }
    scene_free(s);
}

Test(problem, a_scale_of_zero_is_a_scale_but_for_onnxruntime) {
    scene *s = scene_new(&small, 1);
    const double fallback = 1.0f / sqrtf(40.0f);
    RESOLVE(s, OR_GENAI, FLOAT("scale", 0));
    cr_assert(s->p.scale == 0 && s->p.scale_error == 0);
    RESOLVE(s, OR_ONNXRUNTIME, FLOAT("scale", 0));
    cr_assert(s->p.scale == fallback && s->p.scale_error > 0);
    RESOLVE(s, OR_ONNXRUNTIME, FLOAT("scale", -0.3));
    cr_assert(s->p.scale == (double)-0.3f && s->p.scale_error == 0);
    RESOLVE(s, OR_GENAI, INT("scale", 3));
    cr_assert_eq(s->p.scale, fallback, "an integer of that name is another attribute");
    scene_free(s);
}

Test(problem, the_scale_that_is_not_given_is_within_its_error_for_every_head_size) {
    for (int64_t hs = 1; hs <= 1024; hs++) {
        const shape one = {OR_F16, 1, hs, 0, 16, 1, 1, (int32_t[]){0}, (int32_t[]){1}};
        scene *s = scene_new(&one, 0);
        RESOLVE(s, OR_GENAI, FLOAT("softcap", 2));
        const double exact = 1 / sqrt((double)hs);
        cr_assert_leq(fabs(s->p.scale - exact), s->p.scale_error / 2 * exact, "head_size %ld", (long)hs);
        scene_free(s);
    }
}

Test(problem, softcap_and_causality_are_passed_on) {
    scene *s = scene_new(&small, 1);
    RESOLVE(s, OR_GENAI, FLOAT("softcap", 30), INT("is_causal", 0));
    cr_assert(s->p.softcap == 30 && s->p.not_causal);
    RESOLVE(s, OR_GENAI, FLOAT("softcap", -1));
    cr_assert(s->p.softcap == -1 && !s->p.not_causal);
    scene_free(s);
}
