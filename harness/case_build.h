/* From what the keys say to a case: values read, defaults and sequences resolved, id, cross checks, hash. */
#ifndef AT_CASE_BUILD_H
#define AT_CASE_BUILD_H

#include "expand.h"

enum { AT_LONGEST_ID = 240 };

/* map: the entry of `cases:`, for its place. label: "axis=value,...", or "" without axes. AT_USAGE; *out is then not to
 * be used. */
AT_MUST_USE at_status at_case_build(const at_reader *, at_case *out, char *suite, const at_yaml *map,
                                    const at_bindings *, const char *label);

#endif
