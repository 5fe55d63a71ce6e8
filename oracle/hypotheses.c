#include "hypotheses_reading.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const or_hypothesis *or_hypothesis_at(size_t i) {
    return i < or_hypothesis_count ? &or_hypothesis_table[i] : NULL;
}

const or_hypothesis *or_hypothesis_by_id(const char *id) {
    for (size_t i = 0; i < or_hypothesis_count; i++)
        if (strcmp(or_hypothesis_table[i].id, id) == 0) return &or_hypothesis_table[i];
    return NULL;
}

const char *or_hypothesis_id(const or_hypothesis *h) {
    return h->id;
}
const char *or_hypothesis_about(const or_hypothesis *h) {
    return h->about;
}
bool or_hypothesis_applies(const or_hypothesis *h, const or_setting *s) {
    return h->applies(s);
}

/* A reading's steps, as they should be. */

void or_reading_add(or_reading *r, int64_t position, int64_t slot) {
    if (slot < 0 || r->keys == r->room) return;
    r->at[r->keys] = position;
    r->slot[r->keys++] = slot;
}

void or_reading_score(or_reading *r) {
    const or_problem *p = &r->p;
    for (int64_t j = 0; j < r->keys; j++) {
        or_decode_row(r->k, p->dtype, r->cache + r->slot[j] * p->head_size, (size_t)p->head_size);
        double dot = 0;
        for (int64_t i = 0; i < p->head_size; i++) dot += r->q[i] * r->k[i];
        r->s[j] = p->scale * dot;
        r->logit[j] = p->softcap > 0 ? p->softcap * tanh(r->s[j] / p->softcap) : r->s[j];
    }
}

void or_reading_mix(or_reading *r, int64_t first) {
    const or_problem *p = &r->p;
    double max = -INFINITY, sum = 0;
    for (int64_t j = 0; j < r->keys; j++) max = fmax(max, r->logit[j]);
    for (int64_t j = 0; j < r->keys; j++) sum += r->weight[j] = exp(r->logit[j] - max);
    for (int64_t j = 0; j < r->keys; j++) r->weight[j] /= sum;
    memset(r->o, 0, (size_t)p->v_head_size * sizeof *r->o);
    for (int64_t j = 0; j < r->keys; j++) {
        or_decode_row(r->k, p->dtype, r->cache + r->slot[j] * p->head_size, (size_t)p->head_size);
        for (int64_t d = 0; d < p->v_head_size; d++) r->o[d] += r->weight[j] * r->k[first + d];
    }
}

/* The right reading of the changed call; all that later steps start from. */
static void read_right(or_reading *r) {
    const or_row *row = or_attend(r->attention, r->token, r->head);
    r->sequence = or_sequence_of(&r->p, r->token);
    r->position = or_position_of(&r->p, r->token);
    r->keys = row->keys;
    memcpy(r->at, row->position, (size_t)row->keys * sizeof *r->at);
    memcpy(r->slot, row->slot, (size_t)row->keys * sizeof *r->slot);
    memcpy(r->s, row->s, (size_t)row->keys * sizeof *r->s);
    memcpy(r->logit, row->logit, (size_t)row->keys * sizeof *r->logit);
    memcpy(r->weight, row->weight, (size_t)row->keys * sizeof *r->weight);
    memcpy(r->q, row->q, (size_t)r->p.head_size * sizeof *r->q);
    memcpy(r->o, row->o, (size_t)r->p.v_head_size * sizeof *r->o);
}

static void read_row(or_reading *r, const or_hypothesis *h) {
    read_right(r);
    if (r->sequence >= 0) { /* rows of nobody have no query and no keys to change */
        if (h->query) h->query(r);
        if (h->list) h->list(r);
        if (h->query || h->list) or_reading_score(r);
        if (h->score) h->score(r);
        if (h->query || h->list || h->score) or_reading_mix(r, 0);
    }
    if (h->answer) h->answer(r);
}

