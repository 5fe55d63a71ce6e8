/* Verdicts, and the tables of what records and headers hold. */
#include "record.h"
#include "fields.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- verdicts ---- */

static const struct {
    const char *name;
    at_status status;
} verdict[AT_VERDICTS] = {
    [AT_PASS] = {"PASS", AT_OK},
    [AT_MARGINAL] = {"MARGINAL", AT_OK},
    [AT_FAIL] = {"FAIL", AT_FAILED},
    [AT_FLAKY] = {"FLAKY", AT_FAILED},
    [AT_CRASH] = {"CRASH", AT_FAILED},
    [AT_TIMEOUT] = {"TIMEOUT", AT_FAILED},
    [AT_UNSUPPORTED] = {"UNSUPPORTED", AT_OK},
    [AT_WAIVED] = {"WAIVED", AT_OK},
    [AT_NOT_RUN] = {"NOT_RUN", AT_UNVALIDATED},
    [AT_HARNESS_ERROR] = {"HARNESS_ERROR", AT_INFRASTRUCTURE},
};

static bool known(at_verdict v) {
    return (unsigned)v < AT_VERDICTS;
}

const char *at_verdict_name(at_verdict v) {
    return known(v) ? verdict[v].name : "?";
}

at_status at_verdict_status(at_verdict v) {
    return known(v) ? verdict[v].status : AT_INFRASTRUCTURE;
}

bool at_verdict_by_name(at_verdict *out, const char *name) {
    for (int v = 0; v < AT_VERDICTS; v++) {
        if (strcmp(verdict[v].name, name) != 0) continue;
        *out = (at_verdict)v;
        return true;
    }
    return false;
}

static void put_verdict(FILE *out, const at_field *f, const void *owner) {
    at_json_put_string(out, at_verdict_name(*(const at_verdict *)((const char *)owner + f->offset)));
}
static bool get_verdict(at_json *json, const at_field *f, void *owner) {
    char name[32];
    if (!at_json_chars(json, name, sizeof name)) return false;
    return at_verdict_by_name((at_verdict *)((char *)owner + f->offset), name) || at_json_wrong(json, "not a verdict");
}

static const at_field_kind at_field_verdict = {put_verdict, get_verdict, NULL, NULL};

/* ---- tables ---- */

#define MEMBER(kind_, name)                                                                                            \
    .key = #name, .kind = &at_field_##kind_, .offset = offsetof(STRUCT, name), .size = sizeof((STRUCT *)0)->name
#define ROW(kind_, name)                                                                                               \
    { MEMBER(kind_, name) }
#define MUST(kind_, name)                                                                                              \
    { MEMBER(kind_, name), .required = true }
#define MANY(name, counter_, of_)                                                                                      \
    { MEMBER(objects, name), .counter = offsetof(STRUCT, counter_), .of = &of_ }
#define TABLE(name) static const at_fields name##_fields = {name, sizeof name / sizeof *name, sizeof(STRUCT)}

#define STRUCT at_tensor_report
static const at_field tensor[] = {MUST(chars, tensor),      ROW(int64, elements),
                                  ROW(int64, mismatches),   ROW(double, excess),
                                  ROW(double, ratio),       ROW(double, ratio_median),
                                  ROW(double, absolute),    ROW(double, relative),
                                  ROW(int64, ulps),         ROW(double, absolute_median),
                                  ROW(double, ulps_median), ROW(double, fixed),
                                  ROW(int64, token),        ROW(int64, head),
                                  ROW(int64, channel),      ROW(double, want),
                                  ROW(double, got),         ROW(double, low),
                                  ROW(double, high)};
TABLE(tensor);
#undef STRUCT

#define STRUCT at_finding
static const at_field finding[] = {MUST(chars, detector), MUST(chars, text)};
TABLE(finding);
#undef STRUCT

#define STRUCT at_record
static const at_field record[] = {MUST(string, id),
                                  ROW(string, hash),
                                  ROW(string, suite),
                                  ROW(string, name),
                                  ROW(string, why),
                                  ROW(list, tags),
                                  ROW(list, covers),
                                  ROW(string, subject),
                                  ROW(string, mode),
                                  ROW(string, dialect),
                                  ROW(string, dtype),
                                  ROW(string, geometry),
                                  ROW(string, tier),
                                  ROW(string, design),
                                  ROW(string, expect),
                                  ROW(list, axes),
                                  ROW(list, poisons),
                                  MUST(verdict, verdict),
                                  ROW(string, gate),
                                  ROW(string, rule),
                                  MANY(tensor, tensors, tensor_fields),
                                  MANY(finding, findings, finding_fields),
                                  ROW(int64, findings_all),
                                  ROW(list, explanation),
                                  ROW(string, place),
                                  ROW(list, attributes),
                                  ROW(list, shapes),
                                  ROW(list, sequences),
                                  ROW(int, replays),
                                  ROW(int, replays_equal),
                                  ROW(int, graph_kernels),
                                  ROW(int, graph_other),
                                  ROW(string, inputs_digest),
                                  ROW(string, output_digest),
                                  ROW(string, arithmetic),
                                  ROW(int64, held_before),
                                  ROW(int64, held_after),
                                  ROW(double, seconds_oracle),
                                  ROW(double, seconds_subject),
                                  ROW(double, seconds),
                                  ROW(int, worker),
                                  ROW(string, device),
                                  ROW(string, message),
                                  ROW(string, repro)};
TABLE(record);
#undef STRUCT

