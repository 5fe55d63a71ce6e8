#include "bias.h"

#include <math.h>

enum { least_rows = 16, least_t = 8 }; /* honest kernels reach 5.0 in 432 attempts of the calibration's designs */

static double dot(int64_t n, const double *x, const double *y) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

static void add_row(or_tally *tally, or_dtype t, int64_t n, const double *direction, const double *o,
                    const double *without_p, const uint16_t *got) {
    const double norm = dot(n, direction, direction);
    double along = 0, reach = 0;
    for (int64_t d = 0; d < n; d++) {
        along += (or_decode(t, got[d]) - o[d]) * direction[d];
        reach += without_p[d] * fabs(direction[d]);
    }
    const double x = along / norm;
    if (!isfinite(x) || !isfinite(reach)) return;
    tally->rows++;
    tally->sum += x;
    tally->squares += x * x;
    tally->systematic += reach / norm;
}

void or_bias_add(or_bias *bias, or_dtype t, int64_t channels, const double *o, const double *cov,
                 const double *without_p, const uint16_t *got) {
    add_row(&bias->gain, t, channels, o, o, without_p, got);
    add_row(&bias->slope, t, channels, cov, o, without_p, got);
}

or_drift or_drift_of(const or_tally *tally) {
    or_drift drift = {.rows = tally->rows};
    if (tally->rows < 2) return drift;
    const double n = (double)tally->rows;
    drift.mean = tally->sum / n;
    drift.systematic = tally->systematic / n;
    const double variance = fmax(0, (tally->squares - n * drift.mean * drift.mean) / (n - 1));
    drift.t = drift.mean == 0 ? 0 : drift.mean / sqrt(variance / n);
    drift.flagged = tally->rows >= least_rows && fabs(drift.t) > least_t && fabs(drift.mean) > drift.systematic;
    return drift;
}
