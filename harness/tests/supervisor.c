/* What a subject can do to its worker, and that it costs one attempt: ten cases of which faulty.so fails on one. */
#define _DEFAULT_SOURCE 1
#include "../supervisor.h"
#include "../clock.h"
#include "device_test.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

enum { CASES = 10 };

typedef struct {
    int records, of[AT_VERDICTS];
    at_record odd; /* the last that is no PASS */
    char ids[CASES + 5][64];
    at_status stop_with; /* what on_record says, once `stop_after` records are there */
    int stop_after;
    int seconds;
    useconds_t sleeps; /* of on_record, the first times */
} seen;

static char suites[PATH_MAX], faulty[PATH_MAX + 64];

static void enter(void) {
    const char *slash = strrchr(__FILE__, '/');
    snprintf(suites, sizeof suites, "%.*ssuites", slash ? (int)(slash - __FILE__) + 1 : 0, __FILE__);
    char inner[PATH_MAX + 64], program[PATH_MAX];
    snprintf(program, sizeof program, "%s", beside("")); /* DIR/tests/subjects/ */
    snprintf(inner, sizeof inner, "%s../../subjects/cpu.so", program);
    if (access(inner, R_OK) != 0)
        snprintf(inner, sizeof inner, "%s../../../subjects/cpu.so", program); /* the release build's lies higher */
    setenv("ATTEST_TEST_INNER", inner, 1);
}

static at_status count(void *user, const at_record *r, at_error *err) {
    (void)err;
    seen *s = user;
    char *text = NULL;
    cr_assert_lt(s->records, CASES + 5);
    if (s->records < 4) usleep(s->sleeps);
    snprintf(s->ids[s->records], sizeof s->ids[0], "%s", r->id);
    s->records++;
    s->of[r->verdict]++;
    if (r->verdict != AT_PASS) {
        at_record_clear(&s->odd);
        cr_assert_eq(at_record_to_json(&text, r, err), AT_OK);
        cr_assert_eq(at_record_from_json(&s->odd, text, strlen(text), err), AT_OK);
        free(text);
    }
    return s->stop_after > 0 && s->records >= s->stop_after ? s->stop_with : AT_OK;
}

static at_status tick(void *user, at_error *err) {
    (void)err;
    ((seen *)user)->seconds++;
    return AT_OK;
}

static at_options options_for(const char *fault) {
    snprintf(faulty, sizeof faulty, "%s:%s", beside("faulty.so"), fault);
    return (at_options){.subject = faulty,
                        .cases = suites,
                        .mode = "eager",
                        .tier = AT_QUICK,
                        .seed = 1,
                        .repeat = 1,
                        .shard = 1,
                        .shards = 1,
                        .memory = (uint64_t)512 << 20};
}

static at_status run(const at_options *o, int jobs, seen *s, bool *interrupted, at_error *err) {
    at_cases *cases = NULL;
    at_selection selection = {0};
    at_supervisor *supervisor = NULL;
    at_header header = {0};
    const at_listener listener = {.on_record = count, .on_second = tick, .user = s};
    at_status st = at_cases_load(&cases, o->cases, NULL, err);
    if (st == AT_OK) st = at_select(&selection, cases, o, err);
    if (st == AT_OK) st = at_supervisor_start(&supervisor, o, &header, err);
    if (st == AT_OK) st = at_supervisor_run(supervisor, &selection, jobs, &listener, interrupted, err);
    at_supervisor_stop(supervisor);
    at_header_clear(&header);
    at_selection_free(&selection);
    at_cases_free(cases);
    cr_expect_eq(waitpid(-1, NULL, WNOHANG), -1, "a worker was left behind");
    cr_expect_eq(errno, ECHILD);
    return st;
}

TestSuite(supervisor, .init = enter);

static void costs_one(const char *fault, int jobs, double timeout, at_verdict verdict, const char *says) {
    seen s = {0};
    at_error err = {0};
    bool interrupted;
    at_options o = options_for(fault);
    o.timeout = timeout;
    cr_assert_eq(run(&o, jobs, &s, &interrupted, &err), AT_OK, "%s: %s", fault, err.text);
    cr_expect_eq(s.records, CASES, "%s: %d records", fault, s.records);
    cr_expect_eq(s.of[AT_PASS], CASES - 1, "%s: %d passed", fault, s.of[AT_PASS]);
    cr_expect_eq(s.of[verdict], 1, "%s is %s: %s", fault, at_verdict_name(s.odd.verdict), s.odd.message);
    cr_expect(s.odd.message != NULL && strstr(s.odd.message, says) != NULL, "%s: '%s' does not say '%s'", fault,
              s.odd.message, says);
    cr_expect(s.odd.repro != NULL && strstr(s.odd.repro, s.odd.id) != NULL, "%s", fault);
    at_record_clear(&s.odd);
}

