#include "judge.h"
#include "../oracle/bias.h"
#include "../oracle/write.h"
#include "finding.h"
#include "tally.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PLACE = 200 };

/* From 64 keys on an honest kernel stays under this share of its budget; with fewer, one rounding of P comes near 1
 * (oracle/BUDGET.md). */
static const double marginal_excess = 0.75;
enum { marginal_keys = 64 };

/* "token 3 (sequence 1, position 17, page 1, slot 33), head 2, channel 5" */
static const char *place(char text[PLACE], const or_problem *p, int64_t token, int64_t head, int64_t channel) {
    int64_t sequence = or_sequence_of(p, token), position = sequence < 0 ? -1 : or_position_of(p, token);
    char where[PLACE / 2] = "past cumseq[B]", at_head[32] = "";
    if (sequence >= 0) {
        snprintf(where, sizeof where, "sequence %" PRId64 ", position %" PRId64 ", page %" PRId64 ", slot %" PRId64,
                 sequence, position, position / p->block_size, or_slot_of(p, sequence, position));
    }
    if (head >= 0) snprintf(at_head, sizeof at_head, ", head %" PRId64, head);
    snprintf(text, PLACE, "token %" PRId64 " (%s)%s, channel %" PRId64, token, where, at_head, channel);
    return text;
}

static void find_element(at_record *record, const char *what, const or_problem *p, const at_element *e) {
    char text[PLACE], allowed[AT_ALLOWED];
    at_find(record, "value", "%s: %s: want %.9g, got %.9g (0x%04x), allowed %s", what,
            place(text, p, e->token, e->head, e->channel), e->want, or_decode(p->dtype, e->got), e->got,
            at_allowed(allowed, e->low, e->high, 9));
}

/* A NaN's payload is no number: what passes through is told by its bits. */
static void find_bytes(at_record *record, const or_problem *p, const at_element *e, uint16_t want) {
    char text[PLACE];
    at_find(record, "value", "written row, passed through: %s: want 0x%04x (%.9g), got 0x%04x (%.9g)",
            place(text, p, e->token, e->head, e->channel), want, e->want, e->got, or_decode(p->dtype, e->got));
}

/* The least and the greatest answer that pass, for people; a NaN that is due shows as one. */
static void interval(at_element *e, or_dtype dtype, double bound) {
    e->low = or_decode(dtype, or_round(dtype, e->want - bound));
    e->high = or_decode(dtype, or_round(dtype, e->want + bound));
}

static void judge_written_row(at_record *record, at_tally *tally, const at_question *q, const uint16_t *got,
                              int64_t token, or_written *row) {
    const or_problem *p = q->problem;
    or_written_row(row, p, &q->arithmetic, token);
    for (int64_t c = 0; c < p->head_size; c++) {
        at_element e = {.token = token, .head = -1, .channel = c, .want = row[c].exact, .got = got[c]};
        e.opinion.accepted = or_written_accepts(&row[c], p->dtype, got[c]);
        e.opinion.excess = e.opinion.accepted ? 0 : INFINITY;
        e.opinion.wrong_class = (or_class(p->dtype, got[c]) & row[c].classes) == 0;
        e.low = or_decode(p->dtype, row[c].rotated ? or_round(p->dtype, row[c].lo) : row[c].bits);
        e.high = or_decode(p->dtype, row[c].rotated ? or_round(p->dtype, row[c].hi) : row[c].bits);
        at_tally_add(tally, &e);
        if (e.opinion.accepted) continue;
        if (row[c].rotated)
            find_element(record, "written row, rotated", p, &e);
        else
            find_bytes(record, p, &e, row[c].bits);
    }
}

/* Of the cache exactly the written slots may differ from what was there. */
static void judge_write_set(at_record *record, const at_question *q, const at_answer *answer,
                            const unsigned char *written) {
    const or_problem *p = q->problem;
    size_t row_bytes = (size_t)p->head_size * sizeof(uint16_t);
    for (int64_t slot = 0; slot < p->blocks * p->block_size; slot++) {
        const uint16_t *before = q->cache_before + slot * p->head_size,
                       *after = answer->key_cache + slot * p->head_size;
        if (written[slot] || memcmp(before, after, row_bytes) == 0) continue;
        int64_t c = 0;
        while (before[c] == after[c]) c++;
        at_find(record, "write-set",
                "cache page %" PRId64 ", slot %" PRId64 ", channel %" PRId64
                " changed from 0x%04x to 0x%04x, and no token of the call writes there",
                slot / p->block_size, slot, c, before[c], after[c]);
    }
}

static at_status judge_cache(at_record *record, const at_question *q, const at_answer *answer, at_error *err) {
    const or_problem *p = q->problem;
    size_t slots = (size_t)(p->blocks * p->block_size);
    at_status st = AT_OK;
    at_tally *tally = malloc(sizeof *tally);
    unsigned char *written = calloc(slots ? slots : 1, 1);
    or_written *row = calloc((size_t)p->head_size, sizeof *row);
    if (tally == NULL || written == NULL || row == NULL) {
        st = at_fail_memory(err, slots);
        goto done;
    }
    at_tally_open(tally, "key_cache_out", p->dtype);
    for (int64_t token = 0; token < p->tokens; token++) {
        int64_t slot = or_write_slot(p, token);
        if (slot < 0) continue;
        written[slot] = 1;
        judge_written_row(record, tally, q, answer->key_cache + slot * p->head_size, token, row);
    }
    judge_write_set(record, q, answer, written);
    at_tally_close(tally, record);
done:
    free(row);
    free(written);
    free(tally);
    return st;
}

