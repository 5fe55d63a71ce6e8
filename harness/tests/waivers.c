/* Waivers: what they must say, what they do to a verdict, and that neither an expired nor a stray one can be forgotten.
 */
#include "../waivers.h"
#include "cases_scratch.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

TestSuite(waivers, .init = scratch_open, .fini = scratch_close);

#define ONE                                                                                                            \
    "{case: 'suite/*', device: 'NVIDIA*', owner: o, reason: one key too many, url: 'https://x.test/1', expires: "      \
    "2026-03-31}"

static at_waivers *load(const char *list) {
    at_waivers *w = NULL;
    at_error err = {0};
    char text[2000];
    snprintf(text, sizeof text, "schema: 1\nwaivers: [%s]\n", list);
    scratch_write("waivers.yml", text);
    cr_assert_eq(at_waivers_load(&w, scratch_path("waivers.yml"), &err), AT_OK, "%s", err.text);
    return w;
}

static const char *refusal(const char *text) {
    static at_error err;
    at_waivers *w = NULL;
    scratch_write("waivers.yml", text);
    cr_expect_eq(at_waivers_load(&w, scratch_path("waivers.yml"), &err), AT_USAGE, "%s", text);
    cr_expect_null(w);
    return err.text + strlen(scratch_path("waivers.yml"));
}

static at_record record(at_verdict verdict, const char *id, const char *message) {
    return (at_record){.id = strdup(id), .verdict = verdict, .message = message ? strdup(message) : NULL};
}

static at_verdict apply(const at_waivers *w, at_verdict verdict, const char *device, int today, char *message) {
    at_record r = record(verdict, "suite/one", "value: too large");
    at_waivers_apply(w, device, today, &r);
    at_verdict now = r.verdict;
    if (message != NULL) strcpy(message, r.message);
    at_record_clear(&r);
    return now;
}

Test(waivers, a_failure_that_is_waived_is_waived_until_the_last_day) {
    char message[1000];
    at_waivers *w = load(ONE);
    static const at_verdict bad[] = {AT_FAIL, AT_FLAKY, AT_CRASH, AT_TIMEOUT};
    for (size_t i = 0; i < 4; i++) cr_expect_eq(apply(w, bad[i], "NVIDIA H200", 20260331, message), AT_WAIVED);
    cr_expect_str_eq(
        message, "waived by o until 2026-03-31 (https://x.test/1): one key too many; it was TIMEOUT: value: too large");
    at_waivers_free(w);
}

Test(waivers, what_does_not_fail_needs_no_waiver_and_a_harness_error_cannot_have_one) {
    at_waivers *w = load(ONE);
    static const at_verdict other[] = {AT_PASS, AT_MARGINAL, AT_UNSUPPORTED, AT_NOT_RUN, AT_HARNESS_ERROR};
    for (size_t i = 0; i < 5; i++) cr_expect_eq(apply(w, other[i], "NVIDIA H200", 20260101, NULL), other[i]);
    at_waivers_free(w);
}

Test(waivers, one_of_another_device_or_case_does_nothing) {
    at_waivers *w = load(ONE);
    cr_expect_eq(apply(w, AT_FAIL, "CPU execution", 20260101, NULL), AT_FAIL);
    at_record r = record(AT_FAIL, "other/one", NULL);
    at_waivers_apply(w, "NVIDIA H200", 20260101, &r);
    cr_expect_eq(r.verdict, AT_FAIL);
    at_record_clear(&r);
    at_waivers_free(w);
}

Test(waivers, an_expired_one_fails_what_it_names_even_where_it_passes) {
    char message[1000];
    at_waivers *w = load(ONE);
    at_record r = record(AT_PASS, "suite/one", NULL);
    at_waivers_apply(w, "NVIDIA H200", 20260401, &r);
    cr_expect_eq(r.verdict, AT_FAIL);
    cr_expect_not_null(strstr(r.message, "waiver: the waiver of 'suite/*' on 'NVIDIA*' by o ended on 2026-03-31"), "%s",
                       r.message);
    at_record_clear(&r);
    cr_expect_eq(apply(w, AT_CRASH, "NVIDIA H200", 20260401, message), AT_CRASH);
    cr_expect_str_eq(message, "value: too large", "what went wrong is still said first");
    cr_expect_eq(apply(w, AT_PASS, "CPU execution", 20260401, NULL), AT_PASS, "on its device alone");
    at_waivers_free(w);
}