static void costs_one_and_that(const char *fault, at_verdict verdict, const char *says) {
    costs_one(fault, 1, 0, verdict, says);
    costs_one(fault, 3, 0, verdict, says);
}

Test(supervisor, a_crash_costs_one_attempt_and_names_signal_phase_and_buffer) {
    costs_one_and_that("segv", AT_CRASH,
                       "killed by SIGSEGV (Segmentation fault) in phase 'execute': address 0x8 is in no buffer");
    costs_one_and_that("fault", AT_CRASH, "byte 1 past the end of query (640 bytes)");
}

Test(supervisor, an_abort_costs_one_attempt_and_its_last_words_are_kept) {
    costs_one_and_that(
        "abort", AT_CRASH,
        "killed by SIGABRT (Aborted) in phase 'execute'; its last words: assertion failed: the sky is green");
}

Test(supervisor, an_exit_costs_one_attempt) {
    costs_one_and_that("exit", AT_CRASH, "left with exit status 0 in phase 'execute'");
}

Test(supervisor, a_hang_costs_one_attempt_and_its_time) {
    costs_one("forever", 2, 0.5, AT_TIMEOUT, "no answer within 0.5 s in phase 'execute'");
    costs_one("stop", 2, 0.5, AT_TIMEOUT, "no answer within 0.5 s, and its process is stopped by SIGSTOP in phase");
    costs_one("talk", 2, 0.5, AT_TIMEOUT, "still talking");
}

Test(supervisor, a_closed_pipe_costs_one_attempt) {
    costs_one_and_that("close", AT_CRASH, "writing to a pipe: Bad file descriptor");
}

Test(supervisor, what_a_subject_writes_into_the_pipe_is_no_answer) {
    costs_one_and_that("garbage", AT_CRASH, "into the worker's pipe came what the worker did not send");
    costs_one("half", 1, 10, AT_CRASH, "into the worker's pipe came what the worker did not send");
    costs_one_and_that("forge", AT_CRASH, "into the worker's pipe came what the worker did not send");
}

Test(supervisor, what_a_subject_prints_is_no_verdict) {
    costs_one_and_that("boast", AT_CRASH, "VALIDATED on NVIDIA H200");
}

Test(supervisor, a_leak_is_stopped_at_the_limit_and_costs_one_attempt) {
    costs_one_and_that("leak", AT_CRASH, "killed by SIG");
}

Test(supervisor, a_subject_that_leaves_its_worker_no_memory_costs_one_attempt) {
    seen s = {0};
    at_error err = {0};
    bool interrupted;
    at_options o = options_for("hoard");
    cr_assert_eq(run(&o, 1, &s, &interrupted, &err), AT_OK, "%s", err.text);
    cr_expect_eq(s.records, CASES);
    cr_expect_geq(s.of[AT_PASS], CASES - 1, "no attempt after it suffers");
    at_record_clear(&s.odd);
}

#ifndef __SANITIZE_ADDRESS__ /* there a worker has no limit */
/* Of a run by one worker. How many attempts were without memory. */
static int famines_of(const char *fault, seen *s) {
    char path[] = "/tmp/attest-famines-XXXXXX", text[200] = "";
    at_error err = {0};
    bool interrupted;
    int fd = mkstemp(path);
    setenv("ATTEST_TEST_FAMINES", path, 1);
    at_options o = options_for(fault);
    cr_assert_eq(run(&o, 1, s, &interrupted, &err), AT_OK, "%s", err.text);
    cr_expect_eq(s->records, CASES);
    ssize_t bytes = read(fd, text, sizeof text);
    close(fd);
    unlink(path);
    return (int)bytes / 4;
}

Test(supervisor, an_error_of_the_harness_that_another_attempt_has_caused_is_gone_in_a_new_worker) {
    seen s = {0};
    cr_expect_eq(famines_of("famine", &s), 1);
    cr_expect_eq(s.of[AT_PASS], CASES, "%s", s.odd.message);
}

Test(supervisor, an_error_of_the_harness_that_stays_is_tried_once_more_and_kept) {
    seen s = {0};
    cr_expect_eq(famines_of("starve", &s), 2);
    cr_expect_eq(s.of[AT_PASS], CASES - 1);
    cr_expect_eq(s.of[AT_HARNESS_ERROR], 1);
    cr_expect_not_null(strstr(s.odd.message, "out of memory"), "%s", s.odd.message);
    at_record_clear(&s.odd);
}
#endif

Test(supervisor, a_poisoned_device_costs_the_attempt_that_poisoned_it_and_a_worker) {
    costs_one_and_that("poison", AT_FAIL, "the stream takes no launch: an earlier one failed");
}

