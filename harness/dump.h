/* Got, want and allowed of every judged element, as a table for eyes and scripts. */
#ifndef AT_DUMP_H
#define AT_DUMP_H

#include "judge.h"

/* Writes DIR/output.tsv and DIR/key_cache.tsv, the rows that the call had to write; makes the directory. */
AT_MUST_USE at_status at_dump(const char *directory, const at_question *, const at_answer *, at_error *err);

#endif
