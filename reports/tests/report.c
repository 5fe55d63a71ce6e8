#include "sample.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static at_journal *with_everything_hostile(void) {
    at_journal *j = sample_journal();
    at_record *r = NULL;
    for (int v = 0; v < AT_VERDICTS; v++) {
        r = sample_attempt(j, hostile, (at_verdict)v);
        char **text[] = {&r->hash,       &r->suite,   &r->name,    &r->why,           &r->subject,
                         &r->mode,       &r->dialect, &r->dtype,   &r->geometry,      &r->tier,
                         &r->design,     &r->gate,    &r->rule,    &r->inputs_digest, &r->output_digest,
                         &r->arithmetic, &r->device,  &r->message, &r->repro,         &r->place};
        for (size_t i = 0; i < sizeof text / sizeof *text; i++) sample_set(text[i], hostile);
        r->tags = sample_list(hostile, NULL), r->covers = sample_list(hostile, NULL),
        r->axes = sample_list(hostile, "a=b", NULL), r->explanation = sample_list(hostile, NULL),
        r->attributes = sample_list(hostile, NULL), r->shapes = sample_list(hostile, NULL),
        r->sequences = sample_list(hostile, NULL);
        sample_tensor(r, hostile, 0.5);
        sample_finding(r, hostile, hostile);
    }
    at_header *h = &j->header;
    char **text[] = {&h->attest_version, &h->revision, &h->subject, &h->subject_version, &h->device,
                     &h->arch,           &h->driver,   &h->tier,    &h->filter};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) sample_set(text[i], hostile);
    sample_set(&h->device_kind, "cuda");
    h->universe = sample_list(hostile, "axis:a=b", "axis:c=d", "odd", "", NULL);
    h->suites = sample_list(hostile, NULL);
    return j;
}

Test(report, no_file_has_anything_of_a_hostile_journal_as_it_was) {
    at_journal *j = with_everything_hostile();
    size_t count;
    const at_writer *w = at_writers(&count);
    cr_assert_geq(count, 7);
    for (size_t i = 0; i < count; i++) {
        char *text = sample_report(j, w[i].name);
        bool json = strstr(w[i].file, ".json") != NULL;
        cr_expect_gt(sample_count(text, "alert"), 0, "%s shows it in some way", w[i].file);
        if (!json && strcmp(w[i].name, "text") != 0) cr_expect_null(strstr(text, "<script>"), "%s", w[i].file);
        if (strstr(w[i].file, ".md") != NULL) {
            cr_expect_null(strstr(text, "**x**"), "%s", w[i].file);
            cr_expect_null(strstr(text, "[y](http://z)"), "%s", w[i].file);
        }
        for (const char *c = text; *c != 0; c++)
            cr_assert(*c == '\n' || (unsigned char)*c >= 0x20, "0x%02x in %s", *c, w[i].file);
        cr_expect_null(strstr(text, "\xff"), "%s", w[i].file);
        if (!json) cr_expect_null(strstr(text, "\xE2\x80\xAE"), "%s", w[i].file);
        free(text);
    }
    at_journal_free(j);
}

Test(report, json_says_verdict_exit_counts_header_and_attempts) {
    at_journal *j = with_everything_hostile();
    char *text = sample_report(j, "json");
    json_error_t where;
    json_t *tree = json_loads(text, JSON_REJECT_DUPLICATES, &where);
    cr_assert_not_null(tree, "%s at %d", where.text, where.position);
    cr_expect_str_eq(json_string_value(json_object_get(tree, "verdict")), "INFRASTRUCTURE");
    cr_expect_eq(json_integer_value(json_object_get(tree, "exit")), 3);
    json_t *counts = json_object_get(json_object_get(tree, "counts"), "attempts");
    cr_expect_eq(json_object_size(counts), AT_VERDICTS);
    cr_expect_eq(json_integer_value(json_object_get(counts, "FLAKY")), 1);
    cr_expect_eq(
        json_integer_value(json_object_get(json_object_get(json_object_get(tree, "counts"), "cases"), "failed")), 1);
    cr_expect_eq(json_integer_value(json_object_get(json_object_get(tree, "header"), "planned")), AT_VERDICTS);
    json_t *attempts = json_object_get(tree, "attempts");
    cr_assert_eq(json_array_size(attempts), AT_VERDICTS);
    char *line = json_dumps(json_array_get(attempts, 2), 0);
    at_record r;
    at_error err;
    cr_assert_eq(at_record_from_json(&r, line, strlen(line), &err), AT_OK, "an attempt is the journal's record: %s",
                 err.text);
    cr_expect_eq(r.verdict, AT_FAIL);
    at_record_clear(&r);
    free(line);
    json_decref(tree);
    free(text);
    at_journal_free(j);
}