Test(supervisor, a_thread_that_dies_between_two_attempts_costs_one) {
    costs_one("bomb", 1, 0, AT_CRASH, "killed by SIGSEGV");
}

Test(supervisor, an_end_while_the_subject_is_put_away_is_blamed_on_what_ran_last) {
    costs_one("unload", 1, 0, AT_CRASH,
              "after its answer, which was PASS: killed by SIGSEGV (Segmentation fault) in phase 'putting");
}

Test(supervisor, a_subject_cannot_end_a_run_by_a_signal_that_is_meant_for_the_job) {
    seen s = {0};
    at_error err = {0};
    bool interrupted;
    at_options o = options_for("term");
    cr_assert_eq(run(&o, 2, &s, &interrupted, &err), AT_OK, "%s", err.text);
    cr_expect_eq(s.of[AT_PASS], CASES);
    cr_expect_not(interrupted);
}

/* run() asserts that no child is left; these would be this process's children, or would have outlived it as somebody
 * else's. */
static void leaves_nothing(const char *fault, at_verdict verdict, int of_it) {
    char path[] = "/tmp/attest-strays-XXXXXX", line[32];
    seen s = {0};
    at_error err = {0};
    bool interrupted;
    int strays = 0;
    close(mkstemp(path));
    setenv("ATTEST_TEST_STRAYS", path, 1);
    at_options o = options_for(fault);
    double start = at_seconds_now();
    cr_assert_eq(run(&o, 1, &s, &interrupted, &err), AT_OK, "%s", err.text);
    cr_expect_lt(at_seconds_now() - start, 20, "nobody waits for them");
    cr_expect_eq(s.records, CASES);
    cr_expect_eq(s.of[verdict], of_it, "%s", s.odd.message);
    FILE *f = fopen(path, "r");
    for (; fgets(line, sizeof line, f) != NULL; strays++)
        cr_expect(kill((pid_t)atoi(line), 0) != 0 && errno == ESRCH, "process %s is still there", line);
    cr_expect_geq(strays, 2, "the subject left none: nothing was tested");
    fclose(f);
    unlink(path);
    at_record_clear(&s.odd);
}

Test(supervisor, processes_that_a_subject_leaves_in_another_session_end_with_its_worker) {
    leaves_nothing("strays", AT_PASS, CASES);
}

Test(supervisor, a_crash_is_seen_at_once_though_a_stray_process_holds_the_pipe) {
    leaves_nothing("deserter", AT_CRASH, 1);
}

/* A disk that hangs, or a search for the place of a fault. */
Test(supervisor, an_answer_that_came_while_the_supervisor_was_busy_is_in_time) {
    seen s = {.sleeps = 700000};
    at_error err = {0};
    bool interrupted;
    at_options o = options_for("fine");
    o.timeout = 0.5;
    cr_assert_eq(run(&o, 3, &s, &interrupted, &err), AT_OK, "%s", err.text);
    cr_expect_eq(s.of[AT_PASS], CASES, "%d time-outs: %s", s.of[AT_TIMEOUT], s.odd.message);
    at_record_clear(&s.odd);
}

Test(supervisor, a_wrong_answer_is_a_failure_of_its_attempt_and_of_no_other) {
    costs_one_and_that("wrong", AT_FAIL, "value: output: token 0");
}

Test(supervisor, a_verdict_that_changes_between_repeats_is_flaky) {
    seen s = {0};
    at_error err = {0};
    bool interrupted;
    at_options o = options_for("flaky");
    o.repeat = 4;
    cr_assert_eq(run(&o, 1, &s, &interrupted, &err), AT_OK, "%s", err.text);
    cr_expect_eq(s.records, CASES, "each attempt has one record, not one a repeat");
    cr_expect_eq(s.of[AT_FLAKY], 1);
    cr_expect_not_null(strstr(s.odd.message, "of 4 runs: 2 PASS, 2 FAIL"), "%s", s.odd.message);
    at_record_clear(&s.odd);
    o = options_for("wrong");
    o.repeat = 3;
    s = (seen){0};
    cr_assert_eq(run(&o, 2, &s, &interrupted, &err), AT_OK, "%s", err.text);
    cr_expect_eq(s.of[AT_FAIL], 1, "wrong each time is wrong, not flaky");
    at_record_clear(&s.odd);
}

Test(supervisor, a_crash_among_repeats_is_flaky_only_if_the_others_do_not_crash) {
    seen s = {0};
    at_error err = {0};
    bool interrupted;
    at_options o = options_for("segv");
    o.repeat = 2;
    cr_assert_eq(run(&o, 1, &s, &interrupted, &err), AT_OK, "%s", err.text);
    cr_expect_eq(s.of[AT_CRASH], 1);
    cr_expect_eq(s.of[AT_PASS], CASES - 1);
    at_record_clear(&s.odd);
}

