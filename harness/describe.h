/* What a record says of its attempt before anything has run. */
#ifndef AT_DESCRIBE_H
#define AT_DESCRIBE_H

#include "modes.h"

/* dialect NULL: not known, since the subject never said which is its first. */
void at_describe(at_record *, const char *subject, const at_case *, const at_mode *, const or_dialect *dialect);

#endif
