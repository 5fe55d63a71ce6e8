#include "../reports/escape.h"
#include "bundle.h"
#include "commands.h"
#include "finding.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *at_beside(const char *name) {
    static char path[2][4096];
    static int turn;
    char *out = path[turn ^= 1];
    char program[4000];
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    static const char *const up[] = {"", "../", "../../"}; /* unpacked beside it, build/attest, build/MODE/attest */
    program[n < 0 ? 0 : n] = 0;
    char *slash = strrchr(program, '/');
    for (size_t i = 0; slash != NULL && i < sizeof up / sizeof *up; i++) {
        slash[1] = 0;
        if (snprintf(out, sizeof path[0], "%s%s%s", program, up[i], name) < (int)sizeof path[0] &&
            access(out, F_OK) == 0)
            return out;
    }
    snprintf(out, sizeof path[0], "%s", name);
    return out;
}

at_status at_load_default_cases(at_cases **out, at_options *o, at_error *err) {
    if (o->cases == NULL) o->cases = access("cases", F_OK) == 0 ? "cases" : at_beside("cases");
    return at_cases_load(out, o->cases, NULL, err);
}

void at_default_subject(at_options *o) {
    if (o->subject == NULL) o->subject = strcmp(o->command, "bench") == 0 && !o->overhead ? "cuda" : "cpu";
}

at_status at_find_case(const at_case **out, const at_cases *cases, const char *id, at_error *err) {
    *out = at_cases_find(cases, id);
    return *out != NULL ? AT_OK : at_fail(err, AT_USAGE, "no case '%s'; attest list -k '*%s*' looks for it", id, id);
}

char *at_journal_file(const char *path) {
    struct stat facts;
    bool directory = stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
    return directory ? at_text("%s/%s", path, at_journal_name) : at_text("%s", path);
}

const char *at_shown(const char *text) {
    enum { BUFFERS = 8, CHARACTERS = 600, LONGEST = 10 * CHARACTERS + 8 }; /* "\\U0010ffff" */
    static char buffer[BUFFERS][LONGEST];
    static int turn;
    char *out = buffer[turn = (turn + 1) % BUFFERS];
    out[0] = 0;
    FILE *f = fmemopen(out, LONGEST, "w");
    if (f == NULL) return "";
    at_put_terminal(f, text, CHARACTERS);
    fclose(f);
    out[LONGEST - 1] = 0;
    return out;
}

int at_ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

bool at_colour(const at_options *o, int fd) {
    if (strcmp(o->color, "auto") != 0) return strcmp(o->color, "always") == 0;
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    return (no == NULL || no[0] == 0) && (term == NULL || strcmp(term, "dumb") != 0) && isatty(fd);
}
