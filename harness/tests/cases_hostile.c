/* Every file of hostile/ is refused with the message that its first line gives, and costs next to nothing. */
#include "../case.h"
#include "cases_scratch.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/stat.h>

static const char *directory(void) {
    static char path[512];
    const char *slash = strrchr(__FILE__, '/');
    snprintf(path, sizeof path, "%.*shostile", slash ? (int)(slash - __FILE__) + 1 : 0, __FILE__);
    return path;
}

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void first_line(char *out, size_t size, const char *path) {
    FILE *f = fopen(path, "r");
    cr_assert_not_null(f, "%s", path);
    cr_assert_not_null(fgets(out, (int)size, f), "%s", path);
    out[strcspn(out, "\n")] = 0;
    fclose(f);
}

Test(cases_hostile, each_file_is_refused_as_its_first_line_says) {
    int files = 0;
    DIR *d = opendir(directory());
    cr_assert_not_null(d, "%s", directory());
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        char path[1024], want[1200];
        at_cases *cases = NULL;
        at_error err = {{0}};
        if (e->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s", directory(), e->d_name);
        first_line(want, sizeof want, path);
        double start = seconds();
        cr_expect_eq(at_cases_load(&cases, path, NULL, &err), AT_USAGE, "%s", path);
        cr_expect_lt(seconds() - start, 1, "%s", path);
        cr_expect_null(cases);
        cr_expect_str_eq(err.text + strlen(directory()) + 1, want + 2, "%s", path);
        files++;
    }
    closedir(d);
    cr_expect_gt(files, 100);
}

TestSuite(cases_grown, .init = scratch_open, .fini = scratch_close);

/* What would be too large to keep: `unit` repeated up to a mebibyte. */
static void grow(const char *head, const char *unit, size_t bytes) {
    size_t n = strlen(unit), used = strlen(head);
    char *text = malloc(bytes + n + 1);
    cr_assert_not_null(text);
    for (strcpy(text, head); used + n <= bytes; used += n) strcpy(text + used, unit);
    scratch_write("suite.yaml", text);
    free(text);
}

static const char *load_grown(void) {
    static at_error err;
    at_cases *cases = NULL;
    double start = seconds();
    cr_expect_eq(at_cases_load(&cases, scratch_path("suite.yaml"), NULL, &err), AT_USAGE);
    cr_expect_lt(seconds() - start, 2);
    cr_expect_null(cases);
    return err.text + strlen(scratch_path("suite.yaml"));
}

Test(cases_grown, large_files_of_one_trick_end_soon) {
    static const struct {
        const char *head, *unit, *want;
    } row[] = {
        {"", "[", ":1:33: nested more than 32 deep"},
        {"", "{", ":1:33: nested more than 32 deep"},
        {"", "- ", ":1:65: nested more than 32 deep"},
        {"", "? ", ":1:65: nested more than 32 deep"},
        {"", "{a: ", ":1:129: nested more than 32 deep"},
        {"[", "1,", ":1:400000: more than 200000 values"},
        {"\"", "a", ":1:1048577: found unexpected end of stream"},
        {"a: |\n", " x\n", ":1:1: key 'a' is unknown"},
        {"", "&a ", ":1:4: did not find expected"},
        {"", "%TAG !a! x\n", ":1:1: a directive starts with %"},
        {"#", "\n#", ":1:1: the file is empty"},
        {"", "!", ":1:1: tag"},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        grow(row[i].head, row[i].unit, 1 << 20);
        const char *got = load_grown();
        cr_expect_eq(strncmp(got, row[i].want, strlen(row[i].want)), 0, "'%s...' gave %s", row[i].unit, got);
    }
}

Test(cases_grown, a_file_above_the_limit_is_not_read) {
    grow("# ", "x", (1 << 20) + 1);
    cr_expect_str_eq(load_grown(), ":1:1: the file is larger than 1048576 bytes; split the suite");
}

Test(cases_grown, many_different_keys_are_checked_for_twins_in_time) {
    FILE *f = fopen(scratch_path("suite.yaml"), "w");
    cr_assert_not_null(f);
    for (int i = 0; i < 80000; i++) fprintf(f, "k%d: 1\n", i);
    fputs("k0: 1\n", f);
    fclose(f);
    cr_expect_str_eq(load_grown(), ":80001:1: key 'k0' again, first at line 1; keep one");
}

