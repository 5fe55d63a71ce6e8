#include "../case.h"
#include "../glob.h"

#include <criterion/criterion.h>
#include <string.h>

Test(cases_glob, patterns_match_whole_texts) {
    static const struct {
        const char *pattern, *text;
        bool match;
    } row[] = {
        {"", "", true},
        {"", "a", false},
        {"*", "", true},
        {"*", "window/edge/dtype=float16", true},
        {"window/*", "window/edge/dtype=float16", true},
        {"window/*", "window", false},
        {"*dtype=float16", "window/edge/dtype=float16", true},
        {"*dtype=float16", "window/edge/dtype=float16,past=1", false},
        {"*dtype=float16*", "window/edge/dtype=float16,past=1", true},
        {"w?ndow*", "window/edge", true},
        {"w?", "w", false},
        {"a*b*c", "a-b-b-c", true},
        {"a*b*c", "a-b-b", false},
        {"*ab", "aab", true},
        {"**", "x", true},
        {"edge", "window/edge", false},
        {"[w]indow", "window", false},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        cr_expect_eq(at_glob(row[i].pattern, row[i].text), row[i].match, "'%s' '%s'", row[i].pattern, row[i].text);
}

Test(cases_glob, an_id_or_a_whole_leading_part_of_it_finds_the_case) {
    char id[] = "window/edge/dtype=float16,past=4";
    const at_case c = {.id = id};
    cr_expect(at_case_matches(&c, id));
    cr_expect(at_case_matches(&c, "window"));
    cr_expect(at_case_matches(&c, "window/edge"));
    cr_expect(at_case_matches(&c, "*past=4"));
    cr_expect_not(at_case_matches(&c, "window/edg"));
    cr_expect_not(at_case_matches(&c, "window/edge/dtype=float16"), "an axis left out is not a part of a path");
    cr_expect_not(at_case_matches(&c, ""));
}

Test(cases_glob, a_hostile_pattern_takes_no_longer_than_the_product_of_the_lengths) {
    char pattern[2001], text[20001];
    for (size_t i = 0; i < 2000; i += 2) memcpy(pattern + i, "*a", 2);
    pattern[2000] = 0;
    memset(text, 'a', 20000);
    strcpy(text + 19999, "b");
    cr_expect_not(at_glob(pattern, text));
}
