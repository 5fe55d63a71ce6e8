#include "sample.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void shows(const char *text, const char *part) {
    cr_expect_not_null(strstr(text, part), "no \"%s\" in\n%s", part, text);
}

/* Exit status of xmllint, with the schema where that is asked for. Tests run in the root of the tree. */
static int lint(const char *xml) {
    char path[] = "/tmp/attest-junit-XXXXXX", command[300];
    int fd = mkstemp(path);
    cr_assert_geq(fd, 0);
    cr_assert_eq(write(fd, xml, strlen(xml)), (ssize_t)strlen(xml));
    close(fd);
    snprintf(command, sizeof command, "xmllint --noout --schema reports/junit.xsd %s >/dev/null 2>&1", path);
    int status = system(command);
    unlink(path);
    return status;
}

static bool there_is_xmllint(void) {
    return system("command -v xmllint >/dev/null && test -r reports/junit.xsd") == 0;
}

static at_journal *one_of_each(void) {
    at_journal *j = sample_journal();
    for (int v = 0; v < AT_VERDICTS; v++) {
        char id[32];
        snprintf(id, sizeof id, "%s/%d", v % 2 ? "odd" : "even", v);
        at_record *r = sample_attempt(j, id, (at_verdict)v);
        r->seconds = 0.25;
        sample_set(&r->inputs_digest, "abcd");
        if (at_is_bad(r))
            sample_finding(r, "value", hostile), r->explanation = sample_list("zeros: nothing", hostile, NULL);
    }
    return j;
}

Test(junit, each_verdict_is_a_failure_an_error_skipped_or_passed) {
    at_journal *j = one_of_each();
    char *text = sample_report(j, "junit");
    shows(text, "<testsuites name=\"attest\" tests=\"11\" failures=\"2\" errors=\"3\" skipped=\"3\">");
    shows(text, "<testsuite name=\"even\" tests=\"5\" failures=\"1\" errors=\"1\" skipped=\"2\" time=\"1.250000\">");
    shows(text, "<testsuite name=\"odd\" tests=\"5\" failures=\"1\" errors=\"2\" skipped=\"1\" time=\"1.250000\">");
    static const char *const element[AT_VERDICTS] = {NULL,
                                                     NULL,
                                                     "<failure type=\"FAIL\"",
                                                     "<failure type=\"FLAKY\"",
                                                     "<error type=\"CRASH\"",
                                                     "<error type=\"TIMEOUT\"",
                                                     "<skipped",
                                                     "<skipped",
                                                     "<skipped",
                                                     "<error type=\"HARNESS_ERROR\""};
    for (int v = 0; v < AT_VERDICTS; v++) {
        char name[64];
        snprintf(name, sizeof name, "<testcase name=\"%s/%d [eager]\"", v % 2 ? "odd" : "even", v);
        char *start = strstr(text, name);
        cr_assert_not_null(start, "%s", name);
        char *end = strstr(start, "</testcase>"), kept = *end;
        *end = 0;
        if (v == AT_FAIL) shows(start, "\nagrees with zeros: nothing; or &lt;script&gt;");
        if (element[v] != NULL)
            shows(start, element[v]);
        else
            cr_expect(!strstr(start, "<failure") && !strstr(start, "<error") && !strstr(start, "<skipped"), "%s",
                      start);
        shows(start, "<property name=\"repro\" value=\"attest repro ");
        shows(start, "<property name=\"inputs.sha256\" value=\"abcd\"/>");
        *end = kept;
    }
    free(text);
    at_journal_free(j);
}

Test(junit, a_run_that_validates_nothing_is_not_green) {
    at_journal *j = sample_journal();
    sample_attempt(j, "a/1", AT_UNSUPPORTED);
    char *text = sample_report(j, "junit");
    shows(text, "<testcase name=\"verdict\" classname=\"run\" time=\"0\">");
    shows(text, "<error type=\"UNVALIDATED\" message=\"UNVALIDATED on CPU execution");
    free(text);
    j->record[0].verdict = AT_PASS;
    text = sample_report(j, "junit");
    cr_expect_null(strstr(text, "<error"));
    free(text);
    at_journal_free(j);
}

Test(junit, it_is_what_its_schema_says) {
    if (!there_is_xmllint()) cr_skip_test("no xmllint: install libxml2-utils");
    at_journal *j = one_of_each();
    char *text = sample_report(j, "junit");
    cr_expect_eq(lint(text), 0, "%s", text);
    free(text);
    at_record *r = &j->record[0];
    char **hostile_member[] = {&r->id,     &r->suite,      &r->mode,    &r->repro,        &r->hash,
                               &r->device, &r->arithmetic, &r->message, &j->header.device};
    for (size_t i = 0; i < sizeof hostile_member / sizeof *hostile_member; i++) sample_set(hostile_member[i], hostile);
    r->verdict = AT_TIMEOUT;
    text = sample_report(j, "junit");
    cr_expect_eq(lint(text), 0, "%s", text);
    free(text);
    at_journal *empty = sample_journal();
    text = sample_report(empty, "junit");
    cr_expect_eq(lint(text), 0, "%s", text);
    free(text);
    at_journal_free(empty);
    at_journal_free(j);
}

Test(junit, its_schema_refuses_what_it_is_not) {
    if (!there_is_xmllint()) cr_skip_test("no xmllint: install libxml2-utils");
    static const struct {
        const char *instead, *of;
    } row[] = {
        {"<fail", "<failure"},
        {"tests=\"x\"", "tests=\"11\""},
        {" nam=\"attest\"", " name=\"attest\""},
        {"tim=", "time="},
        {"&x;", "&lt;"},
        {"</testsuit>", "</testsuites>"},
        {"<a/>  <testsuite ", "  <testsuite "},
        {"type=\"a b\"", "type=\"FAIL\""},
    };
    at_journal *j = one_of_each();
    char *text = sample_report(j, "junit"), *broken = malloc(strlen(text) + 100);
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char *at = strstr(text, row[i].of);
        cr_assert_not_null(at, "%s", row[i].of);
        sprintf(broken, "%.*s%s%s", (int)(at - text), text, row[i].instead, at + strlen(row[i].of));
        cr_expect_neq(lint(broken), 0, "with %s for %s", row[i].instead, row[i].of);
    }
    free(text);
    free(broken);
    at_journal_free(j);
}
