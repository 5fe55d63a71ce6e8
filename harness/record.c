/* Verdicts, and records as JSON: one table of fields says how a struct is written, read and freed. */
#include "record.h"

#include <inttypes.h>
#include <limits.h>
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

/* ---- kinds of field ---- */

typedef struct field field;
typedef struct {
    const field *field;
    size_t fields;
    size_t bytes; /* of the struct */
} table;

/* How a member is written, read and freed; each is handed the struct that holds it. */
typedef struct {
    void (*put)(FILE *, const field *, const void *owner);
    bool (*get)(at_json *, const field *, void *owner);
    bool (*absent)(const field *, const void *owner); /* NULL: never; else it is not written           */
    void (*clear)(const field *, void *owner);        /* NULL: owns nothing                            */
} kind;

struct field {
    const char *key;
    const kind *kind;
    size_t offset;
    size_t size;     /* of the member                                                                */
    const table *of; /* objects                                                                      */
    size_t counter;  /* objects: offset of the int that says how many of the array count             */
    bool required;
};

static const void *member(const field *f, const void *owner) {
    return (const char *)owner + f->offset;
}
static void *member_to_fill(const field *f, void *owner) {
    return (char *)owner + f->offset;
}

static void put_string(FILE *out, const field *f, const void *owner) {
    at_json_put_string(out, *(char *const *)member(f, owner));
}
static bool get_string(at_json *json, const field *f, void *owner) {
    return at_json_string(json, (char **)member_to_fill(f, owner));
}
static bool no_string(const field *f, const void *owner) {
    return *(char *const *)member(f, owner) == NULL;
}
static void clear_string(const field *f, void *owner) {
    free(*(char **)member_to_fill(f, owner));
}

static void put_list(FILE *out, const field *f, const void *owner) {
    char *const *list = *(char **const *)member(f, owner);
    putc('[', out);
    for (size_t i = 0; list[i] != NULL; i++) {
        if (i > 0) putc(',', out);
        at_json_put_string(out, list[i]);
    }
    putc(']', out);
}
static bool get_list(at_json *json, const field *f, void *owner) {
    char ***list = member_to_fill(f, owner);
    size_t filled = 0, room = 8;
    if ((*list = calloc(room, sizeof **list)) == NULL) return at_json_no_memory(json);
    if (!at_json_enter(json, '[')) return false;
    for (bool first = true; at_json_more(json, ']', first); first = false) {
        if (filled + 1 == room) {
            char **more = realloc(*list, 2 * room * sizeof **list);
            if (more == NULL) return at_json_no_memory(json);
            memset(more + room, 0, room * sizeof *more);
            *list = more;
            room *= 2;
        }
        if (!at_json_string(json, &(*list)[filled])) return false;
        filled++;
    }
    return json->wrong == NULL;
}
static bool no_list(const field *f, const void *owner) {
    return *(char **const *)member(f, owner) == NULL;
}
static void clear_list(const field *f, void *owner) {
    char **list = *(char ***)member_to_fill(f, owner);
    for (size_t i = 0; list != NULL && list[i] != NULL; i++) free(list[i]);
    free(list);
}

static void put_chars(FILE *out, const field *f, const void *owner) {
    at_json_put_string(out, member(f, owner));
}
static bool get_chars(at_json *json, const field *f, void *owner) {
    return at_json_chars(json, member_to_fill(f, owner), f->size);
}

static void put_bool(FILE *out, const field *f, const void *owner) {
    fputs(*(const bool *)member(f, owner) ? "true" : "false", out);
}
static bool get_bool(at_json *json, const field *f, void *owner) {
    return at_json_bool(json, member_to_fill(f, owner));
}

static void put_int64(FILE *out, const field *f, const void *owner) {
    fprintf(out, "%" PRId64, *(const int64_t *)member(f, owner));
}
static bool get_int64(at_json *json, const field *f, void *owner) {
    return at_json_int64(json, member_to_fill(f, owner));
}

