/* A case made concrete: the node, every tensor on the host, where each token is written, and what is expected. */
#ifndef AT_PLAN_H
#define AT_PLAN_H

#include "../oracle/problem.h"
#include "../oracle/rules.h"
#include "case.h"

typedef struct {
    const at_case *c; /* outlives the plan */
    uint64_t seed;
    or_node node; /* owned by the plan; its strings are the case's */
    or_call call; /* as it stands before the call. A refusal's tensors have no data, attention_metadata excepted */
    or_problem problem;  /* value cases */
    bool cache_aliased;  /* key_cache_out, where it is given, is key_cache's buffer */
    const or_rule *rule; /* refusals */
    int64_t *row;        /* [rows] token * H + head to be judged, ascending */
    int64_t rows;
    char digest[OR_INPUTS][65]; /* SHA-256 of each input's bytes, "" where absent */
    char inputs_digest[65];     /* of all of them, with dtypes and shapes         */
} at_plan;

/* dialect: the case's, or the subject's first where the case runs in any. AT_USAGE where the case contradicts itself: a
 * value case that the oracle refuses, a refusal case that it does not, an `exact` case whose value lies near a rounding
 * boundary. */
AT_MUST_USE at_status at_plan_make(at_plan **out, const at_case *c, or_dialect dialect, uint64_t seed, at_error *err);
/* Node and shapes alone, without data: cheap, and there for cases too that at_plan_make would refuse later. */
AT_MUST_USE at_status at_plan_outline(at_plan **out, const at_case *c, or_dialect dialect, at_error *err);
void at_plan_free(at_plan *);
/* Makes the plan and drops it, for its AT_USAGE. Large data are not made, and what they alone show is not seen. */
AT_MUST_USE at_status at_plan_check(const at_case *c, or_dialect dialect, uint64_t seed, at_error *err);
size_t at_tensor_bytes(const or_tensor *); /* 0 where absent */

/* The plan as a call for a subject: shapes, dtypes and attributes; data pointers NULL. attr must hold plan->node.attrs.
 */
void at_plan_node(at_node *out, at_attr *attr, const at_plan *);
void at_plan_call(at_call *out, const at_plan *);

#endif