Test(report, an_empty_journal_has_all_reports_too) {
    at_journal *j = sample_journal();
    size_t count;
    const at_writer *w = at_writers(&count);
    for (size_t i = 0; i < count; i++) {
        char *text = sample_report(j, w[i].name);
        cr_expect_gt(strlen(text), 10, "%s", w[i].file);
        free(text);
    }
    at_journal_free(j);
}

static char home[] = "/tmp/attest-home-XXXXXX";

static const char *in_home(const char *name) {
    static char path[200];
    snprintf(path, sizeof path, "%s/%s", home, name);
    return path;
}

static void remove_home(void) {
    char command[300];
    snprintf(command, sizeof command, "rm -rf '%s'", home);
    cr_assert_eq(system(command), 0);
}

Test(report, a_directory_is_made_with_its_parents_and_left_empty) {
    at_error err;
    cr_assert_not_null(mkdtemp(home));
    cr_assert_eq(at_report_directory(in_home("a/b//c"), &err), AT_OK, "%s", err.text);
    cr_expect_eq(at_report_directory(in_home("a/b/c/"), &err), AT_OK, "once more: %s", err.text);
    cr_expect_eq(rmdir(in_home("a/b/c")), 0, "nothing is left in it");
    remove_home();
}

Test(report, a_directory_that_cannot_be_written_is_refused_before_anything_runs) {
    at_error err = {""};
    char long_name[5000];
    memset(long_name, 'x', sizeof long_name - 1), long_name[sizeof long_name - 1] = 0;
    cr_assert_not_null(mkdtemp(home));
    int fd = open(in_home("file"), O_CREAT | O_WRONLY, 0666);
    close(fd);
    const char *place[] = {in_home("file"), "/proc/attest", "/dev/null/x", long_name};
    for (size_t i = 0; i < sizeof place / sizeof *place; i++) {
        cr_expect_eq(at_report_directory(place[i], &err), AT_USAGE, "%s: %s", place[i], err.text);
        cr_expect_eq(strncmp(err.text, place[i], 5), 0, "%s", err.text);
        cr_expect_not_null(strstr(err.text, "--out"), "%s", err.text);
    }
    at_journal *j = sample_journal();
    cr_expect_eq(at_report_write_all(j, in_home("nowhere"), &err), AT_USAGE);
    cr_expect_not_null(strstr(err.text, "nowhere"), "%s", err.text);
    at_journal_free(j);
    remove_home();
}

Test(report, a_full_disk_leaves_no_half_report_and_says_so) {
    at_journal *j = sample_journal();
    at_error err = {""};
    for (int i = 0; i < 200; i++) {
        char id[32];
        snprintf(id, sizeof id, "a/%d", i);
        sample_tensor(sample_attempt(j, id, AT_PASS), "output", 0.1);
    }
    cr_assert_not_null(mkdtemp(home));
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit small = {10000, RLIM_INFINITY};
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
    cr_expect_eq(at_report_write_all(j, home, &err), AT_INFRASTRUCTURE);
    cr_expect_not_null(strstr(err.text, "report.json"), "%s", err.text);
    cr_expect_neq(access(in_home("report.json"), F_OK), 0);
    cr_expect_neq(access(in_home(".part"), F_OK), 0);
    cr_expect_eq(access(in_home("report.txt"), F_OK), 0, "what fits is still written");
    cr_expect_eq(access(in_home("summary.md"), F_OK), 0, "what fits is still written");
    remove_home();
    at_journal_free(j);
}

/* So short a file reaches the disk when it is closed. */
Test(report, a_disk_that_is_full_at_the_close_is_noticed_too) {
    at_journal *j = sample_journal();
    at_error err = {""};
    cr_assert_not_null(mkdtemp(home));
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit tiny = {20, RLIM_INFINITY};
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &tiny), 0);
    cr_expect_eq(at_report_write_all(j, home, &err), AT_INFRASTRUCTURE);
    cr_expect_not_null(strstr(err.text, "report.txt"), "the first that failed is named: %s", err.text);
    cr_expect_eq(rmdir(home), 0, "nothing is left");
    at_journal_free(j);
}
