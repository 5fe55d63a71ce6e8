/* The class that a case falls into on each axis that coverage counts. */
#include "plan_case.h"

#include "../axes.h"
#include "../finding.h"
#include "../modes.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static plan_case x;

static void setup(void) {
    plan_case_start(&x, tiny, "normal");
}

TestSuite(axes, .init = setup);

static void free_list(char **list) {
    for (char **s = list; *s != NULL; s++) free(*s);
    free(list);
}

/* The value of an axis; "" where the case has none. */
static const char *value_of(const char *axis) {
    static char text[64];
    char **list = at_axes_of(&x.c, OR_GENAI, "eager");
    text[0] = 0;
    for (char **s = list; *s != NULL; s++) {
        if (strncmp(*s, axis, strlen(axis)) == 0 && (*s)[strlen(axis)] == '=') strcpy(text, *s + strlen(axis) + 1);
    }
    free_list(list);
    return text;
}

#define EXPECT(axis, value) cr_expect_str_eq(value_of(axis), value)

Test(axes, a_plain_case_has_a_value_on_each) {
    static const char *const expected[] = {"dtype=float16",     "dialect=onnx-genai",  "block-size=16", "past=pages",
                                           "new=few",           "context=128",         "window=off",    "softcap=off",
                                           "rotary=half-split", "page-order=identity", "batch=one",     "mode=eager"};
    char **list = at_axes_of(&x.c, OR_GENAI, "eager");
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) cr_expect_str_eq(list[i], expected[i]);
    cr_expect_null(list[sizeof expected / sizeof *expected]);
    free_list(list);
}

Test(axes, past_is_told_against_the_page) {
    static const struct {
        int64_t past;
        const char *value;
    } expected[] = {{0, "none"},           {1, "in-page"}, {15, "in-page"},
                    {16, "page-multiple"}, {17, "pages"},  {32, "page-multiple"}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        x.sequence[0].past = expected[i].past;
        EXPECT("past", expected[i].value);
    }
}

Test(axes, new_and_context_are_those_of_the_longest) {
    static const struct {
        int64_t past, fresh;
        const char *news, *context;
    } expected[] = {{0, 0, "none", "16"},   {15, 1, "one", "16"},   {16, 1, "one", "128"},
                    {0, 8, "few", "16"},    {0, 9, "many", "16"},   {120, 8, "few", "128"},
                    {120, 9, "many", "1k"}, {1023, 1, "one", "1k"}, {1024, 1, "one", "long"}};
    x.c.sequences = 2;
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        x.sequence[0] = (at_sequence){.past = 0, .fresh = 0};
        x.sequence[1] = (at_sequence){.past = expected[i].past, .fresh = expected[i].fresh};
        EXPECT("new", expected[i].news);
        EXPECT("context", expected[i].context);
    }
}

Test(axes, a_window_is_told_against_page_and_context) {
    static const struct {
        int64_t window;
        const char *value;
    } expected[] = {{-1, "off"},     {-5, "off"},   {0, "zero"},   {1, "one"},           {2, "in-page"},
                    {15, "in-page"}, {16, "pages"}, {42, "pages"}, {43, "past-context"}, {4000, "past-context"}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        x.attr[WINDOW].i = expected[i].window;
        EXPECT("window", expected[i].value);
    }
}

Test(axes, attributes_are_read_as_a_kernel_reads_them) {
    const float cap[] = {-1, 0, 0.5F, 9.5F, 10, 50};
    static const char *const name[] = {"off", "off", "small", "small", "large", "large"};
    for (size_t i = 0; i < 6; i++) {
        x.attr[SOFTCAP].f = cap[i];
        EXPECT("softcap", name[i]);
    }
    x.attr[INTERLEAVED].i = 1;
    EXPECT("rotary", "interleaved");
    x.attr[PLAIN_ATTRIBUTES] = (at_attr){.name = "do_rotary", .i = 0}, x.c.attrs++; /* of two the last counts */
    EXPECT("rotary", "none");
    x.attr[SOFTCAP].type = AT_INT; /* mistyped is absent */
    EXPECT("softcap", "off");
}

Test(axes, page_orders_batches_and_blocks_have_their_classes) {
    static const char *const order[] = {"identity", "reversed", "random", "apart"};
    for (int i = 0; i < 4; i++) {
        x.c.page_order = (at_page_order)i;
        EXPECT("page-order", order[i]);
    }
    x.c.shared_prefix = 1;
    EXPECT("page-order", "shared");
    const size_t many[] = {0, 1, 2, 8, 9};
    static const char *const batch[] = {"empty", "one", "few", "few", "many"};
    for (int i = 0; i < 5; i++) {
        x.c.sequences = many[i];
        EXPECT("batch", batch[i]);
    }
    const int64_t block[] = {16, 32, 64, 128, 256, 512, 8, 24, 1024};
    static const char *const size[] = {"16", "32", "64", "128", "256", "512", "", "", ""};
    for (int i = 0; i < 9; i++) {
        x.c.block_size = block[i];
        EXPECT("block-size", size[i]);
    }
}

Test(axes, a_geometry_counts_by_its_name_if_other_suites_know_it) {
    x.c.geometry = (char[]){"mla-576"};
    EXPECT("geometry", "mla-576");
    x.c.geometry = (char[]){"offset-12"};
    EXPECT("geometry", "");
}

static size_t values(void) {
    size_t n = 0;
    char **list = at_axes_of(&x.c, OR_GENAI, "eager");
    while (list[n] != NULL) n++;
    free_list(list);
    return n;
}

Test(axes, a_call_without_tokens_computes_nothing_and_has_the_values_of_its_shapes_alone) {
    cr_expect_eq(values(), 12);
    x.c.padded_tokens = 2, x.sequence[0].fresh = 0;
    EXPECT("new", "none");
    EXPECT("past", "pages");
    EXPECT("window", "");
    EXPECT("softcap", "");
    EXPECT("rotary", "");
    cr_expect_eq(values(), 9);
}

Test(axes, a_refused_call_has_a_type_a_dialect_and_a_mode) {
    x.c.expect = AT_EXPECT_REFUSAL;
    EXPECT("dtype", "float16");
    EXPECT("dialect", "onnx-genai");
    EXPECT("mode", "eager");
    cr_expect_eq(values(), 3);
}

Test(axes, every_value_that_a_case_can_have_is_in_the_universe) {
    size_t count, modes, found = 0;
    const char *const *universe = at_axes_universe(&count);
    const at_mode *mode = at_modes(&modes);
    for (size_t i = 0; i < count; i++) {
        cr_expect_eq(strncmp(universe[i], "axis:", 5), 0);
        for (size_t k = 0; k < i; k++) cr_expect_str_neq(universe[i], universe[k]);
    }
    char **list = at_axes_of(&x.c, OR_GENAI, mode[modes - 1].name);
    for (char **s = list; *s != NULL; s++) {
        for (size_t i = 0; i < count; i++) found += strcmp(universe[i] + 5, *s) == 0;
    }
    cr_expect_eq(found, 12, "all but the geometry, which has no name");
    free_list(list);
}
