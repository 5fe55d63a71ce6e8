/* Which modes a case is run in, and what its record says before anything has run. */
#include "plan_case.h"

#include "../describe.h"
#include "../mode_names.h"

#include <criterion/criterion.h>
#include <string.h>

static plan_case x;

static void setup(void) {
    plan_case_crowd(&x);
}

TestSuite(modes, .init = setup);

Test(modes, the_names_that_case_files_may_list_are_those_of_the_table) {
    size_t count;
    const at_mode *mode = at_modes(&count);
    for (size_t i = 0; i < count; i++) {
        cr_assert_not_null(at_mode_names[i]);
        cr_expect_str_eq(at_mode_names[i], mode[i].name);
        cr_expect_eq(at_mode_by_name(mode[i].name), &mode[i]);
        cr_expect(mode[i].about[0] != 0 && mode[i].run != NULL);
    }
    cr_expect_null(at_mode_names[count]);
    cr_expect_null(at_mode_by_name("eager "));
    cr_expect_null(at_mode_by_name(""));
}

static bool wanted(const char *mode) {
    return at_mode_wanted(at_mode_by_name(mode), &x.c);
}

Test(modes, a_case_that_lists_none_is_run_in_those_by_default) {
    size_t count, many = 0;
    const at_mode *mode = at_modes(&count);
    for (size_t i = 0; i < count; i++) many += at_mode_wanted(&mode[i], &x.c);
    cr_expect(wanted("eager") && wanted("replay") && many == 2);
    x.c.modes = NULL;
    cr_expect(wanted("eager") && wanted("replay"));
    x.c.expect = AT_EXPECT_REFUSAL;
    many = 0;
    for (size_t i = 0; i < count; i++) many += at_mode_wanted(&mode[i], &x.c);
    cr_expect(wanted("refuse") && many == 1);
}

Test(modes, a_case_that_lists_some_is_run_in_those_that_apply) {
    static char busy[] = "busy", chunk[] = "chunk", refuse[] = "refuse";
    char *list[] = {busy, chunk, refuse, NULL};
    x.c.modes = list;
    cr_expect(wanted("busy") && !wanted("eager"));
    cr_expect_not(wanted("chunk"), "of several sequences there is no one prefill");
    cr_expect_not(wanted("refuse"), "a value case");
    x.c.sequences = 1;
    cr_expect(wanted("chunk"));
}

Test(modes, what_names_tokens_or_pages_of_one_call_is_no_series_of_others) {
    static int64_t token[] = {0};
    static at_unmapped page = {0, 1, -1};
    static const char *const series[] = {"batch", "life", "speculate"};
    for (size_t m = 0; m < 3; m++) {
        const at_mode *mode = at_mode_by_name(series[m]);
        setup();
        cr_expect(mode->applies(&x.c), "%s", series[m]);
        x.c.skip = token, x.c.skips = 1;
        cr_expect_not(mode->applies(&x.c), "%s", series[m]);
        x.c.skips = 0, x.c.beyond = token, x.c.beyonds = 1;
        cr_expect_not(mode->applies(&x.c), "%s", series[m]);
        x.c.beyonds = 0, x.c.unmapped = &page, x.c.unmappeds = 1;
        cr_expect_not(mode->applies(&x.c), "%s", series[m]);
        x.c.unmappeds = 0, x.c.padded_tokens = 1;
        cr_expect_not(mode->applies(&x.c), "%s", series[m]);
        x.c.padded_tokens = 0;
        cr_expect(mode->applies(&x.c), "%s", series[m]);
    }
    x.c.shared_prefix = 1;
    cr_expect(!at_mode_by_name("batch")->applies(&x.c) && at_mode_by_name("life")->applies(&x.c));
    x.c.rotary_dim = 0;
    cr_expect_not(at_mode_by_name("identity")->applies(&x.c));
}

Test(modes, a_record_begins_with_what_the_case_is) {
    static char s30[] = "S30", tag[] = "hardening", rule[] = "kv-heads", glm_slice[] = "glm-slice", why[] = "A reason.";
    char *covers[] = {s30, NULL}, *tags[] = {tag, NULL};
    at_record r = {0};
    x.c.why = why, x.c.geometry = glm_slice, x.c.covers = covers, x.c.tags = tags;
    x.c.expect = AT_EXPECT_REFUSAL, x.c.rule = rule, x.c.gates = OR_SUPPORTS | OR_CREATE | OR_EXECUTE,
    x.c.dtype = AT_BF16;
    x.c.tier = AT_QUICK;
    strcpy(x.c.hash, "0123456789abcdef");
    const or_dialect dialect = OR_ONNXRUNTIME;
    at_describe(&r, "v1", &x.c, at_mode_by_name("refuse"), &dialect);
    const struct {
        const char *got, *want;
    } expected[] = {
        {r.id, "suite/case"},
        {r.hash, "0123456789abcdef"},
        {r.suite, "suite"},
        {r.name, "case"},
        {r.why, "A reason."},
        {r.subject, "v1"},
        {r.mode, "refuse"},
        {r.dialect, "onnxruntime"},
        {r.dtype, "bfloat16"},
        {r.geometry, "glm-slice"},
        {r.tier, "quick"},
        {r.design, "normal"},
        {r.expect, "refusal"},
        {r.rule, "kv-heads"},
        {r.gate, "supports create execute"},
        {r.tags[0], "hardening"},
        {r.covers[0], "S30"},
        {r.axes[0], "dtype=bfloat16"},
        {r.axes[1], "dialect=onnxruntime"},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) cr_expect_str_eq(expected[i].got, expected[i].want);
    cr_expect(r.tags[1] == NULL && r.covers[1] == NULL);
    at_record_clear(&r);
}

Test(modes, a_record_of_a_value_case_names_no_rule_and_perhaps_no_dialect) {
    at_record r = {0};
    x.c.why = "A reason.", x.c.any_dialect = true, x.c.design = NULL, x.c.gates = OR_CREATE;
    at_describe(&r, "v1", &x.c, at_mode_by_name("eager"), NULL);
    cr_expect(r.rule == NULL && r.gate == NULL);
    cr_expect_str_eq(r.dialect, "");
    cr_expect_str_eq(r.design, "");
    cr_expect_str_eq(r.axes[1], "dialect=onnx-genai");
    at_record_clear(&r);
}
