#include "options.h"
#include "sanitizer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static at_status integer(int64_t *out, const char *what, const char *text, int64_t least, int64_t most, at_error *err) {
    char *end;
    errno = 0;
    long long n = strtoll(text, &end, 10);
    if (errno || end == text || *end != 0 || n < least || n > most) {
        return at_fail(err, AT_USAGE, "%s: '%s' is not a whole number from %lld to %lld", what, text, (long long)least,
                       (long long)most);
    }
    *out = n;
    return AT_OK;
}

static at_status append(const char ***list, size_t *count, const char *value, at_error *err) {
    const char **grown = realloc(*list, (*count + 1) * sizeof *grown);
    if (grown == NULL) return at_fail_memory(err, (*count + 1) * sizeof *grown);
    grown[(*count)++] = value;
    *list = grown;
    return AT_OK;
}

#define TEXT(field)                                                                                                    \
    static at_status take_##field(at_options *o, const char *value, at_error *err) {                                   \
        (void)err;                                                                                                     \
        o->field = value;                                                                                              \
        return AT_OK;                                                                                                  \
    }
#define FLAG(field)                                                                                                    \
    static at_status take_##field(at_options *o, const char *value, at_error *err) {                                   \
        (void)value, (void)err;                                                                                        \
        o->field = true;                                                                                               \
        return AT_OK;                                                                                                  \
    }
TEXT(subject)
TEXT(cases)
TEXT(out)
TEXT(mode)
TEXT(dump)
TEXT(implementation)
TEXT(arithmetic)
FLAG(require_gpu)
FLAG(no_progress)
FLAG(json)
FLAG(power)
FLAG(in_process)
FLAG(help)
FLAG(markdown)
FLAG(summary)
FLAG(inputs)
FLAG(man)
FLAG(resume)
FLAG(overhead)
TEXT(waivers)

static at_status take_pattern(at_options *o, const char *value, at_error *err) {
    return append(&o->pattern, &o->patterns, value, err);
}

static at_status take_tag(at_options *o, const char *value, at_error *err) {
    return append(&o->tag, &o->tags, value, err);
}

static at_status take_tier(at_options *o, const char *value, at_error *err) {
    o->tier_given = true;
    if (at_tier_by_name(&o->tier, value)) return AT_OK;
    return at_fail(err, AT_USAGE, "--tier: '%s' is none of smoke, quick, full, stress", value);
}

static at_status take_device(at_options *o, const char *value, at_error *err) {
    int64_t n;
    at_status st = integer(&n, "--device", value, 0, 1023, err);
    if (st == AT_OK) o->device = (int)n;
    return st;
}

static at_status take_devices(at_options *o, const char *value, at_error *err) {
    for (o->devices = 0;; value++) {
        char number[16] = "";
        int64_t n;
        size_t length = strcspn(value, ",");
        memcpy(number, value, length < sizeof number ? length : sizeof number - 1);
        at_status st = integer(&n, "--devices", number, 0, 1023, err);
        if (st != AT_OK) return st;
        if (o->devices == AT_MOST_DEVICES) return at_fail(err, AT_USAGE, "--devices: more than %d", AT_MOST_DEVICES);
        for (int i = 0; i < o->devices; i++) {
            if (o->device_list[i] == n)
                return at_fail(err, AT_USAGE, "--devices: %lld stands there twice", (long long)n);
        }
        o->device_list[o->devices++] = (int)n;
        value += length;
        if (*value == 0) return AT_OK;
    }
}

static at_status take_repeat(at_options *o, const char *value, at_error *err) {
    return integer(&o->repeat, "--repeat", value, 1, 1000, err);
}

static at_status take_wait(at_options *o, const char *value, at_error *err) {
    int64_t n;
    at_status st = integer(&n, "--wait", value, 0, 1000000, err);
    if (st == AT_OK) o->wait = (double)n;
    return st;
}

