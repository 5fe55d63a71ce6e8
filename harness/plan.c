/* case -> node -> shapes -> rules -> data -> rows to judge -> digests. */
#include "check.h"
#include "digest.h"
#include "plan_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Zeros with a word of -1 before and behind them. On the host no unmapped page shows that a subject reads beside the
 * entries, but it has to refuse an entry below 0. */
static void *fenced(size_t bytes) {
    enum { WORD = sizeof(int32_t) };
    unsigned char *block = malloc(bytes + 2 * WORD);
    if (block == NULL) return NULL;
    memset(block, 0xFF, bytes + 2 * WORD);
    return memset(block + WORD, 0, bytes);
}

static void free_fenced(void *entries) {
    if (entries != NULL) free((int32_t *)entries - 1);
}

/* The one input on the host, and the one that a rule reads. Upper bounds: the most new tokens of a sequence, its most
 * tokens, its most pages; in a refusal for a negative entry the last is -1. */
static at_status fill_metadata(at_plan *plan, at_error *err) {
    or_tensor *t = &plan->call.in[OR_ATTENTION_METADATA];
    const size_t bytes = at_tensor_bytes(t);
    const at_case *c = plan->c;
    at_pages pages;
    int64_t bound[3] = {0};
    if (t->dtype == OR_ABSENT) return AT_OK;
    if ((t->data = fenced(bytes)) == NULL) return at_fail_memory(err, bytes);
    if (t->dtype != OR_I32) return AT_OK;
    for (size_t b = 0; b < c->sequences; b++) {
        const int64_t fresh = c->sequence[b].fresh, length = c->sequence[b].past + fresh;
        if (fresh > bound[0]) bound[0] = fresh;
        if (length > bound[1]) bound[1] = length;
    }
    at_pages_count(&pages, c);
    bound[2] = pages.columns;
    int32_t *entry = t->data;
    const size_t entries = bytes / sizeof *entry;
    for (size_t i = 0; i < entries; i++) entry[i] = (int32_t)bound[i < 3 ? i : 2];
    if (entries > 0 && c->expect == AT_EXPECT_REFUSAL && strcmp(c->rule, "metadata-negative") == 0)
        entry[entries - 1] = -1;
    return AT_OK;
}

static at_status make_values(at_plan *plan, at_error *err) {
    at_status st;
    or_problem_of(&plan->problem, &plan->node, &plan->call);
    if ((st = at_plan_fill(plan, err)) != AT_OK) return st;
    if (plan->call.out[OR_KEY_CACHE_OUT].dtype != OR_ABSENT) {
        plan->call.out[OR_KEY_CACHE_OUT].data = plan->call.in[OR_KEY_CACHE].data;
    }
    or_problem_of(&plan->problem, &plan->node, &plan->call);
    if ((st = at_plan_rows(plan, err)) != AT_OK) return st;
    if (plan->c->expect == AT_EXPECT_EXACT && (st = at_plan_exact(plan, err)) != AT_OK) return st;
    return at_digest_inputs(plan->digest, plan->inputs_digest, &plan->call, err);
}

at_status at_plan_outline(at_plan **out, const at_case *c, or_dialect dialect, at_error *err) {
    at_plan *plan = calloc(1, sizeof *plan);
    *out = NULL;
    if (plan == NULL) return at_fail_memory(err, sizeof *plan);
    plan->c = c;
    at_status st = at_plan_sane(c, err);
    if (st == AT_OK) st = at_plan_node_of(plan, dialect, err);
    if (st == AT_OK) st = at_plan_shapes(plan, err);
    if (st == AT_OK)
        *out = plan;
    else
        at_plan_free(plan);
    return st;
}

static at_status make(at_plan **out, const at_case *c, or_dialect dialect, uint64_t seed, bool data, at_error *err) {
    at_plan *plan;
    at_status st = at_plan_outline(&plan, c, dialect, err);
    *out = NULL;
    if (st != AT_OK) return st;
    plan->seed = seed;
    if ((st = fill_metadata(plan, err)) != AT_OK) goto done;
    if ((st = at_plan_rules(plan, err)) != AT_OK) goto done;
    if (data && c->expect != AT_EXPECT_REFUSAL && (st = make_values(plan, err)) != AT_OK) goto done;
    *out = plan;
    plan = NULL;
done:
    at_plan_free(plan);
    return st;
}

at_status at_plan_make(at_plan **out, const at_case *c, or_dialect dialect, uint64_t seed, at_error *err) {
    return make(out, c, dialect, seed, true, err);
}

at_status at_plan_check(const at_case *c, or_dialect dialect, uint64_t seed, at_error *err) {
    enum { CHEAP = 1 << 19 }; /* bytes: all but some 30 cases of the quick tier, which take half a second together */
    at_plan *plan = NULL;
    at_status st = make(&plan, c, dialect, seed, at_case_bytes(c) <= CHEAP, err);
    at_plan_free(plan);
    return st;
}

void at_plan_free(at_plan *plan) {
    if (plan == NULL) return;
    free_fenced(plan->call.in[OR_ATTENTION_METADATA].data);
    for (int i = 0; i < OR_ATTENTION_METADATA; i++) free(plan->call.in[i].data); /* outputs have none of their own */
    free((void *)plan->node.attr);
    free(plan->row);
    free(plan);
}
