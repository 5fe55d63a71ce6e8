/* new: a case or a subject that works as it stands, to be written on. The texts are templates/, put in by the build. */
#include "commands.h"
#include "finding.h"
#include "tree.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const subject_lines[] = {
#include "templates/subject.c.inc"
};
static const char *const suite_lines[] = {
#include "templates/suite.yaml.inc"
};
static const char *const case_lines[] = {
#include "templates/case.yaml.inc"
};

typedef struct {
    const char *const *line; /* [lines] without their ends */
    size_t lines;
} template;
#define TEMPLATE(array) ((template){array, sizeof(array) / sizeof *(array)})
static const char mark[] = "@name@";

/* A line with the name in place of each mark. */
static void put_line(FILE *f, const char *line, const char *name) {
    for (const char *at; (at = strstr(line, mark)) != NULL; line = at + sizeof mark - 1)
        fprintf(f, "%.*s%s", (int)(at - line), line, name);
    fprintf(f, "%s\n", line);
}

static void put(FILE *f, template t, const char *name) {
    for (size_t i = 0; i < t.lines; i++) put_line(f, t.line[i], name);
}

/* A word of ids: what a file, a C string and an id can all hold. */
static bool is_word(const char *name, size_t bytes, const char *more) {
    for (size_t i = 0; i < bytes; i++) {
        bool fine = (name[i] >= 'a' && name[i] <= 'z') ||
                    (i > 0 && (strchr("0123456789", name[i]) != NULL || strchr(more, name[i]) != NULL));
        if (!fine) return false;
    }
    return bytes > 0 && bytes <= 60;
}

/* ---- a subject ---- */

/* What to type next: with this program as it was called, and the header that lies with it, if one does. */
static void tell_subject(const char *path, const char *program) {
    static const char name[] = "/attest/subject.h";
    const char *header = at_beside("include/attest/subject.h"), *shown = strncmp(path, "./", 2) == 0 ? path + 2 : path;
    int stem = (int)strlen(shown) - 2;
    printf("%s\nnext:\n  cc -std=c11 -O2 -shared -fPIC ", shown);
    if (access(header, F_OK) == 0)
        printf("-I%.*s", (int)(strlen(header) - strlen(name)), header);
    else
        fputs("$(pkg-config --cflags attest)", stdout);
    printf(" -o %.*s.so %s -lm\n", stem, shown, shown);
    printf("  %s run --subject %s%.*s.so --tier smoke\n", program, strchr(shown, '/') == NULL ? "./" : "", stem, shown);
}

static at_status new_subject(const char *name, const at_options *o, at_error *err) {
    if (!is_word(name, strlen(name), "_-")) {
        return at_fail(err, AT_USAGE, "'%s': a subject's name is of a-z, 0-9, - and _, and starts with a letter", name);
    }
    char *path = at_text("%s/%s.c", o->out != NULL ? o->out : ".", name), *text = NULL;
    size_t bytes = 0;
    FILE *f = path != NULL ? open_memstream(&text, &bytes) : NULL;
    at_status st = AT_OK;
    if (f != NULL) put(f, TEMPLATE(subject_lines), name);
    if (f == NULL || fclose(f) != 0)
        st = at_fail_memory(err, 1 << 16);
    else if (access(path, F_OK) == 0)
        st = at_fail(err, AT_USAGE, "%s: is there already; choose another name", path);
    else
        st = at_file_write(path, text, bytes, err);
    if (st == AT_OK) tell_subject(path, o->program);
    free(text);
    free(path);
    return st;
}

/* ---- a case ---- */

typedef struct {
    char *cases;  /* the directory of suites */
    char *path;   /* of the suite's file */
    char *before; /* what it held, or NULL where it was not there */
    size_t bytes; /* of it */
    char *suite;
    const char *name; /* of the case */
} addition;

/* cases/ here, or of the checkout that this directory lies in; malloc'ed. Never what lies beside the program: that is
 * read for want of better, and is nobody's to write. */
