/* A run goes on where its journal ended, and with that journal alone. */
#define _DEFAULT_SOURCE 1
#include "../resume.h"
#include "cases_scratch.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static at_cases *cases;
static at_selection selection;
static char path[400];
static at_error err;

static void select_all(void) {
    const at_options o = {.tier = AT_STRESS, .tier_given = true, .shard = 1, .shards = 1};
    at_selection_free(&selection);
    cr_assert_eq(at_select(&selection, cases, &o, &err), AT_OK, "%s", err.text);
}

static void enter(void) {
    scratch_open();
    cases = scratch_load("cases:\n  - {name: m, why: A reason., geometry: tiny, new: 1, matrix: {past: 0..9}}\n");
    select_all();
    snprintf(path, sizeof path, "%s", scratch_path("results.jsonl"));
}
static void leave(void) {
    at_selection_free(&selection);
    at_cases_free(cases);
    scratch_close();
}
TestSuite(resume, .init = enter, .fini = leave);

static at_header header(void) {
    return (at_header){.planned = 20,
                       .planned_cases = 10,
                       .subject = "v1",
                       .plan = selection.plan,
                       .seed = 1,
                       .shard = 1,
                       .shards = 1,
                       .repeat = 1};
}

static at_status open_journal(at_journal_writer **w, size_t *done, bool resume, at_header h) {
    return at_resume(w, done, &selection, path, resume, &h, &err);
}

/* The first n choices as an earlier run left them. */
static void leave_records(size_t n) {
    at_journal_writer *w = NULL;
    size_t done;
    cr_assert_eq(open_journal(&w, &done, false, header()), AT_OK, "%s", err.text);
    for (size_t i = 0; i < n; i++) {
        at_record r = {.id = selection.choice[i].c->id,
                       .mode = (char *)(uintptr_t)selection.choice[i].mode->name,
                       .verdict = AT_PASS};
        cr_assert_eq(at_journal_append(w, &r, &err), AT_OK);
    }
    at_journal_abandon(w);
}

Test(resume, what_stands_in_the_journal_is_not_run_again) {
    at_journal_writer *w = NULL;
    size_t done, all = selection.choices;
    leave_records(7);
    const at_choice eighth = selection.choice[7];
    cr_assert_eq(open_journal(&w, &done, true, header()), AT_OK, "%s", err.text);
    cr_expect_eq(done, 7);
    cr_expect_eq(selection.choices, all - 7);
    cr_expect(selection.choice[0].c == eighth.c && selection.choice[0].mode == eighth.mode);
    at_journal_abandon(w);
}

Test(resume, without_the_word_a_run_begins_anew) {
    at_journal_writer *w = NULL;
    size_t done, all = selection.choices;
    leave_records(7);
    cr_assert_eq(open_journal(&w, &done, false, header()), AT_OK);
    cr_expect_eq(done, 0);
    cr_expect_eq(selection.choices, all);
    at_journal_abandon(w);
}

Test(resume, with_nothing_to_go_on_with_it_begins) {
    at_journal_writer *w = NULL;
    size_t done;
    cr_assert_eq(open_journal(&w, &done, true, header()), AT_OK, "no file: %s", err.text);
    at_journal_abandon(w);
    cr_assert_eq(truncate(path, 0), 0);
    cr_assert_eq(open_journal(&w, &done, true, header()), AT_OK, "empty: %s", err.text);
    at_journal_abandon(w);
    cr_assert_eq(truncate(path, 30), 0);
    cr_assert_eq(open_journal(&w, &done, true, header()), AT_OK, "a torn header: %s", err.text);
    cr_expect_eq(done, 0);
    at_journal_abandon(w);
}

static void refuses(at_header h, const char *says) {
    at_journal_writer *w = NULL;
    size_t done;
    leave_records(3);
    cr_expect_eq(open_journal(&w, &done, true, h), AT_USAGE);
    cr_expect_null(w);
    cr_expect_not_null(strstr(err.text, says), "'%s' does not say '%s'", err.text, says);
}

Test(resume, a_journal_of_another_run_is_refused_by_what_differs) {
    at_header h = header();
    h.seed = 2, refuses(h, "differ in seed: 1, 2");
    h = header(), h.subject = "v2", refuses(h, "differ in subject: v1, v2");
    h = header(), h.subject_digest = "abc", refuses(h, "differ in the subject's file (it was built anew): none, abc");
    h = header(), h.plan = "other", refuses(h, "differ in the digest of their cases");
    h = header(), h.device = "NVIDIA H200", refuses(h, "differ in device: none, NVIDIA H200");
    h = header(), h.shard = 2, refuses(h, "differ in shard: 1, 2");
    h = header(), h.revision = "r2", refuses(h, "differ in revision of attest");
    h = header(), h.waivers = "w", refuses(h, "differ in the waivers' digest");
}

Test(resume, a_record_that_is_not_of_this_run_is_refused) {
    at_journal_writer *w = NULL;
    size_t done;
    at_record stranger = {.id = "suite/other", .mode = "eager"};
    at_header h = header();
    cr_assert_eq(at_journal_create(&w, path, &h, &err), AT_OK);
    cr_assert_eq(at_journal_append(w, &stranger, &err), AT_OK);
    at_journal_abandon(w);
    cr_expect_eq(open_journal(&w, &done, true, header()), AT_USAGE);
    cr_expect_not_null(strstr(err.text, "holds 1 records of which 0 are of this run"), "%s", err.text);
}