static void put_int(FILE *out, const field *f, const void *owner) {
    fprintf(out, "%d", *(const int *)member(f, owner));
}
static bool get_int(at_json *json, const field *f, void *owner) {
    int64_t value;
    if (!at_json_int64(json, &value)) return false;
    if (value < INT_MIN || value > INT_MAX) return at_json_wrong(json, "an integer beyond 32 bits");
    *(int *)member_to_fill(f, owner) = (int)value;
    return true;
}

/* A seed is a string: a reader that keeps numbers in doubles would change it. */
static void put_uint64(FILE *out, const field *f, const void *owner) {
    fprintf(out, "\"%" PRIu64 "\"", *(const uint64_t *)member(f, owner));
}
static bool get_uint64(at_json *json, const field *f, void *owner) {
    char text[24], again[24];
    if (!at_json_chars(json, text, sizeof text)) return false;
    uint64_t value = strtoull(text, NULL, 10);
    snprintf(again, sizeof again, "%" PRIu64, value);
    if (strcmp(text, again) != 0) return at_json_wrong(json, "a string of a 64-bit number is due");
    *(uint64_t *)member_to_fill(f, owner) = value;
    return true;
}

static void put_double(FILE *out, const field *f, const void *owner) {
    at_json_put_double(out, *(const double *)member(f, owner));
}
static bool get_double(at_json *json, const field *f, void *owner) {
    return at_json_double(json, member_to_fill(f, owner));
}

static void put_verdict(FILE *out, const field *f, const void *owner) {
    at_json_put_string(out, at_verdict_name(*(const at_verdict *)member(f, owner)));
}
static bool get_verdict(at_json *json, const field *f, void *owner) {
    char name[32];
    if (!at_json_chars(json, name, sizeof name)) return false;
    return at_verdict_by_name(member_to_fill(f, owner), name) || at_json_wrong(json, "not a verdict");
}

static void put_object(FILE *, const table *, const void *owner);
static bool get_object(at_json *, const table *, void *owner);

static void put_objects(FILE *out, const field *f, const void *owner) {
    int count = *(const int *)((const char *)owner + f->counter), room = (int)(f->size / f->of->bytes);
    putc('[', out);
    for (int i = 0; i < count && i < room; i++) {
        if (i > 0) putc(',', out);
        put_object(out, f->of, (const char *)member(f, owner) + (size_t)i * f->of->bytes);
    }
    putc(']', out);
}
static bool get_objects(at_json *json, const field *f, void *owner) {
    int *count = (int *)((char *)owner + f->counter), room = (int)(f->size / f->of->bytes);
    if (!at_json_enter(json, '[')) return false;
    for (bool first = true; at_json_more(json, ']', first); first = false) {
        if (*count == room) return at_json_wrong(json, "more entries than a record holds");
        if (!get_object(json, f->of, (char *)member_to_fill(f, owner) + (size_t)*count * f->of->bytes)) return false;
        ++*count;
    }
    return json->wrong == NULL;
}

static const kind string = {put_string, get_string, no_string, clear_string},
                  list = {put_list, get_list, no_list, clear_list}, chars = {put_chars, get_chars, NULL, NULL},
                  boolean = {put_bool, get_bool, NULL, NULL}, integer = {put_int, get_int, NULL, NULL},
                  int64 = {put_int64, get_int64, NULL, NULL}, uint64 = {put_uint64, get_uint64, NULL, NULL},
                  real = {put_double, get_double, NULL, NULL}, outcome = {put_verdict, get_verdict, NULL, NULL},
                  objects = {put_objects, get_objects, NULL, NULL};

/* ---- tables ---- */

