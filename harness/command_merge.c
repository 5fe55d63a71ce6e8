/* merge: journals of shards, or of repeated runs, into one run with its reports and its verdict. */
#include "../reports/escape.h"
#include "../reports/report.h"
#include "commands.h"
#include "finding.h"
#include "merge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SHOWN = 10 };

/* A journal, or a run's directory that holds one. */
static at_status read_part(at_part *out, const char *word, at_error *err) {
    char *path = at_journal_file(word);
    if (path == NULL) return at_fail_memory(err, strlen(word));
    out->path = word;
    at_status st = at_journal_read(&out->journal, path, err);
    free(path);
    return st;
}

static void print_list(const char *label, char *const *list) {
    size_t n = 0;
    for (; list != NULL && list[n] != NULL; n++) {
        if (n >= MOST_SHOWN) continue;
        printf("%-14s ", label);
        at_put_terminal(stdout, list[n], 0);
        putchar('\n');
    }
    if (n > MOST_SHOWN) printf("%-14s and %zu more\n", label, n - MOST_SHOWN);
}

static at_status merge(at_options *o, at_part *part, size_t parts, at_error *err) {
    at_merged merged = {0};
    char *path = at_text("%s/results.jsonl", o->out);
    at_status st = path ? AT_OK : at_fail_memory(err, strlen(o->out));
    for (size_t i = 0; i < parts && st == AT_OK; i++) st = read_part(&part[i], o->word[i + 1], err);
    if (st == AT_OK) st = at_merge(&merged, part, parts, err);
    if (st == AT_OK) st = at_report_directory(o->out, err);
    if (st == AT_OK) st = at_merged_write(&merged, path, err);
    if (st == AT_OK) {
        print_list("gap", merged.gap);
        print_list("contradiction", merged.contradiction);
        if (merged.duplicates > 0)
            printf("%-14s %zu attempts stand in more than one journal, and alike\n", "duplicates", merged.duplicates);
        st = at_tell(path, o, err);
    }
    at_merged_free(&merged);
    free(path);
    return st;
}

at_status at_command_merge(at_options *o, at_error *err) {
    if (o->words < 2)
        return at_fail(err, AT_USAGE, "merge needs OUT, a directory to write, and the journals or directories of runs");
    size_t parts = o->words - 1;
    at_part *part = calloc(parts, sizeof *part);
    if (part == NULL) return at_fail_memory(err, parts * sizeof *part);
    o->out = o->word[0];
    at_status st = merge(o, part, parts, err);
    for (size_t i = 0; i < parts; i++) at_journal_free(part[i].journal);
    free(part);
    return st;
}
