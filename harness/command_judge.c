/* judge: outputs in files, of whatever made them, held to the oracle. */
#include "arithmetic_words.h"
#include "commands.h"
#include "finding.h"
#include "folder.h"
#include "judge.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
    const at_options *options;
    or_arithmetic arithmetic;
    size_t cases, answered, judged, failed; /* folders of cases; answers that were judged, and of these not accepted */
} judging;

static void print_record(const at_record *r, const char *implementation) {
    printf("%-8s %s %s (%s)", at_verdict_name(r->verdict), at_shown(r->id), at_shown(implementation), r->dialect);
    for (int i = 0; i < r->tensors; i++) {
        const at_tensor_report *t = &r->tensor[i];
        printf("; %s: %lld of %lld wrong, excess %.3g, absolute %.3g (%.2g of the fixed tolerance), %lld ulp",
               t->tensor, (long long)t->mismatches, (long long)t->elements, t->excess, t->absolute, t->fixed,
               (long long)t->ulps);
    }
    putchar('\n');
    for (int i = 0; i < r->findings; i++)
        printf("         %s: %s\n", r->finding[i].detector, at_shown(r->finding[i].text));
    if (r->findings_all > r->findings) printf("         and %lld more\n", (long long)r->findings_all - r->findings);
}

static at_status judge_outputs(at_record *record, const judging *j, const at_folder *f, const uint16_t *output,
                               const uint16_t *cache, at_error *err) {
    int64_t rows = f->problem.tokens * f->problem.heads;
    int64_t *row = calloc((size_t)rows + 1, sizeof *row);
    if (row == NULL) return at_fail_memory(err, (size_t)rows * sizeof *row);
    for (int64_t i = 0; i < rows; i++) row[i] = i;
    const at_question question = {.problem = &f->problem,
                                  .cache_before = f->call.in[OR_KEY_CACHE].data,
                                  .row = row,
                                  .rows = rows,
                                  .arithmetic = j->arithmetic,
                                  .mode = OR_RIGOROUS};
    const at_answer answer = {.output = output, .key_cache = cache};
    at_status st = at_judge(record, &question, &answer, err);
    free(row);
    return st;
}

/* The dialect asked for, or the one that the implementation's folder is called after; false: case.json says. */
static bool dialect_for(or_dialect *out, const judging *j, const char *implementation) {
    return or_dialect_by_name(out, j->options->dialect ? j->options->dialect : implementation);
}

static at_status judge_one(judging *j, const char *directory, const char *implementation, at_error *err) {
    at_folder *f = NULL;
    uint16_t *output = NULL, *cache = NULL;
    at_record record = {.verdict = AT_PASS};
    or_dialect dialect;
    bool said = dialect_for(&dialect, j, implementation);
    at_status st = at_folder_read(&f, directory, said ? &dialect : NULL, err);
    if (st == AT_OK) st = at_folder_output(&output, f, directory, implementation, OR_OUTPUT, err);
    if (st == AT_OK) st = at_folder_output(&cache, f, directory, implementation, OR_KEY_CACHE_OUT, err);
    if (st == AT_OK) st = judge_outputs(&record, j, f, output, cache, err);
    if (st == AT_OK) {
        record.id = at_text("%s", f->name), record.dialect = at_text("%s", or_dialect_name(f->node.dialect));
        record.subject = at_text("%s", implementation);
        if (j->options->json)
            at_record_put(stdout, &record), putchar('\n');
        else
            print_record(&record, implementation);
        j->judged++;
        j->failed += at_verdict_status(record.verdict) != AT_OK;
    }
    at_record_clear(&record);
    free(cache);
    free(output);
    at_folder_free(f);
    return st;
}

static bool exists(const char *directory, const char *name, const char *file) {
    char *path = at_text("%s/%s/%s", directory, name, file);
    bool there = path != NULL && access(path, F_OK) == 0;
    free(path);
    return there;
}

/* Calls `each` for the entries of a directory, by name; "." and ".." left out. */
static at_status for_entries(judging *j, const char *directory,
                             at_status (*each)(judging *, const char *, const char *, at_error *), at_error *err) {
    struct dirent **entry;
    int n = scandir(directory, &entry, NULL, alphasort);
    if (n < 0) return at_fail(err, AT_USAGE, "%s: %s", directory, strerror(errno));
    at_status st = AT_OK;
    for (int i = 0; i < n; i++) {
        if (st == AT_OK && entry[i]->d_name[0] != '.') st = each(j, directory, entry[i]->d_name, err);
        free(entry[i]);
    }
    free(entry);
    return st;
}

static at_status judge_implementation(judging *j, const char *directory, const char *name, at_error *err) {
    const char *only = j->options->implementation;
    if (only != NULL ? strcmp(only, name) != 0 : strcmp(name, "oracle") == 0)
        return AT_OK; /* its own answer proves nothing */
    if (!exists(directory, name, "output.bin")) return AT_OK;
    return judge_one(j, directory, name, err);
}

static void print_not_run(const judging *j, char *path) {
    const at_record record = {.id = path, .verdict = AT_NOT_RUN};
    if (j->options->json)
        at_record_put(stdout, &record), putchar('\n');
    else
        printf("%-8s %s\n", at_verdict_name(AT_NOT_RUN), at_shown(path));
}

static at_status judge_case(judging *j, const char *directory, const char *name, at_error *err) {
    if (!exists(directory, name, "case.json")) return AT_OK;
    char *path = at_text("%s/%s", directory, name);
    if (path == NULL) return at_fail_memory(err, strlen(directory));
    size_t before = j->judged;
    j->cases++;
    at_status st = for_entries(j, path, judge_implementation, err);
    if (st == AT_OK && j->judged == before) print_not_run(j, path);
    if (st == AT_OK && j->judged > before) j->answered++;
    free(path);
    return st;
}

at_status at_command_judge(at_options *o, at_error *err) {
    judging j = {.options = o};
    at_status st;
    if (o->words != 1) return at_fail(err, AT_USAGE, "judge needs one DIR: a case's folder, or a folder of them");
    if (o->arithmetic != NULL && (st = at_arithmetic_of_words(&j.arithmetic, o->arithmetic, err)) != AT_OK) return st;
    st = exists(o->word[0], ".", "case.json") ? judge_case(&j, o->word[0], ".", err)
                                              : for_entries(&j, o->word[0], judge_case, err);
    if (st != AT_OK) return st;
    char text[200];
    if (j.judged == 0) return at_fail(err, AT_UNVALIDATED, "UNVALIDATED: nothing to judge under %s", o->word[0]);
    at_status verdict = j.failed ? AT_FAILED : j.answered == j.cases ? AT_OK : AT_UNVALIDATED;
    const char *word = verdict == AT_FAILED ? "FAILED" : verdict == AT_OK ? "VALIDATED" : "UNVALIDATED";
    printf(o->json ? "{\"verdict\":\"%s\",\"accepted\":%zu,\"judged\":%zu,\"answered\":%zu,\"cases\":%zu,"
                     "\"arithmetic\":\"%s\"}\n"
                   : "%s: %zu of %zu accepted, %zu of %zu cases answered, arithmetic %s\n",
           word, j.judged - j.failed, j.judged, j.answered, j.cases,
           or_arithmetic_text(&j.arithmetic, text, sizeof text));
    return verdict;
}
