#include "power.h"
#include "../oracle/budget.h"
#include "../oracle/hypotheses.h"
#include "../oracle/write.h"
#include "clock.h"
#include "design.h"

#include <stdlib.h>
#include <string.h>

size_t at_hypotheses(void) {
    size_t n = 0;
    while (or_hypothesis_at(n) != NULL) n++;
    return n;
}

/* The right answer of a plan, row by row, and room for another. */
typedef struct {
    const at_plan *plan;
    or_setting setting;
    uint16_t *cache; /* after the writes */
    or_attention *attention;
    or_budget *budget;
    double *other, *bound; /* [vhs] */
    bool exact;
    double until; /* by which an explanation has to have ended */
} ground;

static void close_ground(ground *g) {
    or_budget_free(g->budget);
    or_attention_free(g->attention);
    free(g->other);
    free(g->bound);
    free(g->cache);
}

/* From the cache as a call left it; NULL: as it should be. */
static at_status open_ground(ground *g, const at_plan *plan, const uint16_t *left, const or_arithmetic *how,
                             at_error *err) {
    const or_problem *p = &plan->problem;
    const or_tensor *cache = &plan->call.in[OR_KEY_CACHE], *angles = &plan->call.in[OR_COS_CACHE];
    or_mode mode = at_design_by_name(plan->c->design)->independent ? OR_STATISTICAL : OR_RIGOROUS;
    size_t bytes = at_tensor_bytes(cache);
    *g = (ground){.plan = plan, .exact = plan->c->expect == AT_EXPECT_EXACT};
    if ((g->cache = malloc(bytes + 1)) != NULL) {
        memcpy(g->cache, left != NULL ? left : cache->data, bytes);
        if (left == NULL) or_write_all(g->cache, p);
        g->attention = or_attention_new(p, g->cache, how);
        g->budget = or_budget_new(p, g->cache, how, mode);
    }
    g->other = calloc((size_t)p->v_head_size, sizeof *g->other);
    g->bound = calloc((size_t)p->v_head_size, sizeof *g->bound);
    g->setting = (or_setting){.problem = p,
                              .cache = g->cache,
                              .how = how,
                              .rotary_rows = angles->dtype != OR_ABSENT ? angles->shape[0] : 0,
                              .mode = mode};
    if (g->attention != NULL && g->budget != NULL && g->other != NULL && g->bound != NULL) return AT_OK;
    close_ground(g);
    return at_fail_memory(err, bytes);
}

static or_place place_of(const at_plan *plan, int64_t row) {
    return (or_place){row / plan->problem.heads, row % plan->problem.heads};
}

/* With its bound in g->bound, where the case is not an exact one. */
static const or_row *right_row(const ground *g, or_place place) {
    const or_row *row = or_attend(g->attention, place.token, place.head);
    if (!g->exact) or_budget_row(g->budget, row, place.token, place.head, g->bound);
    return row;
}

static bool is_accepted(const ground *g, const or_row *row, int64_t d, uint16_t got) {
    return or_judge(g->plan->problem.dtype, row->o[d], g->exact ? 0 : g->bound[d], row->classes[d], got).accepted;
}

/* What the judge says of one row of the reading's answer. */
static at_reading judge_row(const ground *g, const or_row *row) {
    or_dtype t = g->plan->problem.dtype;
    at_reading worst = AT_READING_ABSENT;
    for (int64_t d = 0; d < g->plan->problem.v_head_size; d++) {
        uint16_t got = or_round(t, g->other[d]);
        if (!is_accepted(g, row, d, got)) return AT_READING_REJECTED;
        if (or_ulps(t, got, or_round(t, row->o[d])) != 0) worst = AT_READING_PASSES;
    }
    return worst;
}

/* Rows are asked for one by one, from both ends, since a reading that is rejected mostly is so at once. */
static at_status power_of_reading(at_reading *out, ground *g, const or_hypothesis *h, at_error *err) {
    const at_plan *plan = g->plan;
    *out = AT_READING_ABSENT;
    if (!or_hypothesis_applies(h, &g->setting)) return AT_OK;
    for (int64_t i = 0; i < plan->rows && *out != AT_READING_REJECTED; i++) {
        const or_place place = place_of(plan, plan->row[i % 2 ? i / 2 : plan->rows - 1 - i / 2]);
        if (!or_hypothesis_rows(g->other, NULL, h, &g->setting, &place, 1))
            return at_fail_memory(err, sizeof *g->other);
        at_reading here = judge_row(g, right_row(g, place));
        if (here > *out) *out = here;
    }
    return AT_OK;
}

at_status at_power_of(at_reading *out, const at_plan *plan, const or_arithmetic *how, at_error *err) {
    ground g;
    at_status st = open_ground(&g, plan, NULL, how, err);
    if (st != AT_OK) return st;
    for (size_t i = 0; or_hypothesis_at(i) != NULL && st == AT_OK; i++)
        st = power_of_reading(&out[i], &g, or_hypothesis_at(i), err);
    close_ground(&g);
    return st;
}

