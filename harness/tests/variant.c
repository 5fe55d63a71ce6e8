/* Cases derived from a case: what they change is theirs, what they share stays as it was. */
#include "../variant.h"

#include "plan_case.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static plan_case x;
static at_variant v;
static at_error err;

static void open(void) {
    plan_case_crowd(&x);
    plan_case_set(&x, "angle", 1);
    cr_assert_eq(at_variant_of(&v, &x.c, 1, &err), AT_OK);
}

static void close(void) {
    at_variant_free(&v);
}

TestSuite(variant, .init = open, .fini = close);

static at_plan *planned(const uint16_t *cache) {
    at_plan *plan = NULL;
    cr_assert_eq(at_variant_plan(&plan, &v, OR_GENAI, 1, cache, &err), AT_OK, "%s", err.text);
    return plan;
}

Test(variant, a_plain_one_is_the_same_call_judged_within_the_budget) {
    at_plan *plan = planned(NULL), *original = plan_made(&x, OR_GENAI);
    cr_expect_str_eq(plan->inputs_digest, original->inputs_digest);
    close();
    x.c.expect = AT_EXPECT_EXACT;
    cr_assert_eq(at_variant_of(&v, &x.c, 0, &err), AT_OK);
    cr_expect_eq(v.c.expect, AT_EXPECT_BUDGET);
    at_plan_free(plan);
    at_plan_free(original);
}

Test(variant, lengths_attributes_and_parameters_are_its_own) {
    v.sequence[0].past = 3;
    v.sequence[3] = (at_sequence){.past = 1, .fresh = 1};
    at_variant_set_integer(&v, "local_window_size", 5);
    at_variant_set_integer(&v, "no_such_attribute", 5);
    at_variant_set_parameter(&v, "angle", 2);
    at_variant_set_parameter(&v, "amplitude", 0.5);
    cr_expect(x.sequence[0].past == 40 && x.attr[WINDOW].i == 17 && x.parameter[0].value == 1 && x.c.parameters == 1);
    cr_expect(v.c.attr[WINDOW].i == 5 && v.c.attrs == x.c.attrs);
    cr_expect(v.c.parameters == 2 && v.parameter[0].value == 2 && v.parameter[1].value == 0.5);
    cr_expect_str_eq(v.parameter[1].name, "amplitude");
}

Test(variant, an_attribute_that_is_not_there_is_added) {
    const size_t attrs = x.c.attrs;
    cr_expect_eq(at_variant_attribute(&v, "local_window_size", AT_INT)->i, x.attr[WINDOW].i);
    cr_expect_eq(v.c.attrs, attrs);
    at_variant_attribute(&v, "qk_norm_epsilon", AT_FLOAT)->f = 2;
    cr_expect_eq(at_variant_attribute(&v, "qk_norm_epsilon", AT_FLOAT)->f, 2);
    cr_expect(v.c.attrs == attrs + 1 && x.c.attrs == attrs);
}

Test(variant, data_follow_their_sequence_to_another_place) {
    at_plan *whole = planned(NULL);
    v.c.sequences = 1;
    v.sequence[0] = x.sequence[1];
    v.sequence[0].data = 2;
    at_plan *alone = planned(NULL);
    const size_t row = 32 * sizeof(uint16_t);
    cr_expect_eq(memcmp(alone->problem.key, whole->problem.key + 3 * 32, 2 * row), 0);
    cr_expect_eq(memcmp(alone->problem.query, whole->problem.query + 3 * 64, 4 * row), 0);
    const uint16_t *a = alone->call.in[OR_KEY_CACHE].data, *b = whole->call.in[OR_KEY_CACHE].data;
    for (int64_t j = 0; j < 16; j++) {
        cr_expect_eq(
            memcmp(a + or_slot_of(&alone->problem, 0, j) * 32, b + or_slot_of(&whole->problem, 1, j) * 32, row), 0);
    }
    at_plan_free(alone);
    at_plan_free(whole);
}

Test(variant, a_cache_may_be_carried_over) {
    at_plan *first = planned(NULL);
    const size_t bytes = at_tensor_bytes(&first->call.in[OR_KEY_CACHE]);
    uint16_t *left = malloc(bytes);
    memset(left, 0x3c, bytes);
    at_plan *next = planned(left);
    cr_expect_eq(memcmp(next->call.in[OR_KEY_CACHE].data, left, bytes), 0);
    free(left);
    at_plan_free(first);
    at_plan_free(next);
}

Test(variant, one_that_is_no_legal_case_is_the_harness_s_fault) {
    at_plan *plan = NULL;
    v.sequence[0].fresh = -1;
    cr_expect_eq(at_variant_plan(&plan, &v, OR_GENAI, 1, NULL, &err), AT_INFRASTRUCTURE);
    cr_expect_null(plan);
    cr_expect_not_null(strstr(err.text, "a variant that cannot be planned: suite.yaml:7:5: suite/case: "));
}

Test(variant, rows_are_compared_from_where_each_begins) {
    at_plan *plan = planned(NULL);
    uint16_t a[5 * 32], b[3 * 32];
    at_record record = {.verdict = AT_PASS};
    for (int i = 0; i < 5 * 32; i++) a[i] = (uint16_t)i;
    memcpy(b, a + 2 * 32, sizeof b);
    const at_traces whole = {.output = a}, part = {.output = b};
    cr_expect(at_rows_equal(&record, "batch", "alone", &plan->problem, &part, 0, &whole, 2, 3));
    cr_expect_eq(record.verdict, AT_PASS);
    b[1 * 32 + 16 + 5] ^= 1;
    cr_expect(at_rows_equal(&record, "batch", "alone", &plan->problem, &part, 0, &whole, 2, 1));
    cr_expect_not(at_rows_equal(&record, "batch", "alone", &plan->problem, &part, 0, &whole, 2, 3));
    cr_expect_str_eq(record.finding[0].detector, "batch");
    cr_expect_str_eq(record.finding[0].text, "alone: token 1, head 1, channel 5: 0x0074, and 0x0075 as token 3");
    cr_expect_eq(record.findings_all, 1);
    at_record_clear(&record);
    at_plan_free(plan);
}
