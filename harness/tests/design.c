/* Each design shows the fault that it is for: the oracle, asked with that fault put in, gives another answer. */
#include "plan_case.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

Test(design, names_and_parameters_are_unique_and_angles_come_first) {
    size_t count;
    const at_design *const *design = at_designs(&count);
    cr_assert_geq(count, 8);
    for (size_t i = 0; i < count; i++) {
        const at_design_parameter *p = design[i]->parameter;
        cr_expect_eq(at_design_by_name(design[i]->name), design[i], "%s", design[i]->name);
        cr_assert(strcmp(p[0].name, "angle") == 0 && strcmp(p[1].name, "base") == 0);
        size_t n = 0;
        for (; p[n].name != NULL; n++) {
            for (size_t k = 0; k < n; k++) cr_expect_str_neq(p[k].name, p[n].name, "%s", design[i]->name);
        }
        cr_expect_leq(n, AT_DESIGN_PARAMETERS);
    }
    cr_expect_null(at_design_by_name("uniform"));
}

Test(design, every_design_fits_every_geometry_that_has_what_it_needs) {
    size_t count;
    const at_design *const *design = at_designs(&count);
    for (size_t i = 0; i < count; i++) {
        int fitting = 0;
        for (int g = 0; g < GEOMETRIES; g++) {
            plan_case x;
            plan_case_start(&x, geometries[g], design[i]->name);
            const char *why = plan_complaint(&x, OR_GENAI);
            fitting += why[0] == 0;
            if (why[0] != 0) cr_expect_eq(geometries[g].rotary_dim, 0, "%s: %s", design[i]->name, why);
        }
        cr_expect_geq(fitting, GEOMETRIES - 1, "%s fits %d", design[i]->name, fitting);
    }
}

Test(design, a_parameter_that_the_design_lacks_is_refused) {
    plan_case x;
    plan_case_start(&x, tiny, "uniform_codes");
    plan_case_set(&x, "marker", 1);
    cr_expect_str_eq(plan_complaint(&x, OR_GENAI), "data design uniform_codes has no parameter \"marker\"");
    plan_case_start(&x, tiny, "uniform_codes");
    plan_case_set(&x, "angle", 4);
    cr_expect_not_null(strstr(plan_complaint(&x, OR_GENAI), "angle is 0, 1, 2 or 3"));
}

/* uniform_codes */

Test(design, codes_tell_one_key_more_or_less_in_every_row_that_has_one) {
    static const int64_t windows[] = {0, 1, 2, 15, 16, 17, 38, 39};
    for (size_t w = 0; w < sizeof windows / sizeof *windows; w++) {
        plan_case x;
        answer a;
        plan_case_start(&x, glm, "uniform_codes");
        x.attr[WINDOW].i = windows[w];
        plan_and_open(&a, &x);
        for (int64_t t = 0; t < 3; t++) {
            double *right = right_row(&a, t, 0);
            a.problem.window_before = windows[w] + 1;
            cr_expect_gt(distance(right, answer_row(&a, t, 0)->o, 128), 0.25, "window %d, token %d: wider",
                         (int)windows[w], (int)t);
            a.problem.window_before = windows[w] - 1;
            if (windows[w] > 0) cr_expect_gt(distance(right, answer_row(&a, t, 0)->o, 128), 0.25, "narrower");
            a.problem.window_before = windows[w];
            cr_expect_eq(distance(right, answer_row(&a, t, 0)->o, 128), 0);
            free(right);
        }
        close_all(&a);
    }
}

Test(design, codes_tell_a_sequence_from_the_next) {
    plan_case x;
    answer a;
    plan_case_start(&x, glm, "uniform_codes");
    x.sequence[1] = x.sequence[0];
    x.c.sequences = 2;
    plan_and_open(&a, &x);
    double *first = right_row(&a, 0, 0);
    cr_expect_gt(distance(first, answer_row(&a, 3, 0)->o, 128), 1);
    free(first);
    close_all(&a);
}

/* A row of the fresh key, rotated, is the code itself, V in the rotated span included. */
Test(design, quarter_turns_bring_fresh_codes_to_their_exact_values) {
    for (int interleaved = 0; interleaved <= 1; interleaved++) {
        plan_case x;
        answer a;
        plan_case_start(&x, overlapping, "uniform_codes");
        x.c.expect = AT_EXPECT_EXACT, x.attr[INTERLEAVED].i = interleaved, x.attr[WINDOW].i = 15;
        plan_case_set(&x, "angle", 1);
        plan_and_open(&a, &x);
        const uint16_t *row = cached_row(&a, 0, 41), *key = a.problem.key + 64;
        cr_expect_eq(or_decode(OR_F16, row[0]), (37 * 41) % 256 - 128);
        for (int d = 1; d < 16; d++)
            cr_expect_eq(or_decode(OR_F16, row[d]), 41 >> (d - 1) & 1 ? 64 : -64, "channel %d", d);
        for (int d = 16; d < 64; d++) cr_expect_eq(or_decode(OR_F16, row[d]), d % 251, "channel %d", d);
        cr_expect_neq(memcmp(key, row, 128), 0, "before RoPE it is something else");
        close_all(&a);
    }
}

