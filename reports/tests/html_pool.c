#include "../write_html_pool.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static char *written(const at_pool *p) {
    char *text = NULL;
    size_t bytes = 0;
    FILE *f = open_memstream(&text, &bytes);
    at_pool_put(f, p);
    fclose(f);
    return text;
}

Test(html_pool, equal_values_have_one_number_and_null_has_none_but_0) {
    at_pool p;
    at_error err;
    cr_assert_eq(at_pool_open(&p, &err), AT_OK, "%s", err.text);
    cr_expect_eq(at_pool_text(&p, NULL), 0);
    cr_expect_eq(at_pool_text(&p, "a"), 1);
    cr_expect_eq(at_pool_text(&p, ""), 2);
    cr_expect_eq(at_pool_part(&p, "abc", 1), 1);
    fputs("[1,2]", at_pool_begin(&p));
    cr_expect_eq(at_pool_end(&p), 3);
    fputs("\"a\"", at_pool_begin(&p));
    cr_expect_eq(at_pool_end(&p), 1, "a text is a value like any other");
    char *text = written(&p);
    cr_expect_str_eq(text, "[\nnull,\n\"a\",\n\"\",\n[1,2]\n]");
    free(text);
    cr_expect_eq(p.st, AT_OK);
    at_pool_close(&p);
}

Test(html_pool, numbers_hold_when_the_table_grows) {
    at_pool p;
    at_error err;
    char text[20];
    cr_assert_eq(at_pool_open(&p, &err), AT_OK, "%s", err.text);
    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < 5000; i++) {
            snprintf(text, sizeof text, "%u", i);
            cr_assert_eq(at_pool_text(&p, text), i + 1);
        }
    }
    cr_expect_eq(p.values, 5001);
    at_pool_close(&p);
}

Test(html_pool, a_short_text_after_a_long_one_has_nothing_of_it) {
    at_pool p;
    at_error err;
    cr_assert_eq(at_pool_open(&p, &err), AT_OK, "%s", err.text);
    cr_expect_eq(at_pool_text(&p, "a long text, longer than the next"), 1);
    cr_expect_eq(at_pool_text(&p, "a"), 2);
    cr_expect_str_eq(p.value[2], "\"a\"");
    at_pool_close(&p);
}

Test(html_pool, a_string_shows_what_cannot_be_seen_and_holds_no_markup) {
    at_pool p;
    at_error err;
    cr_assert_eq(at_pool_open(&p, &err), AT_OK, "%s", err.text);
    cr_expect_str_eq(p.value[at_pool_text(&p, "a\"b\\c<d\n\u202Ee\xff")],
                     "\"a\\\"b\\\\c\\u003cd\\\\n\\\\u202ee\\\\xff\"");
    at_pool_close(&p);
}
