/* Which poison lies where: what a case counts as covering, and that its cache really holds it there. */
#include "plan_case.h"

#include "../poisons.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static plan_case x;

/* 40 old and 3 new tokens in pages of 16: a tail of 5 slots. */
static void setup(void) {
    plan_case_start(&x, tiny, "uniform_codes");
    x.c.poison = AT_POISON_INF;
}

TestSuite(poisons, .init = setup);

static void expect_poisons(const char *wanted) {
    char text[300] = "";
    char **list = at_poisons_of(&x.c);
    for (char **s = list; *s != NULL; s++) {
        strcat(strcat(text, text[0] != 0 ? " " : ""), *s);
        free(*s);
    }
    free(list);
    cr_expect_str_eq(text, wanted);
}

Test(poisons, a_plain_case_hides_it_in_the_tail_and_where_it_writes) {
    expect_poisons("inf@tail inf@written");
}

Test(poisons, a_full_last_page_has_no_tail) {
    x.sequence[0].fresh = 8;
    expect_poisons("inf@written");
}

Test(poisons, a_window_hides_it_before_the_window_in_either_dialect) {
    x.attr[WINDOW].i = 39;
    expect_poisons("inf@tail inf@written");
    x.attr[WINDOW].i = 38;
    expect_poisons("inf@tail inf@window inf@written");
    x.c.design = (char *)"edge_markers"; /* puts its marks there */
    expect_poisons("inf@tail inf@written");
}

Test(poisons, spare_pages_columns_and_rows_each_count) {
    const int64_t skip = 1;
    x.c.spare_pages = x.c.spare_columns = x.c.padded_tokens = 1;
    x.c.skip = (int64_t *)(uintptr_t)&skip, x.c.skips = 1;
    expect_poisons("inf@tail inf@written inf@nobody far-out@table nan@padded nan@unwritten-key");
    x.c.poison = AT_POISON_NEIGHBOUR;
    expect_poisons("neighbour@tail neighbour@written neighbour@nobody neighbour@table nan@padded nan@unwritten-key");
}

Test(poisons, a_sequence_without_new_tokens_and_a_refused_call_hide_nothing) {
    x.sequence[0].fresh = 0;
    expect_poisons("");
    x.sequence[0].fresh = 3;
    x.c.expect = AT_EXPECT_REFUSAL;
    expect_poisons("");
}

Test(poisons, each_that_is_counted_is_in_the_universe_once) {
    size_t found = 0;
    for (const char *const *a = at_poisons_universe(); *a != NULL; a++) {
        cr_expect_eq(strncmp(*a, "poison:", 7), 0);
        for (const char *const *b = at_poisons_universe(); b < a; b++) cr_expect_str_neq(*a, *b);
        found += strcmp(*a, "poison:inf@tail") == 0 || strcmp(*a, "poison:inf@written") == 0;
    }
    cr_expect_eq(found, 2);
}

Test(poisons, the_cache_holds_what_is_counted) {
    enum { INF = 0x7C00 };
    x.attr[WINDOW].i = 20;
    x.c.spare_pages = 1;
    expect_poisons("inf@tail inf@window inf@written inf@nobody");
    at_plan *plan = plan_made(&x, OR_GENAI);
    const uint16_t *cache = plan->call.in[OR_KEY_CACHE].data;
    const int32_t *table = plan->call.in[OR_BLOCK_TABLE].data;
    static const int64_t hidden[] = {0, 18, 40, 42, 43, 47}, seen[] = {22, 39};
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++) {
        const int64_t slot = table[hidden[i] / 16] * 16 + hidden[i] % 16;
        cr_expect_eq(cache[slot * tiny.head_size], INF, "position %d", (int)hidden[i]);
    }
    for (size_t i = 0; i < sizeof seen / sizeof *seen; i++) {
        const int64_t slot = table[seen[i] / 16] * 16 + seen[i] % 16;
        cr_expect_neq(cache[slot * tiny.head_size], INF, "position %d", (int)seen[i]);
    }
    cr_expect_eq(cache[(plan->problem.blocks * 16 - 1) * tiny.head_size], INF, "the page of nobody");
    at_plan_free(plan);
}
