/* Command lines: what they set, and one clear sentence for each that makes no sense. */
#include "../options.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 24 };
static at_options o;
static at_error err;

/* `line`: words split at blanks. */
static at_status parse(const char *line) {
    static char text[400], *word[MOST];
    int n = 0;
    strcpy(text, line);
    for (char *w = strtok(text, " "); w != NULL && n < MOST; w = strtok(NULL, " ")) word[n++] = w;
    err.text[0] = 0;
    return at_options_parse(&o, n, word, &err);
}

static void must(const char *line) {
    cr_assert_eq(parse(line), AT_OK, "%s: %s", line, err.text);
}

static void refused(const char *line, const char *says) {
    cr_expect_eq(parse(line), AT_USAGE, "%s", line);
    cr_expect_not_null(strstr(err.text, says), "%s: '%s' does not say '%s'", line, err.text, says);
}

Test(options, what_is_not_said_has_its_default) {
    must("attest run");
    cr_expect(o.tier == AT_QUICK && o.seed == 1 && o.repeat == 1 && o.shard == 1 && o.shards == 1 && o.wait == 300 &&
              o.jobs == 0);
    cr_expect(!o.resume && o.sanitizer == NULL && o.memory == 0 && o.devices == 0 && !o.shard_given);
    at_options_free(&o);
}

Test(options, short_and_long_ones_take_their_value_from_the_same_or_the_next_word) {
    must("attest run -j3 -k a -k b --seed=7 --out dir --tier smoke --resume --repeat 5");
    cr_expect(o.jobs == 3 && o.patterns == 2 && o.seed == 7 && o.tier == AT_SMOKE && o.tier_given && o.resume &&
              o.repeat == 5);
    cr_expect_str_eq(o.pattern[1], "b");
    cr_expect_str_eq(o.out, "dir");
    at_options_free(&o);
}

Test(options, several_devices_each_once) {
    must("attest run --devices 0,3,11");
    cr_expect(o.devices == 3 && o.device_list[0] == 0 && o.device_list[1] == 3 && o.device_list[2] == 11);
    at_options_free(&o);
    refused("attest run --devices 0,0", "0 stands there twice");
    refused("attest run --devices 0,", "'' is not a whole number");
    refused("attest run --devices 1,x", "'x' is not a whole number");
    refused("attest run --devices 99999999999999999999", "is not a whole number from 0 to 1023");
}

Test(options, sizes_have_units) {
    must("attest run --memory 2G");
    cr_expect_eq(o.memory, UINT64_C(2) << 30);
    must("attest run --memory 100M");
    cr_expect_eq(o.memory, UINT64_C(100) << 20);
    must("attest worker --memory 67108864");
    cr_expect_eq(o.memory, UINT64_C(1) << 26);
    refused("attest run --memory 1M", "not a size of at least 64M");
    refused("attest run --memory 2T", "not a size");
    refused("attest run --memory 2GB", "not a size");
    refused("attest run --memory -2G", "not a size");
    refused("attest run --memory 99999999999G", "not a size");
}

Test(options, shards_are_parts_of_a_whole) {
    must("attest run --shard 3/7");
    cr_expect(o.shard == 3 && o.shards == 7 && o.shard_given);
    static const char *const bad[] = {"0/7", "8/7", "3", "3/0", "a/7", "3/", "/7", "3/7x"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char line[60];
        snprintf(line, sizeof line, "attest run --shard %s", bad[i]);
        refused(line, "is not I/N with 1 <= I <= N");
    }
}

Test(options, what_makes_no_sense_is_said_with_the_remedy) {
    refused("attest run --sanitizer leakcheck", "none of memcheck, racecheck, initcheck, synccheck");
    refused("attest run --repeat 0", "'0' is not a whole number from 1 to 1000");
    refused("attest run --wait x", "--wait: 'x'");
    refused("attest run --timeout 0", "not a number of seconds above 0");
    refused("attest run --tier slow", "none of smoke, quick, full, stress");
    refused("attest run --nonsense", "no option --nonsense; see attest run --help");
    refused("attest list --resume", "attest list has no option --resume; commands that have it: run");
    refused("attest run --seed", "--seed needs N");
    refused("attest run --resume=yes", "--resume takes no value");
    refused("attest run --color blue", "none of auto, always, never");
    refused("attest judge --dialect latin", "neither onnx-genai nor onnxruntime");
}

Test(options, behind_two_dashes_everything_is_a_word) {
    must("attest show -- --help");
    cr_expect_eq(o.words, 1);
    cr_expect_not(o.help);
    at_options_free(&o);
}

Test(options, every_option_says_who_knows_it_and_what_it_does) {
    size_t n;
    const at_option *table = at_option_table(&n);
    for (size_t i = 0; i < n; i++) {
        cr_expect_not_null(table[i].take, "%s", table[i].name);
        cr_expect_gt(strlen(table[i].help), 3, "%s", table[i].name);
        for (size_t k = 0; k < i; k++) cr_expect_str_neq(table[i].name, table[k].name);
    }
}

/* What a command would take and never look at is refused. */
Test(options, commands_know_the_options_that_they_use_and_no_others) {
    static const struct {
        const char *option, *known, *unknown;
    } rows[] = {
        {"color", "run report merge", "list check show repro judge doctor cover export bench explain"},
        {"k", "list check run cover export bench", "show repro judge explain"},
        {"out", "run report bundle compare new", "judge export merge list repro"},
        {"wait", "run repro explain bench", "list check show judge doctor cover worker"},
        {"dialect", "judge export", "run repro bench show"},
    };
    size_t n;
    const at_option *table = at_option_table(&n);
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        const at_option *option = table;
        while (option < table + n && strcmp(option->name, rows[r].option) != 0) option++;
        cr_assert_lt(option, table + n, "%s", rows[r].option);
        for (int known = 0; known < 2; known++) {
            char list[200];
            strcpy(list, known ? rows[r].known : rows[r].unknown);
            for (char *command = strtok(list, " "); command != NULL; command = strtok(NULL, " ")) {
                cr_expect_eq(at_option_known_to(option, command), known, "%s %s", command, option->name);
            }
        }
    }
}
