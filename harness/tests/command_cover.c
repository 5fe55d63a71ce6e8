/* cover: when its report is also judged. */
#include "../commands.h"

#include "cases_scratch.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static at_error err;
static char directory[400];
static at_options options;

static void setup(void) {
    scratch_open();
    at_cases_free(scratch_load(PLAIN_CASE "}\n"));
    scratch_write("index.yaml", "schema: 1\nabout: For a test.\nsuites: [suite]\n");
    strcpy(directory, scratch_path(""));
    options = (at_options){.cases = directory, .seed = 1, .tier = AT_QUICK, .shards = 1, .shard = 1, .color = "never"};
}

TestSuite(command_cover, .init = setup, .fini = scratch_close);

static at_status cover(void) {
    const int terminal = dup(STDOUT_FILENO), nowhere = open("/dev/null", O_WRONLY);
    err.text[0] = 0;
    fflush(stdout);
    dup2(nowhere, STDOUT_FILENO);
    const at_status st = at_command_cover(&options, &err);
    fflush(stdout);
    dup2(terminal, STDOUT_FILENO);
    close(terminal), close(nowhere);
    return st;
}

Test(command_cover, a_whole_tier_of_a_directory_with_an_index_has_to_cover_enough) {
    cr_expect_eq(cover(), AT_USAGE);
    cr_expect_not_null(strstr(err.text, "no case of the quick tier covers "), "%s", err.text);
    options.json = true;
    cr_expect_eq(cover(), AT_USAGE);
}

Test(command_cover, a_part_of_a_tier_owes_nothing) {
    options.pattern = (const char *[]){"suite/one"}, options.patterns = 1;
    cr_expect_eq(cover(), AT_OK, "%s", err.text);
}

Test(command_cover, the_smoke_tier_owes_nothing) {
    options.tier = AT_SMOKE, options.tier_given = true;
    cr_expect_eq(cover(), AT_OK, "%s", err.text);
}

Test(command_cover, suites_without_an_index_owe_nothing) {
    unlink(scratch_path("index.yaml"));
    cr_expect_eq(cover(), AT_OK, "%s", err.text);
}