Test(waivers, one_that_names_no_case_is_refused_with_its_place) {
    at_error err = {0};
    at_cases *cases = scratch_load(PLAIN_CASE "}\n");
    at_waivers *w =
        load(ONE ", {case: 'gone/*', device: '*', owner: o, reason: r, url: 'https://x.test', expires: 2030-01-01}");
    cr_expect_eq(at_waivers_check(w, cases, &err), AT_USAGE);
    cr_expect_not_null(strstr(err.text, "the waiver of 'gone/*' matches none of 1 cases"), "%s", err.text);
    cr_expect_not_null(strstr(err.text, "waivers.yml:2:"), "%s", err.text);
    at_waivers_free(w);
    w = load(ONE);
    cr_expect_eq(at_waivers_check(w, cases, &err), AT_OK);
    at_waivers_free(w);
    at_cases_free(cases);
}

Test(waivers, each_must_say_everything) {
    static const struct {
        const char *text, *says;
    } row[] = {
        {"schema: 1\nwaivers:\n- {case: a, device: b, owner: c, reason: d, url: 'https://x'}\n",
         ":3:3: a waiver has no expires; give a day"},
        {"schema: 1\nwaivers:\n- {case: a, device: b, owner: c, url: 'https://x', expires: 2026-01-01}\n",
         ":3:3: a waiver has no reason"},
        {"schema: 1\nwaivers:\n- {case: a, expires: 2026-02-29}\n",
         ":3:22: expires is '2026-02-29'; give a day as 2026-03-31"},
        {"schema: 1\nwaivers:\n- {case: a, expires: soon}\n", ":3:22: expires is 'soon'"},
        {"schema: 1\nwaivers:\n- {case: a, url: 'javascript:x'}\n", ":3:18: url is 'javascript:x'"},
        {"schema: 1\nwaivers:\n- {case: a, owners: b}\n", ":3:13: key 'owners' is unknown; did you mean 'owner'?"},
        {"schema: 2\nwaivers: []\n", ":1:9: schema is '2'; give 1"},
        {"schema: 1\nwaivers: all\n", ":2:10: waivers is 'all'; give a list"},
        {"schema: 1\n", ":1:1: a file of waivers has no waivers"},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const char *got = refusal(row[i].text);
        cr_expect_eq(strncmp(got, row[i].says, strlen(row[i].says)), 0, "'%s' does not start with '%s'", got,
                     row[i].says);
    }
}

Test(waivers, a_leap_day_is_a_day) {
    at_waivers *w =
        load("{case: 'suite/*', device: '*', owner: o, reason: r, url: 'https://x.test', expires: 2028-02-29}");
    cr_expect_eq(apply(w, AT_FAIL, "x", 20280229, NULL), AT_WAIVED);
    cr_expect_eq(apply(w, AT_FAIL, "x", 20280301, NULL), AT_FAIL);
    at_waivers_free(w);
}

Test(waivers, today_is_a_day) {
    int today = at_today();
    cr_expect_gt(today, 20250000);
    cr_expect(today / 100 % 100 >= 1 && today / 100 % 100 <= 12 && today % 100 >= 1 && today % 100 <= 31);
}

Test(waivers, the_digest_follows_what_they_do) {
    at_waivers
        *a = load(ONE),
        *b = load(
            "{case: 'suite/*', device: 'NVIDIA*', owner: o, reason: r, url: 'https://x.test', expires: 2026-04-01}");
    cr_expect_str_neq(at_waivers_digest(a), at_waivers_digest(b));
    at_waivers_free(a);
    at_waivers_free(b);
}
