/* The suite's rule: who expects values makes a legal call; who expects a refusal breaks that rule before any other. */
#include "plan_parts.h"

#include <string.h>

static const struct {
    or_gate bit;
    const char *name;
} gates[] = {{OR_SUPPORTS, "supports"}, {OR_CREATE, "create"}, {OR_EXECUTE, "execute"}};

static at_status legal_at(const at_plan *plan, const char *gate, const or_rule *broken, at_error *err) {
    if (broken == NULL) return AT_OK;
    return at_case_wrong(
        plan->c, err,
        "expects values, but %s may refuse it in dialect %s by %s: %s; expect that refusal, or make the call legal",
        gate, or_dialect_name(plan->node.dialect), broken->id, broken->refused_when);
}

static at_status refused_at(const at_plan *plan, const char *gate, const or_rule *broken, at_error *err) {
    if (broken == plan->rule) return AT_OK;
    return at_case_wrong(
        plan->c, err,
        "expects %s at %s, but there the first broken rule in dialect %s is %s; expect that one, or break no other",
        plan->rule->id, gate, or_dialect_name(plan->node.dialect), broken == NULL ? "none" : broken->id);
}

at_status at_plan_rules(at_plan *plan, at_error *err) {
    const at_case *c = plan->c;
    const bool refusal = c->expect == AT_EXPECT_REFUSAL;
    const or_moment moment = {
        .capturing = refusal && c->cold_capture, .cache_aliased = plan->cache_aliased, .grid_limit = INT32_MAX};
    if (refusal) {
        plan->rule = or_rule_by_id(c->rule);
        if (plan->rule == NULL) return at_case_wrong(c, err, "there is no rule %s", c->rule);
        if ((c->gates & (OR_SUPPORTS | OR_CREATE | OR_EXECUTE)) == 0)
            return at_case_wrong(c, err, "%s: no gate is named", c->rule);
    }
    at_status st = AT_OK;
    for (size_t i = 0; i < sizeof gates / sizeof *gates && st == AT_OK; i++) {
        if (refusal && !(c->gates & (unsigned)gates[i].bit)) continue;
        const or_rule *broken = or_refusal(gates[i].bit, &plan->node, &plan->call, &moment);
        st = refusal ? refused_at(plan, gates[i].name, broken, err) : legal_at(plan, gates[i].name, broken, err);
    }
    return st;
}