#define STRUCT at_header
static const at_field header[] = {
    ROW(string, attest_version), ROW(string, revision),       ROW(string, command),
    ROW(string, started),        ROW(string, subject),        ROW(string, subject_version),
    ROW(string, subject_file),   ROW(string, subject_digest), ROW(string, device_kind),
    ROW(string, device),         ROW(string, device_id),      ROW(string, arch),
    ROW(string, driver),         ROW(string, host),           ROW(string, compiler),
    ROW(string, tier),           ROW(string, filter),         ROW(uint64, seed),
    MUST(int64, planned),        MUST(int64, planned_cases),  ROW(int64, gpus),
    ROW(string, plan),           ROW(int64, shard),           ROW(int64, shards),
    ROW(int64, whole),           ROW(int64, whole_cases),     ROW(list, whole_floors),
    ROW(int64, repeat),          ROW(string, sanitizer),      ROW(string, waivers),
    ROW(flag, require_gpu),      ROW(list, suites),           ROW(list, floors),
    ROW(list, universe)};
TABLE(header);
#undef STRUCT

/* ---- JSON ---- */

static at_status read_object(const at_fields *t, void *out, const char *text, size_t bytes, at_error *err) {
    at_json json;
    memset(out, 0, t->bytes);
    at_json_open(&json, text, bytes);
    if (at_fields_get(&json, t, out) && at_json_end(&json)) return AT_OK;
    at_fields_clear(t, out);
    if (json.short_of_memory) return at_fail_memory(err, bytes);
    int key_bytes = json.key_bytes < 60 ? (int)json.key_bytes : 60;
    return at_fail(err, AT_USAGE, "column %zu, at \"%.*s\": %s", (size_t)(json.at - json.start) + 1, key_bytes,
                   json.key == NULL ? "" : json.key, json.wrong);
}

void at_record_clear(at_record *r) {
    at_fields_clear(&record_fields, r);
}
void at_header_clear(at_header *h) {
    at_fields_clear(&header_fields, h);
}
void at_record_put(FILE *out, const at_record *r) {
    at_fields_put(out, &record_fields, r);
}
void at_header_put(FILE *out, const at_header *h) {
    at_fields_put(out, &header_fields, h);
}

at_status at_record_from_json(at_record *out, const char *text, size_t bytes, at_error *err) {
    return read_object(&record_fields, out, text, bytes, err);
}

at_status at_header_from_json(at_header *out, const char *text, size_t bytes, at_error *err) {
    return read_object(&header_fields, out, text, bytes, err);
}

static at_status to_json(char **out, const at_fields *t, const void *object, at_error *err) {
    size_t bytes = 0;
    FILE *f = open_memstream(out, &bytes);
    if (f == NULL) return at_fail_memory(err, t->bytes);
    at_fields_put(f, t, object);
    bool failed = ferror(f) != 0;
    if (fclose(f) == 0 && !failed) return AT_OK;
    free(*out);
    *out = NULL;
    return at_fail_memory(err, bytes);
}

at_status at_record_to_json(char **out, const at_record *r, at_error *err) {
    return to_json(out, &record_fields, r, err);
}
at_status at_header_to_json(char **out, const at_header *h, at_error *err) {
    return to_json(out, &header_fields, h, err);
}

/* ---- contradictions ---- */

static bool is_time(double seconds) {
    return seconds >= 0 && isfinite(seconds);
}

static bool has_times(const at_record *r) {
    return is_time(r->seconds) && is_time(r->seconds_oracle) && is_time(r->seconds_subject);
}

static const char *impossible_counts(const at_record *r) {
    for (int i = 0; i < r->tensors; i++) {
        const at_tensor_report *t = &r->tensor[i];
        if (t->mismatches < 0 || t->mismatches > t->elements) return "mismatches that are not 0 to elements";
        if (t->ulps < 0) return "ulps below 0";
    }
    if (r->findings_all < r->findings) return "fewer findings than it shows";
    if (r->replays_equal < 0 || r->replays_equal > r->replays) return "equal replays that are not 0 to replays";
    if (r->graph_kernels < 0 || r->graph_other < 0) return "graph nodes below 0";
    if (r->held_before < 0 || r->held_after < 0) return "memory below 0";
    if (r->worker < 0) return "a worker below 0";
    return has_times(r) ? NULL : "a time that is none";
}

/* Verdicts that say that nothing was found. */
static const char *refuted_verdict(const at_record *r) {
    bool passed = r->verdict == AT_PASS || r->verdict == AT_MARGINAL,
         aside = r->verdict == AT_UNSUPPORTED || r->verdict == AT_NOT_RUN;
    if (!passed && !aside) return NULL;
    if (r->findings_all > 0) return passed ? "a pass with findings" : "set aside, with findings";
    for (int i = 0; i < r->tensors; i++) {
        if (r->tensor[i].mismatches > 0) return passed ? "a pass with mismatches" : "set aside, with mismatches";
        if (passed && !(r->tensor[i].excess <= 1)) return "a pass with an excess above 1";
    }
    return NULL;
}

const char *at_record_contradiction(const at_record *r) {
    const char *counts = impossible_counts(r);
    return counts != NULL ? counts : refuted_verdict(r);
}

const char *at_header_contradiction(const at_header *h) {
    if (h->planned < 0 || h->planned_cases < 0 || h->planned_cases > h->planned)
        return "planned_cases that are not 0 to planned";
    if (h->shard < 0 || h->shard > h->shards || h->shards > AT_MOST_SHARDS) return "a shard that is none";
    if (h->whole < 0 || h->whole_cases < 0 || h->whole_cases > h->whole) return "whole_cases that are not 0 to whole";
    if (h->whole > 0 && (h->planned > h->whole || h->planned_cases > h->whole_cases))
        return "a part that is more than the whole run";
    return h->repeat < 0 || h->gpus < 0 ? "repeats or GPUs below 0" : NULL;
}
