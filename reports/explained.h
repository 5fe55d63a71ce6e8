/* What a wrong answer agrees with, as every report says it. */
#ifndef AT_EXPLAINED_H
#define AT_EXPLAINED_H

#include "../harness/record.h"
#include "escape.h"

bool at_is_explained(const at_record *);
/* "agrees with window-wider: the window keeps one key more; or window-off, page-stale": the first reading in at most
 * `most` characters, names of a few others, the rest counted. The record is explained. */
void at_put_explanation(FILE *, const at_record *, size_t most, at_put *);

#endif
