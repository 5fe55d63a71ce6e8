#include "sample.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void shows(const char *text, const char *part) {
    cr_expect_not_null(strstr(text, part), "no \"%s\" in\n%s", part, text);
}

Test(tolerance, tensors_are_added_up_by_suite_dtype_and_tensor) {
    at_journal *j = sample_journal();
    at_record *r = sample_attempt(j, "a/1", AT_PASS);
    *sample_tensor(r, "output", 0.5) = (at_tensor_report){.tensor = "output",
                                                          .elements = 10,
                                                          .mismatches = 0,
                                                          .excess = 0.5,
                                                          .ratio_median = 0.1,
                                                          .absolute = 1e-4,
                                                          .relative = 0.25,
                                                          .ulps = 2,
                                                          .fixed = 0.004,
                                                          .token = 1,
                                                          .head = 2,
                                                          .channel = 3};
    r = sample_attempt(j, "a/2", AT_FAIL);
    *sample_tensor(r, "output", 0.5) = (at_tensor_report){.tensor = "output",
                                                          .elements = 20,
                                                          .mismatches = 4,
                                                          .excess = 1.5,
                                                          .ratio_median = 0.3,
                                                          .absolute = 2e-4,
                                                          .relative = 0.125,
                                                          .ulps = 9,
                                                          .fixed = 0.002,
                                                          .token = 4,
                                                          .head = 5,
                                                          .channel = 6};
    r = sample_attempt(j, "a/3", AT_PASS);
    sample_set(&r->dtype, "bfloat16");
    *sample_tensor(r, "key_cache_out", -1) = (at_tensor_report){.tensor = "key_cache_out",
                                                                .elements = 7,
                                                                .excess = -1,
                                                                .ratio_median = -1,
                                                                .token = 1,
                                                                .head = -1,
                                                                .channel = -1};
    char *text = sample_report(j, "tolerance");
    shows(text, "| a | float16 | output | 2 | 30 | 4 | 1.5 | <code>a/2</code> output token 4 head 5 channel 6 | 0.2 | "
                "0.0002 | 0.25 | 9 | 0.004 |");
    shows(text, "| a | bfloat16 | key\\_cache\\_out | 1 | 7 | 0 | - |  | - | 0 | 0 | 0 | 0 |");
    shows(text, "reported only: nothing passes or fails by it");
    shows(text, "| dot f32 | 3 |");
    char *worst = strstr(text, "## Worst attempts");
    cr_assert_not_null(worst);
    cr_expect_lt(strstr(worst, "a/2"), strstr(worst, "a/1"), "the worst comes first");
    cr_expect_null(strstr(worst, "a/3"), "without a budget there is no excess");
    free(text);
    at_journal_free(j);
}

Test(tolerance, a_nan_is_worse_than_any_number) {
    at_journal *j = sample_journal();
    double excess[] = {0.5, INFINITY, NAN, 3};
    for (int i = 0; i < 4; i++) {
        char id[16];
        snprintf(id, sizeof id, "a/%d", i);
        sample_tensor(sample_attempt(j, id, AT_FAIL), "output", excess[i])->absolute = excess[i];
    }
    char *text = sample_report(j, "tolerance");
    shows(text, "| nan | <code>a/2</code> output");
    char *worst = strstr(text, "## Worst attempts");
    shows(worst, "| nan | <code>a/2</code> |");
    cr_expect_lt(strstr(worst, "a/2"), strstr(worst, "a/1"));
    cr_expect_lt(strstr(worst, "a/1"), strstr(worst, "a/3"));
    cr_expect_lt(strstr(worst, "a/3"), strstr(worst, "a/0"));
    free(text);
    at_journal_free(j);
}

Test(tolerance, twenty_of_the_worst_are_listed) {
    at_journal *j = sample_journal();
    for (int i = 0; i < 100; i++) {
        char id[16];
        snprintf(id, sizeof id, "a/%d.", i);
        sample_tensor(sample_attempt(j, id, AT_PASS), "output", i / 100.0);
    }
    char *text = sample_report(j, "tolerance"), *worst = strstr(text, "## Worst attempts");
    cr_expect_eq(sample_count(worst, "<code>a/"), 20);
    shows(worst, "a/99.");
    shows(worst, "a/80.");
    free(text);
    at_journal_free(j);
}
