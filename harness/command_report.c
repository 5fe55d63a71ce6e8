/* report: everything that a journal is turned into, as a run does at its end. */
#include "../reports/report.h"
#include "commands.h"
#include "finding.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The gate's, of the run that stood here before: it would be read as this one's. */
static at_status drop_comparison(const char *directory, at_error *err) {
    char *path = at_text("%s/compare.md", directory);
    if (path == NULL) return at_fail_memory(err, strlen(directory));
    at_status st = AT_OK;
    if (unlink(path) != 0 && errno != ENOENT)
        st = at_fail(err, AT_INFRASTRUCTURE, "%s: of an earlier run, cannot be removed: %s", path, strerror(errno));
    free(path);
    return st;
}

at_status at_tell(const char *journal_path, const at_options *o, at_error *err) {
    at_journal *journal = NULL;
    at_outcome *outcome = malloc(sizeof *outcome);
    at_status st = outcome ? at_journal_read(&journal, journal_path, err) : at_fail_memory(err, sizeof *outcome);
    if (st == AT_OK) st = drop_comparison(o->out, err);
    if (st == AT_OK) st = at_report_write_all(journal, o->out, err);
    const at_screen screen = at_screen_of(STDOUT_FILENO);
    if (st == AT_OK) st = at_report_text(journal, stdout, &screen, at_colour(o, STDOUT_FILENO), err);
    if (st == AT_OK) st = at_verdict_of(outcome, journal, o->require_gpu, err);
    if (st == AT_OK) {
        printf("reports   %s/index.html and beside it\n%s\n", at_shown(o->out), outcome->line);
        st = outcome->status;
    }
    at_journal_free(journal);
    free(outcome);
    return st;
}

at_status at_command_report(at_options *o, at_error *err) {
    if (o->words != 1) return at_fail(err, AT_USAGE, "report needs one RUN: a journal, or a directory that holds one");
    if (o->out == NULL) o->out = "build/reports";
    char *path = at_journal_file(o->word[0]);
    at_status st = path != NULL ? at_report_directory(o->out, err) : at_fail_memory(err, strlen(o->word[0]));
    if (st == AT_OK) st = at_tell(path, o, err);
    free(path);
    return st;
}
