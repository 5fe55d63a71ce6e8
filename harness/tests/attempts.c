#include "attempts.h"

#include "../finding.h"
#include "../load.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char *no_names[] = {NULL};

void case_of_decode(plan_case *x) {
    plan_case_crowd(x);
    x->c.why = "A window, pages at random, a sequence that idles.";
}

void case_of_prefill(plan_case *x) {
    plan_case_start(x, tiny, "normal");
    x->c.why = "A prefill over pages.";
    x->sequence[0] = (at_sequence){.fresh = 100};
}

void case_of_nan(plan_case *x) {
    plan_case_start(x, tiny, "special");
    x->c.why = "A NaN that is seen.";
    plan_case_set(x, "position", 4);
}

void case_of_refusal(plan_case *x, const char *rule, unsigned gates) {
    plan_case_start(x, tiny, "normal");
    x->c.why = "It is illegal.";
    x->c.expect = AT_EXPECT_REFUSAL, x->c.rule = (char *)rule, x->c.gates = gates;
    x->c.any_dialect = true;
    x->c.tags = no_names;
}

const at_record *attempt_on(const at_device_ops *ops, const char *subject, const char *mode, const plan_case *x,
                            at_status *status) {
    static at_record record;
    at_host host = {.ops = ops ? ops : &at_cpu_device, .seed = 1};
    at_library *library;
    at_error err = {""};
    char name[80];
    at_record_clear(&record);
    snprintf(name, sizeof name, "faults:%s", subject);
    cr_assert_eq(at_library_open(&library, &host.subject, name, &err), AT_OK, "%s", err.text);
    cr_assert_eq(host.ops->open(&host.device, 0, &err), AT_OK, "%s", err.text);
    *status = at_attempt(&host, &x->c, at_mode_by_name(mode), &record, &err);
    host.ops->close(host.device);
    at_library_close(library);
    return &record;
}

const at_record *attempt(const char *subject, const char *mode, const plan_case *x) {
    at_status status;
    const at_record *record = attempt_on(NULL, subject, mode, x, &status);
    cr_expect_eq(status, AT_OK, "%s in %s: %s", subject, mode, findings_of(record));
    return record;
}

bool has_finding(const at_record *r, const char *detector, const char *words) {
    for (int i = 0; i < r->findings; i++) {
        if (strcmp(r->finding[i].detector, detector) == 0 && strstr(r->finding[i].text, words) != NULL) return true;
    }
    return false;
}

const char *findings_of(const at_record *r) {
    static char text[3000];
    int used =
        snprintf(text, sizeof text, "%s, %s", at_verdict_name(r->verdict), r->message ? r->message : "no message");
    for (int i = 0; i < r->findings; i++) {
        used += snprintf(text + used, sizeof text - (size_t)used, "\n    %s: %s", r->finding[i].detector,
                         r->finding[i].text);
    }
    return text;
}

void expect_verdict(at_verdict verdict, const char *subject, const char *mode, const plan_case *x) {
    const at_record *r = attempt(subject, mode, x);
    cr_expect_eq(r->verdict, verdict, "%s in %s: %s", subject, mode, findings_of(r));
}

void expect_found(const char *subject, const char *mode, const plan_case *x, const char *detector, const char *words) {
    const at_record *r = attempt(subject, mode, x);
    cr_expect(r->verdict == AT_FAIL && has_finding(r, detector, words), "%s in %s: no %s finding with '%s': %s",
              subject, mode, detector, words, findings_of(r));
}

static void on_fault(int number) {
    _exit(number);
}

bool dies_of_touching(const char *subject, const char *mode, const plan_case *x) {
    int status = 0;
    const pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) {
        signal(SIGSEGV, on_fault); /* a sanitizer's own handler would report it */
        (void)attempt(subject, mode, x);
        _exit(0);
    }
    cr_assert_eq(waitpid(child, &status, 0), child);
    return WIFEXITED(status) && WEXITSTATUS(status) == SIGSEGV;
}