static int64_t most_keys(const or_problem *p) {
    return p->max_blocks * p->block_size;
}

static bool begin(or_reading *r, const or_hypothesis *h, const or_setting *s) {
    const or_problem *p = s->problem;
    *r = (or_reading){.setting = s, .p = *p, .cache = s->cache, .room = most_keys(p)};
    if (h->prepare && !h->prepare(r)) return false;
    if (r->room < most_keys(&r->p)) r->room = most_keys(&r->p);
    const size_t n = (size_t)r->room + 1, hs = (size_t)p->head_size, vhs = (size_t)p->v_head_size;
    r->attention = or_attention_new(&r->p, r->cache, s->how);
    r->at = calloc(n, sizeof *r->at);
    r->s = calloc(n, sizeof *r->s);
    r->slot = calloc(n, sizeof *r->slot);
    r->logit = calloc(n, sizeof *r->logit);
    r->weight = calloc(n, sizeof *r->weight);
    r->q = calloc(hs, sizeof *r->q);
    r->k = calloc(hs, sizeof *r->k);
    r->o = calloc(vhs, sizeof *r->o);
    return r->attention && r->at && r->slot && r->s && r->logit && r->weight && r->q && r->k && r->o;
}

static void end(or_reading *r) {
    or_attention_free(r->attention);
    or_budget_free(r->budget), free(r->whole);
    free(r->own_cache), free(r->own_index);
    free(r->at), free(r->slot), free(r->s), free(r->logit), free(r->weight);
    free(r->q), free(r->k), free(r->o);
}

/* The budget takes its room from past lengths, and a reading may see more keys than its context has: so these are
 * longer while it is made. */
static bool begin_budget(or_reading *r) {
    const int32_t *past = r->p.past_seqlens;
    r->whole = calloc((size_t)r->p.sequences + 1, sizeof *r->whole);
    if (!r->whole) return false;
    for (int64_t b = 0; b < r->p.sequences; b++) r->whole[b] = (int32_t)(r->room < INT32_MAX ? r->room : INT32_MAX);
    r->p.past_seqlens = r->whole;
    r->budget = or_budget_new(&r->p, r->cache, r->setting->how, r->setting->mode);
    r->p.past_seqlens = past;
    return r->budget != NULL;
}

static void bound_row(or_reading *r, double *bound) {
    or_row row = {.keys = r->sequence < 0 ? 0 : r->keys, .max = -INFINITY};
    row.position = r->at, row.slot = r->slot, row.s = r->s, row.logit = r->logit, row.weight = r->weight;
    row.q = r->q, row.o = r->o;
    for (int64_t j = 0; j < row.keys; j++) row.max = fmax(row.max, r->logit[j]);
    or_budget_row(r->budget, &row, r->token, r->head, bound);
}

bool or_hypothesis_rows(double *o, double *bound, const or_hypothesis *h, const or_setting *s, const or_place *places,
                        size_t count) {
    const size_t vhs = (size_t)s->problem->v_head_size;
    or_reading r;
    const bool begun = begin(&r, h, s) && (!bound || begin_budget(&r));
    for (size_t i = 0; begun && i < count; i++) {
        r.token = places[i].token, r.head = places[i].head;
        read_row(&r, h);
        memcpy(o + i * vhs, r.o, vhs * sizeof *o);
        if (bound) bound_row(&r, bound + i * vhs);
    }
    end(&r);
    return begun;
}

bool or_hypothesis_written(double *k, const or_hypothesis *h, const or_setting *s, int64_t token) {
    or_problem keys = *s->problem;
    or_setting of_keys = *s;
    or_reading r;
    keys.query = keys.key, keys.heads = 1;
    of_keys.problem = &keys;
    const bool begun = begin(&r, h, &of_keys);
    if (begun) {
        r.token = token, r.head = 0;
        read_right(&r);
        if (h->query) h->query(&r);
        memcpy(k, r.q, (size_t)keys.head_size * sizeof *k);
    }
    end(&r);
    return begun;
}
