/* attest(1), in man's macros, which groff and mandoc know. */
#include "manual.h"
#include "commands.h"
#include "modes.h"
#include "version.h"

#include <errno.h>
#include <string.h>

/* Text as it is: no escapes, no request at a line's start, hyphens that can be copied. */
static void put(FILE *f, const char *text) {
    if (text[0] == '.' || text[0] == '\'') fputs("\\&", f);
    for (; *text != 0; text++) {
        if (*text == '\\')
            fputs("\\e", f);
        else if (*text == '-')
            fputs("\\-", f);
        else
            putc(*text, f);
    }
}

static void put_option(FILE *f, const at_option *o) {
    fprintf(f, ".TP\n.B %s", strlen(o->name) > 1 ? "\\-\\-" : "\\-");
    put(f, o->name);
    if (o->argument != NULL) {
        fputs(" \\fI", f);
        put(f, o->argument);
        fputs("\\fR", f);
    }
    putc('\n', f);
    put(f, o->help);
    putc('\n', f);
    if (o->commands[0] == 0) return;
    fputs("(", f);
    put(f, o->commands);
    fputs(")\n", f);
}

static void put_named(FILE *f, const char *name, const char *argument, const char *about) {
    fputs(".TP\n.B ", f);
    put(f, name);
    if (argument[0] != 0) {
        fputs(" \\fI", f);
        put(f, argument);
        fputs("\\fR", f);
    }
    putc('\n', f);
    put(f, about);
    putc('\n', f);
}

typedef struct {
    const char *name, *about;
} entry;

static void put_entries(FILE *f, const char *section, const entry *e, size_t count) {
    fprintf(f, ".SH %s\n", section);
    for (size_t i = 0; i < count; i++) put_named(f, e[i].name, "", e[i].about);
}

static const entry exits[] = {
    {"0", "VALIDATED: everything that was due was judged and is right; or the command did what it is for."},
    {"1", "FAILED: something was judged and is wrong; a verdict regressed; a bundle is not what was made."},
    {"2", "UNVALIDATED: nothing could be judged (no GPU, no subject, a floor missed), or compared (other inputs)."},
    {"3", "The machine or attest itself failed."},
    {"64", "The command line or a file given to it is wrong."},
};
static const entry files[] = {
    {"cases/", "Suites: in the working directory, else beside the program."},
    {"build/reports/results.jsonl", "The journal of a run, of which every report is made."},
    {"subjects/NAME.so", "Beside the program: what --subject NAME means."},
};
static const entry environment[] = {
    {"NO_COLOR, TERM", "NO_COLOR set to anything, or a TERM of dumb: no colours."},
    {"TMPDIR", "Where bundles are packed and unpacked; else /tmp."},
    {"PATH", "Where --sanitizer looks for compute-sanitizer."},
    {"GTEST_TOTAL_SHARDS, GTEST_SHARD_INDEX", "Which part of a run this is, where --shard is not given."},
    {"SLURM_ARRAY_TASK_ID, _COUNT, _MIN, _STEP", "The same, of a Slurm array."},
};
static const entry examples[] = {
    {"attest run --subject ./mine.so --tier smoke", "Judge a kernel of one's own."},
    {"attest repro ID --subject ./mine.so", "One case of it again, with every figure."},
    {"attest bundle build/reports --out mine.tar.gz", "What a reviewer gets."},
    {"attest compare mine.tar.gz build/reports --markdown", "His answer beside one's own."},
};
#define COUNT(table) (sizeof(table) / sizeof *(table))

void at_put_man(FILE *f) {
    size_t commands, options, modes;
    const at_command *c = at_commands(&commands);
    const at_option *o = at_option_table(&options);
    const at_mode *m = at_modes(&modes);
    fputs(".TH ATTEST 1 \"\" \"attest " AT_VERSION "\"\n.SH NAME\nattest \\- is a paged\\-attention kernel right?\n",
          f);
    fputs(".SH SYNOPSIS\n.B attest\n.I command\n.RI [ options ]\n.SH DESCRIPTION\n", f);
    fputs(
        "Judges kernels for com.microsoft::PagedAttention against an oracle in double precision, element by element,\n"
        "inside an error budget that the oracle derives from how the kernel says it computes. A kernel is a shared\n"
        "object behind the plug\\-in ABI of\n.IR subject.h .\n.SH COMMANDS\n",
        f);
    for (size_t i = 0; i < commands; i++) put_named(f, c[i].name, c[i].arguments, c[i].about);
    fputs(".SH OPTIONS\nIn brackets: the commands that know the option.\n", f);
    for (size_t i = 0; i < options; i++) put_option(f, &o[i]);
    fputs(".SH MODES\n", f);
    for (size_t i = 0; i < modes; i++) put_named(f, m[i].name, "", m[i].about);
    put_entries(f, "EXIT STATUS", exits, COUNT(exits));
    put_entries(f, "FILES", files, COUNT(files));
    put_entries(f, "ENVIRONMENT", environment, COUNT(environment));
    put_entries(f, "EXAMPLES", examples, COUNT(examples));
}

at_status at_manual(const at_options *o, at_error *err) {
    if (o->man)
        at_put_man(stdout);
    else if (strcmp(o->completion, "bash") == 0)
        at_put_bash_completion(stdout);
    else
        at_put_zsh_completion(stdout);
    if (fflush(stdout) == 0 && !ferror(stdout)) return AT_OK;
    return at_fail(err, AT_INFRASTRUCTURE, "the page could not be written: %s", strerror(errno));
}
