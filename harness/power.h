/* Power: which wrong readings of the contract (oracle/hypotheses.h) a case's own judge would reject. No subject is
 * needed: each reading's answer is rounded and judged as a subject's would be. And the other way round: which of them
 * a subject's wrong answer agrees with. */
#ifndef AT_POWER_H
#define AT_POWER_H

#include "../oracle/arithmetic.h"
#include "judge.h"
#include "plan.h"
#include "written.h"

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

typedef struct {
    bool *agrees; /* [at_hypotheses()] readings that answer so, inside the budget in every judged row             */
    bool right;   /* no reading agrees, and the output is right for the cache that the subject left               */
    bool numbers; /* some wrong element is a number: a NaN may come of any reading that meets what nobody may see */
    at_written written; /* apart from these, the rows that the call wrote                                         */
} at_explanation;

/* What explains an answer. Readings read the cache as it should be and as the subject left it, so that a wrong row does
 * not hide a wrong reading of it. A reading that the judge would pass explains no failure, and none is named where the
 * output is right. `agrees` and `written.as` are the caller's. AT_INFRASTRUCTURE once the seconds are up; INFINITY is
 * allowed. */
AT_MUST_USE at_status at_explain(at_explanation *, const at_plan *, const or_arithmetic *, const at_answer *,
                                 double seconds, at_error *err);

#endif
