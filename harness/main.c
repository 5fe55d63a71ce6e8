/* attest: the composition root. */
#include "commands.h"
#include "manual.h"
#include "version.h"
#include "worker.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static at_status command_help(at_options *, at_error *);
static at_status command_version(at_options *, at_error *);

static const at_command commands[] = {
    {"list", "", "ids of the cases", at_command_list},
    {"check", "", "the cases themselves: loads, plans and cross-checks them, runs nothing", at_command_check},
    {"show", "ID", "one case, expanded", at_command_show},
    {"run", "", "judge a subject: journal and reports", at_command_run},
    {"repro", "ID", "one attempt again, verbosely", at_command_repro},
    {"export", "DIR", "cases and the oracle's answers as files, in the layout that judge reads", at_command_export},
    {"judge", "DIR", "judge outputs that lie in files, in the layout of oracle/vectors", at_command_judge},
    {"report", "JOURNAL", "reports from a journal", at_command_report},
    {"merge", "OUT RUN...", "the parts of a run as one; finds gaps, duplicates and contradictions", at_command_merge},
    {"bench", "", "how long a subject takes, or with --overhead what the harness itself costs", at_command_bench},
    {"cover", "", "what the cases cover, and with --power which wrong readings they reject; runs nothing",
     at_command_cover},
    {"explain", "ID...", "where a subject fails, and which wrong reading answers as it does", at_command_explain},
    {"compare", "A B",
     "two runs side by side: same inputs, same contents, same verdicts? or B with the baseline of its card",
     at_command_compare},
    {"bundle", "[RUN]", "a run as a reviewer gets it: journal, reports, environment, cases, SHA256SUMS",
     at_command_bundle},
    {"verify", "BUNDLE [DIGEST]", "that a bundle is what was made, offline", at_command_verify},
    {"new", "WHAT NAME", "a start to write on: case SUITE/NAME, or subject NAME", at_command_new},
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
    printf("attest %s (subject ABI %d)\n", AT_VERSION, AT_SUBJECT_ABI);
    return AT_OK;
}

static void print_options(const char *command) {
    size_t n;
    const at_option *table = at_option_table(&n);
    for (size_t i = 0; i < n; i++) {
        char left[64];
        if (!at_option_known_to(&table[i], command)) continue;
        snprintf(left, sizeof left, "%s%s%s%s", strlen(table[i].name) > 1 ? "--" : "-", table[i].name,
                 table[i].argument ? " " : "", table[i].argument ? table[i].argument : "");
        printf("  %-34s %s\n", left, table[i].help);
    }
}

static at_status command_help(at_options *o, at_error *err) {
    size_t modes;
    if (o->man || o->completion != NULL) return at_manual(o, err);
    const at_mode *mode = at_modes(&modes);
    puts("attest: is a paged-attention kernel right, how right, and how can the answer be had again?\n\nusage: attest "
         "COMMAND [options]\n");
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        printf("  %-8s %-15s %s\n", commands[i].name, commands[i].arguments, commands[i].about);
    }
    puts("\nmodes:");
    for (size_t i = 0; i < modes; i++) printf("  %-19s %s\n", mode[i].name, mode[i].about);
    puts("\nexit: 0 VALIDATED, 1 FAILED, 2 UNVALIDATED (nothing judged), 3 infrastructure, 64 usage. attest COMMAND "
         "--help lists its options.");
    return AT_OK;
}

static at_status dispatch(at_options *o, at_error *err) {
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (strcmp(commands[i].name, o->command) != 0) continue;
        if (!o->help) return commands[i].run(o, err);
        printf("usage: attest %s %s [options]\n%s\n\n", o->command, commands[i].arguments, commands[i].about);
        print_options(o->command);
        return AT_OK;
    }
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
