/* Drifts that no element shows, and scatter that is none. */
#include "../bias.h"

#include "scene.h"

#include <criterion/criterion.h>
#include <math.h>

enum { CHANNELS = 64 };

typedef struct {
    double gain, slope, noise, reach;
    int rows;
} drive;

/* Rows of normal-sized numbers whose answer is o (1 + gain) + slope cov + noise, rounded to bfloat16. */
static or_bias driven(const drive *how) {
    or_bias bias = {0};
    uint64_t seed = 99;
    for (int r = 0; r < how->rows; r++) {
        double o[CHANNELS], cov[CHANNELS], reach[CHANNELS];
        uint16_t got[CHANNELS];
        for (int d = 0; d < CHANNELS; d++) {
            o[d] = scene_uniform(&seed), cov[d] = 0.3 * scene_uniform(&seed), reach[d] = how->reach;
            got[d] =
                or_round(OR_BF16, o[d] * (1 + how->gain) + how->slope * cov[d] + how->noise * scene_uniform(&seed));
        }
        or_bias_add(&bias, OR_BF16, CHANNELS, o, cov, reach, got);
    }
    return bias;
}

static const struct {
    const char *why;
    drive how;
    bool gain, slope;
} rows[] = {
    {"honest", {0, 0, 1e-3, 0, 100}, false, false},
    {"denominator high by 1/500", {-2e-3, 0, 1e-3, 0, 100}, true, false},
    {"scale half a per cent low", {0, -5e-3, 1e-3, 0, 100}, false, true},
    {"both", {2e-3, 1e-2, 1e-3, 0, 100}, true, true},
    {"too few rows", {-2e-2, 0, 1e-3, 0, 15}, false, false},
    {"within what is declared", {-2e-3, 0, 1e-3, 0.1, 100}, false, false},
};

Test(bias, a_drift_is_flagged_and_scatter_is_not) {
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const or_bias bias = driven(&rows[i].how);
        const or_drift gain = or_drift_of(&bias.gain), slope = or_drift_of(&bias.slope);
        cr_expect_eq(gain.flagged, rows[i].gain, "%s: gain %g, t %g", rows[i].why, gain.mean, gain.t);
        cr_expect_eq(slope.flagged, rows[i].slope, "%s: slope %g, t %g", rows[i].why, slope.mean, slope.t);
        cr_expect_eq(gain.rows, rows[i].how.rows);
    }
}

Test(bias, the_mean_reads_as_the_fault) {
    const or_bias bias = driven(&(drive){.slope = -0.005, .noise = 1e-4, .rows = 200});
    cr_expect_float_eq(or_drift_of(&bias.slope).mean, -0.005, 5e-4, "%g", or_drift_of(&bias.slope).mean);
    cr_expect_float_eq(or_drift_of(&bias.gain).mean, 0, 2e-4);
}

Test(bias, rows_that_are_not_numbers_are_passed_over) {
    or_bias bias = {0};
    const double o[2] = {1, 2}, nan[2] = {1, NAN}, zero[2] = {0, 0};
    const uint16_t got[2] = {0x3c00, 0x4000}, inf[2] = {0x3c00, 0x7c00};
    or_bias_add(&bias, OR_F16, 2, o, o, zero, inf);
    or_bias_add(&bias, OR_F16, 2, nan, nan, zero, got);
    or_bias_add(&bias, OR_F16, 2, zero, zero, zero, got);
    cr_expect_eq(bias.gain.rows, 0);
    cr_expect_eq(bias.slope.rows, 0);
    or_bias_add(&bias, OR_F16, 2, o, zero, zero, got);
    cr_expect_eq(bias.gain.rows, 1);
    cr_expect_eq(bias.slope.rows, 0);
}

Test(bias, answers_without_any_scatter_are_judged_too) {
    or_bias right = {0}, wrong = {0};
    const double o[2] = {1, 2}, none[2] = {0, 0};
    const uint16_t exact[2] = {0x3c00, 0x4000}, twice[2] = {0x4000, 0x4400};
    for (int r = 0; r < 20; r++) {
        or_bias_add(&right, OR_F16, 2, o, o, none, exact);
        or_bias_add(&wrong, OR_F16, 2, o, o, none, twice);
    }
    cr_expect_eq(or_drift_of(&right.gain).t, 0);
    cr_expect(!or_drift_of(&right.gain).flagged);
    cr_expect(isinf(or_drift_of(&wrong.gain).t) && or_drift_of(&wrong.gain).flagged);
}
