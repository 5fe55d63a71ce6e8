/* What a suite directory itself has to cover, before any subject is asked: 95 % of the valid pairs of axis values in
 * the quick tier and all of them in the full one, and each axis value, rule at its gates, clause and mode in both. */
#ifndef AT_FLOORS_H
#define AT_FLOORS_H

#include "../reports/coverage.h"
#include "case.h"

/* AT_USAGE, and the words say what is missing, where the cases of a tier cover less. The smoke tier owes nothing. */
AT_MUST_USE at_status at_floors_hold(const at_coverage *, at_tier, at_error *err);

#endif
