#include "written.h"
#include "../oracle/hypotheses.h"
#include "../oracle/write.h"
#include "clock.h"

#include <stdlib.h>

/* The rows of a call, and room for what a reading would have written in place of one. */
typedef struct {
    or_setting setting;
    const uint16_t *left;
    or_written *row; /* [hs] */
    double *k;       /* [hs] */
    double until;
} rows;

static void judge_row(at_written *out, const rows *w, const uint16_t *got) {
    const or_problem *p = w->setting.problem;
    for (int64_t d = 0; d < p->head_size; d++) {
        if (or_written_accepts(&w->row[d], p->dtype, got[d])) continue;
        out->wrong = true;
        if (or_class(p->dtype, got[d]) != OR_NAN) out->numbers = true;
    }
}

/* A sum in float may round to either side. *wrong: it is not what is right, either. */
static bool is_left_so(const rows *w, const uint16_t *got, bool *wrong) {
    const or_problem *p = w->setting.problem;
    for (int64_t d = 0; d < p->head_size; d++) {
        const uint16_t want = or_round(p->dtype, w->k[d]);
        if (or_class(p->dtype, want) != or_class(p->dtype, got[d])) return false;
        if (or_class(p->dtype, want) == OR_FINITE && or_ulps(p->dtype, want, got[d]) > 1) return false;
        *wrong |= or_class(p->dtype, want) == OR_FINITE && !or_written_accepts(&w->row[d], p->dtype, want);
    }
    return true;
}

static at_status try_reading(bool *out, rows *w, const or_hypothesis *h, at_error *err) {
    const or_problem *p = w->setting.problem;
    bool wrong = false;
    *out = false;
    for (int64_t t = 0; t < p->tokens; t++) {
        const int64_t slot = or_write_slot(p, t);
        if (slot < 0) continue;
        if (at_seconds_now() > w->until)
            return at_fail(err, AT_INFRASTRUCTURE, "no time is left to explain the written rows");
        or_written_row(w->row, p, w->setting.how, t);
        if (!or_hypothesis_written(w->k, h, &w->setting, t)) return at_fail_memory(err, sizeof *w->k);
        if (!is_left_so(w, w->left + slot * p->head_size, &wrong)) return AT_OK;
    }
    *out = wrong;
    return AT_OK;
}

/* A rotation whose rounding is not said is any of those there are. */
static at_status try_roundings(bool *out, rows *w, const or_hypothesis *h, at_error *err) {
    static const or_rope ways[] = {OR_ROPE_EXACT, OR_ROPE_SEP, OR_ROPE_FMA};
    const or_arithmetic *said = w->setting.how;
    at_status st = AT_OK;
    if (said->rope != OR_ROPE_UNSAID) return try_reading(out, w, h, err);
    for (size_t i = 0; i < sizeof ways / sizeof *ways && !*out && st == AT_OK; i++) {
        or_arithmetic how = *said;
        how.rope = ways[i];
        w->setting.how = &how;
        st = try_reading(out, w, h, err);
        w->setting.how = said;
    }
    return st;
}

static void judge_rows(at_written *out, rows *w) {
    const or_problem *p = w->setting.problem;
    out->wrong = out->numbers = false;
    for (int64_t t = 0; t < p->tokens; t++) {
        const int64_t slot = or_write_slot(p, t);
        if (slot < 0) continue;
        or_written_row(w->row, p, w->setting.how, t);
        judge_row(out, w, w->left + slot * p->head_size);
    }
}

at_status at_explain_written(at_written *out, const at_plan *plan, const or_arithmetic *how, const uint16_t *key_cache,
                             double until, at_error *err) {
    const or_problem *p = &plan->problem;
    const or_tensor *angles = &plan->call.in[OR_COS_CACHE];
    at_status st = AT_OK;
    rows w = {.setting = {.problem = p,
                          .cache = key_cache,
                          .how = how,
                          .rotary_rows = angles->dtype != OR_ABSENT ? angles->shape[0] : 0},
              .left = key_cache,
              .row = calloc((size_t)p->head_size, sizeof *w.row),
              .k = calloc((size_t)p->head_size, sizeof *w.k),
              .until = until};
    if (w.row == NULL || w.k == NULL)
        st = at_fail_memory(err, (size_t)p->head_size * sizeof *w.row);
    else
        judge_rows(out, &w);
    for (size_t i = 0; st == AT_OK && or_hypothesis_at(i) != NULL; i++) {
        out->as[i] = false;
        if (out->wrong && or_hypothesis_applies(or_hypothesis_at(i), &w.setting))
            st = try_roundings(&out->as[i], &w, or_hypothesis_at(i), err);
    }
    free(w.row), free(w.k);
    return st;
}
