#include "report.h"
#include "writers.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const at_writer writers[] = {
    {"text", "report.txt", at_write_text},
    {"json", "report.json", at_write_json},
    {"tolerance", "tolerance.md", at_write_tolerance},
    {"coverage", "coverage.md", at_write_coverage},
    {"coverage-json", "coverage.json", at_write_coverage_json},
    {"summary", "summary.md", at_write_summary},
    {"junit", "junit.xml", at_write_junit},
    {"html", "index.html", at_write_html},
};

const at_writer *at_writers(size_t *count) {
    *count = sizeof writers / sizeof *writers;
    return writers;
}

static void close_report(at_report *r) {
    at_groups_free(&r->bad);
    at_groups_free(&r->not_run);
    at_readings_free(&r->readings);
    at_tensors_free(&r->tensors);
}

static at_status open_report(at_report *r, const at_journal *j, const char *directory, at_error *err) {
    *r = (at_report){.journal = j, .directory = directory};
    at_status st = at_verdict_of(&r->outcome, j, false, err);
    if (st == AT_OK) st = at_groups_of(&r->bad, j, at_is_bad, at_by_fault, err);
    if (st == AT_OK) at_faults_explained_first(&r->bad);
    if (st == AT_OK) st = at_readings_of(&r->readings, j, err);
    if (st == AT_OK) st = at_groups_of(&r->not_run, j, at_is_not_run, at_by_reason, err);
    if (st == AT_OK) st = at_tensors_of(&r->tensors, j, err);
    if (st != AT_OK) close_report(r);
    return st;
}

at_status at_report_text(const at_journal *j, FILE *out, const at_screen *screen, bool colour, at_error *err) {
    at_report r;
    at_status st = open_report(&r, j, NULL, err);
    if (st != AT_OK) return st;
    st = at_put_summary(out, &r, screen, colour, err);
    if (st == AT_OK && (fflush(out) != 0 || ferror(out)))
        st = at_fail(err, AT_INFRASTRUCTURE, "the summary could not be written: %s", strerror(errno));
    close_report(&r);
    return st;
}

at_status at_report_one(const at_journal *j, const char *name, FILE *out, at_error *err) {
    const at_writer *w = writers, *end = writers + sizeof writers / sizeof *writers;
    at_report r;
    while (w < end && strcmp(w->name, name) != 0) w++;
    if (w == end) return at_fail(err, AT_USAGE, "no report is called '%s'", name);
    at_status st = open_report(&r, j, NULL, err);
    if (st != AT_OK) return st;
    st = w->write(out, &r, err);
    if (st == AT_OK && (fflush(out) != 0 || ferror(out)))
        st = at_fail(err, AT_INFRASTRUCTURE, "the report could not be written: %s", strerror(errno));
    close_report(&r);
    return st;
}

/* ---- files ---- */

/* A full disk is the machine's fault; a directory that is not there, or not ours, the caller's. */
static at_status fail_path(at_error *err, const char *path, const char *what) {
    at_status st = errno == ENOSPC || errno == EIO || errno == EDQUOT || errno == EFBIG ? AT_INFRASTRUCTURE : AT_USAGE;
    return at_fail(err, st, "%s: %s: %s; choose another --out, or make room", path, what, strerror(errno));
}

static at_status join(char out[PATH_MAX], const char *directory, const char *file, at_error *err) {
    int length = snprintf(out, PATH_MAX, "%s/%s", directory, file);
    if (length >= 0 && length < PATH_MAX) return AT_OK;
    return at_fail(err, AT_USAGE, "%.80s...: a path of more than %d bytes; choose a shorter --out", directory,
                   PATH_MAX - 1);
}

at_status at_report_directory(const char *directory, at_error *err) {
    char path[PATH_MAX], probe[PATH_MAX];
    at_status st = join(path, directory, "", err);
    if (st != AT_OK) return st;
    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        if (mkdir(path, 0777) != 0 && errno != EEXIST) return fail_path(err, path, "the directory cannot be made");
        *slash = '/';
    }
    if ((st = join(probe, directory, ".attest-XXXXXX", err)) != AT_OK) return st;
    int fd = mkstemp(probe);
    if (fd < 0) return fail_path(err, directory, "no file can be written there");
    bool writes = write(fd, "", 1) == 1;
    if (!writes) st = fail_path(err, directory, "no file can be written there");
    close(fd);
    unlink(probe);
    return st;
}

/* Under another name first: a reader sees the old file or the new one. */
static at_status write_file(const at_writer *w, const at_report *r, const char *directory, at_error *err) {
    char part[PATH_MAX], path[PATH_MAX];
    at_status st = join(path, directory, w->file, err);
    if (st == AT_OK) st = join(part, directory, ".part", err);
    if (st != AT_OK) return st;
    FILE *f = fopen(part, "we");
    if (f == NULL) return fail_path(err, part, "cannot be opened for writing");
    st = w->write(f, r, err);
    bool failed = ferror(f) != 0;
    failed |= fclose(f) != 0;
    if (st == AT_OK && (failed || rename(part, path) != 0)) st = fail_path(err, path, "cannot be written");
    if (st != AT_OK) unlink(part);
    return st;
}

at_status at_report_write_all(const at_journal *j, const char *directory, at_error *err) {
    at_report r;
    at_status st = open_report(&r, j, directory, err);
    if (st != AT_OK) return st;
    for (size_t i = 0; i < sizeof writers / sizeof *writers; i++) {
        at_error later;
        st = at_worse(st, write_file(&writers[i], &r, directory, st == AT_OK ? err : &later));
    }
    close_report(&r);
    return st;
}
