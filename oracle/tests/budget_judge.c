/* The verdict of one element: what the interval admits, what it does not, and classes before numbers. */
#include "../budget.h"

#include <criterion/criterion.h>
#include <math.h>

enum {
    ONE = 0x3c00,
    AFTER_ONE = 0x3c01,
    BEFORE_ONE = 0x3bff,
    INF = 0x7c00,
    MINUS_INF = 0xfc00,
    NAN16 = 0x7e00,
    ZERO = 0,
    MINUS_ZERO = 0x8000
};

static const struct {
    const char *why;
    double o, bound;
    uint16_t got;
    bool accepted;
    double excess;
} rows[] = {
    {"the rounded answer needs no budget", 1 + 0x1p-12, 0, ONE, true, 0},
    {"and its neighbour has none", 1 + 0x1p-12, 0, AFTER_ONE, false, INFINITY},
    {"a tie goes to even", 1 + 0x1p-11, 0, ONE, true, 0},
    {"half an ulp away, budget for just that", 1, 0x1.8p-11, AFTER_ONE, true, 2. / 3},
    {"half an ulp away, budget for less", 1, 0x1p-12, AFTER_ONE, false, 2},
    {"below a binade the ulp is half as wide", 1, 0x1.8p-12, BEFORE_ONE, true, 2. / 3},
    {"and above it is not", 1, 0x1.8p-12, AFTER_ONE, false, 4. / 3},
    {"zeros are one value", 0, 0, MINUS_ZERO, true, 0},
    {"the least value is not zero", 0, 0, 1, false, INFINITY},
    {"half of it rounds either way", 0x1p-25, 0x1p-26, 1, true, 0},
    {"subnormals have one step", 3 * 0x1p-24, 0x1p-25, 4, true, 1},
    {"the largest value may overflow", 65519, 2, INF, true, 0.5},
    {"downwards too", -65519, 2, MINUS_INF, true, 0.5},
};

Test(judge, an_element_passes_when_the_rounded_interval_holds_it) {
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const or_opinion op = or_judge(OR_F16, rows[i].o, rows[i].bound, OR_FINITE, rows[i].got);
        cr_expect_eq(op.accepted, rows[i].accepted, "%s", rows[i].why);
        cr_expect(!op.wrong_class, "%s", rows[i].why);
        if (isinf(rows[i].excess))
            cr_expect(isinf(op.excess), "%s: %g", rows[i].why, op.excess);
        else
            cr_expect_float_eq(op.excess, rows[i].excess, 1e-12, "%s: %g", rows[i].why, op.excess);
    }
}

static const struct {
    const char *why;
    double o;
    unsigned classes;
    uint16_t got;
    bool accepted, wrong;
} classed[] = {
    {"a zero where NaN is due", NAN, OR_NAN, ZERO, false, true},
    {"NaN where NaN is due", NAN, OR_NAN, NAN16, true, false},
    {"NaN with a sign", NAN, OR_NAN, NAN16 | 0x8000, true, false},
    {"NaN where a number is due", 1, OR_FINITE, NAN16, false, true},
    {"an infinity far above the number", 1, OR_FINITE, INF, false, true},
    {"the other infinity", INFINITY, OR_PLUS_INF, MINUS_INF, false, true},
    {"the right infinity", INFINITY, OR_PLUS_INF, INF, true, false},
    {"the largest value for an infinity", INFINITY, OR_PLUS_INF, 0x7bff, false, true},
    {"NaN where overflow may give it", 1, OR_FINITE | OR_NAN, NAN16, true, false},
    {"a number where one may be, and is right", 1, OR_FINITE | OR_NAN, ONE, true, false},
    {"a number where one may be, and is wrong", 1, OR_FINITE | OR_NAN, ZERO, false, false},
    {"any number where the order of the keys decides", NAN, OR_FINITE | OR_NAN, ONE, true, false},
};

Test(judge, classes_come_before_numbers) {
    for (size_t i = 0; i < sizeof classed / sizeof classed[0]; i++) {
        const or_opinion op = or_judge(OR_F16, classed[i].o, 0, classed[i].classes, classed[i].got);
        cr_expect_eq(op.accepted, classed[i].accepted, "%s", classed[i].why);
        cr_expect_eq(op.wrong_class, classed[i].wrong, "%s", classed[i].why);
        cr_expect(!op.wrong_class || isinf(op.excess), "%s", classed[i].why);
    }
}

Test(judge, the_ratio_counts_the_last_rounding_and_the_excess_does_not) {
    const or_opinion op = or_judge(OR_BF16, 1 + 0x1p-8, 0x1p-8, OR_FINITE, 0x3f80); /* a tie, rounded to 1 */
    cr_expect_eq(op.excess, 0);
    cr_expect_float_eq(op.ratio, 0x1p-8 / (0x1p-8 + 0x1p-8), 1e-12);
    cr_expect_eq(or_judge(OR_BF16, 1, 0x1p-8, OR_FINITE, 0x3f80).ratio, 0);
}

Test(judge, accepted_and_excess_agree_but_at_ties) {
    static const double bounds[] = {1e-6, 3e-4, 1e-3, 5e-3};
    for (int got = 0x3b00; got < 0x3d00; got++)
        for (size_t b = 0; b < 4; b++) {
            const or_opinion op = or_judge(OR_F16, 1.0001, bounds[b], OR_FINITE, (uint16_t)got);
            cr_assert_eq(op.accepted, op.excess <= 1, "0x%04x, bound %g: excess %g", (unsigned)got, bounds[b],
                         op.excess);
        }
}