Test(cases_grown, names_are_compared_with_each_other_only_up_to_a_thousand) {
    FILE *f = fopen(scratch_path("suite.yaml"), "w");
    cr_assert_not_null(f);
    fputs("schema: 1\nsuite: suite\nabout: For a test.\nclauses:\n", f);
    for (int i = 0; i < 60000; i++) fprintf(f, " c%d: x\n", i);
    fclose(f);
    cr_expect_str_eq(load_grown(), ":5:2: clause is a map; give a map of names, at most 1024 with those included");
}

Test(cases_grown, an_empty_file_says_how_to_start) {
    scratch_write("suite.yaml", "");
    cr_expect_str_eq(load_grown(), ":1:1: the file is empty; a suite starts with `schema: 1`");
}

Test(cases_grown, what_is_no_file_is_not_opened) {
    cr_assert_eq(mkfifo(scratch_path("suite.yaml"), 0600), 0);
    cr_expect_str_eq(load_grown(), ": cannot be read: it is no regular file; give a suite file or a directory of them");
    unlink(scratch_path("suite.yaml"));
    cr_expect_str_eq(load_grown(),
                     ": cannot be read: No such file or directory; give a suite file or a directory of them");
}

Test(cases_grown, an_include_is_not_followed_out_of_the_directory) {
    scratch_write("suite.yaml", "schema: 1\nsuite: suite\nabout: For a test.\ninclude: [link.yaml]\n");
    cr_assert_eq(symlink("/etc/hostname", scratch_path("link.yaml")), 0);
    const char *got = load_grown();
    cr_expect_not_null(strstr(got, ":4:11: '"), "%s", got);
    cr_expect_not_null(strstr(got, "cannot be read: it is a symbolic link; name a file beside this one"), "%s", got);
}

Test(cases_grown, a_directory_without_suites_is_refused) {
    at_cases *cases = NULL;
    at_error err;
    cr_expect_eq(at_cases_load(&cases, scratch_path(""), NULL, &err), AT_USAGE);
    cr_expect_not_null(strstr(err.text, "holds no case; give a suite file or a directory of them"), "%s", err.text);
}

Test(cases_grown, a_message_prints_on_one_line_whatever_the_file_holds) {
    scratch_write("suite.yaml", "schema: 1\n\"a\\n\\e[31m\\u202e\\u2028\\xff\": 1\nsuite: suite\n");
    cr_expect_str_eq(load_grown(), ":2:1: key 'a\\n\\x1b[31m\\xe2\\x80\\xae\\xe2\\x80\\xa8\xc3\xbf' is unknown; a "
                                   "suite has schema, suite, about, include, "
                                   "geometries, clauses, floor, defaults, cases");
}

Test(cases_grown, ten_thousand_cases_load_in_a_second) {
    FILE *f = fopen(scratch_path("suite.yaml"), "w");
    cr_assert_not_null(f);
    fputs(
        "schema: 1\nsuite: suite\nabout: For a test.\ngeometries: {g: {head_size: 32, v_head_size: 32, num_heads: 1}}\n"
        "defaults: {geometry: g, new: 1}\ncases:\n",
        f);
    for (int i = 0; i < 5000; i++) fprintf(f, "- {name: c%d, why: A reason., past: %d}\n", i, i);
    fputs("- {name: m, why: A reason., matrix: {past: 0..49, softcap: 1..50, dtype: [float16, bfloat16]}}\n", f);
    fclose(f);
    at_cases *cases = NULL;
    at_error err;
    double start = seconds();
    cr_assert_eq(at_cases_load(&cases, scratch_path("suite.yaml"), NULL, &err), AT_OK, "%s", err.text);
    cr_expect_eq(at_cases_count(cases), 10000);
    /* A sanitizer's build takes longer. */
    cr_expect_lt(seconds() - start, getenv("ASAN_OPTIONS") ? 10 : 1);
    at_cases_free(cases);
}
