#include "../pages.h"
#include "plan_case.h"

#include <criterion/criterion.h>
#include <stdlib.h>

/* Three sequences of 3, 2 and 4 pages. */
static void three(plan_case *x) {
    plan_case_start(x, tiny, "normal");
    x->sequence[0] = (at_sequence){.past = 33, .fresh = 3};
    x->sequence[1] = (at_sequence){.past = 32, .fresh = 0};
    x->sequence[2] = (at_sequence){.past = 50, .fresh = 14};
    x->c.sequences = 3;
}

static at_pages pages_of(const plan_case *x, uint64_t seed) {
    at_pages p;
    cr_assert_eq(at_pages_make(&p, &x->c, seed, -1, NULL), AT_OK);
    return p;
}

static void expect_pages(const at_pages *p, const int64_t *expected) {
    for (int64_t i = 0; i < 3 * p->columns; i++)
        cr_expect_eq(p->page[i], expected[i], "entry %d is %d", (int)i, (int)p->page[i]);
}

Test(pages, identity_hands_them_out_in_order) {
    plan_case x;
    three(&x);
    at_pages p = pages_of(&x, 1);
    cr_expect_eq(p.blocks, 9);
    cr_expect_eq(p.columns, 4);
    expect_pages(&p, (int64_t[]){0, 1, 2, -1, 3, 4, -1, -1, 5, 6, 7, 8});
    cr_expect(p.owner[4].sequence == 1 && p.owner[4].page == 1);
    at_pages_free(&p);
}

Test(pages, reversed_starts_at_the_end_and_leaves_spare_pages_in_front) {
    plan_case x;
    three(&x);
    x.c.page_order = AT_PAGES_REVERSED, x.c.spare_pages = 2, x.c.spare_columns = 1;
    at_pages p = pages_of(&x, 1);
    expect_pages(&p, (int64_t[]){10, 9, 8, -1, -1, 7, 6, -1, -1, -1, 5, 4, 3, 2, -1});
    cr_expect(p.owner[0].sequence == -1 && p.owner[1].sequence == -1);
    at_pages_free(&p);
}

/* Every mapped page has one owner, and every owner its page. */
static void expect_no_collision(const at_pages *p, int64_t sequences, int64_t shared) {
    int uses[64] = {0};
    cr_assert_leq(p->blocks, 64);
    for (int64_t b = 0; b < sequences; b++) {
        for (int64_t i = 0; i < p->columns; i++) {
            const int64_t page = p->page[b * p->columns + i];
            if (page < 0) continue;
            cr_assert_lt(page, p->blocks);
            if (b > 0 && i < shared) {
                cr_expect_eq(page, p->page[i], "page %d of sequence %d is the first's", (int)i, (int)b);
                continue;
            }
            cr_expect(p->owner[page].sequence == b && p->owner[page].page == i);
            cr_expect_eq(uses[page]++, 0, "page %d is handed out once", (int)page);
        }
    }
}

Test(pages, no_two_sequences_get_the_same_page_in_any_order) {
    for (int order = AT_PAGES_IDENTITY; order <= AT_PAGES_APART; order++) {
        for (uint64_t seed = 0; seed < 20; seed++) {
            plan_case x;
            three(&x);
            x.c.page_order = order, x.c.spare_pages = 3;
            at_pages p = pages_of(&x, seed);
            expect_no_collision(&p, 3, 0);
            at_pages_free(&p);
        }
    }
}

Test(pages, a_shared_prefix_is_held_once) {
    plan_case x;
    three(&x);
    x.c.shared_prefix = 2;
    for (int order = AT_PAGES_IDENTITY; order <= AT_PAGES_APART; order++) {
        x.c.page_order = order;
        at_pages p = pages_of(&x, 3);
        cr_expect_eq(p.blocks, order == AT_PAGES_APART ? 7 : 5);
        expect_no_collision(&p, 3, 2);
        at_pages_free(&p);
    }
}

static int neighbours(const at_pages *p, int64_t sequences) {
    int count = 0;
    for (int64_t b = 0; b < sequences; b++) {
        for (int64_t i = 1; i < p->columns; i++) {
            const int64_t page = p->page[b * p->columns + i], before = p->page[b * p->columns + i - 1];
            count += page >= 0 && llabs(page - before) == 1;
        }
    }
    return count;
}

Test(pages, apart_leaves_no_neighbours_beside_each_other) {
    for (int64_t length = 1; length <= 200; length += 7) {
        for (int64_t shared = 0; shared <= 1; shared++) {
            plan_case x;
            three(&x);
            x.c.page_order = AT_PAGES_APART, x.c.shared_prefix = shared;
            x.sequence[2].past = 16 + length;
            at_pages p = pages_of(&x, 1);
            cr_expect_eq(neighbours(&p, 3), 0, "length %d", (int)length);
            expect_no_collision(&p, 3, shared);
            at_pages_free(&p);
        }
    }
    plan_case x;
    three(&x);
    at_pages p = pages_of(&x, 1);
    cr_expect_eq(neighbours(&p, 3), 6, "identity leaves them beside each other");
    at_pages_free(&p);
}

Test(pages, random_order_follows_the_seed) {
    plan_case x;
    three(&x);
    x.c.page_order = AT_PAGES_RANDOM;
    at_pages a = pages_of(&x, 1), again = pages_of(&x, 1), other = pages_of(&x, 2);
    int differ = 0;
    for (int64_t i = 0; i < 12; i++) {
        cr_expect_eq(a.page[i], again.page[i]);
        differ += a.page[i] != other.page[i];
    }
    cr_expect_gt(differ, 0);
    at_pages_free(&a), at_pages_free(&again), at_pages_free(&other);
}

Test(pages, an_unmapped_page_and_those_past_the_columns_are_nowhere) {
    plan_case x;
    at_pages p;
    at_unmapped hole = {2, 1, -1};
    three(&x);
    x.c.unmapped = &hole, x.c.unmappeds = 1;
    cr_assert_eq(at_pages_make(&p, &x.c, 1, 3, NULL), AT_OK);
    cr_expect_eq(p.columns, 3);
    expect_pages(&p, (int64_t[]){0, 1, 2, 3, 4, -1, 5, -1, 6});
    at_pages_free(&p);
}

Test(pages, no_sequence_still_gets_a_cache) {
    plan_case x;
    three(&x);
    x.c.sequences = 0;
    at_pages p = pages_of(&x, 1);
    cr_expect_eq(p.blocks, 1);
    cr_expect_eq(p.owner[0].sequence, -1);
    at_pages_free(&p);
}
