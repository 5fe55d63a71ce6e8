/* Parts of a run: together they are the whole, each attempt in one of them; and whoever started the run may have said
 * which is meant. */
#define _DEFAULT_SOURCE 1
#include "../shard.h"
#include "cases_scratch.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static at_cases *cases;

static void forget_variables(void) {
    static const char *const names[] = {"GTEST_TOTAL_SHARDS",   "GTEST_SHARD_INDEX",      "SLURM_ARRAY_TASK_ID",
                                        "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_STEP"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) unsetenv(names[i]);
}
static void enter(void) {
    scratch_open();
    cases =
        scratch_load("cases:\n  - {name: m, why: A reason., geometry: tiny, matrix: {past: 0..29, new: [1, 2, 64]}}\n");
    forget_variables();
}
static void leave(void) {
    at_cases_free(cases);
    scratch_close();
}
TestSuite(shard, .init = enter, .fini = leave);

static at_options whole(void) {
    return (at_options){.tier = AT_STRESS, .tier_given = true, .shard = 1, .shards = 1};
}

static at_selection cut(int64_t shard, int64_t shards) {
    at_options o = whole();
    at_selection s;
    at_error err;
    o.shard = shard, o.shards = shards;
    cr_assert_eq(at_select(&s, cases, &o, &err), AT_OK, "%s", err.text);
    return s;
}

Test(shard, parts_are_disjoint_cover_the_whole_and_keep_its_order_and_plan) {
    at_selection all = cut(1, 1);
    for (int64_t n = 1; n <= 200; n += 33) {
        size_t found = 0;
        int *times = calloc(all.choices, sizeof *times);
        for (int64_t i = 1; i <= n; i++) {
            at_selection part = cut(i, n);
            cr_expect_str_eq(part.plan, all.plan);
            cr_expect_eq(part.whole, all.choices);
            cr_expect_eq(part.whole_cases, all.cases);
            for (size_t k = 0, at = 0; k < part.choices; k++, at++, found++) {
                while (at < all.choices &&
                       (all.choice[at].c != part.choice[k].c || all.choice[at].mode != part.choice[k].mode))
                    at++;
                cr_assert_lt(at, all.choices, "out of order");
                times[at]++;
            }
            at_selection_free(&part);
        }
        cr_expect_eq(found, all.choices);
        for (size_t k = 0; k < all.choices; k++) cr_expect_eq(times[k], 1);
        free(times);
    }
    at_selection_free(&all);
}

Test(shard, parts_cost_about_the_same) {
    double least = 1e300, most = 0;
    for (int64_t i = 1; i <= 7; i++) {
        at_selection part = cut(i, 7);
        double cost = 0;
        for (size_t k = 0; k < part.choices; k++) cost += at_cost(part.choice[k].c, part.choice[k].mode);
        least = cost < least ? cost : least, most = cost > most ? cost : most;
        at_selection_free(&part);
    }
    cr_expect_lt(most, 1.1 * least);
}

Test(shard, the_plan_follows_selection_and_content) {
    at_selection all = cut(1, 1), some;
    at_options o = whole();
    at_error err;
    const char *pattern = "suite/m/past=1,*";
    o.pattern = &pattern, o.patterns = 1;
    cr_assert_eq(at_select(&some, cases, &o, &err), AT_OK, "%s", err.text);
    cr_expect_str_neq(some.plan, all.plan);
    at_selection_free(&some);
    at_selection_free(&all);
}

static void says(const char *const *set, int64_t shard, int64_t shards) {
    at_options o = whole();
    at_error err = {0};
    forget_variables();
    for (; set[0] != NULL; set += 2) setenv(set[0], set[1], 1);
    at_status st = at_shard_from_environment(&o, &err);
    cr_expect_eq(st, shard > 0 ? AT_OK : AT_USAGE, "%s", err.text);
    if (shard > 0) cr_expect(o.shard == shard && o.shards == shards, "%ld of %ld", (long)o.shard, (long)o.shards);
}
#define SAYS(shard, shards, ...) says((const char *const[]){__VA_ARGS__, NULL}, shard, shards)

Test(shard, gtest_and_slurm_variables_are_understood) {
    SAYS(3, 7, "GTEST_TOTAL_SHARDS", "7", "GTEST_SHARD_INDEX", "2");
    SAYS(4, 4, "SLURM_ARRAY_TASK_ID", "4", "SLURM_ARRAY_TASK_COUNT", "4", "SLURM_ARRAY_TASK_MIN", "1");
    SAYS(1, 4, "SLURM_ARRAY_TASK_ID", "0", "SLURM_ARRAY_TASK_COUNT", "4", "SLURM_ARRAY_TASK_MIN", "0");
    SAYS(3, 4, "SLURM_ARRAY_TASK_ID", "10", "SLURM_ARRAY_TASK_COUNT", "4", "SLURM_ARRAY_TASK_MIN", "6",
         "SLURM_ARRAY_TASK_STEP", "2");
    SAYS(2, 3, "GTEST_TOTAL_SHARDS", "3", "GTEST_SHARD_INDEX", "1", "SLURM_ARRAY_TASK_ID", "9",
         "SLURM_ARRAY_TASK_COUNT", "9");
    SAYS(1, 1, "HOME", "/");
}

Test(shard, variables_that_make_no_sense_are_refused) {
    SAYS(0, 0, "GTEST_TOTAL_SHARDS", "7");
    SAYS(0, 0, "GTEST_TOTAL_SHARDS", "7", "GTEST_SHARD_INDEX", "7");
    SAYS(0, 0, "GTEST_TOTAL_SHARDS", "x", "GTEST_SHARD_INDEX", "1");
    SAYS(0, 0, "SLURM_ARRAY_TASK_ID", "9", "SLURM_ARRAY_TASK_COUNT", "3", "SLURM_ARRAY_TASK_MIN", "1");
    SAYS(0, 0, "SLURM_ARRAY_TASK_ID", "9", "SLURM_ARRAY_TASK_COUNT", "3", "SLURM_ARRAY_TASK_MIN", "0",
         "SLURM_ARRAY_TASK_STEP", "2");
}

Test(shard, a_shard_that_was_given_overrules_them) {
    at_options o = whole();
    at_error err;
    o.shard_given = true;
    setenv("GTEST_TOTAL_SHARDS", "7", 1);
    cr_expect_eq(at_shard_from_environment(&o, &err), AT_OK);
    cr_expect_eq(o.shards, 1);
}
