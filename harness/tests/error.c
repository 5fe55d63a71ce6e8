#include "../error.h"
#include "../suggest.h"

#include <criterion/criterion.h>
#include <string.h>

Test(error, at_fail_returns_the_status_and_writes_the_sentence) {
    at_error err;
    cr_expect_eq(at_fail(&err, AT_USAGE, "%s:%d: %s", "f.yaml", 3, "no"), AT_USAGE);
    cr_expect_str_eq(err.text, "f.yaml:3: no");
    cr_expect_eq(at_fail(NULL, AT_FAILED, "nobody listens"), AT_FAILED);
    cr_expect_eq(at_fail_memory(&err, 12), AT_INFRASTRUCTURE);
    cr_expect_not_null(strstr(err.text, "12 bytes"));
}

Test(error, what_does_not_print_is_escaped) {
    static const struct {
        const char *raw, *shown;
    } row[] = {
        {"plain ~", "plain ~"},
        {"a\nb\tc", "a\\nb\\x09c"},
        {"\x1b[2J\x7f", "\\x1b[2J\\x7f"},
        {"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80",
         "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"},     /* letters of 2, 3 and 4 bytes */
        {"\xff\xc3", "\\xff\\xc3"},                   /* none */
        {"\xc0\xaf", "\\xc0\\xaf"},                   /* a slash in too long a form */
        {"\xed\xa0\x80", "\\xed\\xa0\\x80"},          /* a surrogate */
        {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"}, /* past U+10FFFF */
        {"\xc2\x9b", "\\xc2\\x9b"},                   /* U+009B, a control */
        {"\xe2\x80\xae", "\\xe2\\x80\\xae"},          /* U+202E, turns the line round */
        {"\xef\xbb\xbf", "\\xef\\xbb\\xbf"},          /* U+FEFF, is not seen */
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        at_error err;
        (void)at_fail(&err, AT_USAGE, "%s", row[i].raw);
        cr_expect_str_eq(err.text, row[i].shown);
    }
}

Test(error, what_does_not_fit_ends_in_dots) {
    char raw[5000];
    at_error err;
    memset(raw, 'x', sizeof raw);
    raw[sizeof raw - 1] = 0;
    (void)at_fail(&err, AT_USAGE, "%s", raw);
    cr_expect_eq(strlen(err.text), sizeof err.text - 1);
    cr_expect_str_eq(err.text + sizeof err.text - 5, "x...");
    memset(raw, '\n', sizeof raw - 1);
    (void)at_fail(&err, AT_USAGE, "%s", raw);
    cr_expect_str_eq(err.text + strlen(err.text) - 5, "\\n...");
}

Test(error, the_worse_status_wins_whatever_its_number) {
    static const at_status worst_last[] = {AT_OK, AT_UNVALIDATED, AT_FAILED, AT_INFRASTRUCTURE, AT_USAGE};
    for (size_t i = 0; i < 5; i++) {
        for (size_t k = 0; k < 5; k++) cr_expect_eq(at_worse(worst_last[i], worst_last[k]), worst_last[i > k ? i : k]);
    }
}

Test(error, the_nearest_word_is_suggested_unless_it_is_far) {
    static const char *const words[] = {"block_size", "softcap", "scale", "num_heads", "float16", "float32", NULL};
    static const struct {
        const char *wrong, *nearest;
    } row[] = {
        {"block_sise", "block_size"},
        {"softcpa", "softcap"},
        {"sofcap", "softcap"},
        {"float61", "float16"},
        {"scales", "scale"},
        {"nmu_heads", "num_heads"},
        {"zebra", NULL},
        {"", NULL},
        {"colour", NULL},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const char *got = at_suggest(row[i].wrong, at_word_of_list, words);
        cr_expect(row[i].nearest ? got != NULL && strcmp(got, row[i].nearest) == 0 : got == NULL, "%s gave %s",
                  row[i].wrong, got ? got : "nothing");
    }
}

Test(error, a_long_word_is_not_compared) {
    static const char *const words[] = {"a", NULL};
    char wrong[1000];
    memset(wrong, 'a', sizeof wrong);
    wrong[sizeof wrong - 1] = 0;
    cr_expect_null(at_suggest(wrong, at_word_of_list, words));
}