/* edge_markers */

Test(design, markers_show_one_key_more_in_a_long_context) {
    plan_case x;
    answer a;
    plan_case_start(&x, tiny, "edge_markers");
    x.sequence[0] = (at_sequence){.past = 4096, .fresh = 1}, x.attr[WINDOW].i = 4000;
    plan_and_open(&a, &x);
    double *right = right_row(&a, 0, 0);
    a.problem.window_before++;
    cr_expect_gt(distance(right, answer_row(&a, 0, 0)->o, 16), 1, "%g", distance(right, answer_row(&a, 0, 0)->o, 16));
    free(right);
    close_all(&a);
    plan_case_start(&x, tiny, "uniform_codes");
    x.sequence[0] = (at_sequence){.past = 4096, .fresh = 1}, x.attr[WINDOW].i = 4000;
    plan_and_open(&a, &x);
    right = right_row(&a, 0, 0);
    a.problem.window_before++;
    cr_expect_lt(distance(right, answer_row(&a, 0, 0)->o, 16), 0.1, "codes show little there");
    free(right);
    close_all(&a);
}

Test(design, markers_stand_where_nobody_may_look_and_codes_do_not) {
    plan_case x;
    answer a;
    plan_case_start(&x, tiny, "edge_markers");
    x.attr[WINDOW].i = 10, x.c.poison = AT_POISON_NAN;
    plan_and_open(&a, &x);
    cr_expect_geq(fabs(or_decode(OR_F16, cached_row(&a, 0, 29)[0])), 4096,
                  "the last that the first new token does not see");
    cr_expect_leq(fabs(or_decode(OR_F16, cached_row(&a, 0, 20)[0])), 128);
    close_all(&a);
    plan_case_start(&x, tiny, "uniform_codes");
    x.attr[WINDOW].i = 10, x.c.poison = AT_POISON_NAN;
    plan_and_open(&a, &x);
    cr_expect_eq(or_class(OR_F16, cached_row(&a, 0, 29)[0]), OR_NAN);
    cr_expect_eq(or_class(OR_F16, cached_row(&a, 0, 30)[0]), OR_FINITE);
    close_all(&a);
}

/* large_values */

Test(design, large_values_overflow_sums_and_not_means) {
    plan_case x;
    answer a;
    plan_case_start(&x, tiny, "large_values");
    x.sequence[0] = (at_sequence){.past = 1023, .fresh = 1}, x.c.expect = AT_EXPECT_EXACT;
    plan_and_open(&a, &x);
    const or_row *r = answer_row(&a, 0, 0);
    for (int d = 0; d < 16; d++) {
        cr_expect(r->o[d] >= 30000 - 1e-6 && r->o[d] <= 60000, "%g", r->o[d]);
        cr_expect_gt(r->o[d] * (double)r->keys, 65504);
    }
    cr_expect_float_eq(r->o[1], 45000, 1e-6, "half of the positions are odd");
    close_all(&a);
}

/* all_bits */

Test(design, all_bits_writes_every_pattern_of_the_type) {
    static bool seen[2][65536];
    for (int finite = 0; finite <= 1; finite++) {
        plan_case x;
        plan_case_start(&x, glm, "all_bits");
        x.sequence[0] = (at_sequence){.past = 5, .fresh = 300}, x.sequence[1] = (at_sequence){.past = 0, .fresh = 212};
        x.c.sequences = 2, x.c.sample_rows = 1;
        plan_case_set(&x, "finite", finite);
        at_plan *plan = plan_made(&x, OR_GENAI);
        for (int64_t i = 0; i < 512 * 192; i++) {
            if (i % 192 < 128) seen[finite][plan->problem.key[i]] = true;
        }
        at_plan_free(plan);
    }
    for (int bits = 0; bits < 65536; bits++) {
        cr_assert(seen[0][bits], "%04x", (unsigned)bits);
        cr_assert_eq(seen[1][bits], or_class(OR_F16, (uint16_t)bits) == OR_FINITE, "%04x", (unsigned)bits);
    }
}

Test(design, poison_is_what_it_says_in_both_types) {
    for (or_dtype t = OR_F16; t <= OR_BF16; t++) {
        cr_expect_eq(at_poison_bits(AT_POISON_ZERO, t, 5), 0);
        cr_expect_eq(or_class(t, at_poison_bits(AT_POISON_INF, t, 5)), OR_PLUS_INF);
        cr_expect_eq(or_class(t, at_poison_bits(AT_POISON_LARGEST, t, 5)), OR_FINITE);
        cr_expect_eq(or_class(t, (uint16_t)(at_poison_bits(AT_POISON_LARGEST, t, 5) + 1)), OR_PLUS_INF);
        for (uint64_t i = 0; i < 1024; i++) cr_expect_eq(or_class(t, at_poison_bits(AT_POISON_NAN, t, i)), OR_NAN);
        cr_expect_neq(at_poison_bits(AT_POISON_NAN, t, 1), at_poison_bits(AT_POISON_NAN, t, 2));
    }
}