Test(supervisor, every_attempt_is_handed_over_once_whatever_the_number_of_workers) {
    for (int jobs = 1; jobs <= 16; jobs *= 4) {
        seen s = {0};
        at_error err = {0};
        bool interrupted, same = false;
        at_options o = options_for("fine");
        cr_assert_eq(run(&o, jobs, &s, &interrupted, &err), AT_OK, "%s", err.text);
        cr_expect_eq(s.of[AT_PASS], CASES);
        for (int i = 0; i < s.records; i++) {
            for (int k = 0; k < i; k++) same |= strcmp(s.ids[i], s.ids[k]) == 0;
        }
        cr_expect_not(same);
    }
}

Test(supervisor, an_error_of_the_listener_ends_the_run_with_it) {
    seen s = {.stop_after = 3, .stop_with = AT_INFRASTRUCTURE};
    at_error err = {0};
    bool interrupted;
    at_options o = options_for("fine");
    cr_expect_eq(run(&o, 2, &s, &interrupted, &err), AT_INFRASTRUCTURE);
    cr_expect_eq(s.records, 3);
}

static at_status count_and_interrupt(void *user, const at_record *r, at_error *err) {
    at_status st = count(user, r, err);
    if (((seen *)user)->records == 2) raise(SIGTERM);
    return st;
}

Test(supervisor, a_signal_ends_a_run_in_order) {
    at_cases *cases = NULL;
    at_selection selection = {0};
    at_supervisor *supervisor = NULL;
    at_header header = {0};
    seen s = {0};
    const at_listener listener = {.on_record = count_and_interrupt, .user = &s};
    at_error err = {0};
    bool interrupted = false;
    at_options o = options_for("fine");
    cr_assert_eq(at_cases_load(&cases, o.cases, NULL, &err), AT_OK);
    cr_assert_eq(at_select(&selection, cases, &o, &err), AT_OK);
    cr_assert_eq(at_supervisor_start(&supervisor, &o, &header, &err), AT_OK, "%s", err.text);
    cr_expect_eq(at_supervisor_run(supervisor, &selection, 1, &listener, &interrupted, &err), AT_OK);
    at_supervisor_stop(supervisor);
    cr_expect(interrupted);
    cr_expect_geq(s.records, 2);
    cr_expect_lt(s.records, CASES);
    cr_expect_eq(s.of[AT_PASS], s.records, "nothing is blamed for the interruption");
    at_header_clear(&header);
    at_selection_free(&selection);
    at_cases_free(cases);
}

Test(supervisor, the_first_hello_names_subject_device_and_the_digest_of_the_file) {
    at_supervisor *supervisor = NULL;
    at_header header = {0};
    at_error err = {0};
    at_options o = options_for("fine");
    cr_assert_eq(at_supervisor_start(&supervisor, &o, &header, &err), AT_OK, "%s", err.text);
    cr_expect_str_eq(header.subject, "fine");
    cr_expect_str_eq(header.device_kind, "cpu");
    cr_expect_eq(strlen(header.subject_digest), 64);
    at_supervisor_stop(supervisor);
    at_header_clear(&header);
}

static void does_not_start(const char *name, at_status due, const char *says) {
    char subject[PATH_MAX + 16];
    snprintf(subject, sizeof subject, "%s", name);
    at_supervisor *supervisor = NULL;
    at_header header = {0};
    at_error err = {0};
    at_options o = options_for("fine");
    o.subject = subject;
    cr_expect_eq(at_supervisor_start(&supervisor, &o, &header, &err), due, "%s: %s", subject, err.text);
    cr_expect_null(supervisor);
    cr_expect_not_null(strstr(err.text, says), "%s: %s", subject, err.text);
    cr_expect_null(strchr(err.text, '\n'));
}

Test(supervisor, a_subject_that_is_none_is_said_in_one_line_and_validates_nothing) {
    does_not_start("/nowhere/at/all.so", AT_UNVALIDATED, "No such file or directory");
    does_not_start(suites, AT_UNVALIDATED, "not a shared object");
    does_not_start(beside("no_symbol.so"), AT_UNVALIDATED, "exports no at_subject_v1");
}

Test(supervisor, a_subject_of_another_abi_is_said_so) {
    char other[PATH_MAX + 8];
    snprintf(other, sizeof other, "%s:1", beside("broken.so"));
    does_not_start(other, AT_UNVALIDATED, "ABI 7 and this program ABI 1");
}

Test(supervisor, a_subject_that_kills_its_worker_while_it_is_loaded_validates_nothing) {
    setenv("ATTEST_TEST_INNER", "/nowhere.so", 1); /* faulty.so aborts then */
    does_not_start(beside("faulty.so"), AT_UNVALIDATED, "a worker did not come up: killed by SIGABRT");
}