/* "2G": a number and K, M, G or nothing, powers of 1024. */
static at_status take_memory(at_options *o, const char *value, at_error *err) {
    static const char units[] = "KMG";
    char *end;
    errno = 0;
    unsigned long long n = strtoull(value, &end, 10);
    const char *unit = *end != 0 && end[1] == 0 ? strchr(units, *end) : NULL;
    unsigned shift = unit != NULL ? 10 * (unsigned)(unit - units + 1) : 0;
    bool fine =
        value[0] >= '0' && value[0] <= '9' && errno == 0 && (*end == 0 || unit != NULL) && n << shift >> shift == n;
    if (!fine || n << shift < (1U << 26))
        return at_fail(err, AT_USAGE, "--memory: '%s' is not a size of at least 64M", value);
    o->memory = n << shift;
    return AT_OK;
}

static at_status take_sanitizer(at_options *o, const char *value, at_error *err) {
    o->sanitizer = value;
    if (at_sanitizer_known(value)) return AT_OK;
    return at_fail(err, AT_USAGE, "--sanitizer: '%s' is none of memcheck, racecheck, initcheck, synccheck", value);
}

/* "BEFORE,AFTER", in hex. */
static at_status take_open_guards(at_options *o, const char *value, at_error *err) {
    int end = 0;
    if (sscanf(value, "%" SCNx64 ",%" SCNx64 "%n", &o->open_guards.before, &o->open_guards.after, &end) == 2 &&
        value[end] == 0)
        return AT_OK;
    return at_fail(err, AT_USAGE, "--open-guards: '%s' is not two masks in hex", value);
}

static at_status take_jobs(at_options *o, const char *value, at_error *err) {
    int64_t n;
    at_status st = integer(&n, "-j", value, 1, 256, err);
    if (st == AT_OK) o->jobs = (int)n;
    return st;
}

static at_status take_seed(at_options *o, const char *value, at_error *err) {
    int64_t n;
    at_status st = integer(&n, "--seed", value, 0, INT64_MAX, err);
    if (st == AT_OK) o->seed = (uint64_t)n;
    return st;
}

static at_status take_max_fail(at_options *o, const char *value, at_error *err) {
    return integer(&o->max_fail, "--max-fail", value, 1, INT64_MAX, err);
}

static at_status take_timeout(at_options *o, const char *value, at_error *err) {
    char *end;
    o->timeout = strtod(value, &end);
    if (end != value && *end == 0 && o->timeout > 0 && o->timeout < 1e6) return AT_OK;
    return at_fail(err, AT_USAGE, "--timeout: '%s' is not a number of seconds above 0", value);
}

static at_status take_color(at_options *o, const char *value, at_error *err) {
    o->color = value;
    if (strcmp(value, "auto") == 0 || strcmp(value, "always") == 0 || strcmp(value, "never") == 0) return AT_OK;
    return at_fail(err, AT_USAGE, "--color: '%s' is none of auto, always, never", value);
}

static at_status take_dialect(at_options *o, const char *value, at_error *err) {
    or_dialect known;
    o->dialect = value;
    if (or_dialect_by_name(&known, value)) return AT_OK;
    return at_fail(err, AT_USAGE, "--dialect: '%s' is neither onnx-genai nor onnxruntime", value);
}

static at_status take_completion(at_options *o, const char *value, at_error *err) {
    o->completion = value;
    if (strcmp(value, "bash") == 0 || strcmp(value, "zsh") == 0) return AT_OK;
    return at_fail(err, AT_USAGE, "--completion: '%s' is neither bash nor zsh", value);
}

static at_status take_shard(at_options *o, const char *value, at_error *err) {
    const char *slash = strchr(value, '/');
    char first[24] = "";
    if (slash != NULL && (size_t)(slash - value) < sizeof first) memcpy(first, value, (size_t)(slash - value));
    o->shard_given = true;
    if (slash != NULL && integer(&o->shards, "--shard", slash + 1, 1, 100000, err) == AT_OK &&
        integer(&o->shard, "--shard", first, 1, o->shards, err) == AT_OK) {
        return AT_OK;
    }
    return at_fail(err, AT_USAGE, "--shard: '%s' is not I/N with 1 <= I <= N", value);
}

