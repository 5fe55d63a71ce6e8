#include "sample.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static void shows(const char *text, const char *part) {
    cr_expect_not_null(strstr(text, part), "no \"%s\" in\n%s", part, text);
}

Test(summary, it_starts_with_the_verdict_and_shows_each_fault_with_its_repro_line) {
    at_journal *j = sample_journal();
    sample_tensor(sample_attempt(j, "a/1", AT_PASS), "output", 0.5);
    for (int i = 2; i < 5; i++) {
        char id[16];
        snprintf(id, sizeof id, "a/%d", i);
        at_record *r = sample_attempt(j, id, AT_FAIL);
        sample_finding(r, "value", "token 3 is off");
        r->explanation = sample_list("window-wider: the window keeps one key more", NULL);
    }
    char *text = sample_report(j, "summary");
    cr_expect_eq(strstr(text, "# ❌ FAILED on CPU execution"), text, "%s", text);
    shows(text, "| attempts | 1 PASS, 3 FAIL of 4 planned |");
    shows(text, "## Faults: 1 in 3 attempts\n\n**FAIL** <code>a/2</code> eager and 2 more\n- value: token 3 is off\n"
                "- agrees with window-wider: the window keeps one key more\n"
                "- repeat: <code>attest repro a/2 --mode eager</code>\n\n"
                "Explained by one reading alone: window-wider in 3 of 3\n");
    shows(text, "| 0.5 | <code>a/1</code> | output token 3 head 1 channel 77 |");
    free(text);
    at_journal_free(j);
}

/* Characters that escaping makes longest, in twenty thousand attempts that all differ. */
Test(summary, twenty_thousand_hostile_attempts_stay_below_a_mebibyte) {
    at_journal *j = sample_journal();
    char text[3000];
    memset(text, '"', sizeof text - 1), text[sizeof text - 1] = 0;
    for (int i = 0; i < 20000; i++) {
        char name[16], id[3100];
        snprintf(name, sizeof name, "%d", i);
        snprintf(id, sizeof id, "%d%s", i, text);
        at_record *r = sample_attempt(j, id, i % 2 ? AT_FAIL : AT_NOT_RUN);
        sample_set(&r->name, name), sample_set(&r->mode, text), sample_set(&r->repro, text),
            sample_set(&r->message, i % 2 ? NULL : id);
        sample_tensor(r, "output", i);
        for (int k = 0; k < AT_RECORD_FINDINGS && i % 2; k++) sample_finding(r, text, text);
        r->explanation = sample_list(text, text, text, text, NULL);
    }
    char *summary = sample_report(j, "summary");
    size_t bytes = strlen(summary);
    cr_expect_lt(bytes, 1 << 20, "%zu bytes", bytes);
    cr_expect_gt(bytes, 1 << 18, "%zu bytes: the worst case is not tried", bytes);
    shows(summary, "more: report.json has all");
    shows(summary, "more reasons");
    free(summary);
    at_journal_free(j);
}
