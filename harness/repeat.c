#include "repeat.h"
#include "finding.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What is worth keeping, the least first. A fault of the harness says that the rest means little. */
static const int weight[AT_VERDICTS] = {
    [AT_PASS] = 0,  [AT_MARGINAL] = 1, [AT_UNSUPPORTED] = 2, [AT_WAIVED] = 2,  [AT_FAIL] = 3,
    [AT_CRASH] = 4, [AT_TIMEOUT] = 5,  [AT_FLAKY] = 6,       [AT_NOT_RUN] = 7, [AT_HARNESS_ERROR] = 8,
};

void at_repeats_add(at_repeats *r, at_record *record) {
    bool heavier = r->runs == 0 || weight[record->verdict] > weight[r->kept.verdict];
    r->runs++;
    r->of[record->verdict]++;
    if (heavier) {
        at_record_clear(&r->kept);
        r->kept = *record;
        *record = (at_record){0};
    } else {
        at_record_clear(record);
    }
}

/* MARGINAL is a pass that is warned of: who promises no equal bits may be on either side of that line. */
static bool changed(const at_repeats *r) {
    int64_t passes = r->of[AT_PASS] + r->of[AT_MARGINAL];
    if (r->of[AT_NOT_RUN] + r->of[AT_HARNESS_ERROR] > 0 || passes == r->runs) return false;
    for (int v = 0; v < AT_VERDICTS; v++) {
        if (r->of[v] == r->runs) return false;
    }
    return true;
}

/* "of 4 runs: 3 PASS, 1 FAIL" */
static void tell(const at_repeats *r, char *out, size_t size) {
    size_t used = (size_t)snprintf(out, size, "of %" PRId64 " runs", r->runs);
    const char *between = ":";
    for (int v = 0; v < AT_VERDICTS && used < size; v++) {
        if (r->of[v] == 0) continue;
        used += (size_t)snprintf(out + used, size - used, "%s %" PRId64 " %s", between, r->of[v],
                                 at_verdict_name((at_verdict)v));
        between = ",";
    }
}

/* The first of the findings: what the worst run found stands behind it. */
static void put_first(at_record *record, const char *text) {
    at_finding *first = record->finding;
    int moved = record->findings < AT_RECORD_FINDINGS ? record->findings : AT_RECORD_FINDINGS - 1;
    memmove(first + 1, first, (size_t)moved * sizeof *first);
    snprintf(first->detector, sizeof first->detector, "repeat");
    snprintf(first->text, sizeof first->text, "%s", text);
    record->findings = moved + 1;
    record->findings_all++;
    char *message =
        at_text("repeat: %s%s%s", text, record->message ? "; " : "", record->message ? record->message : "");
    free(record->message);
    record->message = message;
}

void at_repeats_take(at_repeats *r, at_record *out) {
    char text[sizeof r->kept.finding[0].text];
    if (changed(r)) {
        tell(r, text, sizeof text);
        put_first(&r->kept, text);
        r->kept.verdict = AT_FLAKY;
    }
    *out = r->kept;
    *r = (at_repeats){0};
}

void at_repeats_clear(at_repeats *r) {
    at_record_clear(&r->kept);
    *r = (at_repeats){0};
}
