/* A worker's place in a run: what the harness takes for itself is not the attempt's time. */
#include "../clock.h"
#include "../slot.h"

#include <criterion/criterion.h>

static at_blackbox box;
static at_slot w;

static void setup(void) {
    box = (at_blackbox){.begun = 7};
    w = (at_slot){.child = {.box = &box}, .ticket = 7};
    at_slot_enter(&w, AT_BUSY, -1); /* overdue */
}

TestSuite(slot, .init = setup);

Test(slot, a_deadline_moves_by_what_was_granted_and_no_further) {
    cr_expect_not(at_slot_extend(&w, -1), "nothing was granted");
    box.granted = 10;
    cr_expect(at_slot_extend(&w, -1));
    cr_expect_float_eq(w.deadline - w.since, 9, 1e-6);
    cr_expect(at_slot_extend(&w, -1));
    cr_expect_float_eq(w.deadline - w.since, 9, 1e-6, "once, however often it is asked");
    cr_expect_not(at_slot_extend(&w, -20), "that leaves it passed");
}

Test(slot, a_subject_that_writes_into_the_black_box_does_not_run_for_ever) {
    box.granted = 1e300;
    cr_expect_not(at_slot_extend(&w, -60));
    box.granted = __builtin_nan("");
    cr_expect_not(at_slot_extend(&w, -1));
    box.granted = -5;
    cr_expect_not(at_slot_extend(&w, -1));
}

Test(slot, what_an_attempt_before_was_granted_is_not_this_ones) {
    box.granted = 10;
    w.ticket = 8; /* not yet taken up */
    cr_expect_not(at_slot_extend(&w, -1));
    at_blackbox_carry(&box);
    at_blackbox_begin(8);
    cr_expect_eq(box.granted, 0);
    at_blackbox_grant(3), at_blackbox_grant(-1);
    cr_expect_eq(box.granted, 2);
    cr_expect(at_slot_extend(&w, -1));
    at_blackbox_carry(NULL);
}

Test(slot, a_device_is_shared_by_another_place_alone) {
    const at_slot all[] = {{.device = 0}, {.device = 1}, {.device = 0}};
    cr_expect(at_slot_shares_device(&all[0], all, 3) && at_slot_shares_device(&all[2], all, 3));
    cr_expect_not(at_slot_shares_device(&all[1], all, 3));
    cr_expect_not(at_slot_shares_device(&all[0], all, 2));
}
