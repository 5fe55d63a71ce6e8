/* What the cache holds before the call: rows that earlier calls left where a token sees them, and the case's poison
 * everywhere else: past the ends of sequences, before their windows, in pages of nobody, and where this call writes. */
#include "plan_parts.h"

#include <stdlib.h>
#include <string.h>

/* Rows to copy for AT_POISON_NEIGHBOUR: real ones, from all over the sequences. */
enum { DONORS = 64 };

typedef struct {
    const at_plan *plan;
    const at_fill *fill;
    const bool *unwritten; /* [T] */
    int64_t *start;        /* [sequences + 1] first new token */
    int64_t *first_seen;   /* [sequences] position; its length where no token looks */
    int64_t first_shared;  /* the least of them */
    uint16_t *donor;       /* [DONORS, hs] */
    int64_t donor_sequence[DONORS];
    int donors;
    uint16_t *cache;
} filling;

static void write_row(const filling *x, uint16_t *out, int64_t sequence, int64_t position) {
    at_spot at = {sequence, position, -1, 0};
    for (; at.channel < x->plan->problem.head_size; at.channel++)
        out[at.channel] = x->fill->design->cached(x->fill, at);
}

static void note_seen(filling *x) {
    const at_case *c = x->plan->c;
    const int64_t before = x->plan->problem.window_before;
    x->first_shared = INT64_MAX;
    for (size_t b = 0; b < c->sequences; b++) {
        const int64_t past = c->sequence[b].past;
        const int64_t first = before < 0 || before > past ? 0 : past - before;
        x->first_seen[b] = c->sequence[b].fresh > 0 ? first : x->fill->length[b];
        if (x->first_seen[b] < x->first_shared) x->first_shared = x->first_seen[b];
    }
}

/* Sequences with new tokens alone: their positions have rows of cos_cache. */
static void take_donors(filling *x) {
    const at_case *c = x->plan->c;
    const int64_t sequences = (int64_t)c->sequences;
    for (int64_t i = 0; i < DONORS + sequences && x->donors < DONORS; i++) {
        const int64_t b = sequences > 0 ? i % sequences : 0;
        if (sequences == 0 || c->sequence[b].fresh == 0) continue;
        x->donor_sequence[x->donors] = b;
        write_row(x, x->donor + x->donors * x->plan->problem.head_size, b, (37 * i + 11) % x->fill->length[b]);
        x->donors++;
    }
}

/* A row of another sequence than `owner`, where there is one. */
static const uint16_t *donor_for(const filling *x, int64_t slot, int64_t owner) {
    int64_t pick = slot % x->donors;
    for (int tries = 0; tries < x->donors && x->donor_sequence[pick] == owner; tries++) pick = (pick + 1) % x->donors;
    return x->donor + pick * x->plan->problem.head_size;
}

static void poison_all(filling *x, size_t elements) {
    enum { PERIOD = 512 }; /* of at_poison_bits */
    const at_case *c = x->plan->c;
    const or_problem *p = &x->plan->problem;
    const size_t hs = (size_t)p->head_size;
    if (c->poison == AT_POISON_NEIGHBOUR && x->donors > 0) {
        for (int64_t slot = 0; slot < p->blocks * p->block_size; slot++) {
            memcpy(x->cache + (size_t)slot * hs, donor_for(x, slot, -1), hs * sizeof *x->cache);
        }
        return;
    }
    for (size_t i = 0; i < elements && i < PERIOD; i++) x->cache[i] = at_poison_bits(c->poison, p->dtype, i);
    for (size_t done = PERIOD; done < elements; done *= 2) {
        memcpy(x->cache + done, x->cache, (done < elements - done ? done : elements - done) * sizeof *x->cache);
    }
}

/* Does the row of this page's owner at position j hold what an earlier call left? */
static bool is_left(const filling *x, at_owner owner, int64_t j) {
    const at_case *c = x->plan->c;
    const int64_t past = c->sequence[owner.sequence].past;
    const bool shared = owner.page < c->shared_prefix;
    if (j >= x->fill->length[owner.sequence]) return false;
    if (j >= past) return x->unwritten[x->start[owner.sequence] + j - past];
    return x->fill->design->marks_hidden || j >= (shared ? x->first_shared : x->first_seen[owner.sequence]);
}

static void fill_page(filling *x, int64_t block, at_owner owner) {
    const or_problem *p = &x->plan->problem;
    for (int64_t i = 0; i < p->block_size; i++) {
        const int64_t slot = block * p->block_size + i, j = owner.page * p->block_size + i;
        uint16_t *row = x->cache + slot * p->head_size;
        if (is_left(x, owner, j)) {
            write_row(x, row, owner.sequence, j);
        } else if (x->plan->c->poison == AT_POISON_NEIGHBOUR && x->donors > 0) {
            memcpy(row, donor_for(x, slot, owner.sequence), (size_t)p->head_size * sizeof *row);
        }
    }
}

at_status at_plan_fill_cache(at_plan *plan, const at_fill *fill, const at_pages *pages, const bool *unwritten,
                             at_error *err) {
    const size_t hs = (size_t)plan->problem.head_size, bytes = at_tensor_bytes(&plan->call.in[OR_KEY_CACHE]);
    filling x = {.plan = plan, .fill = fill, .unwritten = unwritten, .cache = malloc(bytes)};
    at_status st = AT_OK;
    plan->call.in[OR_KEY_CACHE].data = x.cache;
    x.start = calloc(plan->c->sequences + 1, sizeof *x.start);
    x.first_seen = calloc(plan->c->sequences + 1, sizeof *x.first_seen);
    x.donor = calloc(DONORS * hs, sizeof *x.donor);
    if (x.cache == NULL || x.start == NULL || x.first_seen == NULL || x.donor == NULL) {
        st = at_fail_memory(err, bytes + DONORS * hs * sizeof *x.donor);
        goto done;
    }
    at_case_starts(x.start, plan->c);
    note_seen(&x);
    if (plan->c->poison == AT_POISON_NEIGHBOUR) take_donors(&x);
    poison_all(&x, bytes / sizeof *x.cache);
    for (int64_t block = 0; block < pages->blocks; block++) {
        if (pages->owner[block].sequence >= 0) fill_page(&x, block, pages->owner[block]);
    }
done:
    free(x.start);
    free(x.first_seen);
    free(x.donor);
    return st;
}
