/* bundle: a run for a reviewer, in one directory or one file. verify: that such a thing is what was made, and whole. */
#include "../reports/escape.h"
#include "../reports/report.h"
#include "archive.h"
#include "bundle.h"
#include "commands.h"
#include "environment.h"
#include "finding.h"
#include "sums.h"
#include "tree.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- bundle ---- */

typedef struct {
    const char *wanted;     /* --out */
    char *name;             /* of the directory, and within the archive */
    at_temporary temporary; /* where it is made when an archive is wanted */
    char *directory;
} target;

static at_status choose_target(target *t, const char *wanted, at_error *err) {
    *t = (target){.wanted = wanted};
    if (access(wanted, F_OK) == 0)
        return at_fail(err, AT_USAGE, "%s: is there already; choose another --out, or remove it", wanted);
    if (!at_is_archive(wanted))
        return (t->directory = strdup(wanted)) != NULL ? AT_OK : at_fail_memory(err, strlen(wanted));
    const char *slash = strrchr(wanted, '/'), *name = slash != NULL ? slash + 1 : wanted;
    size_t end = strlen(name) - (strcmp(name + strlen(name) - 4, ".tgz") == 0 ? 4 : 7);
    at_status st = at_temporary_make(&t->temporary, err);
    if (st != AT_OK) return st;
    t->name = at_text("%.*s", (int)end, name);
    t->directory = t->name != NULL ? at_text("%s/%s", t->temporary.path, t->name) : NULL;
    return t->directory != NULL ? AT_OK : at_fail_memory(err, end);
}

static void drop_target(target *t) {
    at_temporary_drop(&t->temporary);
    free(t->directory);
    free(t->name);
}

static void first_fault(void *user, const char *what, const char *why) {
    at_error *err = user;
    if (err->text[0] == 0) at_fail(err, AT_USAGE, "%s: %s", what, why);
}

/* Cases that were edited since the run would make a bundle that proves nothing. */
static at_status check_cases(const at_journal *j, at_options *o, at_error *err) {
    at_cases *cases = NULL;
    at_error first = {0};
    at_status st = at_load_default_cases(&cases, o, err);
    if (st == AT_OK) st = at_bundle_check_cases(j, cases, first_fault, &first, err);
    if (st == AT_OK && first.text[0] != 0) {
        st =
            at_fail(err, AT_USAGE, "%s: not the cases of this run: %.300s; run again, or name the run's own by --cases",
                    o->cases, first.text);
    }
    at_cases_free(cases);
    return st;
}

static at_status make(const target *t, const at_journal *j, const char *file, const at_options *o,
                      char digest[AT_DIGEST_TEXT], at_error *err) {
    at_status st = at_report_directory(t->directory, err);
    if (st == AT_OK) st = at_report_write_all(j, t->directory, err);
    if (st == AT_OK) st = at_bundle_fill(t->directory, j, file, o->cases, err);
    if (st == AT_OK) st = at_sums_write(digest, t->directory, err);
    if (st == AT_OK && t->temporary.path != NULL) st = at_archive_write(t->wanted, t->temporary.path, t->name, err);
    return st;
}

static void put_revision(FILE *f, const at_journal *j) {
    at_put_terminal(f, j->header.revision != NULL ? j->header.revision : "unknown", 80);
    putc('\n', f);
}

at_status at_command_bundle(at_options *o, at_error *err) {
    at_journal *j = NULL;
    target t = {0};
    char digest[AT_DIGEST_TEXT], *file = NULL;
    at_status st;
    if (o->words > 1)
        return at_fail(err, AT_USAGE, "bundle takes one JOURNAL, or a run's directory; default: build/reports");
    if ((file = at_journal_file(o->words == 1 ? o->word[0] : "build/reports")) == NULL)
        return at_fail_memory(err, 4096);
    if ((st = at_journal_read(&j, file, err)) != AT_OK) goto done;
    if ((st = choose_target(&t, o->out != NULL ? o->out : "build/bundle", err)) != AT_OK) goto done;
    if ((st = check_cases(j, o, err)) != AT_OK) goto done;
    if ((st = make(&t, j, file, o, digest, err)) != AT_OK) {
        at_tree_remove(t.directory);
        goto done;
    }
    if (!at_is_clean(j->header.revision)) {
        fputs("attest: no commit holds the tree that the program was built from: a reviewer cannot build it again: ",
              stderr);
        put_revision(stderr, j);
    }
    printf("%s\nbundle %s\n", t.wanted, digest);
done:
    drop_target(&t);
    at_journal_free(j);
    free(file);
    return st;
}

/* ---- verify ---- */

typedef struct {
    bool json;
    json_t *list; /* of faults; --json */
    int64_t faults;
} findings;

static void say(void *user, const char *what, const char *why) {
    findings *f = user;
    f->faults++;
    if (f->json) {
        json_array_append_new(f->list, json_pack("{s:s, s:s}", "what", what, "why", why));
    } else if (f->faults <= 20) {
        at_error line;
        at_fail(&line, AT_FAILED, "%s: %s", why, what);
        puts(line.text);
    }
}

