#include "tally.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void histogram_add(at_histogram *h, double value) {
    h->count++;
    if (!(value > 0)) {
        h->zeros++;
        return;
    }
    double bin = isfinite(value) ? floor(8 * (log2(value) + 60)) : AT_BINS;
    h->bin[bin < 0 ? 0 : bin >= AT_BINS ? AT_BINS - 1 : (int)bin]++;
}

/* The middle of the bin that holds the median: within 5 % of it. */
static double histogram_median(const at_histogram *h) {
    int64_t below = h->zeros;
    if (2 * below >= h->count) return 0;
    for (int i = 0; i < AT_BINS; i++) {
        below += h->bin[i];
        if (2 * below >= h->count) return exp2((i + 0.5) / 8 - 60);
    }
    return 0;
}

void at_tally_open(at_tally *tally, const char *tensor, or_dtype dtype) {
    *tally = (at_tally){.dtype = dtype};
    at_tensor_report *report = &tally->report;
    snprintf(report->tensor, sizeof report->tensor, "%s", tensor);
    report->excess = report->ratio = -1;
    report->token = report->head = report->channel = -1;
}

/* The pull request's fixed tolerances: shown beside the budget for comparison, never used to pass. */
static double fixed_tolerance(or_dtype dtype) {
    return dtype == OR_F16 ? 3e-2 : 1.2e-1;
}

void at_tally_add(at_tally *tally, const at_element *e) {
    at_tensor_report *report = &tally->report;
    double got = or_decode(tally->dtype, e->got), off = fabs(got - e->want);
    int64_t ulps = or_ulps(tally->dtype, e->got, or_round(tally->dtype, e->want));
    if (isnan(off)) off = e->opinion.accepted ? 0 : INFINITY; /* also inf - inf */
    report->elements++;
    if (!e->opinion.accepted) report->mismatches++;
    histogram_add(&tally->ratio, e->opinion.ratio);
    histogram_add(&tally->absolute, off);
    histogram_add(&tally->ulps, (double)ulps);
    report->absolute = fmax(report->absolute, off);
    if (e->want != 0) report->relative = fmax(report->relative, isfinite(e->want) ? off / fabs(e->want) : 0);
    if (ulps > report->ulps) report->ulps = ulps;
    report->fixed = fmax(report->fixed, off / fixed_tolerance(tally->dtype));
    report->ratio = fmax(report->ratio, e->opinion.ratio);
    if (report->token < 0 || e->opinion.excess > report->excess) {
        report->excess = e->opinion.excess;
        report->token = e->token, report->head = e->head, report->channel = e->channel;
        report->want = e->want, report->got = got, report->low = e->low, report->high = e->high;
    }
}

void at_tally_close(at_tally *tally, at_record *record) {
    tally->report.ratio_median = histogram_median(&tally->ratio);
    tally->report.absolute_median = histogram_median(&tally->absolute);
    tally->report.ulps_median = histogram_median(&tally->ulps);
    if (record->tensors < AT_RECORD_TENSORS) record->tensor[record->tensors++] = tally->report;
}
