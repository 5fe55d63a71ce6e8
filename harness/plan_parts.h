/* How a plan is made, step by step. Private to plan*.c and bridge.c. */
#ifndef AT_PLAN_PARTS_H
#define AT_PLAN_PARTS_H

#include "design.h"
#include "pages.h"
#include "plan.h"

/* AT_USAGE at the case's place: "file:line:column: id: ...". */
at_status at_case_wrong(const at_case *, at_error *err, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Refuses numbers from which no shape follows: beyond int32, prefixes that are not there, tokens that are not there. */
AT_MUST_USE at_status at_plan_sane(const at_case *, at_error *err);

/* Fills node and call: what a graph and a runtime would hand over, then the case's overrides. Shapes only. */
AT_MUST_USE at_status at_plan_node_of(at_plan *, or_dialect, at_error *err);
AT_MUST_USE at_status at_plan_shapes(at_plan *, at_error *err);

/* A value case is legal at every gate; a refusal case breaks its rule first at each gate that it names. */
AT_MUST_USE at_status at_plan_rules(at_plan *, at_error *err);

/* Data of a value case; `problem` is resolved. */
AT_MUST_USE at_status at_plan_fill(at_plan *, at_error *err);
AT_MUST_USE at_status at_plan_fill_cache(at_plan *, const at_fill *, const at_pages *, const bool *unwritten,
                                         at_error *err);
AT_MUST_USE at_status at_plan_rows(at_plan *, at_error *err);
/* Each judged element is far from where the rounded value changes, or on a value of the type. */
AT_MUST_USE at_status at_plan_exact(const at_plan *, at_error *err);

/* out: [sequences + 1] the first new token of each sequence, and the end. */
void at_case_starts(int64_t *out, const at_case *);
/* Positions that cos_cache and sin_cache need rows for: 0 .. n-1; at least one. */
int64_t at_case_positions(const at_case *);

#endif
