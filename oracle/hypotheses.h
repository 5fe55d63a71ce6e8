/* Known wrong readings of the contract, each able to say what it would have answered. They serve to ask whether a case
 * could have told (power), and which reading a subject's wrong answer agrees with (explain). One table; a row adds a
 * reading. */
#ifndef OR_HYPOTHESES_H
#define OR_HYPOTHESES_H

#include "attend.h"
#include "budget.h"

/* What a reading is held against. */
typedef struct {
    const or_problem *problem;
    const uint16_t *cache;    /* [blocks, bs, hs] as it is when the right reads begin                              */
    const or_arithmetic *how; /* q is rotated as it says, in the wrong readings too                                */
    int64_t rotary_rows;      /* rows of cos_cache; 0: not known, then no more than the tokens' positions need     */
    const uint16_t *previous; /* [T, H, vhs] what the output held before the call, or NULL: not known              */
    or_mode mode;             /* of the bounds                                                                     */
} or_setting;

typedef struct {
    int64_t token, head;
} or_place;

typedef struct or_hypothesis or_hypothesis;
const or_hypothesis *or_hypothesis_at(size_t index); /* NULL past the last */
const or_hypothesis *or_hypothesis_by_id(const char *id);
const char *or_hypothesis_id(const or_hypothesis *);    /* "window-wider"                  */
const char *or_hypothesis_about(const or_hypothesis *); /* "the window keeps one key more" */

/* May it give another answer here? From shapes, lengths and attributes alone: the data may still make it agree with the
 * right one. */
bool or_hypothesis_applies(const or_hypothesis *, const or_setting *);

/* o: [count, vhs], the rows that it would answer at these places, before they are rounded; NaN and infinities as IEEE
 * arithmetic has them. bound: [count, vhs] or NULL: the error budget of what it sees (budget.h), which may be far from
 * that of the right row. The hypothesis must apply. False when memory is short. */
bool or_hypothesis_rows(double *o, double *bound, const or_hypothesis *, const or_setting *, const or_place *places,
                        size_t count);

/* k: [hs], the row that a token of a sequence would write if its key were turned as the reading turns a query, before
 * it is rounded. The hypothesis must apply. False when memory is short. */
bool or_hypothesis_written(double *k, const or_hypothesis *, const or_setting *, int64_t token);

#endif