static const at_option table[] = {
    {"subject", "NAME|FILE.so[:KERNEL]", "run repro worker explain bench doctor",
     "what is judged; default: run: cuda where there is a GPU, else cpu; bench without --overhead: cuda; others: cpu",
     take_subject},
    {"cases", "PATH", "list check show run repro doctor worker export explain cover bench bundle new",
     "a suite file or a directory of them; default: cases/", take_cases},
    {"tier", "smoke|quick|full|stress", "list run cover export bench", "the tier and all below it; default: quick",
     take_tier},
    {"k", "ID|GLOB", "list check run cover export bench",
     "only these cases, of any tier unless --tier is given; may be repeated", take_pattern},
    {"tag", "TAG", "list run cover export bench",
     "only cases with this tag or this clause or scenario among what they cover; may be repeated", take_tag},
    {"mode", "MODE", "list run repro", "only this mode", take_mode},
    {"device", "N", "run repro doctor worker explain bench", "which GPU; default 0", take_device},
    {"devices", "N,N...", "run", "several GPUs of one kind, a worker on each", take_devices},
    {"wait", "SECONDS", "run repro explain bench", "for a GPU that another run holds; default 300", take_wait},
    {"j", "N", "run", "workers at once; default: one a core on the CPU, one on each GPU", take_jobs},
    {"memory", "SIZE", "run repro worker bench",
     "data memory that a worker may have, as 8G; default on the CPU: three quarters of the machine's", take_memory},
    {"open-guards", "BEFORE,AFTER", "worker",
     "unmapped ranges beside buffers that are mapped all the same: two masks of slots in hex", take_open_guards},
    {"sanitizer", "TOOL", "run", "workers under compute-sanitizer: memcheck, racecheck, initcheck or synccheck",
     take_sanitizer},
    {"seed", "N", "show run repro worker export explain bench", "of all inputs; default 1", take_seed},
    {"shard", "I/N", "list run", "the I-th of N parts; run also takes it from GTEST_* and SLURM_ARRAY_TASK_* variables",
     take_shard},
    {"resume", NULL, "run", "go on with the journal in --out, if there is one", take_resume},
    {"repeat", "N", "run", "run each attempt N times; one that changes its verdict is FLAKY", take_repeat},
    {"waivers", "FILE", "run",
     "failures that are known; default: waivers.yaml here or beside the program, if there is one", take_waivers},
    {"timeout", "SECONDS", "run repro",
     "what an attempt may take, default by its cost, at least 60; and a worker's start, at least 10, default 120",
     take_timeout},
    {"max-fail", "N", "run", "stop after N failed attempts", take_max_fail},
    {"require-gpu", NULL, "run", "anything but a GPU's answer is UNVALIDATED", take_require_gpu},
    {"out", "DIR", "run report bundle compare new",
     "where to write: reports (build/reports), a bundle (build/bundle), baselines", take_out},
    {"dialect", "NAME", "judge export", "onnx-genai or onnxruntime", take_dialect},
    {"implementation", "NAME", "judge",
     "the folder of each case that holds the outputs to judge; default: every one there is", take_implementation},
    {"arithmetic", "WORDS", "judge cover",
     "how the outputs were computed, as rope=exact,dot=f32,...; what is not said is judged by the widest",
     take_arithmetic},
    {"in-process", NULL, "repro", "no worker process: for debuggers and profilers", take_in_process},
    {"dump", "DIR", "repro", "write got, want and allowed there", take_dump},
    {"overhead", NULL, "bench", "what the harness costs an attempt beyond oracle and subject", take_overhead},
    {"json", NULL, "list show repro judge bench doctor cover compare verify", "machine-readable", take_json},
    {"markdown", NULL, "compare", "to be pasted into a review", take_markdown},
    {"summary", NULL, "compare",
     "the baseline of one run instead of a comparison: on stdout, or at its place under --out", take_summary},
    {"inputs", NULL, "verify", "make every input again too, and compare its digest", take_inputs},
    {"man", NULL, "help", "the manual page", take_man},
    {"completion", "bash|zsh", "help", "a script that completes command lines", take_completion},
    {"power", NULL, "cover", "which wrong readings each case would reject", take_power},
    {"no-progress", NULL, "run", "no progress lines", take_no_progress},
    {"color", "auto|always|never", "run report merge", "default auto; NO_COLOR is honoured", take_color},
    {"help", NULL, "", "this", take_help},
};