#define ROW(kind_, name)                                                                                               \
    { .key = #name, .kind = &kind_, .offset = offsetof(STRUCT, name), .size = sizeof((STRUCT *)0)->name }
#define MUST(kind_, name)                                                                                              \
    {                                                                                                                  \
        .key = #name, .kind = &kind_, .offset = offsetof(STRUCT, name), .size = sizeof((STRUCT *)0)->name,             \
        .required = true                                                                                               \
    }
#define MANY(name, counter_, of_)                                                                                      \
    {                                                                                                                  \
        .key = #name, .kind = &objects, .offset = offsetof(STRUCT, name), .size = sizeof((STRUCT *)0)->name,           \
        .counter = offsetof(STRUCT, counter_), .of = &of_                                                              \
    }
#define TABLE(name) static const table name##_table = {name, sizeof name / sizeof *name, sizeof(STRUCT)}

#define STRUCT at_tensor_report
static const field tensor[] = {MUST(chars, tensor),    ROW(int64, elements),
                               ROW(int64, mismatches), ROW(real, excess),
                               ROW(real, ratio),       ROW(real, ratio_median),
                               ROW(real, absolute),    ROW(real, relative),
                               ROW(int64, ulps),       ROW(real, absolute_median),
                               ROW(real, ulps_median), ROW(real, fixed),
                               ROW(int64, token),      ROW(int64, head),
                               ROW(int64, channel),    ROW(real, want),
                               ROW(real, got),         ROW(real, low),
                               ROW(real, high)};
TABLE(tensor);
#undef STRUCT

#define STRUCT at_finding
static const field finding[] = {MUST(chars, detector), MUST(chars, text)};
TABLE(finding);
#undef STRUCT

#define STRUCT at_record
static const field record[] = {MUST(string, id),
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
                               MUST(outcome, verdict),
                               ROW(string, gate),
                               ROW(string, rule),
                               MANY(tensor, tensors, tensor_table),
                               MANY(finding, findings, finding_table),
                               ROW(int64, findings_all),
                               ROW(integer, replays),
                               ROW(integer, replays_equal),
                               ROW(integer, graph_kernels),
                               ROW(integer, graph_other),
                               ROW(string, inputs_digest),
                               ROW(string, output_digest),
                               ROW(string, arithmetic),
                               ROW(real, seconds_oracle),
                               ROW(real, seconds_subject),
                               ROW(real, seconds),
                               ROW(integer, worker),
                               ROW(string, device),
                               ROW(string, message),
                               ROW(string, repro)};
TABLE(record);
#undef STRUCT

#define STRUCT at_header
static const field header[] = {ROW(string, attest_version),
                               ROW(string, revision),
                               ROW(string, command),
                               ROW(string, started),
                               ROW(string, subject),
                               ROW(string, subject_version),
                               ROW(string, subject_file),
                               ROW(string, subject_digest),
                               ROW(string, device_kind),
                               ROW(string, device),
                               ROW(string, device_id),
                               ROW(string, arch),
                               ROW(string, driver),
                               ROW(string, host),
                               ROW(string, compiler),
                               ROW(string, tier),
                               ROW(string, filter),
                               ROW(uint64, seed),
                               MUST(int64, planned),
                               MUST(int64, planned_cases),
                               ROW(int64, gpus),
                               ROW(string, plan),
                               ROW(int64, shard),
                               ROW(int64, shards),
                               ROW(int64, whole),
                               ROW(int64, whole_cases),
                               ROW(list, whole_floors),
                               ROW(int64, repeat),
                               ROW(string, sanitizer),
                               ROW(string, waivers),
                               ROW(boolean, require_gpu),
                               ROW(list, suites),
                               ROW(list, floors),
                               ROW(list, universe)};
TABLE(header);
#undef STRUCT

/* ---- structs ---- */

static void put_object(FILE *out, const table *t, const void *owner) {
    bool first = true;
    putc('{', out);
    for (const field *f = t->field; f < t->field + t->fields; f++) {
        if (f->kind->absent != NULL && f->kind->absent(f, owner)) continue;
        fprintf(out, "%s\"%s\":", first ? "" : ",", f->key);
        f->kind->put(out, f, owner);
        first = false;
    }
    putc('}', out);
}

/* Keys mostly come in the table's order, so the search starts where the last one ended. */
static const field *field_of_key(const table *t, const at_json *json, size_t *hint) {
    for (size_t i = 0; i < t->fields; i++) {
        size_t at = (*hint + i) % t->fields;
        const char *key = t->field[at].key;
        if (strncmp(key, json->key, json->key_bytes) != 0 || key[json->key_bytes] != 0) continue;
        *hint = at + 1;
        return &t->field[at];
    }
    return NULL;
}

static bool get_object(at_json *json, const table *t, void *owner) {
    uint64_t seen = 0; /* a bit a field: no table has more than 64 */
    size_t hint = 0;
    if (!at_json_enter(json, '{')) return false;
    for (bool first = true; at_json_more(json, '}', first); first = false) {
        if (!at_json_key(json)) return false;
        const field *f = field_of_key(t, json, &hint);
        if (f == NULL) {
            if (!at_json_skip(json)) return false;
            continue;
        }
        uint64_t bit = UINT64_C(1) << (f - t->field);
        if ((seen & bit) != 0) return at_json_wrong(json, "a key that was there before");
        seen |= bit;
        if (!f->kind->get(json, f, owner)) return false;
    }
    if (json->wrong != NULL) return false;
    for (size_t i = 0; i < t->fields; i++) {
        if (!t->field[i].required || (seen >> i & 1) != 0) continue;
        json->key = t->field[i].key;
        json->key_bytes = strlen(json->key);
        return at_json_wrong(json, "a key that must be there is missing");
    }
    return true;
}

static void clear_object(const table *t, void *owner) {
    for (const field *f = t->field; f < t->field + t->fields; f++) {
        if (f->kind->clear != NULL) f->kind->clear(f, owner);
    }
    memset(owner, 0, t->bytes);
}

static at_status read_object(const table *t, void *out, const char *text, size_t bytes, at_error *err) {
    at_json json;
    memset(out, 0, t->bytes);
    at_json_open(&json, text, bytes);
    if (get_object(&json, t, out) && at_json_end(&json)) return AT_OK;
    clear_object(t, out);
    if (json.short_of_memory) return at_fail_memory(err, bytes);
    int key_bytes = json.key_bytes < 60 ? (int)json.key_bytes : 60;
    return at_fail(err, AT_USAGE, "column %zu, at \"%.*s\": %s", (size_t)(json.at - json.start) + 1, key_bytes,
                   json.key == NULL ? "" : json.key, json.wrong);
}

void at_record_clear(at_record *r) {
    clear_object(&record_table, r);
}
void at_header_clear(at_header *h) {
    clear_object(&header_table, h);
}
void at_record_put(FILE *out, const at_record *r) {
    put_object(out, &record_table, r);
}
void at_header_put(FILE *out, const at_header *h) {
    put_object(out, &header_table, h);
}

at_status at_record_from_json(at_record *out, const char *text, size_t bytes, at_error *err) {
    return read_object(&record_table, out, text, bytes, err);
}

at_status at_header_from_json(at_header *out, const char *text, size_t bytes, at_error *err) {
    return read_object(&header_table, out, text, bytes, err);
}

static at_status to_json(char **out, const table *t, const void *object, at_error *err) {
    size_t bytes = 0;
    FILE *f = open_memstream(out, &bytes);
    if (f == NULL) return at_fail_memory(err, t->bytes);
    put_object(f, t, object);
    bool failed = ferror(f) != 0;
    if (fclose(f) == 0 && !failed) return AT_OK;
    free(*out);
    *out = NULL;
    return at_fail_memory(err, bytes);
}

at_status at_record_to_json(char **out, const at_record *r, at_error *err) {
    return to_json(out, &record_table, r, err);
}
at_status at_header_to_json(char **out, const at_header *h, at_error *err) {
    return to_json(out, &header_table, h, err);
}
