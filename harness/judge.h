/* Holds an answer to the oracle, in stages, so that one fault shows once: the written rows, the rest of the cache byte
 * for byte, then attention, by the oracle on the bits that the subject's own cache now holds. */
#ifndef AT_JUDGE_H
#define AT_JUDGE_H

#include "../oracle/budget.h"
#include "record.h"

typedef struct {
    const or_problem *problem;
    const uint16_t *cache_before; /* [blocks, bs, hs] */
    const int64_t *row;           /* [rows] token * H + head; the output rows to judge, ascending */
    int64_t rows;
    or_arithmetic arithmetic; /* as the subject declares it */
    or_mode mode;
    bool exact; /* the bits of the rounded exact value, no budget; of split rows those alone that one key carries */
} at_question;

typedef struct {
    const uint16_t *output;    /* [T, H, vhs] */
    const uint16_t *key_cache; /* [blocks, bs, hs], after the call */
} at_answer;

/* Adds tensor reports and findings to the record and raises its verdict to MARGINAL or FAIL. AT_INFRASTRUCTURE when
 * memory is short. */
AT_MUST_USE at_status at_judge(at_record *, const at_question *, const at_answer *, at_error *err);

#endif
