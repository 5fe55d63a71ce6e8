/* What the command line says. One table of options makes the parser, the help, and whatever else has to list them. */
#ifndef AT_OPTIONS_H
#define AT_OPTIONS_H

#include "case.h"
#include "device.h"

enum { AT_MOST_DEVICES = 64 };

typedef struct {
    const char *program; /* as it was called, for lines that repeat something */
    const char *command;
    const char **word; /* [words] positional arguments */
    size_t words;
    const char *subject;  /* NULL: the command has its own default */
    const char *cases;    /* NULL: the cases/ beside the program or in the working directory */
    const char *out;      /* NULL: build/reports */
    const char **pattern; /* [patterns] ids or globs */
    size_t patterns;
    const char **tag; /* [tags] a case needs one of them */
    size_t tags;
    const char *mode; /* NULL: all */
    bool tier_given;
    at_tier tier;                              /* quick */
    int device, jobs;                          /* 0; 0: one a core on the CPU, one a device on GPUs */
    int device_list[AT_MOST_DEVICES], devices; /* [devices] of a run on several; 0: `device` alone */
    uint64_t seed;                             /* 1 */
    double timeout;                            /* seconds an attempt may take; 0: by its cost */
    int64_t max_fail;                          /* stop after so many failed attempts; 0: never */
    int64_t repeat;                            /* 1: runs of each attempt */
    int64_t shard, shards;                     /* 1 of 1 */
    bool shard_given;
    uint64_t memory;       /* bytes of data a worker may have; 0: most of the machine's, on the CPU */
    double wait;           /* 300: seconds to wait for a device that another run holds */
    const char *sanitizer; /* NULL: none */
    at_guards open_guards; /* none */
    const char *waivers;   /* NULL: waivers.yaml in the working directory or beside the program, if there is one */
    bool require_gpu, no_progress, json, in_process, power, help, resume, overhead;
    const char *color; /* auto, always, never */
    const char *dialect, *dump, *implementation, *arithmetic;
    bool markdown, summary, inputs, man;
    const char *completion; /* bash or zsh */
} at_options;

typedef struct {
    const char *name;     /* without dashes; one letter: a short option */
    const char *argument; /* what the help calls its argument, NULL for a flag */
    const char *commands; /* space-separated names of the commands that know it */
    const char *help;
    at_status (*take)(at_options *, const char *value, at_error *err);
} at_option;
const at_option *at_option_table(size_t *count);
bool at_option_known_to(const at_option *, const char *command);

AT_MUST_USE at_status at_options_parse(at_options *out, int argc, char **argv, at_error *err);
void at_options_free(at_options *);

#endif