at_status at_has_teeth(bool *out, const at_plan *plan, at_error *err) {
    const or_arithmetic lanes = {.rope = OR_ROPE_EXACT,
                                 .dot = OR_DOT_F32,
                                 .exp = OR_EXP_LIBM,
                                 .tanh = OR_TANH_LIBM,
                                 .p = OR_F32,
                                 .partial = OR_F32,
                                 .tile = 128,
                                 .splits = 1};
    ground g;
    at_reading reading = AT_READING_ABSENT;
    at_status st = open_ground(&g, plan, NULL, &lanes, err);
    if (st != AT_OK) return st;
    for (size_t i = 0; or_hypothesis_at(i) != NULL && reading != AT_READING_REJECTED && st == AT_OK; i++) {
        st = power_of_reading(&reading, &g, or_hypothesis_at(i), err);
    }
    *out = reading == AT_READING_REJECTED;
    close_ground(&g);
    return st;
}

bool at_needs_teeth(const at_plan *plan) {
    const or_problem *p = &plan->problem;
    if (strcmp(plan->c->design, "all_bits") == 0) return false;
    for (int64_t i = 0; i < plan->rows; i++) {
        int64_t token = plan->row[i] / p->heads, sequence = or_sequence_of(p, token);
        if (sequence >= 0 && or_slot_of(p, sequence, or_position_of(p, token)) >= 0) return true;
    }
    return false;
}

/* Does the reading answer as the subject did, in this row? got: [vhs] */
static bool agrees(const ground *g, const uint16_t *got) {
    const or_problem *p = &g->plan->problem;
    for (int64_t d = 0; d < p->v_head_size; d++) {
        unsigned class = or_class(p->dtype, or_round(p->dtype, g->other[d]));
        if (!or_judge(p->dtype, g->other[d], g->bound[d], class, got[d]).accepted) return false;
    }
    return true;
}

static at_status in_time(const ground *g, at_error *err) {
    if (at_seconds_now() <= g->until) return AT_OK;
    return at_fail(err, AT_INFRASTRUCTURE, "no time is left to explain the answer");
}

static at_status explain_reading(bool *out, ground *g, const or_hypothesis *h, const uint16_t *output, at_error *err) {
    const at_plan *plan = g->plan;
    *out = or_hypothesis_applies(h, &g->setting) && plan->rows > 0;
    for (int64_t i = 0; i < plan->rows && *out; i++) {
        const or_place place = place_of(plan, plan->row[i]);
        at_status st = in_time(g, err);
        if (st != AT_OK) return st;
        if (!or_hypothesis_rows(g->other, g->bound, h, &g->setting, &place, 1))
            return at_fail_memory(err, sizeof *g->other);
        *out = agrees(g, output + plan->row[i] * plan->problem.v_head_size);
    }
    return AT_OK;
}

/* What the judge would say of the output. */
static at_status judge_output(at_explanation *out, const ground *g, const uint16_t *output, at_error *err) {
    const or_problem *p = &g->plan->problem;
    out->right = true;
    for (int64_t i = 0; i < g->plan->rows; i++) {
        const uint16_t *got = output + g->plan->row[i] * p->v_head_size;
        at_status st = in_time(g, err);
        if (st != AT_OK) return st;
        const or_row *row = right_row(g, place_of(g->plan, g->plan->row[i]));
        for (int64_t d = 0; d < p->v_head_size; d++) {
            if (is_accepted(g, row, d, got[d])) continue;
            out->right = false;
            if (or_class(p->dtype, got[d]) != OR_NAN) out->numbers = true;
        }
    }
    return AT_OK;
}

/* Adds those readings of this cache that answer as the subject did, and not as is right. */
static at_status explain_from(at_explanation *out, ground *g, const uint16_t *output, at_error *err) {
    at_status st = judge_output(out, g, output, err);
    for (size_t i = 0; st == AT_OK && !out->right && or_hypothesis_at(i) != NULL; i++) {
        at_reading reading = AT_READING_ABSENT;
        bool fits = false;
        st = explain_reading(&fits, g, or_hypothesis_at(i), output, err);
        if (st == AT_OK && fits) st = power_of_reading(&reading, g, or_hypothesis_at(i), err);
        out->agrees[i] |= fits && reading == AT_READING_REJECTED;
    }
    return st;
}

at_status at_explain(at_explanation *out, const at_plan *plan, const or_arithmetic *how, const at_answer *answer,
                     double seconds, at_error *err) {
    const size_t bytes = at_tensor_bytes(&plan->call.in[OR_KEY_CACHE]);
    const double until = at_seconds_now() + seconds;
    ground due, left;
    memset(out->agrees, 0, at_hypotheses() * sizeof *out->agrees);
    memset(out->written.as, 0, at_hypotheses() * sizeof *out->written.as);
    out->numbers = out->written.wrong = false;
    at_status st = open_ground(&due, plan, NULL, how, err);
    if (st != AT_OK) return st;
    due.until = until;
    st = explain_from(out, &due, answer->output, err);
    if (st != AT_OK || memcmp(due.cache, answer->key_cache, bytes) == 0) goto done;
    if ((st = at_explain_written(&out->written, plan, how, answer->key_cache, until, err)) != AT_OK) goto done;
    out->numbers |= out->written.numbers;
    if ((st = open_ground(&left, plan, answer->key_cache, how, err)) != AT_OK) goto done;
    left.until = until;
    st = explain_from(out, &left, answer->output, err);
    close_ground(&left);
done:
    /* the second look finds any output right that fits its cache: where a reading agrees, that is what went wrong */
    for (size_t i = 0; i < at_hypotheses(); i++) out->right = out->right && !out->agrees[i];
    close_ground(&due);
    return st;
}