static or_opinion judge_exact(or_dtype dtype, double want, unsigned classes, uint16_t got) {
    or_opinion opinion = {.wrong_class = (or_class(dtype, got) & classes) == 0};
    opinion.accepted = !opinion.wrong_class && or_ulps(dtype, got, or_round(dtype, want)) == 0;
    opinion.excess = opinion.ratio = opinion.accepted ? 0 : INFINITY;
    return opinion;
}

/* bound NULL: the bits of the rounded exact value are due. */
static void judge_row(at_record *record, at_tally *tally, const or_problem *p, const or_row *row, const double *bound,
                      int64_t token, int64_t head, const uint16_t *got) {
    bool marginal = false;
    for (int64_t d = 0; d < p->v_head_size; d++) {
        at_element e = {.token = token, .head = head, .channel = d, .want = row->o[d], .got = got[d]};
        e.opinion = bound == NULL ? judge_exact(p->dtype, row->o[d], row->classes[d], got[d])
                                  : or_judge(p->dtype, row->o[d], bound[d], row->classes[d], got[d]);
        interval(&e, p->dtype, bound == NULL ? 0 : bound[d]);
        at_tally_add(tally, &e);
        marginal |= e.opinion.excess > marginal_excess && row->keys >= marginal_keys;
        if (!e.opinion.accepted) find_element(record, e.opinion.wrong_class ? "output, wrong class" : "output", p, &e);
    }
    if (marginal && record->verdict == AT_PASS) record->verdict = AT_MARGINAL;
}

/* A merge weighs each piece by exp(lse - largest lse). That is exact, as exp(0), where one key carries the row and with
 * it its piece; pieces that share a row have rounded weights, for which there is the budget. */
static bool is_exact(const at_question *q, const or_row *row) {
    if (!q->exact || q->arithmetic.splits == 1) return q->exact;
    double heaviest = 0;
    for (int64_t j = 0; j < row->keys; j++) heaviest = fmax(heaviest, row->weight[j]);
    return row->keys < 2 || heaviest > 1 - 0x1p-24;
}

/* Standard deviation of the logits under their own weights. */
static double spread(const or_row *row) {
    double mean = 0, square = 0;
    for (int64_t j = 0; j < row->keys; j++) mean += row->weight[j] * row->logit[j];
    for (int64_t j = 0; j < row->keys; j++) square += row->weight[j] * (row->logit[j] - mean) * (row->logit[j] - mean);
    return sqrt(square);
}

/* Where logits spread by 0.3 to 1 a row says something of its scale and its sum (oracle/BUDGET.md). */
static void weigh_bias(or_bias *bias, const at_question *q, const or_row *row, const or_budget *budget,
                       const uint16_t *got) {
    double s = spread(row);
    if (q->mode != OR_STATISTICAL || q->exact || row->keys < 2 || !(s >= 0.3 && s <= 1)) return;
    or_bias_add(bias, q->problem->dtype, q->problem->v_head_size, row->o, or_budget_slope(budget),
                or_budget_without_p(budget), got);
}

static void judge_drift(at_record *record, const char *name, const char *reads, const or_tally *tally) {
    or_drift drift = or_drift_of(tally);
    if (!drift.flagged) return;
    at_find(record, "bias", "%s %+.3g over %" PRId64 " rows (t = %.1f), and the declared arithmetic explains %.2g: %s",
            name, drift.mean, drift.rows, drift.t, drift.systematic, reads);
}

static at_status judge_output(at_record *record, const at_question *q, const at_answer *answer, at_error *err) {
    const or_problem *p = q->problem;
    at_status st = AT_OK;
    or_bias bias = {0};
    at_tally *tally = malloc(sizeof *tally);
    double *bound = calloc((size_t)p->v_head_size, sizeof *bound);
    or_attention *attention = or_attention_new(p, answer->key_cache, &q->arithmetic);
    or_budget *budget = or_budget_new(p, answer->key_cache, &q->arithmetic, q->mode);
    if (tally == NULL || bound == NULL || attention == NULL || budget == NULL) {
        st = at_fail_memory(err, (size_t)p->v_head_size);
        goto done;
    }
    at_tally_open(tally, "output", p->dtype);
    for (int64_t i = 0; i < q->rows; i++) {
        int64_t token = q->row[i] / p->heads, head = q->row[i] % p->heads;
        const or_row *row = or_attend(attention, token, head);
        const uint16_t *got = answer->output + q->row[i] * p->v_head_size;
        const bool exact = is_exact(q, row);
        if (!exact) or_budget_row(budget, row, token, head, bound);
        judge_row(record, tally, p, row, exact ? NULL : bound, token, head, got);
        weigh_bias(&bias, q, row, budget, got);
    }
    at_tally_close(tally, record);
    judge_drift(record, "gain", "answers are too large or too small, as by a sum that misses a key", &bias.gain);
    judge_drift(record, "slope", "answers follow the logits, as by a scale or softcap that is off", &bias.slope);
done:
    or_budget_free(budget);
    or_attention_free(attention);
    free(bound);
    free(tally);
    return st;
}

at_status at_judge(at_record *record, const at_question *q, const at_answer *answer, at_error *err) {
    at_status st = judge_cache(record, q, answer, err);
    return st == AT_OK ? judge_output(record, q, answer, err) : st;
}
