#include "sample.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static char *text_on(const at_journal *j, const at_screen *screen, bool colour) {
    char *text = NULL;
    size_t bytes = 0;
    at_error err;
    FILE *f = open_memstream(&text, &bytes);
    cr_assert_eq(at_report_text(j, f, screen, colour, &err), AT_OK, "%s", err.text);
    fclose(f);
    return text;
}

static char *text_of(const at_journal *j, bool colour) {
    return text_on(j, NULL, colour);
}

static at_journal *with_a_fault(void) {
    at_journal *j = sample_journal();
    sample_attempt(j, "a/1", AT_PASS);
    at_record *r = sample_attempt(j, "a/2", AT_FAIL);
    sample_tensor(r, "output", 1.25);
    sample_finding(r, "value", "token 3 is off");
    r->explanation = sample_list("zeros: nothing but zeros", "b: c", "d: e", "f: g", "h: i", NULL);
    r = sample_attempt(j, "a/3", AT_FAIL);
    sample_finding(r, "value", "token 4 is off");
    r = sample_attempt(j, "a/4", AT_NOT_RUN);
    sample_set(&r->message, "stopped after 2 failures");
    return j;
}

Test(text, a_fault_is_shown_once_with_its_first_finding_and_the_line_that_repeats_it) {
    at_journal *j = with_a_fault();
    char *text = text_of(j, false);
    cr_expect_str_eq(text, "attempts  1 PASS, 2 FAIL, 1 NOT_RUN\n"
                           "worst     1.25 of the budget: a/2, output token 3 head 1 channel 77\n"
                           "          due 1.5, got 1.75, allowed 1.4 to 1.6\n"
                           "FAIL a/2 [eager] and 1 more\n"
                           "     value: token 3 is off\n"
                           "     agrees with zeros: nothing but zeros; or b, d, f, 1 more\n"
                           "     attest repro a/2 --mode eager\n"
                           "not run   1: stopped after 2 failures\n");
    free(text);
    at_journal_free(j);
}

Test(text, a_finding_s_numbers_are_not_cut_off_and_what_has_no_figure_has_none) {
    static const char found[] =
        "written row, passed through: token 1234 (sequence 123, position 123456, page 1234, slot 123456), head 127, "
        "channel 511: want -0.325195312, got -0.1123456 (0x1234), allowed 0.325195312 to 0.325195325";
    at_journal *j = sample_journal();
    at_record *r = sample_attempt(j, "a/1", AT_FAIL);
    sample_tensor(r, "key_cache_out", INFINITY)->high = 1.4;
    sample_finding(r, "value", found);
    char *text = text_of(j, false);
    cr_expect_not_null(strstr(text, found), "%s", text);
    cr_expect_not_null(strstr(text, "worst     beyond any budget: a/1"), "%s", text);
    cr_expect_not_null(strstr(text, "allowed only 1.4\n"), "%s", text);
    free(text);
    at_journal_free(j);
}

/* Suites a to e, one fault each, with these explanations. */
static at_journal *explained_by(char **(*explanation)(int)) {
    at_journal *j = sample_journal();
    for (int i = 0; i < 5; i++) {
        const char id[] = {(char)('a' + i), '/', '1', 0};
        at_record *r = sample_attempt(j, id, AT_FAIL);
        sample_finding(r, "value", "token 3 is off");
        r->explanation = explanation(i);
    }
    return j;
}

static char **clear_ones_last(int i) {
    if (i == 0) return sample_list("none of 38 known wrong readings", NULL);
    if (i == 1) return sample_list("zeros: nothing but zeros", "value-mean: the mean of the visible values", NULL);
    return i == 2 ? sample_list("page-tail: the last page is read to its end", NULL)
                  : sample_list("window-wider: the window keeps one key more", NULL);
}

static char **unclear_ones(int i) {
    return i == 2 ? NULL : clear_ones_last(i % 2);
}

Test(text, faults_that_one_reading_explains_come_first_and_are_counted_by_it) {
    at_journal *j = explained_by(clear_ones_last);
    char *text = text_of(j, false);
    const char *c = strstr(text, "FAIL c/1"), *d = strstr(text, "FAIL d/1"), *e = strstr(text, "FAIL e/1");
    cr_expect(c != NULL && d != NULL && e != NULL && c < d && d < e, "%s", text);
    cr_expect_not_null(strstr(text, "... and 2 more faults in 2 attempts: summary.md has the first, report.json all\n"
                                    "explained window-wider in 2 of 5, page-tail in 1\n"),
                       "%s", text);
    free(text);
    at_journal_free(j);
}

Test(text, what_no_reading_explains_alone_is_not_counted_and_stands_where_it_stood) {
    at_journal *j = explained_by(unclear_ones);
    char *text = text_of(j, false);
    cr_expect_null(strstr(text, "explained "), "%s", text);
    const char *a = strstr(text, "FAIL a/1"), *b = strstr(text, "FAIL b/1"), *c = strstr(text, "FAIL c/1");
    cr_expect(a != NULL && b != NULL && c != NULL && a < b && b < c, "%s", text);
    free(text);
    at_journal_free(j);
}