/* What fits its sums and cannot be read was changed, and summed again. */
static at_status changed(at_status st, const char *what, const at_error *why, findings *f, at_error *err) {
    if (st != AT_USAGE) return at_fail(err, st, "%s", why->text);
    say(f, what, why->text);
    return AT_OK;
}

/* What the files say, once they are the files that are summed. */
static at_status read_contents(at_journal **journal, const char *directory, const at_options *o, int64_t *made,
                               findings *f, at_error *err) {
    at_cases *cases = NULL;
    at_error why;
    char *path = at_text("%s/cases", directory);
    if (path == NULL) return at_fail_memory(err, strlen(directory));
    at_status st = at_journal_find(journal, directory, &why);
    if (st != AT_OK) st = changed(st, at_journal_name, &why, f, err);
    if (st == AT_OK && f->faults == 0 && (st = at_cases_load(&cases, path, NULL, &why)) != AT_OK)
        st = changed(st, "cases", &why, f, err);
    if (st == AT_OK && f->faults == 0) st = at_bundle_check_cases(*journal, cases, say, f, err);
    if (st == AT_OK && f->faults == 0 && o->inputs) st = at_bundle_check_inputs(*journal, cases, made, say, f, err);
    at_cases_free(cases);
    free(path);
    return st;
}

typedef struct {
    char digest[AT_DIGEST_TEXT];
    size_t files;
    bool asked;          /* for this very digest */
    int64_t made;        /* cases whose inputs were made again */
    at_journal *journal; /* NULL, and no outcome, where files are not what they were */
    at_outcome outcome;
} bundle;

static void tell(const bundle *b) {
    printf("files     %zu, as SHA256SUMS has them\ncases     those that were judged, in %zu attempts\n", b->files,
           b->journal->records);
    if (b->made > 0) printf("inputs    bit for bit those that were judged, of %" PRId64 " cases\n", b->made);
    fputs("revision  ", stdout);
    put_revision(stdout, b->journal);
    printf("journal   %s\nok: bundle %s%s", b->outcome.line, b->digest, b->asked ? ", the one asked for" : "");
    if (b->outcome.status != AT_OK)
        printf("; its journal is %s%s", b->outcome.word, b->journal->complete ? "" : ", of a run that was cut short");
    puts(b->asked ? ""
                  : "; no DIGEST was given: whoever changes files can sum them again, so this proves nothing about who "
                    "made it");
}

static void tell_json(const bundle *b, const findings *f) {
    json_t *object =
        json_pack("{s:b, s:s, s:b, s:I, s:I, s:O}", "ok", f->faults == 0, "bundle", b->digest, "asked", b->asked,
                  "files", (json_int_t)b->files, "inputs", (json_int_t)b->made, "faults", f->list);
    if (b->journal != NULL) {
        json_object_set_new(object, "word", json_string(b->outcome.word));
        json_object_set_new(object, "line", json_string(b->outcome.line));
        json_object_set_new(object, "complete", json_boolean(b->journal->complete));
        json_object_set_new(object, "clean", json_boolean(at_is_clean(b->journal->header.revision)));
    }
    json_dumpf(object, stdout, JSON_COMPACT);
    putchar('\n');
    json_decref(object);
}

static void check_digest(bundle *b, const char *due, findings *f) {
    b->asked = strcmp(b->digest, due) == 0;
    if (!b->asked) say(f, b->digest, "another bundle than the one asked for");
}

static at_status verify(const char *directory, const at_options *o, findings *f, at_error *err) {
    bundle *b = calloc(1, sizeof *b);
    at_status st =
        b != NULL ? at_sums_check(b->digest, &b->files, directory, say, f, err) : at_fail_memory(err, sizeof *b);
    if (st == AT_OK && o->words == 2) check_digest(b, o->word[1], f);
    if (st == AT_OK && f->faults == 0) {
        st = read_contents(&b->journal, directory, o, &b->made, f, err);
        if (st == AT_OK && b->journal != NULL) st = at_verdict_of(&b->outcome, b->journal, false, err);
    }
    if (st == AT_OK && f->json)
        tell_json(b, f);
    else if (st == AT_OK && f->faults == 0)
        tell(b);
    if (b != NULL) at_journal_free(b->journal);
    free(b);
    return st;
}

at_status at_command_verify(at_options *o, at_error *err) {
    at_unpacked place = {0};
    findings f = {.json = o->json};
    if (o->words < 1 || o->words > 2)
        return at_fail(err, AT_USAGE, "verify needs one BUNDLE, and may be told the digest that `bundle` printed");
    if ((f.list = json_array()) == NULL) return at_fail_memory(err, 64);
    at_status st = at_unpack(&place, o->word[0], err);
    if (st == AT_OK) st = verify(place.directory, o, &f, err);
    if (st == AT_OK && f.faults > 0)
        st = at_fail(err, AT_FAILED, "%s: not the bundle that was made: %" PRId64 " fault%s", o->word[0], f.faults,
                     f.faults == 1 ? "" : "s");
    at_unpacked_free(&place);
    json_decref(f.list);
    return st;
}
