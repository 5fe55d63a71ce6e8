/* `exact` asks for the bits of the rounded exact value. That is fair only where the last bits of float32 cannot change
 * them, in whatever order a kernel adds and whether it divides first or last: all weights are powers of two, so that
 * nothing is rounded before the end, or the value lies farther from where its rounding changes than n + 8 roundings of
 * sum p |v| reach. */
#include "plan_parts.h"

#include "../oracle/attend.h"
#include "../oracle/write.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_safe(or_dtype t, double o, unsigned classes, double reach) {
    const uint16_t bits = or_round(t, o);
    double low, high;
    if (classes != OR_FINITE || or_class(t, bits) != OR_FINITE) return classes == or_class(t, bits);
    or_preimage(t, bits, &low, &high);
    return fmin(o - low, high - o) > reach;
}

/* Powers of two, or so small that float32 has none of them. */
static bool weights_are_exact(const or_row *row) {
    for (int64_t j = 0; j < row->keys; j++) {
        int exponent;
        if (row->weight[j] > 0x1p-150 && frexp(row->weight[j], &exponent) != 0.5) return false;
    }
    return true;
}

/* What the roundings of one channel may come to: (n + 8) 2^-24 sum p |v|. */
static double reach_of(const at_plan *plan, const or_row *row, int64_t channel) {
    const or_problem *p = &plan->problem;
    const uint16_t *cache = plan->call.in[OR_KEY_CACHE].data;
    double mass = 0;
    for (int64_t j = 0; j < row->keys; j++) {
        mass += row->weight[j] * fabs(or_decode(p->dtype, cache[row->slot[j] * p->head_size + channel]));
    }
    return ((double)row->keys + 8) * 0x1p-24 * mass;
}

static at_status check_row(const at_plan *plan, const or_row *row, int64_t token, int64_t head, at_error *err) {
    const or_dtype t = plan->problem.dtype;
    const bool exact = weights_are_exact(row);
    for (int64_t d = 0; d < plan->problem.v_head_size; d++) {
        if (is_safe(t, row->o[d], row->classes[d], exact ? 0x1p-40 * fabs(row->o[d]) : reach_of(plan, row, d)))
            continue;
        return at_case_wrong(plan->c, err,
                             "expects exact values, but output of token %" PRId64 ", head %" PRId64 ", channel %" PRId64
                             " is %.17g, within reach of where the rounded %s changes, or of no one class; expect "
                             "budget, or change the data",
                             token, head, d, row->o[d], or_dtype_name(t));
    }
    return AT_OK;
}

/* The rows that the call will write; put back afterwards, so that a cache of gigabytes need not be there twice. */
typedef struct {
    int64_t *slot; /* [T], -1: not written */
    uint16_t *row; /* [T, hs] as before    */
} before;

static void swap_back(const at_plan *plan, const before *b) {
    const size_t hs = (size_t)plan->problem.head_size;
    uint16_t *cache = plan->call.in[OR_KEY_CACHE].data;
    for (int64_t t = 0; t < plan->problem.tokens; t++) {
        if (b->slot[t] >= 0) memcpy(cache + (size_t)b->slot[t] * hs, b->row + (size_t)t * hs, hs * sizeof *cache);
    }
}

static void write_rows(const at_plan *plan, before *b) {
    const size_t hs = (size_t)plan->problem.head_size;
    uint16_t *cache = plan->call.in[OR_KEY_CACHE].data;
    for (int64_t t = 0; t < plan->problem.tokens; t++) {
        b->slot[t] = or_write_slot(&plan->problem, t);
        if (b->slot[t] >= 0) memcpy(b->row + (size_t)t * hs, cache + (size_t)b->slot[t] * hs, hs * sizeof *cache);
    }
    or_write_all(cache, &plan->problem);
}

at_status at_plan_exact(const at_plan *plan, at_error *err) {
    const or_problem *p = &plan->problem;
    const or_arithmetic unsaid = {0};
    const size_t tokens = (size_t)p->tokens, row_bytes = (size_t)p->head_size * sizeof(uint16_t);
    before b = {calloc(tokens + 1, sizeof *b.slot), calloc(tokens + 1, row_bytes)};
    or_attention *attention = or_attention_new(p, plan->call.in[OR_KEY_CACHE].data, &unsaid);
    at_status st = AT_OK;
    if (b.slot == NULL || b.row == NULL || attention == NULL) {
        st = at_fail_memory(err, tokens * (row_bytes + sizeof *b.slot));
        goto done;
    }
    write_rows(plan, &b);
    for (int64_t i = 0; i < plan->rows && st == AT_OK; i++) {
        const int64_t token = plan->row[i] / p->heads, head = plan->row[i] % p->heads;
        st = check_row(plan, or_attend(attention, token, head), token, head, err);
    }
    swap_back(plan, &b);
done:
    or_attention_free(attention);
    free(b.slot);
    free(b.row);
    return st;
}
