/* Got, want and allowed as tables. */
#include "../dump.h"

#include "cases_scratch.h"
#include "judging.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static plan_case x;
static judging j;
static at_error err;
static char directory[300];

static void open(void) {
    scratch_open();
    strcpy(directory, scratch_path("dump"));
    plan_case_crowd(&x);
    judging_open(&j, &x);
}

static const char *in(const char *file) {
    static char path[400];
    snprintf(path, sizeof path, "%s/%s", directory, file);
    return path;
}

static void close_judging(void) {
    judging_close(&j);
    unlink(in("output.tsv"));
    unlink(in("key_cache.tsv"));
    rmdir(directory);
    scratch_close();
}

TestSuite(dump, .init = open, .fini = close_judging);

/* Lines of a table; `last` gets the line that begins with `start`. */
static int lines_of(const char *file, const char *start, char last[400]) {
    FILE *f = fopen(in(file), "r");
    char line[400];
    int n = 0;
    cr_assert_not_null(f, "%s", in(file));
    last[0] = 0;
    while (fgets(line, sizeof line, f) != NULL) {
        n++;
        if (strncmp(line, start, strlen(start)) == 0) strcpy(last, line);
    }
    fclose(f);
    return n;
}

Test(dump, every_judged_element_has_a_line) {
    char line[400];
    int64_t token, head, channel;
    double want, budget, got, excess;
    unsigned bits;
    *output_at(&j, 3, 1, 5) = 0x3c00;
    cr_assert_eq(at_dump(directory, &j.question, &j.answer, &err), AT_OK, "%s", err.text);
    cr_expect_eq(lines_of("output.tsv", "3\t1\t5\t", line), 1 + 5 * 2 * 16);
    cr_assert_eq(
        sscanf(line, "%ld %ld %ld %lf %lf %lf %x %lf", &token, &head, &channel, &want, &budget, &got, &bits, &excess),
        8, "%s", line);
    cr_expect(got == 1 && bits == 0x3c00 && excess > 1 && budget > 0 && want > -1 && want < 1);
    lines_of("output.tsv", "token", line);
    cr_expect_str_eq(line, "token\thead\tchannel\twant\tbudget\tgot\tbits\texcess\n");
    cr_expect_eq(lines_of("output.tsv", "3\t1\t6\t", line), 161);
    cr_expect_str_eq(line + strlen(line) - 3, "\t0\n", "the right one has no excess: %s", line);
}

Test(dump, every_channel_of_a_written_row_has_a_line) {
    char line[400], start[64];
    *written_at(&j, 4, 2) ^= 1;
    cr_assert_eq(at_dump(directory, &j.question, &j.answer, &err), AT_OK, "%s", err.text);
    snprintf(start, sizeof start, "4\t%ld\t2\t", (long)or_write_slot(&j.plan->problem, 4));
    cr_expect_eq(lines_of("key_cache.tsv", start, line), 1 + 5 * 32);
    cr_expect_str_eq(line + strlen(line) - 3, "\t0\n", "%s", line);
    snprintf(start, sizeof start, "4\t%ld\t3\t", (long)or_write_slot(&j.plan->problem, 4));
    lines_of("key_cache.tsv", start, line);
    cr_expect_str_eq(line + strlen(line) - 3, "\t1\n", "%s", line);
}

Test(dump, a_sample_and_a_skipped_row_are_left_out) {
    static int64_t skipped[] = {1};
    const int64_t rows[] = {0, 9};
    char line[400];
    x.c.skip = skipped, x.c.skips = 1;
    judging_close(&j);
    judging_open(&j, &x);
    j.question.row = rows, j.question.rows = 2;
    cr_assert_eq(at_dump(directory, &j.question, &j.answer, &err), AT_OK, "%s", err.text);
    cr_expect_eq(lines_of("output.tsv", "4\t1\t15\t", line), 1 + 2 * 16);
    cr_expect_neq(line[0], 0);
    cr_expect_eq(lines_of("key_cache.tsv", "1\t", line), 1 + 4 * 32);
    cr_expect_eq(line[0], 0);
}

Test(dump, a_place_that_cannot_be_written_is_named) {
    char nowhere[400];
    snprintf(nowhere, sizeof nowhere, "%s/no/such", directory);
    cr_expect_eq(at_dump(nowhere, &j.question, &j.answer, &err), AT_INFRASTRUCTURE);
    cr_expect_not_null(strstr(err.text, "/no/such: No such file or directory"));
    scratch_write("dump", "a file");
    cr_expect_eq(at_dump(directory, &j.question, &j.answer, &err), AT_INFRASTRUCTURE);
    cr_expect_not_null(strstr(err.text, "/dump/output.tsv: Not a directory"));
    unlink(directory);
}
