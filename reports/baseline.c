#include "baseline.h"
#include "compare.h"
#include "group.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { DIGEST_DIGITS = 12 };

static void put_text(FILE *f, const char *key, const char *text) {
    if (text == NULL) return;
    fprintf(f, ",\"%s\":", key);
    at_json_put_string(f, text);
}

static void put_header(FILE *f, const at_header *h) {
    fprintf(f,
            "{\"journal\":1,\"header\":{\"planned\":%" PRId64 ",\"planned_cases\":%" PRId64 ",\"seed\":\"%" PRIu64 "\"",
            h->planned, h->planned_cases, h->seed);
    put_text(f, "attest_version", h->attest_version);
    put_text(f, "revision", h->revision);
    put_text(f, "subject", h->subject);
    put_text(f, "subject_version", h->subject_version);
    put_text(f, "device_kind", h->device_kind);
    put_text(f, "device", h->device);
    put_text(f, "arch", h->arch);
    put_text(f, "driver", h->driver);
    put_text(f, "compiler", h->compiler);
    put_text(f, "tier", h->tier);
    put_text(f, "filter", h->filter);
    fputs("}}\n", f);
}

/* Three digits: what another library's last bit does is no change of a line. */
static void put_record(FILE *f, const at_record *r) {
    bool first = true;
    fputs("{\"id\":", f);
    at_json_put_string(f, r->id);
    put_text(f, "mode", r->mode);
    put_text(f, "hash", r->hash);
    if (r->inputs_digest != NULL) fprintf(f, ",\"inputs_digest\":\"%.*s\"", DIGEST_DIGITS, r->inputs_digest);
    put_text(f, "verdict", at_verdict_name(r->verdict));
    for (int i = 0; i < r->tensors; i++) {
        if (!(r->tensor[i].excess > 0)) continue;
        fputs(first ? ",\"tensor\":[{\"tensor\":" : ",{\"tensor\":", f);
        at_json_put_string(f, r->tensor[i].tensor);
        fprintf(f, ",\"excess\":%.3g}", r->tensor[i].excess);
        first = false;
    }
    fputs(first ? "}\n" : "]}\n", f);
}

at_status at_baseline_write(FILE *f, const at_journal *j, at_error *err) {
    at_outcome outcome;
    at_status st = at_verdict_of(&outcome, j, false, err);
    if (st != AT_OK) return st;
    if (outcome.status != AT_OK) {
        return at_fail(err, AT_UNVALIDATED, "a baseline is made of a validated run; this one says: %.300s",
                       outcome.line);
    }
    const at_record **sorted = at_sorted(j, at_by_attempt);
    if (sorted == NULL) return at_fail_memory(err, j->records * sizeof *sorted);
    put_header(f, &j->header);
    for (size_t i = 0; i < j->records; i++) put_record(f, sorted[i]);
    fprintf(f, "{\"end\":%zu", j->records);
    for (int v = 0; v < AT_VERDICTS; v++)
        fprintf(f, ",\"%s\":%" PRId64, at_verdict_name((at_verdict)v), outcome.attempts[v]);
    fputs("}\n", f);
    free(sorted);
    return AT_OK;
}

static void put_slug(FILE *f, const char *name) {
    bool dash = true; /* none at the start, no two in a row */
    size_t at = 0, bytes = name == NULL ? 0 : strlen(name);
    while (bytes > 0 && !isalnum((unsigned char)name[bytes - 1])) bytes--;
    for (; at < bytes; at++) {
        bool plain = isalnum((unsigned char)name[at]) || (name[at] == '.' && !dash);
        if (plain)
            putc(tolower((unsigned char)name[at]), f);
        else if (!dash)
            putc('-', f);
        dash = !plain;
    }
    if (bytes == 0) fputs("unknown", f);
}

char *at_baseline_path(const char *directory, const at_header *h) {
    char *path = NULL;
    size_t bytes = 0;
    FILE *f = open_memstream(&path, &bytes);
    if (f == NULL) return NULL;
    fprintf(f, "%s/", directory);
    put_slug(f, h->device);
    putc('/', f);
    put_slug(f, h->subject);
    fputs(".jsonl", f);
    bool failed = ferror(f) != 0;
    failed |= fclose(f) != 0;
    if (!failed) return path;
    free(path);
    return NULL;
}
