/* junit.xml: a test suite a suite, a test case an attempt. The run itself is one more test case, so that it is not
 * green when nothing failed because nothing was judged. Structure: junit.xsd. */
#include "explained.h"
#include "writers.h"

#include <inttypes.h>
#include <stdlib.h>

typedef enum { AS_PASSED, AS_FAILURE, AS_ERROR, AS_SKIPPED, OUTCOMES } junit;

static const junit junit_of[AT_VERDICTS] = {
    [AT_PASS] = AS_PASSED,     [AT_MARGINAL] = AS_PASSED,     [AT_FAIL] = AS_FAILURE,        [AT_FLAKY] = AS_FAILURE,
    [AT_CRASH] = AS_ERROR,     [AT_TIMEOUT] = AS_ERROR,       [AT_UNSUPPORTED] = AS_SKIPPED, [AT_WAIVED] = AS_SKIPPED,
    [AT_NOT_RUN] = AS_SKIPPED, [AT_HARNESS_ERROR] = AS_ERROR,
};
static const char *const element[OUTCOMES] = {NULL, "failure", "error", "skipped"};

static void put_attribute(FILE *f, const char *name, const char *value) {
    fprintf(f, " %s=\"", name);
    at_put_xml(f, value, 0);
    putc('"', f);
}

static void put_seconds(FILE *f, double seconds) {
    fprintf(f, " time=\"%.6f\"", seconds > 0 && seconds < 1e9 ? seconds : 0.0);
}

static void put_property(FILE *f, const char *name, const char *value) {
    if (value == NULL || *value == 0) return;
    fputs("        <property", f);
    put_attribute(f, "name", name);
    put_attribute(f, "value", value);
    fputs("/>\n", f);
}

static void put_properties(FILE *f, const at_record *r) {
    fputs("      <properties>\n", f);
    put_property(f, "verdict", at_verdict_name(r->verdict));
    put_property(f, "repro", r->repro);
    put_property(f, "case.hash", r->hash);
    put_property(f, "inputs.sha256", r->inputs_digest);
    put_property(f, "output.sha256", r->output_digest);
    put_property(f, "arithmetic", r->arithmetic);
    put_property(f, "device", r->device);
    fputs("      </properties>\n", f);
}

static void put_findings(FILE *f, const at_record *r) {
    for (int i = 0; i < r->findings; i++) {
        at_put_xml(f, r->finding[i].detector, 0);
        fputs(": ", f);
        at_put_xml(f, r->finding[i].text, 0);
        putc('\n', f);
    }
    int64_t more = r->findings_all - r->findings;
    if (more > 0) fprintf(f, "and %" PRId64 " more\n", more);
    if (at_is_explained(r)) at_put_explanation(f, r, 0, at_put_xml), putc('\n', f);
    at_put_xml(f, r->repro, 0);
}

static void put_attempt(FILE *f, const at_record *r) {
    junit as = junit_of[r->verdict];
    fputs("    <testcase name=\"", f);
    at_put_xml(f, r->id, 0);
    fputs(" [", f);
    at_put_xml(f, r->mode, 0);
    fputs("]\"", f);
    put_attribute(f, "classname", r->suite);
    put_seconds(f, r->seconds);
    fputs(">\n", f);
    put_properties(f, r);
    if (as != AS_PASSED) {
        fprintf(f, "      <%s", element[as]);
        if (as != AS_SKIPPED) put_attribute(f, "type", at_verdict_name(r->verdict));
        put_attribute(f, "message", r->message != NULL ? r->message : at_verdict_name(r->verdict));
        putc('>', f);
        if (as != AS_SKIPPED) put_findings(f, r);
        fprintf(f, "</%s>\n", element[as]);
    }
    fputs("    </testcase>\n", f);
}

static void put_counts(FILE *f, const int64_t counts[OUTCOMES]) {
    fprintf(f, " tests=\"%" PRId64 "\" failures=\"%" PRId64 "\" errors=\"%" PRId64 "\" skipped=\"%" PRId64 "\"",
            counts[AS_PASSED] + counts[AS_FAILURE] + counts[AS_ERROR] + counts[AS_SKIPPED], counts[AS_FAILURE],
            counts[AS_ERROR], counts[AS_SKIPPED]);
}

static void put_suite(FILE *f, const at_record *const *attempt, size_t attempts) {
    int64_t counts[OUTCOMES] = {0};
    double seconds = 0;
    for (size_t i = 0; i < attempts; i++) counts[junit_of[attempt[i]->verdict]]++, seconds += attempt[i]->seconds;
    fputs("  <testsuite", f);
    put_attribute(f, "name", attempt[0]->suite);
    put_counts(f, counts);
    put_seconds(f, seconds);
    fputs(">\n", f);
    for (size_t i = 0; i < attempts; i++) put_attempt(f, attempt[i]);
    fputs("  </testsuite>\n", f);
}

static junit junit_of_run(const at_outcome *o) {
    return o->status == AT_UNVALIDATED ? AS_ERROR : AS_PASSED;
}

static void put_run(FILE *f, const at_outcome *o) {
    int64_t counts[OUTCOMES] = {0};
    counts[junit_of_run(o)]++;
    fputs("  <testsuite name=\"run\"", f);
    put_counts(f, counts);
    put_seconds(f, 0);
    fputs(">\n    <testcase name=\"verdict\" classname=\"run\" time=\"0\">\n      <properties>\n", f);
    put_property(f, "line", o->line);
    fputs("      </properties>\n", f);
    if (junit_of_run(o) != AS_PASSED) {
        fputs("      <error", f);
        put_attribute(f, "type", o->word);
        put_attribute(f, "message", o->line);
        fputs("></error>\n", f);
    }
    fputs("    </testcase>\n  </testsuite>\n", f);
}

at_status at_write_junit(FILE *f, const at_report *r, at_error *err) {
    size_t records = r->journal->records;
    int64_t counts[OUTCOMES] = {0};
    const at_record **by_suite = at_sorted(r->journal, at_by_suite);
    if (by_suite == NULL) return at_fail_memory(err, records * sizeof *by_suite);
    counts[junit_of_run(&r->outcome)]++;
    for (size_t i = 0; i < records; i++) counts[junit_of[by_suite[i]->verdict]]++;
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"attest\"", f);
    put_counts(f, counts);
    fputs(">\n", f);
    put_run(f, &r->outcome);
    for (size_t i = 0, end; i < records; i = end) {
        end = at_run_end(by_suite, i, records, at_by_suite);
        put_suite(f, by_suite + i, end - i);
    }
    fputs("</testsuites>\n", f);
    free(by_suite);
    return AT_OK;
}
