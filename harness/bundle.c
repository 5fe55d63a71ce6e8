#include "bundle.h"
#include "archive.h"
#include "environment.h"
#include "finding.h"
#include "plan.h"
#include "tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char at_journal_name[] = "results.jsonl";

at_status at_journal_find(at_journal **out, const char *path, at_error *err) {
    struct stat facts;
    at_unpacked place = {0};
    if (stat(path, &facts) == 0 && S_ISREG(facts.st_mode) && !at_is_archive(path))
        return at_journal_read(out, path, err);
    at_status st = at_unpack(&place, path, err);
    if (st != AT_OK) return st;
    char *file = at_text("%s/%s", place.directory, at_journal_name);
    st = file != NULL ? at_journal_read(out, file, err) : at_fail_memory(err, strlen(path));
    free(file);
    at_unpacked_free(&place);
    return st;
}

/* ---- cases ---- */

static int by_case(const void *a, const void *b) {
    const at_record *x = *(const at_record *const *)a, *y = *(const at_record *const *)b;
    int order = strcmp(x->id, y->id);
    return order != 0 ? order : strcmp(x->dialect != NULL ? x->dialect : "", y->dialect != NULL ? y->dialect : "");
}

/* A record of each case and dialect; malloc'ed. */
static const at_record **judged_cases(size_t *count, const at_journal *j) {
    const at_record **list = malloc((j->records + 1) * sizeof *list);
    size_t kept = 0;
    for (size_t i = 0; list != NULL && i < j->records; i++) list[i] = &j->record[i];
    if (list != NULL) qsort(list, j->records, sizeof *list, by_case);
    for (size_t i = 0; list != NULL && i < j->records; i++) {
        if (kept == 0 || by_case(&list[kept - 1], &list[i]) != 0) list[kept++] = list[i];
    }
    *count = kept;
    return list;
}

at_status at_bundle_check_cases(const at_journal *j, const at_cases *cases, at_bundle_fault *fault, void *user,
                                at_error *err) {
    size_t count;
    const at_record **judged = judged_cases(&count, j);
    if (judged == NULL) return at_fail_memory(err, j->records * sizeof *judged);
    for (size_t i = 0; i < count; i++) {
        const at_record *r = judged[i];
        const at_case *c = at_cases_find(cases, r->id);
        if (i > 0 && strcmp(judged[i - 1]->id, r->id) == 0) continue;
        if (c == NULL)
            fault(user, r->id, "no such case");
        else if (r->hash == NULL || strcmp(c->hash, r->hash) != 0)
            fault(user, r->id, "another content than was judged");
    }
    free(judged);
    return AT_OK;
}

static at_status check_input(const at_record *r, const at_case *c, uint64_t seed, int64_t *made, at_bundle_fault *fault,
                             void *user, at_error *err) {
    at_plan *plan = NULL;
    or_dialect dialect;
    if (c == NULL || r->inputs_digest == NULL || r->dialect == NULL || !or_dialect_by_name(&dialect, r->dialect))
        return AT_OK;
    at_status st = at_plan_make(&plan, c, dialect, seed, err);
    if (st == AT_OK && strcmp(plan->inputs_digest, r->inputs_digest) != 0)
        fault(user, r->id, "other inputs than were judged");
    *made += st == AT_OK;
    at_plan_free(plan);
    return st;
}

at_status at_bundle_check_inputs(const at_journal *j, const at_cases *cases, int64_t *made, at_bundle_fault *fault,
                                 void *user, at_error *err) {
    size_t count;
    at_status st = AT_OK;
    const at_record **judged = judged_cases(&count, j);
    if (judged == NULL) return at_fail_memory(err, j->records * sizeof *judged);
    *made = 0;
    for (size_t i = 0; st == AT_OK && i < count; i++) {
        st = check_input(judged[i], at_cases_find(cases, judged[i]->id), j->header.seed, made, fault, user, err);
    }
    free(judged);
    return st;
}

/* ---- filling ---- */

