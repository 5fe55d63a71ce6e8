/* attest: the composition root. */
#include "commands.h"
#include "manual.h"
#include "screen.h"
#include "suggest.h"
#include "version.h"
#include "worker.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { OPTION_COLUMN = 28 };

static at_status command_help(at_options *, at_error *);
static at_status command_version(at_options *, at_error *);

/* Each has to fit a line of 80 columns. */
static const at_command commands[] = {
    {"list", "", "ids of the cases", at_command_list},
    {"check", "", "loads, plans and cross-checks the cases; runs nothing", at_command_check},
    {"show", "ID", "one case, expanded", at_command_show},
    {"run", "", "judge a subject: journal and reports", at_command_run},
    {"repro", "ID", "one attempt again, verbosely", at_command_repro},
    {"export", "DIR", "cases and the oracle's answers as files, for judge", at_command_export},
    {"judge", "DIR", "judge outputs in files, laid out as oracle/vectors", at_command_judge},
    {"report", "RUN", "reports from a journal", at_command_report},
    {"merge", "OUT RUN...", "the parts of a run as one; finds gaps, duplicates", at_command_merge},
    {"bench", "", "how long a subject takes; --overhead: the harness", at_command_bench},
    {"cover", "", "what cases cover; --power: readings they reject", at_command_cover},
    {"explain", "ID...", "where a subject fails, and as which wrong reading", at_command_explain},
    {"compare", "A B", "two runs side by side, or B with its card's baseline", at_command_compare},
    {"bundle", "[RUN]", "a run as a reviewer gets it, with its SHA256SUMS", at_command_bundle},
    {"verify", "BUNDLE [DIGEST]", "that a bundle is what was made, offline", at_command_verify},
    {"new", "WHAT NAME", "a start to write on: case SUITE/NAME, subject NAME", at_command_new},
    {"doctor", "", "what this machine can judge, and what is missing", at_command_doctor},
    {"version", "", "version and revision", command_version},
    {"help", "", "this", command_help},
};

const at_command *at_commands(size_t *count) {
    *count = sizeof commands / sizeof *commands;
    return commands;
}

static at_status command_version(at_options *o, at_error *err) {
    (void)o, (void)err;
    printf("attest %s (subject ABI %d), revision %s\n", AT_VERSION, AT_SUBJECT_ABI, at_revision());
    return AT_OK;
}

/* The name, and beside it, or below one that is long, what it is for. */
static void print_entry(const at_screen *screen, const char *name, int column, const char *about) {
    int width = printf("  %-*s ", column - 3, name);
    if (screen->columns > 0 && width > column) printf("\n%*s", column, "");
    at_put_wrapped(stdout, screen, about, screen->columns > 0 || width < column ? column : width);
}

static void print_modes(const at_screen *screen) {
    size_t n;
    const at_mode *mode = at_modes(&n);
    puts("\nmodes:");
    for (size_t i = 0; i < n; i++) print_entry(screen, mode[i].name, OPTION_COLUMN, mode[i].about);
}

/* And the modes, where one of them can be asked for. */
static void print_options(const at_screen *screen, const char *command) {
    size_t n;
    bool modes = false;
    const at_option *table = at_option_table(&n);
    for (size_t i = 0; i < n; i++) {
        char left[64];
        if (!at_option_known_to(&table[i], command)) continue;
        snprintf(left, sizeof left, "%s%s%s%s", strlen(table[i].name) > 1 ? "--" : "-", table[i].name,
                 table[i].argument ? " " : "", table[i].argument ? table[i].argument : "");
        print_entry(screen, left, OPTION_COLUMN, table[i].help);
        modes |= strcmp(table[i].name, "mode") == 0;
    }
    if (modes) print_modes(screen);
}

static at_status command_help(at_options *o, at_error *err) {
    if (o->man || o->completion != NULL) return at_manual(o, err);
    puts("attest: is a paged-attention kernel right, how right, can it be had again?\n"
         "usage: attest COMMAND [options]; attest COMMAND --help lists them\n");
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        printf("  %-8s %-15s %s\n", commands[i].name, commands[i].arguments, commands[i].about);
    puts("exit: 0 VALIDATED, 1 FAILED, 2 UNVALIDATED, 3 infrastructure, 64 usage");
    return AT_OK;
}

static void help_with(const at_command *c) {
    const at_screen screen = at_screen_of(STDOUT_FILENO);
    printf("usage: attest %s%s%s [options]\n%s\n\n", c->name, c->arguments[0] ? " " : "", c->arguments, c->about);
    print_options(&screen, c->name);
}

static const char *command_at(const void *unused, size_t i) {
    (void)unused;
    return i < sizeof commands / sizeof *commands ? commands[i].name : NULL;
}

static at_status dispatch(at_options *o, at_error *err) {
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (strcmp(commands[i].name, o->command) != 0) continue;
        if (!o->help) return commands[i].run(o, err);
        help_with(&commands[i]);
        return AT_OK;
    }
    const char *meant = at_suggest(o->command, command_at, NULL);
    if (meant != NULL) return at_fail(err, AT_USAGE, "no command '%s'; did you mean '%s'?", o->command, meant);
    return at_fail(err, AT_USAGE, "no command '%s'; see attest help", o->command);
}

int main(int argc, char **argv) {
    at_options options = {0};
    at_error err = {0};
    at_status st = at_options_parse(&options, argc, argv, &err);
    if (st == AT_OK && strcmp(options.command, "worker") == 0) {
        st = (at_status)at_worker_main(&options);
        at_options_free(&options);
        return (int)st;
    }
    if (st == AT_OK) st = dispatch(&options, &err);
    if (st != AT_OK && err.text[0] != 0) {
        fflush(stdout);
        fprintf(stderr, "attest: %s\n", err.text);
    }
    at_options_free(&options);
    if (fflush(stdout) != 0 && st == AT_OK) st = AT_INFRASTRUCTURE;
    return (int)st;
}
