/* All that a run over these cases could cover: rules at their gates, axis values, clauses, scenarios, modes. Goes into
 * the header, so that reports can name what nobody covered. */
#ifndef AT_UNIVERSE_H
#define AT_UNIVERSE_H

#include "case.h"

/* NULL-terminated and owned by the caller; NULL when memory is short. */
char **at_universe(const at_cases *);

#endif
