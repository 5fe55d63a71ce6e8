/* What elements add up to: worst ones with their place, medians within five per cent. */
#include "../tally.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdint.h>

static at_tally tally;
static at_record record;

static void setup(void) {
    record = (at_record){0};
    at_tally_open(&tally, "output", OR_F16);
}

TestSuite(tally, .init = setup);

static uint16_t f16(double x) {
    return or_round(OR_F16, x);
}

static void add(int64_t place, double want, uint16_t got, double excess, double ratio) {
    at_element e = {.token = place,
                    .head = place + 1,
                    .channel = place + 2,
                    .want = want,
                    .low = want - 1,
                    .high = want + 1,
                    .got = got};
    e.opinion = (or_opinion){.accepted = excess <= 1, .excess = excess, .ratio = ratio};
    at_tally_add(&tally, &e);
}

static const at_tensor_report *closed(void) {
    at_tally_close(&tally, &record);
    return &record.tensor[record.tensors - 1];
}

Test(tally, nothing_is_said_of_no_elements) {
    const at_tensor_report *t = closed();
    cr_expect_str_eq(t->tensor, "output");
    cr_expect(t->elements == 0 && t->token == -1 && t->head == -1 && t->channel == -1);
    cr_expect(t->excess == -1 && t->ratio == -1 && t->ratio_median == 0 && t->absolute_median == 0 &&
              t->ulps_median == 0);
}

Test(tally, the_first_element_has_a_place_even_where_nothing_is_off) {
    add(7, 1, f16(1), 0, 0);
    const at_tensor_report *t = closed();
    cr_expect(t->token == 7 && t->head == 8 && t->channel == 9 && t->want == 1 && t->got == 1 && t->low == 0 &&
              t->high == 2);
    cr_expect(t->excess == 0 && t->absolute == 0 && t->relative == 0 && t->ulps == 0 && t->mismatches == 0);
}

Test(tally, the_worst_excess_gives_the_place_and_each_figure_its_own_worst) {
    add(1, 4, f16(4.5), 0.2, 0.9);    /* the largest absolute and ratio */
    add(2, 0.125, f16(0.25), 2, 0.5); /* the largest excess and relative error */
    add(3, 1, f16(1 + 0x1p-10), 1.5, 0.1);
    add(4, 0, f16(0.25), 0.1, 0); /* no relative error of 0 */
    const at_tensor_report *t = closed();
    cr_expect(t->token == 2 && t->head == 3 && t->channel == 4 && t->want == 0.125 && t->got == 0.25);
    cr_expect(t->elements == 4 && t->mismatches == 2);
    cr_expect(t->excess == 2 && t->ratio == 0.9 && t->absolute == 0.5 && t->relative == 1);
    cr_expect_eq(t->ulps, or_ulps(OR_F16, f16(0.25), 0));
    cr_expect_float_eq(t->fixed, 0.5 / 3e-2, 1e-12);
}

Test(tally, of_equal_excesses_the_first_keeps_the_place) {
    add(5, 1, f16(1.5), 3, 1);
    add(6, 1, f16(1.5), 3, 1);
    cr_expect_eq(closed()->token, 5);
}

Test(tally, what_is_not_a_number_is_off_by_nothing_or_by_infinity) {
    add(0, NAN, 0x7e00, 0, 0);
    const at_tensor_report *t = closed();
    cr_expect(t->absolute == 0 && t->relative == 0 && t->ulps == 0 && isnan(t->want) && isnan(t->got));
    setup();
    add(0, 2, 0x7e00, INFINITY, INFINITY);
    t = closed();
    cr_expect(isinf(t->absolute) && isinf(t->relative) && isinf(t->excess) && isinf(t->fixed) && t->ulps == INT64_MAX);
    cr_expect(t->mismatches == 1);
    setup();
    add(0, INFINITY, 0x7c00, 0, 0); /* inf - inf */
    t = closed();
    cr_expect(t->absolute == 0 && t->relative == 0 && t->ulps == 0);
}

Test(tally, medians_are_within_five_per_cent) {
    static const double medians[] = {0x1p-50, 3e-7, 1.0, 1.09, 7.77e3};
    for (size_t m = 0; m < sizeof medians / sizeof *medians; m++) {
        setup();
        for (int i = -500; i <= 500; i++) add(i, 1, f16(1), 0, medians[m] * exp2(i / 100.0));
        cr_expect_float_eq(closed()->ratio_median / medians[m], 1, 0.05, "%g: %g", medians[m],
                           record.tensor[0].ratio_median);
    }
}

Test(tally, a_median_counts_what_is_exact_and_what_is_beyond_every_bin) {
    for (int i = 0; i < 50; i++) add(i, 1, f16(1), 0, 0);
    for (int i = 0; i < 49; i++) add(i, 1, f16(1), 0, 0.5);
    cr_expect_eq(closed()->ratio_median, 0); /* more than half are 0 */
    setup();
    for (int i = 0; i < 49; i++) add(i, 1, f16(1), 0, 0);
    for (int i = 0; i < 51; i++) add(i, 1, f16(1), 0, 0.5);
    cr_expect_float_eq(closed()->ratio_median, 0.5, 0.025);
    setup();
    for (int i = 0; i < 3; i++) add(i, 1, 0x7e00, INFINITY, INFINITY);
    cr_expect_geq(closed()->ratio_median, 1e5);
    setup();
    for (int i = 0; i < 3; i++) add(i, 1, f16(1), 0, 1e-30);
    cr_expect(closed()->ratio_median > 0 && record.tensor[0].ratio_median < 1e-17);
}

Test(tally, medians_of_steps_and_of_absolute_errors_are_kept_too) {
    for (int i = 0; i < 101; i++) add(i, 1, (uint16_t)(f16(1) + i), 0, 0);
    const at_tensor_report *t = closed();
    cr_expect_float_eq(t->ulps_median / 50, 1, 0.05);
    cr_expect_float_eq(t->absolute_median / (50 * 0x1p-10), 1, 0.05);
    cr_expect_eq(t->ulps, 100);
}

Test(tally, a_record_takes_as_many_tensors_as_it_has_room_for) {
    for (int i = 0; i < AT_RECORD_TENSORS + 2; i++) at_tally_close(&tally, &record);
    cr_expect_eq(record.tensors, AT_RECORD_TENSORS);
}

Test(tally, bfloat16_has_its_own_fixed_tolerance) {
    at_tally_open(&tally, "output", OR_BF16);
    add(0, 1, or_round(OR_BF16, 1.5), 0, 0);
    cr_expect_float_eq(closed()->fixed, 0.5 / 1.2e-1, 1e-12);
}
