/* Every input but the cache: lengths, table, slots, angles, query and fresh rows, and what a host tells about them. */
#include "angle.h"
#include "plan_parts.h"

#include <stdlib.h>

/* Entries of block_table that nobody may use: no cache has such pages. */
enum { FAR_OUT = 0x40000000 };

typedef struct {
    at_plan *plan;
    at_fill fill;
    at_pages pages;
    int64_t *length, *start; /* [sequences], [sequences + 1] */
    bool *unwritten;         /* [T] nothing of this token's row may be read */
} filling;

static at_status allocate(at_plan *plan, int index, at_error *err) {
    or_tensor *t = &plan->call.in[index];
    const size_t bytes = at_tensor_bytes(t);
    if (t->dtype == OR_ABSENT) return AT_OK;
    t->data = calloc(bytes > 0 ? bytes : 1, 1);
    return t->data != NULL ? AT_OK : at_fail_memory(err, bytes);
}

/* Standard or coded where something is rotated; NaN where nothing is and nobody may look. */
static at_status fill_angles(filling *x, at_error *err) {
    or_tensor *cos = &x->plan->call.in[OR_COS_CACHE], *sin = &x->plan->call.in[OR_SIN_CACHE];
    const double angle = x->fill.value[AT_P_ANGLE], base = x->fill.value[AT_P_BASE];
    at_status st = AT_OK;
    if (cos->dtype == OR_ABSENT || sin->dtype == OR_ABSENT) return AT_OK;
    if ((st = allocate(x->plan, OR_COS_CACHE, err)) != AT_OK || (st = allocate(x->plan, OR_SIN_CACHE, err)) != AT_OK)
        return st;
    if (!(angle >= 0 && angle < AT_ANGLES && angle == (double)(int)angle) || !(base >= 1)) {
        return at_case_wrong(x->plan->c, err, "angle %g, base %g: angle is 0, 1, 2 or 3, and base at least 1", angle,
                             base);
    }
    const int64_t rows = cos->shape[0], pairs = cos->shape[1];
    if (x->plan->problem.rotary_dim > 0) {
        at_angle_table(cos->data, sin->data, cos->dtype, rows, pairs, (at_angle)angle, base);
    } else {
        for (int64_t i = 0; i < rows * pairs; i++) {
            ((uint16_t *)cos->data)[i] = ((uint16_t *)sin->data)[i] =
                at_poison_bits(AT_POISON_NAN, cos->dtype, (uint64_t)i);
        }
    }
    or_problem_of(&x->plan->problem, &x->plan->node, &x->plan->call); /* designs look at the tables */
    return st;
}

static void fill_lengths(filling *x) {
    const at_case *c = x->plan->c;
    const or_tensor *in = x->plan->call.in;
    int32_t *ends = in[OR_CUMULATIVE_SEQUENCE_LENGTH].data, *past = in[OR_PAST_SEQLENS].data;
    for (size_t b = 0; b <= c->sequences; b++) ends[b] = (int32_t)x->start[b];
    for (size_t b = 0; b < c->sequences; b++) past[b] = (int32_t)c->sequence[b].past;
}

/* Past a sequence's last page: far out of range, or a page that somebody left there. */
static void fill_table(filling *x) {
    const at_case *c = x->plan->c;
    const int64_t columns = x->pages.columns;
    int32_t *table = x->plan->call.in[OR_BLOCK_TABLE].data;
    for (int64_t b = 0; b < (int64_t)c->sequences; b++) {
        for (int64_t i = 0; i < columns; i++) {
            int64_t entry = x->pages.page[b * columns + i];
            if (entry < 0 && !at_pages_unmapped(c, b, i, &entry)) {
                entry = c->poison == AT_POISON_NEIGHBOUR ? (b + i) % x->pages.blocks : FAR_OUT + i;
            }
            table[b * columns + i] = (int32_t)entry;
        }
    }
}

/* The last slot that no token of the call writes; -1: there is none. */
static int64_t idle_slot(const filling *x, const int32_t *slot) {
    const int64_t owned = x->start[x->plan->c->sequences];
    for (int64_t idle = x->pages.blocks * x->plan->c->block_size - 1; idle >= 0; idle--) {
        int64_t t = 0;
        while (t < owned && slot[t] != idle) t++;
        if (t == owned) return idle;
    }
    return -1;
}

/* Slots from the table. Those past the cache: the first, and far ones. Tokens past cumseq[B] have in turns a slot, as
 * a larger batch would have left it, and -1. */
