#include "sample.h"

#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const char hostile[] = "<script>alert(1)</script>|&\"'`**x**[y](http://z)\x1b[31m\n\r\x07\xff\xC2\x9B"
                       "1m\xE2\x80\xAE"
                       "end]]>-->";

at_journal *sample_journal(void) {
    at_journal *j = calloc(1, sizeof *j);
    j->complete = true;
    sample_set(&j->header.device_kind, "cpu");
    sample_set(&j->header.device, "CPU execution");
    sample_set(&j->header.subject, "v1");
    return j;
}

void sample_set(char **member, const char *text) {
    free(*member);
    *member = text == NULL ? NULL : strdup(text);
}

at_record *sample_attempt(at_journal *j, const char *id, at_verdict verdict) {
    bool same = j->records > 0 && strcmp(j->record[j->records - 1].id, id) == 0;
    bool full = (j->records & (j->records - 1)) == 0; /* a power of two: room is doubled */
    if (full) j->record = realloc(j->record, (j->records ? 2 * j->records : 1) * sizeof *j->record);
    at_record *r = &j->record[j->records++];
    *r = (at_record){.verdict = verdict};
    char suite[100], repro[300];
    snprintf(suite, sizeof suite, "%.*s", (int)strcspn(id, "/"), id);
    snprintf(repro, sizeof repro, "attest repro %s --mode eager", id);
    sample_set(&r->id, id), sample_set(&r->suite, suite), sample_set(&r->name, "case"), sample_set(&r->mode, "eager");
    sample_set(&r->dtype, "float16"), sample_set(&r->expect, "budget"), sample_set(&r->repro, repro);
    sample_set(&r->arithmetic, "dot f32");
    j->header.planned++;
    j->header.planned_cases += !same;
    return r;
}

at_tensor_report *sample_tensor(at_record *r, const char *tensor, double excess) {
    at_tensor_report *t = &r->tensor[r->tensors++];
    *t = (at_tensor_report){.elements = 100,
                            .excess = excess,
                            .ratio = excess,
                            .ratio_median = excess / 4,
                            .token = 3,
                            .head = 1,
                            .channel = 77,
                            .want = 1.5,
                            .got = 1.75,
                            .low = 1.4,
                            .high = 1.6};
    snprintf(t->tensor, sizeof t->tensor, "%s", tensor);
    return t;
}

void sample_finding(at_record *r, const char *detector, const char *text) {
    at_finding *f = &r->finding[r->findings++];
    snprintf(f->detector, sizeof f->detector, "%s", detector);
    snprintf(f->text, sizeof f->text, "%s", text);
    r->findings_all++;
    if (r->message == NULL) sample_set(&r->message, text);
}

char **sample_list(const char *first, ...) {
    char **list = calloc(40, sizeof *list);
    va_list more;
    va_start(more, first);
    size_t n = 0;
    for (const char *text = first; text != NULL; text = va_arg(more, const char *)) list[n++] = strdup(text);
    va_end(more);
    return list;
}

char *sample_slurp(const char *path, size_t *bytes) {
    FILE *f = fopen(path, "rb");
    if (f == NULL) return NULL;
    fseek(f, 0, SEEK_END);
    long size = ftell(f);
    rewind(f);
    char *text = calloc(1, (size_t)size + 1);
    cr_assert_eq(fread(text, 1, (size_t)size, f), (size_t)size);
    fclose(f);
    if (bytes != NULL) *bytes = (size_t)size;
    return text;
}

/* By way of the files, as a user gets them. */
char *sample_report(const at_journal *j, const char *writer) {
    char directory[] = "/tmp/attest-report-XXXXXX", path[100];
    at_error err;
    char *text = NULL;
    size_t count;
    const at_writer *w = at_writers(&count);
    cr_assert_not_null(mkdtemp(directory));
    cr_assert_eq(at_report_write_all(j, directory, &err), AT_OK, "%s", err.text);
    for (size_t i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s/%s", directory, w[i].file);
        if (strcmp(w[i].name, writer) == 0) text = sample_slurp(path, NULL);
        cr_assert_eq(remove(path), 0, "%s was not written", path);
    }
    cr_assert_eq(remove(directory), 0, "something else lies in %s", directory);
    cr_assert_not_null(text, "no writer %s", writer);
    return text;
}

int sample_count(const char *text, const char *what) {
    int n = 0;
    for (const char *at = text; (at = strstr(at, what)) != NULL; at += strlen(what)) n++;
    return n;
}