/* Of 100 attempts the first `keeping` keep so much. */
static char *text_with_leaks(int keeping, int64_t kept) {
    at_journal *j = sample_journal();
    for (int i = 0; i < 100; i++) {
        char id[64];
        snprintf(id, sizeof id, "suite/case/i=%d", i);
        at_record *r = sample_attempt(j, id, AT_PASS);
        r->held_before = 1 << 20;
        r->held_after = r->held_before + (i < keeping ? kept + i : 1000);
    }
    char *text = text_of(j, false);
    at_journal_free(j);
    return text;
}

Test(text, a_subject_that_keeps_memory_is_named_and_one_that_warms_up_is_not) {
    static const struct {
        int keeping;
        int64_t kept;
        bool said;
    } row[] = {{100, 1 << 21, true}, {5, 1 << 21, true}, {4, 1 << 21, false}, {100, 40000, false}, {0, 0, false}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char *text = text_with_leaks(row[i].keeping, row[i].kept);
        cr_expect_eq(strstr(text, "\nmemory ") != NULL, row[i].said, "row %zu: %s", i, text);
        free(text);
    }
    char *text = text_with_leaks(100, 1 << 21);
    cr_expect_not_null(strstr(text, "memory    100 of 100 attempts did not give back what they took, 200 MiB in all; "
                                    "most, 2 MiB: suite/case/i=99\n"),
                       "%s", text);
    free(text);
}

Test(text, colour_is_there_only_when_asked_for) {
    at_journal *j = with_a_fault();
    char *text = text_of(j, true), *plain = text_of(j, false);
    cr_expect_not_null(strstr(text, "2 \x1b[31mFAIL\x1b[0m"), "%s", text);
    cr_expect_null(strchr(plain, '\x1b'));
    free(text);
    free(plain);
    at_journal_free(j);
}

Test(text, thousands_of_faults_fit_a_screen) {
    at_journal *j = sample_journal();
    for (int i = 0; i < 3000; i++) {
        char id[64], text[600];
        snprintf(id, sizeof id, "suite%d/case/i=%d", i % 100, i);
        memset(text, 'x', sizeof text - 1), text[sizeof text - 1] = 0;
        at_record *r = sample_attempt(j, id, i % 3 ? AT_FAIL : AT_NOT_RUN);
        sample_tensor(r, "output", i);
        sample_finding(r, "value", text);
        r->explanation = sample_list(text, text, text, text, NULL);
        snprintf(text, sizeof text, "reason %d", i % 7);
        if (i % 3 == 0) sample_set(&r->message, text);
    }
    j->header.planned += 7;
    char *text = text_of(j, false);
    int lines = sample_count(text, "\n");
    cr_expect(lines <= 24, "%d lines:\n%s", lines, text);
    cr_expect_not_null(strstr(text, "and 97 more faults"), "%s", text);
    cr_expect_not_null(strstr(text, "for 4 more reasons"), "%s", text);
    cr_expect_not_null(strstr(text, "7 of 3007 planned attempts left no record"), "%s", text);
    for (const char *line = text; *line != 0; line = strchr(line, '\n') + 1) cr_expect(strcspn(line, "\n") < 250);
    free(text);
    at_journal_free(j);
}

Test(text, faults_that_a_screen_has_no_room_for_are_counted) {
    at_journal *j = sample_journal();
    for (int i = 0; i < 5; i++) {
        char id[200];
        snprintf(id, sizeof id, "suite%d/%0150d", i, i);
        sample_tensor(sample_attempt(j, id, AT_FAIL), "output", 2);
    }
    const struct {
        at_screen screen;
        const char *more;
    } row[] = {{{24, 80}, "and 3 more faults in 3"},
               {{24, 200}, "and 2 more faults"},
               {{50, 80}, "and 2 more faults"},
               {{5, 80}, "and 4 more faults"},
               {{0, 0}, "and 2 more faults"}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char *text = text_on(j, &row[i].screen, true);
        cr_expect_not_null(strstr(text, row[i].more), "%zu: no '%s' in\n%s", i, row[i].more, text);
        if (row[i].screen.rows >= 24) cr_expect_leq(at_screen_rows(&row[i].screen, text) + 3, row[i].screen.rows);
        free(text);
    }
    at_journal_free(j);
}

Test(text, names_and_messages_cannot_steer_the_terminal) {
    at_journal *j = sample_journal();
    at_record *r = sample_attempt(j, hostile, AT_CRASH);
    sample_set(&r->name, hostile), sample_set(&r->mode, hostile), sample_set(&r->repro, hostile);
    sample_tensor(r, hostile, 2);
    sample_finding(r, hostile, hostile);
    r->explanation = sample_list(hostile, NULL);
    r = sample_attempt(j, "a/2", AT_NOT_RUN);
    sample_set(&r->message, hostile);
    char *text = text_of(j, false);
    for (const char *c = text; *c != 0; c++)
        cr_assert(*c == '\n' || (*c >= 0x20 && *c < 0x7f), "0x%02x in %s", (unsigned char)*c, text);
    cr_expect_eq(sample_count(text, "\n"), 9, "no line of theirs: %s", text);
    free(text);
    at_journal_free(j);
}

Test(text, a_terminal_that_takes_nothing_is_an_error) {
    at_journal *j = with_a_fault();
    at_error err;
    FILE *full = fopen("/dev/full", "w");
    cr_assert_not_null(full);
    cr_expect_eq(at_report_text(j, full, NULL, false, &err), AT_INFRASTRUCTURE);
    cr_expect_not_null(strstr(err.text, "No space left"), "%s", err.text);
    fclose(full);
    at_journal_free(j);
}
