/* One answer to one planned case, right to begin with, to be bent and judged. */
#ifndef JUDGING_H
#define JUDGING_H

#include "plan_case.h"

#include "../../oracle/hypotheses.h"
#include "../judge.h"

typedef struct {
    at_plan *plan;
    at_question question;
    at_answer answer;
    uint16_t *output, *cache; /* the answer's, to be changed */
    at_record record;
} judging;

/* The correctly rounded answer to the plan of `x`, by a subject that says it computes in f32. */
void judging_open(judging *, const plan_case *x);
void judging_close(judging *);
/* Judges the answer as it now stands; the record starts anew. */
const at_record *judged(judging *);

/* What readings are made of. */
or_setting setting_of(const judging *);
/* The output becomes what is right for the cache as it stands, or what a reading answers to it; rounded. */
void answer_rightly(judging *);
void answer_as(judging *, const or_hypothesis *);

uint16_t *output_at(judging *, int64_t token, int64_t head, int64_t channel);
/* Of the row that the token wrote. */
uint16_t *written_at(judging *, int64_t token, int64_t channel);

void expect_finding(const at_record *, const char *detector, const char *words);

#endif