static at_status find_suites(char **out, at_error *err) {
    char here[PATH_MAX];
    if (access("cases", F_OK) == 0) {
        *out = strdup("cases");
        return *out != NULL ? AT_OK : at_fail_memory(err, sizeof "cases");
    }
    if (getcwd(here, sizeof here) == NULL)
        return at_fail(err, AT_INFRASTRUCTURE, "the current directory: %s", strerror(errno));
    for (char *slash; (slash = strrchr(here, '/')) != NULL;) {
        *slash = 0;
        char *index = at_text("%s/cases/index.yaml", here);
        if (index == NULL) return at_fail_memory(err, sizeof here);
        if (access(index, F_OK) == 0) {
            *strrchr(index, '/') = 0;
            *out = index;
            return AT_OK;
        }
        free(index);
    }
    return at_fail(err, AT_USAGE,
                   "there is no cases/ here, nor are you in a checkout; name a directory of suites by --cases");
}

static at_status name_addition(addition *a, const char *id, const at_options *o, at_error *err) {
    const char *slash = strchr(id, '/');
    struct stat facts;
    if (slash == NULL || !is_word(id, (size_t)(slash - id), "-") || !is_word(slash + 1, strlen(slash + 1), "-")) {
        return at_fail(err, AT_USAGE, "'%s': a new case is SUITE/NAME, both of a-z, 0-9 and -, starting with a letter",
                       id);
    }
    if (o->cases != NULL && (a->cases = strdup(o->cases)) == NULL) return at_fail_memory(err, strlen(o->cases));
    at_status st = a->cases != NULL ? AT_OK : find_suites(&a->cases, err);
    if (st != AT_OK) return st;
    if (stat(a->cases, &facts) != 0 || !S_ISDIR(facts.st_mode))
        return at_fail(err, AT_USAGE, "%s: not a directory of suites; name one by --cases", a->cases);
    a->suite = at_text("%.*s", (int)(slash - id), id);
    a->path = a->suite != NULL ? at_text("%s/%s.yaml", a->cases, a->suite) : NULL;
    a->name = slash + 1;
    if (a->path == NULL) return at_fail_memory(err, strlen(id));
    return access(a->path, F_OK) == 0 ? at_file_read(&a->before, &a->bytes, a->path, at_default_limits.file_bytes, err)
                                      : AT_OK;
}

static at_status write_addition(const addition *a, at_error *err) {
    char *text = NULL;
    size_t bytes = 0;
    FILE *f = open_memstream(&text, &bytes);
    if (f == NULL) return at_fail_memory(err, a->bytes);
    if (a->before == NULL)
        put(f, TEMPLATE(suite_lines), a->suite);
    else
        fprintf(f, "%s%s\n", a->before, a->bytes > 0 && a->before[a->bytes - 1] != '\n' ? "\n" : "");
    put(f, TEMPLATE(case_lines), a->name);
    bool failed = ferror(f) != 0;
    failed |= fclose(f) != 0;
    at_status st = failed ? at_fail_memory(err, bytes) : at_file_write(a->path, text, bytes, err);
    free(text);
    return st;
}

/* What does not load is taken back: the suite is then as it was. */
static at_status try_addition(const addition *a, at_error *err) {
    at_cases *cases = NULL;
    at_status st = write_addition(a, err);
    if (st == AT_OK) st = at_cases_load(&cases, a->path, NULL, err);
    at_cases_free(cases);
    if (st == AT_OK) return AT_OK;
    if (a->before == NULL) return unlink(a->path), st;
    return at_worse(st, at_file_write(a->path, a->before, a->bytes, NULL));
}

static void tell_case(const addition *a, const char *id, const char *program) {
    char *index = a->before == NULL ? at_text("%s/index.yaml", a->cases) : NULL;
    printf("%s\nnext: say in it why, then\n", a->path);
    if (index != NULL && access(index, F_OK) == 0)
        printf("  echo '  - %s' >>%s   # the suites that must be there\n", a->suite, index);
    printf("  %s check -k %s\n  %s run --subject cpu -k %s\n", program, id, program, id);
    free(index);
}

static at_status new_case(const char *id, const at_options *o, at_error *err) {
    addition a = {0};
    at_status st = name_addition(&a, id, o, err);
    if (st == AT_OK) st = try_addition(&a, err);
    if (st == AT_OK) tell_case(&a, id, o->program);
    free(a.before);
    free(a.cases);
    free(a.path);
    free(a.suite);
    return st;
}

at_status at_command_new(at_options *o, at_error *err) {
    const char *what = o->words == 2 ? o->word[0] : "";
    if (strcmp(what, "case") == 0) return new_case(o->word[1], o, err);
    if (strcmp(what, "subject") == 0) return new_subject(o->word[1], o, err);
    return at_fail(err, AT_USAGE, "new needs case SUITE/NAME or subject NAME");
}
