/* compare: two runs side by side, or a run and the baseline of its card; and the baseline of a run. */
#include "../reports/baseline.h"
#include "../reports/compare.h"
#include "../reports/report.h"
#include "bundle.h"
#include "commands.h"
#include "finding.h"
#include "tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A directory that is no run's holds baselines: the one of B's device and subject is meant. */
static bool holds_baselines(const char *path) {
    struct stat facts;
    char *journal = at_text("%s/%s", path, at_journal_name);
    bool yes = stat(path, &facts) == 0 && S_ISDIR(facts.st_mode) && (journal == NULL || access(journal, F_OK) != 0);
    free(journal);
    return yes;
}

static at_status read_first(at_journal **out, char **name, const char *path, const at_header *other, at_error *err) {
    bool baselines = holds_baselines(path);
    if ((*name = baselines ? at_baseline_path(path, other) : strdup(path)) == NULL)
        return at_fail_memory(err, strlen(path));
    if (baselines && access(*name, F_OK) != 0) {
        return at_fail(err, AT_UNVALIDATED,
                       "%s: not there: no baseline of this card and subject; attest compare --summary makes one",
                       *name);
    }
    return at_journal_find(out, *name, err);
}

static at_status put(const at_comparison *c, const at_options *o, at_error *err) {
    void (*const write)(FILE *, const at_comparison *) = o->json       ? at_put_comparison_json
                                                         : o->markdown ? at_put_comparison_markdown
                                                                       : at_put_comparison_text;
    write(stdout, c);
    if (fflush(stdout) == 0 && !ferror(stdout)) return at_comparison_status(c);
    return at_fail(err, AT_INFRASTRUCTURE, "the comparison could not be written: %s", strerror(errno));
}

static at_status compare(const char *first, const char *second, const at_options *o, at_error *err) {
    at_journal *a = NULL, *b = NULL;
    char *name = NULL;
    at_comparison *c = calloc(1, sizeof *c);
    at_status st = c != NULL ? at_journal_find(&b, second, err) : at_fail_memory(err, sizeof *c);
    if (st == AT_OK) st = read_first(&a, &name, first, &b->header, err);
    if (st == AT_OK) st = at_comparison_make(c, a, b, err);
    if (st == AT_OK) {
        c->name[0] = name, c->name[1] = second;
        st = put(c, o, err);
        at_comparison_free(c);
    }
    free(c);
    free(name);
    at_journal_free(b);
    at_journal_free(a);
    return st;
}

/* ---- --summary ---- */

/* The one that is there stays as it is unless this run makes one. */
static at_status write_baseline(const char *path, const at_journal *j, at_error *err) {
    char *directory = strdup(path), *text = NULL;
    size_t bytes = 0;
    if (directory == NULL) return at_fail_memory(err, strlen(path));
    *strrchr(directory, '/') = 0;
    at_status st = at_report_directory(directory, err);
    FILE *f = st == AT_OK ? open_memstream(&text, &bytes) : NULL;
    if (f != NULL) st = at_baseline_write(f, j, err);
    if (st == AT_OK && (f == NULL || ferror(f) != 0)) st = at_fail_memory(err, bytes);
    if (f != NULL && fclose(f) != 0 && st == AT_OK) st = at_fail_memory(err, bytes);
    if (st == AT_OK) st = at_file_write(path, text, bytes, err);
    if (st == AT_OK) puts(path);
    free(text);
    free(directory);
    return st;
}

static at_status summarise(const char *run, const at_options *o, at_error *err) {
    at_journal *j = NULL;
    at_status st = at_journal_find(&j, run, err);
    if (st != AT_OK) return st;
    char *path = o->out != NULL ? at_baseline_path(o->out, &j->header) : NULL;
    if (o->out == NULL)
        st = at_baseline_write(stdout, j, err);
    else
        st = path != NULL ? write_baseline(path, j, err) : at_fail_memory(err, strlen(o->out));
    free(path);
    at_journal_free(j);
    return st;
}

at_status at_command_compare(at_options *o, at_error *err) {
    if (o->summary && o->words == 1) return summarise(o->word[0], o, err);
    if (o->summary) return at_fail(err, AT_USAGE, "compare --summary needs one JOURNAL, run's directory or bundle");
    if (o->words == 2) return compare(o->word[0], o->word[1], o, err);
    return at_fail(err, AT_USAGE,
                   "compare needs A and B: journals, runs' directories or bundles; A may be a directory of baselines");
}
