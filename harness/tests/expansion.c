/* What a case comes to, in words. */
#include "plan_case.h"

#include "../expansion.h"

#include <criterion/criterion.h>
#include <string.h>

static plan_case x;
static at_record r;

static void setup(void) {
    plan_case_crowd(&x);
}

static void teardown(void) {
    at_record_clear(&r);
}

TestSuite(expansion, .init = setup, .fini = teardown);

static void expanded(void) {
    at_record_clear(&r);
    at_expansion_add(&r, &x.c, OR_GENAI);
}

static bool has(char **list, const char *text) {
    for (; list != NULL && *list != NULL; list++) {
        if (strcmp(*list, text) == 0) return true;
    }
    return false;
}

static size_t length(char **list) {
    size_t n = 0;
    while (list[n] != NULL) n++;
    return n;
}

Test(expansion, attributes_shapes_and_sequences_are_those_of_the_call) {
    expanded();
    cr_expect(has(r.attributes, "num_heads 2") && has(r.attributes, "kv_cache_layout \"LATENT\""));
    cr_expect(has(r.attributes, "scale 0.176776692"), "%s", r.attributes[SCALE]);
    cr_expect(has(r.shapes, "query float16 [5, 64]") && has(r.shapes, "past_seqlens int32 [3]"), "%s", r.shapes[0]);
    cr_expect(has(r.shapes, "output float16 [5, 32]"));
    cr_expect_eq(length(r.attributes), PLAIN_ATTRIBUTES);
    cr_expect_str_eq(r.sequences[0], "past 40, new 3");
    cr_expect_str_eq(r.sequences[2], "past 20, new 0");
    cr_expect_eq(length(r.sequences), 3);
}

Test(expansion, what_is_left_out_or_put_in_shows) {
    plan_case_override(&x, false, AT_ATTENTION_METADATA, AT_PUT_IN);
    expanded();
    cr_expect(has(r.shapes, "attention_metadata int32 [2]"));
    x.c.expect = AT_EXPECT_REFUSAL, x.c.rule = (char *)"query-missing";
    plan_case_override(&x, false, AT_QUERY, AT_LEAVE_OUT);
    expanded();
    cr_expect_not(has(r.shapes, "query float16 [5, 64]"), "a case that contradicts itself is shown as it is");
    cr_expect(has(r.shapes, "key float16 [5, 32]"));
}

Test(expansion, sequences_alike_in_a_row_are_one_line_and_lines_have_an_end) {
    x.c.sequences = 65;
    for (int i = 0; i < 65; i++) x.sequence[i] = (at_sequence){.past = 16, .fresh = 1};
    expanded();
    cr_expect_str_eq(r.sequences[0], "65 x past 16, new 1");
    cr_expect_null(r.sequences[1]);
    for (int i = 0; i < 65; i++) x.sequence[i].past = i;
    expanded();
    cr_expect_eq(length(r.sequences), 49);
    cr_expect_str_eq(r.sequences[48], "and 17 more");
}

Test(expansion, a_case_without_a_call_has_none) {
    x.attr[HEADS].i = INT64_MAX;
    expanded();
    cr_expect(r.attributes == NULL && r.shapes == NULL && r.sequences == NULL);
}
