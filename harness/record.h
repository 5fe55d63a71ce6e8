/* The journal's records: what a run leaves behind and all that reports know. JSON lines: a header, a record an attempt,
 * an end mark. */
#ifndef AT_RECORD_H
#define AT_RECORD_H

#include "error.h"
#include "json.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef enum {
    AT_PASS,
    AT_MARGINAL,
    AT_FAIL,
    AT_FLAKY,
    AT_CRASH,
    AT_TIMEOUT,
    AT_UNSUPPORTED,
    AT_WAIVED,
    AT_NOT_RUN,
    AT_HARNESS_ERROR,
    AT_VERDICTS
} at_verdict;
const char *at_verdict_name(at_verdict); /* "PASS", ... */
bool at_verdict_by_name(at_verdict *out, const char *name);
at_status at_verdict_status(at_verdict); /* what it does to the exit code: AT_OK, AT_FAILED, ... */

/* How far one tensor was off, element by element. */
typedef struct {
    char tensor[40];              /* "output", "key_cache_out" */
    int64_t elements, mismatches; /* judged; not accepted */
    double excess, ratio;         /* worst of budget.h's two; -1: no budget applies */
    double ratio_median;
    double absolute, relative; /* worst |got - o|, and that over |o| */
    int64_t ulps;              /* worst distance from the rounded exact value */
    double absolute_median, ulps_median;
    double fixed; /* worst absolute over the pull request's fixed tolerance (3e-2 f16, 1.2e-1 bf16): reported, never
                     used */
    int64_t token, head, channel; /* where the worst excess is; -1 where it does not apply */
    double want, got, low, high;  /* there: the exact value, the answer, the least and the greatest accepted */
} at_tensor_report;

enum { AT_RECORD_TENSORS = 3, AT_RECORD_FINDINGS = 4 };
typedef struct {
    char detector[32]; /* "value", "write-set", "canary", "input", "graph", "replay", "refusal", "sticky", ... */
    char text[400];    /* one sentence: where, want, got, allowed */
} at_finding;

typedef struct {
    char *id, *hash, *suite, *name, *why;
    char **tags, **covers; /* NULL-terminated */
    char *subject, *mode, *dialect, *dtype, *geometry, *tier, *design, *expect;
    char **axes, **poisons; /* NULL-terminated "axis=value", "nan@tail", for coverage */
    char *place;            /* of the case: "cases/window.yaml:14" */
    at_verdict verdict;
    char *gate, *rule; /* where refused, or where it is due: "supports", several as "supports create"; else NULL */
    at_tensor_report tensor[AT_RECORD_TENSORS];
    int tensors;
    at_finding finding[AT_RECORD_FINDINGS];
    int findings; /* kept; further ones are counted in findings_all */
    int64_t findings_all;
    char **explanation;         /* NULL-terminated: what a wrong answer agrees with, explanation.h; NULL: not sought */
    char **attributes;          /* NULL-terminated: "num_heads 5"; this and the two below are what the case comes to */
    char **shapes;              /* NULL-terminated: "query float16 [3, 640]" */
    char **sequences;           /* NULL-terminated: "past 40, new 1", those alike in a row once: "3 x past 40, new 1" */
    int replays, replays_equal; /* replay attempts: replays made, and bit-equal to eager */
    int graph_kernels, graph_other;
    char *inputs_digest, *output_digest;
    char *arithmetic;                /* or_arithmetic_text */
    int64_t held_before, held_after; /* bytes of the device, or of the worker's heap, as seen; 0: not seen, as before a
                                        worker's first attempt and with several workers on one GPU */
    double seconds_oracle, seconds_subject, seconds;
    int worker;
    char *device;
    char *message; /* one line; the first finding, or what went wrong */
    char *repro;   /* the command that repeats it */
} at_record;
/* NULL, or why no attempt can have left this: an impossible count or time, or a verdict that its own findings refute,
 * as a pass with mismatches or an excess above 1. */
const char *at_record_contradiction(const at_record *);
void at_record_clear(at_record *); /* frees what it owns, zeroes it */

