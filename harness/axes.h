/* The fixed axes that coverage counts: what class of each a case falls into. cases/README.md lists them; one row adds
 * an axis. */
#ifndef AT_AXES_H
#define AT_AXES_H

#include "case.h"

/* "axis=value" strings of one attempt, NULL-terminated, owned by the caller; NULL when memory is short. */
char **at_axes_of(const at_case *, or_dialect, const char *mode);

/* Every value of every axis, as "axis:name=value", in the table's order; appended to by the run with what else it has
 * to cover. */
const char *const *at_axes_universe(size_t *count);

#endif