static at_status copy_into(const char *directory, const char *name, const char *from, at_error *err) {
    char *to = at_text("%s/%s", directory, name);
    at_status st = to != NULL ? at_file_copy(to, from, err) : at_fail_memory(err, strlen(name));
    free(to);
    return st;
}

static bool is_suite(const char *path) {
    size_t bytes = strlen(path);
    return strchr(path, '/') == NULL && bytes > 5 && strcmp(path + bytes - 5, ".yaml") == 0;
}

/* Every suite file beside the one that was given, since they include each other. */
static at_status copy_cases(const char *directory, const char *cases, at_error *err) {
    struct stat facts;
    at_tree tree = {0};
    char *from = strdup(cases), *to = at_text("%s/cases", directory);
    at_status st = AT_OK;
    if (from == NULL || to == NULL) {
        st = at_fail_memory(err, strlen(cases));
        goto done;
    }
    if (stat(from, &facts) == 0 && !S_ISDIR(facts.st_mode)) {
        char *slash = strrchr(from, '/');
        if (slash != NULL)
            *slash = 0;
        else
            strcpy(from, ".");
    }
    if (mkdir(to, 0777) != 0) {
        st = at_fail(err, AT_USAGE, "%s: %s", to, strerror(errno));
        goto done;
    }
    if ((st = at_tree_list(&tree, from, err)) != AT_OK) goto done;
    for (size_t i = 0; st == AT_OK && i < tree.paths; i++) {
        char *path = is_suite(tree.path[i]) ? at_text("%s/%s", from, tree.path[i]) : NULL;
        if (path != NULL) st = copy_into(to, tree.path[i], path, err);
        free(path);
    }
done:
    at_tree_free(&tree);
    free(from);
    free(to);
    return st;
}

static at_status write_environment(const char *directory, const at_header *h, at_error *err) {
    char *json = NULL, *path = at_text("%s/environment.json", directory);
    at_status st = path != NULL ? at_environment(&json, h, err) : at_fail_memory(err, strlen(directory));
    if (st == AT_OK) st = at_file_write(path, json, strlen(json), err);
    free(path);
    free(json);
    return st;
}

static const char readme[] =
    "# A run of attest\n"
    "\n"
    "`results.jsonl` is the journal; every report beside it is made from it. `environment.json` says where it ran,\n"
    "`cases/` holds what was asked.\n"
    "\n"
    "Nothing was changed since (neither command needs a network or a GPU):\n"
    "\n"
    "    sha256sum --check --strict SHA256SUMS\n"
    "    attest verify .\n"
    "\n"
    "The second also sees that the cases are those that were judged and that no file was added. `attest verify "
    "--inputs .`\n"
    "makes every input again and compares digests.\n"
    "\n"
    "The same questions on another machine, and both answers side by side; what is written goes beside this "
    "directory,\n"
    "in which no file may be added. A `--subject` that is a path is the one of the machine it ran on:\n"
    "\n"
    "    attest run --cases cases --subject %s --tier %s --seed %llu%s%s --out ../mine\n"
    "    attest compare . ../mine\n";

static at_status write_readme(const char *directory, const at_header *h, at_error *err) {
    const char *tier = h->tier == NULL || strcmp(h->tier, "any") == 0 ? "stress" : h->tier,
               *filter = h->filter ? h->filter : "";
    char *path = at_text("%s/README.md", directory);
    char *text = at_text(readme, h->subject_file != NULL ? h->subject_file : "SUBJECT", tier,
                         (unsigned long long)h->seed, filter[0] ? " " : "", filter);
    at_status st = path != NULL && text != NULL ? at_file_write(path, text, strlen(text), err)
                                                : at_fail_memory(err, sizeof readme);
    free(path);
    free(text);
    return st;
}

at_status at_bundle_fill(const char *directory, const at_journal *j, const char *journal_file, const char *cases,
                         at_error *err) {
    at_status st = copy_into(directory, at_journal_name, journal_file, err);
    if (st == AT_OK) st = copy_cases(directory, cases, err);
    if (st == AT_OK) st = write_environment(directory, &j->header, err);
    if (st == AT_OK) st = write_readme(directory, &j->header, err);
    return st;
}