static void fill_slots(filling *x) {
    const at_case *c = x->plan->c;
    const int64_t bs = c->block_size, tokens = x->plan->problem.tokens;
    int32_t *slot = x->plan->call.in[OR_SLOT_MAPPING].data;
    for (int64_t t = 0; t < tokens; t++) x->unwritten[t] = true;
    for (int64_t b = 0; b < (int64_t)c->sequences; b++) {
        for (int64_t t = x->start[b]; t < x->start[b + 1]; t++) {
            const int64_t j = c->sequence[b].past + t - x->start[b];
            const int64_t page = j / bs < x->pages.columns ? x->pages.page[b * x->pages.columns + j / bs] : -1;
            x->unwritten[t] = page < 0;
            if (slot != NULL) slot[t] = page < 0 ? -1 : (int32_t)(page * bs + j % bs);
        }
    }
    const int64_t owned = x->start[c->sequences], left = slot != NULL && owned < tokens ? idle_slot(x, slot) : -1;
    for (int64_t t = owned; slot != NULL && t < tokens; t++) slot[t] = (t - owned) % 2 == 0 ? (int32_t)left : -1;
    for (size_t i = 0; i < c->skips; i++) slot[c->skip[i]] = -1, x->unwritten[c->skip[i]] = true;
    for (size_t i = 0; i < c->beyonds; i++) {
        slot[c->beyond[i]] = i == 0 ? (int32_t)(x->pages.blocks * bs) : INT32_MAX - (int32_t)i;
        x->unwritten[c->beyond[i]] = true;
    }
}

static void fill_row(const filling *x, uint16_t *out, at_spot at, at_channel_bits bits, bool forbidden) {
    const or_problem *p = &x->plan->problem;
    for (at.channel = 0; at.channel < p->head_size; at.channel++) {
        out[at.channel] =
            forbidden ? at_poison_bits(AT_POISON_NAN, p->dtype, (uint64_t)at.channel) : bits(&x->fill, at);
    }
}

static void fill_token(const filling *x, int64_t token, int64_t sequence) {
    const or_problem *p = &x->plan->problem;
    const at_design *design = x->fill.design;
    const bool padded = sequence < 0;
    at_spot at = {sequence, padded ? -1 : x->plan->c->sequence[sequence].past + token - x->start[sequence], -1, 0};
    uint16_t *query = x->plan->call.in[OR_QUERY].data, *key = x->plan->call.in[OR_KEY].data;
    fill_row(x, key + token * p->head_size, at, design->fresh, x->unwritten[token]);
    if (!padded && design->query == NULL) return;
    for (at.head = 0; at.head < p->heads; at.head++) {
        fill_row(x, query + (token * p->heads + at.head) * p->head_size, at, design->query, padded);
    }
}

static void fill_tokens(const filling *x) {
    const int64_t sequences = (int64_t)x->plan->c->sequences;
    for (int64_t b = 0; b < sequences; b++) {
        for (int64_t t = x->start[b]; t < x->start[b + 1]; t++) fill_token(x, t, b);
    }
    for (int64_t t = x->start[sequences]; t < x->plan->problem.tokens; t++) fill_token(x, t, -1);
}

static at_status prepare(filling *x, at_error *err) {
    at_plan *plan = x->plan;
    const at_case *c = plan->c;
    const size_t tokens = (size_t)plan->problem.tokens;
    at_status st;
    x->fill = (at_fill){.c = c, .seed = plan->seed, .problem = &plan->problem, .design = at_design_by_name(c->design)};
    if (x->fill.design == NULL) return at_case_wrong(c, err, "there is no data design \"%s\"", c->design);
    if ((st = at_design_values(x->fill.value, x->fill.design, c, err)) != AT_OK) return st;
    x->length = calloc(c->sequences + 1, sizeof *x->length);
    x->start = calloc(c->sequences + 1, sizeof *x->start);
    x->unwritten = calloc(tokens + 1, sizeof *x->unwritten);
    if (x->length == NULL || x->start == NULL || x->unwritten == NULL)
        return at_fail_memory(err, tokens + c->sequences * 16);
    for (size_t b = 0; b < c->sequences; b++) {
        x->length[b] = c->sequence[b].past + c->sequence[b].fresh;
        const int64_t room = x->length[b] + c->sequence[b].reserve;
        if (room > x->fill.longest) x->fill.longest = room;
    }
    x->fill.length = x->length;
    at_case_starts(x->start, c);
    return at_pages_make(&x->pages, c, plan->seed, plan->problem.max_blocks, err);
}

at_status at_plan_fill(at_plan *plan, at_error *err) {
    static const int plain[] = {OR_QUERY,        OR_KEY,         OR_CUMULATIVE_SEQUENCE_LENGTH,
                                OR_PAST_SEQLENS, OR_BLOCK_TABLE, OR_SLOT_MAPPING};
    filling x = {.plan = plan};
    at_status st = prepare(&x, err);
    if (st != AT_OK || (st = fill_angles(&x, err)) != AT_OK) goto done;
    const char *unfit = x.fill.design->unfit != NULL ? x.fill.design->unfit(&x.fill) : NULL;
    if (unfit != NULL) {
        st = at_case_wrong(plan->c, err, "data design %s does not fit: %s", x.fill.design->name, unfit);
        goto done;
    }
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        if ((st = allocate(plan, plain[i], err)) != AT_OK) goto done;
    }
    fill_lengths(&x);
    fill_table(&x);
    fill_slots(&x);
    fill_tokens(&x);
    st = at_plan_fill_cache(plan, &x.fill, &x.pages, x.unwritten, err);
done:
    at_pages_free(&x.pages);
    free(x.length);
    free(x.start);
    free(x.unwritten);
    return st;
}