const at_option *at_option_table(size_t *count) {
    *count = sizeof table / sizeof *table;
    return table;
}

static const at_option *find(const char *name, size_t length) {
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (strlen(table[i].name) == length && strncmp(table[i].name, name, length) == 0) return &table[i];
    }
    return NULL;
}

bool at_option_known_to(const at_option *option, const char *command) {
    size_t n = strlen(command);
    if (option->commands[0] == 0) return true;
    for (const char *at = strstr(option->commands, command); at != NULL; at = strstr(at + 1, command)) {
        if ((at == option->commands || at[-1] == ' ') && (at[n] == 0 || at[n] == ' ')) return true;
    }
    return false;
}

/* One option at argv[*i]; moves *i to its last word. */
static at_status take_option(at_options *o, int argc, char **argv, int *i, at_error *err) {
    const char *word = argv[*i], *name = word + 1 + (word[1] == '-');
    bool is_long = word[1] == '-';
    size_t length = is_long ? strcspn(name, "=") : 1;
    const at_option *option = find(name, length);
    if (option == NULL || is_long != (strlen(option->name) > 1)) {
        return at_fail(err, AT_USAGE, "no option %s; see attest %s --help", word, o->command);
    }
    if (!at_option_known_to(option, o->command)) {
        return at_fail(err, AT_USAGE, "attest %s has no option %s; commands that have it: %s", o->command, word,
                       option->commands);
    }
    const char *value = NULL;
    if (is_long && name[length] == '=') {
        value = name + length + 1;
    } else if (!is_long && name[1] != 0) {
        value = name + 1;
    } else if (option->argument != NULL && *i + 1 < argc) {
        value = argv[++*i];
    }
    if (option->argument == NULL && value != NULL)
        return at_fail(err, AT_USAGE, "%.*s takes no value", (int)(name + length - word), word);
    if (option->argument != NULL && value == NULL) return at_fail(err, AT_USAGE, "%s needs %s", word, option->argument);
    return option->take(o, value, err);
}

at_status at_options_parse(at_options *out, int argc, char **argv, at_error *err) {
    at_status st = AT_OK;
    bool only_words = false;
    *out = (at_options){.program = argv[0] != NULL ? argv[0] : "attest",
                        .command = "help",
                        .tier = AT_QUICK,
                        .seed = 1,
                        .repeat = 1,
                        .shard = 1,
                        .shards = 1,
                        .wait = 300,
                        .color = "auto"};
    if (argc > 1) out->command = argv[1];
    if (strcmp(out->command, "--help") == 0 || strcmp(out->command, "-h") == 0) out->command = "help";
    if (strcmp(out->command, "--version") == 0) out->command = "version";
    for (int i = 2; i < argc && st == AT_OK; i++) {
        if (!only_words && strcmp(argv[i], "--") == 0) {
            only_words = true;
        } else if (!only_words && argv[i][0] == '-' && argv[i][1] != 0) {
            st = take_option(out, argc, argv, &i, err);
        } else {
            st = append(&out->word, &out->words, argv[i], err);
        }
    }
    if (st != AT_OK) at_options_free(out);
    return st;
}

void at_options_free(at_options *o) {
    free(o->word);
    free(o->pattern);
    free(o->tag);
    o->word = o->pattern = o->tag = NULL;
}
