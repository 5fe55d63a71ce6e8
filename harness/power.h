/* Power: which wrong readings of the contract (oracle/hypotheses.h) a case's own judge would reject. No subject is
 * needed: each reading's answer is rounded and judged as a subject's would be. */
#ifndef AT_POWER_H
#define AT_POWER_H

#include "../oracle/arithmetic.h"
#include "plan.h"

typedef enum {
    AT_READING_ABSENT, /* does not apply here, or its answer is the right one, bit for bit */
    AT_READING_PASSES, /* another answer, and the judge would let it pass                   */
    AT_READING_REJECTED
} at_reading;

size_t at_hypotheses(void); /* how many there are */

/* out: [at_hypotheses()]. The plan is a value case's; a subject's arithmetic decides how wide its judge is. */
AT_MUST_USE at_status at_power_of(at_reading *out, const at_plan *, const or_arithmetic *, at_error *err);

/* Must a case of this plan reject some reading? Those with no visible key, and those that copy bytes, have teeth of
 * other kinds. */
bool at_needs_teeth(const at_plan *);

/* Whether any reading is rejected under the arithmetic of f32 lanes, the tightest there is. */
AT_MUST_USE at_status at_has_teeth(bool *out, const at_plan *, at_error *err);

/* Which readings give `output` ([T, H, vhs]), inside the budget in every judged row: out: [at_hypotheses()]. */
AT_MUST_USE at_status at_explain(bool *out, const at_plan *, const or_arithmetic *, const uint16_t *output,
                                 at_error *err);

#endif
