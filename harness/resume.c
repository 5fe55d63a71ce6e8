#include "resume.h"
#include "same.h"

#include <stdlib.h>
#include <string.h>

/* A run that was killed before its header was whole has left nothing to go on with. */
static bool has_header(const char *path) {
    FILE *f = fopen(path, "re");
    int c = EOF;
    if (f == NULL) return false;
    while ((c = getc(f)) != EOF && c != '\n') continue;
    fclose(f);
    return c == '\n';
}

static int by_id_and_mode(const void *a, const void *b) {
    const at_record *x = *(const at_record *const *)a, *y = *(const at_record *const *)b;
    int order = strcmp(x->id, y->id);
    return order ? order : strcmp(x->mode ? x->mode : "", y->mode ? y->mode : "");
}

/* [records] sorted */
static const at_record **sorted_records(const at_journal *j) {
    const at_record **sorted = calloc(j->records + 1, sizeof *sorted);
    for (size_t i = 0; sorted != NULL && i < j->records; i++) sorted[i] = &j->record[i];
    if (sorted != NULL) qsort(sorted, j->records, sizeof *sorted, by_id_and_mode);
    return sorted;
}

static bool stands_in(const at_record *const *sorted, size_t records, const at_choice *choice) {
    char *mode = (char *)(uintptr_t)choice->mode->name;
    const at_record wanted = {.id = choice->c->id, .mode = mode}, *key = &wanted;
    return bsearch(&key, sorted, records, sizeof *sorted, by_id_and_mode) != NULL;
}

static at_status leave_out(at_selection *s, size_t *done, const at_journal *j, const char *path, at_error *err) {
    const at_record **sorted = sorted_records(j);
    size_t kept = 0;
    if (sorted == NULL) return at_fail_memory(err, j->records * sizeof *sorted);
    for (size_t i = 0; i < s->choices; i++) {
        if (!stands_in(sorted, j->records, &s->choice[i])) s->choice[kept++] = s->choice[i];
    }
    *done = s->choices - kept;
    s->choices = kept;
    free(sorted);
    if (*done == j->records) return AT_OK;
    return at_fail(err, AT_USAGE,
                   "%s holds %zu records of which %zu are of this run; the file was changed: run without --resume",
                   path, j->records, *done);
}

at_status at_resume(at_journal_writer **out, size_t *done, at_selection *selection, const char *path, bool resume,
                    const at_header *header, at_error *err) {
    static const unsigned all = AT_SAME_SUBJECT | AT_SAME_DEVICE | AT_SAME_PLAN | AT_SAME_PART;
    at_journal *so_far = NULL;
    *done = 0;
    if (!resume || !has_header(path)) return at_journal_create(out, path, header, err);
    at_status st = at_journal_resume(out, &so_far, path, err);
    if (st != AT_OK) return st;
    st = at_same(&so_far->header, path, header, "this run", all, err);
    if (st == AT_OK) st = leave_out(selection, done, so_far, path, err);
    if (st != AT_OK) {
        at_journal_abandon(*out);
        *out = NULL;
    }
    at_journal_free(so_far);
    return st;
}
