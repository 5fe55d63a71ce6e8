/* Attempts made in this process, on CPU execution, with a subject of subjects/faults.c. */
#ifndef ATTEMPTS_H
#define ATTEMPTS_H

#include "plan_case.h"

#include "../modes.h"

/* Cases that modes are run with. Each starts anew. */
void case_of_decode(plan_case *);  /* three sequences, one idle, with a window */
void case_of_prefill(plan_case *); /* 100 new tokens of one sequence */
void case_of_nan(plan_case *);     /* a visible NaN: one row is due as NaN */
/* A call that must be refused by `rule` at `gates`; how it breaks the rule is for the caller to say. */
void case_of_refusal(plan_case *, const char *rule, unsigned gates);

/* The record of one attempt, valid until the next; *status is at_attempt's. ops: NULL for at_cpu_device. */
const at_record *attempt_on(const at_device_ops *, const char *subject, const char *mode, const plan_case *,
                            at_status *);
const at_record *attempt(const char *subject, const char *mode, const plan_case *);
bool has_finding(const at_record *, const char *detector, const char *words);
const char *findings_of(const at_record *); /* for messages of failing tests */

void expect_verdict(at_verdict, const char *subject, const char *mode, const plan_case *);
/* FAIL, and among the findings one of the detector with these words. */
void expect_found(const char *subject, const char *mode, const plan_case *, const char *detector, const char *words);

/* Does an attempt, made in a process of its own, end at an address that may not be touched? */
bool dies_of_touching(const char *subject, const char *mode, const plan_case *);

#endif