typedef struct {
    char *attest_version, *revision, *command, *started; /* UTC, ISO 8601 */
    char *subject, *subject_version, *subject_file;
    char *subject_digest; /* SHA-256 of its file */
    char *device_kind, *device, *arch, *driver, *host, *compiler;
    char *device_id; /* of the very card: its UUID; absent on the CPU */
    char *tier, *filter;
    uint64_t seed;
    int64_t planned, planned_cases; /* attempts; unique ids among them */
    char *plan;                     /* SHA-256 over id, content hash and mode of each attempt of the whole run */
    int64_t shard, shards;          /* this is the I-th of N parts of the whole run; 1 of 1 */
    int64_t whole, whole_cases;     /* planned and planned_cases of the whole run */
    char **whole_floors;            /* NULL-terminated; floors of the whole run, for whoever joins its parts */
    int64_t repeat;                 /* runs that each attempt had */
    char *sanitizer;                /* that the workers ran under, or NULL */
    char *waivers;                  /* SHA-256 of the waivers' file, or NULL */
    int64_t gpus;                   /* GPUs that the host has; 0: none was seen */
    bool require_gpu;               /* an answer from anything else validates nothing */
    char **suites;                  /* NULL-terminated: those the run was to cover */
    char **floors;                  /* "suite=N": fewer executed cases of it validate nothing; NULL: no floors */
    char **universe; /* all that could be covered: "rule:kv-heads@supports", "axis:dtype=float16", "clause:read.window",
                        "scenario:S1", "mode:replay"; what no record covers is reported as uncovered */
} at_header;
enum { AT_MOST_SHARDS = 100000 };
const char *at_header_contradiction(const at_header *); /* the same of a run, by what it planned */
void at_header_clear(at_header *);
/* One line of JSON and back, as a worker's first message and a journal's first line hold it. */
AT_MUST_USE at_status at_header_to_json(char **out, const at_header *, at_error *err);
AT_MUST_USE at_status at_header_from_json(at_header *out, const char *text, size_t bytes, at_error *err);

typedef struct {
    at_header header;
    at_record *record; /* [records] in the order of the file */
    size_t records;
    bool complete; /* the end mark was there */
} at_journal;

/* Writing: one line a record, whole or not at all; a line survives the process once it is appended, the machine once
 * at_journal_end is done. AT_INFRASTRUCTURE on a full disk, with nothing of the line left in the file; AT_USAGE where
 * the path is no place for a journal. */
typedef struct at_journal_writer at_journal_writer;
/* Replaces a journal that is there, unless a run is still writing it. */
AT_MUST_USE at_status at_journal_create(at_journal_writer **out, const char *path, const at_header *, at_error *err);
/* Goes on after the last whole record of a journal, which so_far returns; a torn line and the end mark are cut off. */
AT_MUST_USE at_status at_journal_resume(at_journal_writer **out, at_journal **so_far, const char *path, at_error *err);
AT_MUST_USE at_status at_journal_append(at_journal_writer *, const at_record *, at_error *err);
/* To the disk with what was appended; to be called now and then. */
AT_MUST_USE at_status at_journal_sync(at_journal_writer *, at_error *err);
AT_MUST_USE at_status at_journal_end(at_journal_writer *,
                                     at_error *err); /* end mark with counts, sync, close; frees it in any case */
void at_journal_abandon(at_journal_writer *);        /* closes without the end mark; NULL is fine */

/* Reading: a torn last line is accepted and dropped; any other bad line is AT_USAGE with file:line, and so are a
 * header or a record that contradicts itself, an attempt that stands there twice, more records than were planned, and
 * counts of the end mark that the records do not bear out. */
AT_MUST_USE at_status at_journal_read(at_journal **out, const char *path, at_error *err);
void at_journal_free(at_journal *);

/* A record as one line of JSON and back; what workers send and journals hold. Absent strings and lists are left out,
 * unknown keys passed over, bytes that are not UTF-8 become U+FFFD. *out is malloc'ed; a record that was read is the
 * caller's to clear. */
AT_MUST_USE at_status at_record_to_json(char **out, const at_record *, at_error *err);
AT_MUST_USE at_status at_record_from_json(at_record *out, const char *text, size_t bytes, at_error *err);
/* The same to a stream, which says by ferror when it fails. */
void at_record_put(FILE *, const at_record *);
void at_header_put(FILE *, const at_header *);

#endif
