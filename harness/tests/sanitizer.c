/* Logs of compute-sanitizer, and where the tool is looked for. */
#define _DEFAULT_SOURCE 1
#include "../sanitizer.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static at_record record;
static at_sanitizer_log log_;
static at_error err;

static void enter(void) {
    record = (at_record){.verdict = AT_PASS};
    log_ = (at_sanitizer_log){0};
}
static void leave(void) {
    at_record_clear(&record);
}
TestSuite(sanitizer, .init = enter, .fini = leave);

static const char banner[] = "========= COMPUTE-SANITIZER\n";
static const char finding[] = "========= Invalid __global__ read of size 4 bytes\n"
                              "=========     at v1_attend(pa_problem)+0x1a0 in v1.cu:88\n"
                              "=========     by thread (3,0,0) in block (0,0,0)\n"
                              "=========     Access to 0x7f0000001000 is out of bounds\n"
                              "=========     Saved host backtrace up to driver entry point at kernel launch time\n"
                              "=========         Host Frame: main in attest\n"
                              "=========\n";

static void read_log(const char *text) {
    cr_assert_eq(at_sanitizer_findings(&log_, text, "memcheck", &record, &err), AT_OK, "%s", err.text);
}

Test(sanitizer, a_clean_log_has_no_finding_and_ends_with_its_summary) {
    read_log(banner);
    cr_expect_not(log_.summary);
    read_log("========= ERROR SUMMARY: 0 errors\n");
    cr_expect(log_.summary);
    cr_expect_eq(record.findings, 0);
    cr_expect_eq(record.verdict, AT_PASS);
}

Test(sanitizer, each_finding_fails_the_attempt_and_tells_kernel_and_thread) {
    read_log(banner);
    read_log(finding);
    cr_expect_eq(record.verdict, AT_FAIL);
    cr_expect_eq(record.findings, 1);
    cr_expect_str_eq(record.finding[0].detector, "memcheck");
    cr_expect_str_eq(record.finding[0].text,
                     "Invalid __global__ read of size 4 bytes; at v1_attend(pa_problem)+0x1a0 in v1.cu:88; by thread "
                     "(3,0,0) in block (0,0,0); Access to 0x7f0000001000 is out of bounds");
    read_log(finding);
    read_log(finding);
    cr_expect_eq(record.findings_all, 3);
}

Test(sanitizer, a_race_is_a_finding_and_a_warning_is_none) {
    read_log(
        "========= Warning: Race reported between Write access at a and Read access at b\n=========     and more\n");
    cr_expect_eq(record.findings_all, 0);
    read_log("========= Error: Race reported between Write access at a and Read access at b\n"
             "========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)\n");
    cr_expect_eq(record.findings_all, 1);
    cr_expect(log_.summary);
}

Test(sanitizer, a_crash_stays_a_crash) {
    record.verdict = AT_CRASH;
    read_log(finding);
    cr_expect_eq(record.verdict, AT_CRASH);
    cr_expect_eq(record.findings_all, 1);
}

Test(sanitizer, a_tool_that_failed_is_no_clean_log) {
    at_status st = at_sanitizer_findings(
        &log_,
        "========= COMPUTE-SANITIZER\n========= Error: Target application terminated before first "
        "instrumented API call\n",
        "memcheck", &record, &err);
    cr_expect_eq(st, AT_INFRASTRUCTURE);
    cr_expect_not_null(strstr(err.text, "before first instrumented API call"));
}

Test(sanitizer, what_comes_between_two_readings_is_the_seconds) {
    int fd = memfd_create("log", 0);
    cr_assert_eq(write(fd, banner, strlen(banner)), (ssize_t)strlen(banner));
    cr_assert_eq(at_sanitizer_read(&log_, fd, "memcheck", &record, &err), AT_OK);
    cr_expect_eq(record.findings, 0);
    cr_assert_eq(write(fd, finding, strlen(finding)), (ssize_t)strlen(finding));
    cr_assert_eq(at_sanitizer_read(&log_, fd, "memcheck", &record, &err), AT_OK);
    cr_expect_eq(record.findings_all, 1);
    cr_assert_eq(at_sanitizer_read(&log_, fd, "memcheck", &record, &err), AT_OK);
    cr_expect_eq(record.findings_all, 1, "nothing is told twice");
    close(fd);
}

Test(sanitizer, arguments_name_tool_and_log_and_leave_api_errors_to_the_harness) {
    const char *out[AT_SANITIZER_ARGUMENTS];
    char all[400] = "";
    size_t n = at_sanitizer_arguments(out, "memcheck", "/log");
    for (size_t i = 0; i < n; i++) strcat(strcat(all, out[i]), " ");
    cr_expect_str_eq(
        all,
        "compute-sanitizer --tool memcheck --log-file /log --print-limit 0 --check-exit-code no --report-api-errors no "
        "--target-processes application-only ");
    n = at_sanitizer_arguments(out, "racecheck", "/log");
    for (size_t i = 0; i < n; i++) cr_expect_str_neq(out[i], "--report-api-errors", "memcheck alone has it");
}

Test(sanitizer, the_tool_is_found_on_the_path_or_its_absence_is_an_error) {
    char directory[] = "/tmp/attest-tool-XXXXXX", program[100], path[AT_SANITIZER_PATH];
    cr_assert_not_null(mkdtemp(directory));
    setenv("PATH", directory, 1);
    if (access("/usr/local/cuda/bin/compute-sanitizer", X_OK) != 0) {
        cr_expect_eq(at_sanitizer_find(path, &err), AT_INFRASTRUCTURE);
        cr_expect_not_null(strstr(err.text, "no compute-sanitizer"));
    }
    snprintf(program, sizeof program, "%s/compute-sanitizer", directory);
    FILE *f = fopen(program, "w");
    cr_assert_not_null(f);
    fclose(f);
    chmod(program, 0755);
    cr_expect_eq(at_sanitizer_find(path, &err), AT_OK);
    cr_expect_str_eq(path, program);
    unlink(program);
    rmdir(directory);
}

Test(sanitizer, four_tools_are_known) {
    cr_expect(at_sanitizer_known("memcheck") && at_sanitizer_known("racecheck") && at_sanitizer_known("initcheck") &&
              at_sanitizer_known("synccheck"));
    cr_expect_not(at_sanitizer_known("leakcheck"));
}
