/* Pages are handed out to one sequence after the other, in an order that the case names. */
#include "pages.h"

#include "design.h"

#include <stdlib.h>

enum { STREAM_PAGES = 0x70616765 };

int64_t at_pages_of(const at_case *c, int64_t sequence) {
    const at_sequence *s = &c->sequence[sequence];
    return (s->past + s->fresh + s->reserve + c->block_size - 1) / c->block_size;
}

bool at_pages_unmapped(const at_case *c, int64_t sequence, int64_t page, int64_t *entry) {
    for (size_t i = 0; i < c->unmappeds; i++) {
        if (c->unmapped[i].sequence != sequence || c->unmapped[i].page != page) continue;
        *entry = c->unmapped[i].entry;
        return true;
    }
    return false;
}

static bool shared(const at_case *c, int64_t sequence, int64_t page) {
    return sequence > 0 && page < c->shared_prefix;
}

void at_pages_count(at_pages *out, const at_case *c) {
    int64_t taken = 0, spare = c->spare_pages;
    *out = (at_pages){0};
    for (int64_t b = 0; b < (int64_t)c->sequences; b++) {
        const int64_t pages = at_pages_of(c, b), kept = b == 0 ? 0 : c->shared_prefix;
        if (pages > kept) taken += pages - kept;
        if (pages > out->columns) out->columns = pages;
    }
    if (c->page_order == AT_PAGES_APART && spare < 2) spare = 2;
    out->blocks = taken + spare > 0 ? taken + spare : 1;
    out->columns += c->spare_columns;
}

/* The order in which pages of the cache are handed out. */
static void order_pages(int64_t *order, const at_case *c, int64_t blocks, uint64_t seed) {
    const bool reversed = c->page_order == AT_PAGES_REVERSED;
    for (int64_t i = 0; i < blocks; i++) order[i] = reversed ? blocks - 1 - i : i;
    if (c->page_order == AT_PAGES_RANDOM) {
        for (int64_t i = blocks - 1; i > 0; i--) {
            const int64_t j = (int64_t)(at_draw(seed, STREAM_PAGES, (uint64_t)i) % (uint64_t)(i + 1)), kept = order[i];
            order[i] = order[j], order[j] = kept;
        }
    }
    if (c->page_order == AT_PAGES_APART) { /* odd ones, then even ones */
        for (int64_t i = 0; i < blocks; i++) order[i] = i < blocks / 2 ? 2 * i + 1 : 2 * (i - blocks / 2);
    }
}

/* The next page; for AT_PAGES_APART the next that is not beside `before`: of three at most two are, and three are left.
 */
static int64_t hand_out(int64_t *order, int64_t next, const at_case *c, int64_t before) {
    int64_t pick = next;
    if (c->page_order == AT_PAGES_APART && before >= 0) {
        while (order[pick] == before - 1 || order[pick] == before + 1) pick++;
    }
    const int64_t page = order[pick];
    order[pick] = order[next], order[next] = page;
    return page;
}

static void map_pages(at_pages *p, int64_t *order, const at_case *c) {
    int64_t next = 0, entry;
    for (int64_t i = 0; i < p->blocks; i++) p->owner[i] = (at_owner){-1, -1};
    for (int64_t b = 0; b < (int64_t)c->sequences; b++) {
        int64_t *row = p->page + b * p->columns, before = -1;
        for (int64_t i = 0; i < p->columns; i++) {
            row[i] = -1;
            if (i >= at_pages_of(c, b) || at_pages_unmapped(c, b, i, &entry)) continue;
            for (int64_t of = 0; shared(c, b, i) && of < b && row[i] < 0; of++) row[i] = p->page[of * p->columns + i];
            if (row[i] < 0) {
                row[i] = hand_out(order, next++, c, before);
                p->owner[row[i]] = (at_owner){b, i};
            }
            before = row[i];
        }
    }
}

at_status at_pages_make(at_pages *out, const at_case *c, uint64_t seed, int64_t columns, at_error *err) {
    at_status st = AT_OK;
    int64_t *order = NULL;
    at_pages_count(out, c);
    if (columns >= 0) out->columns = columns;
    const size_t entries = c->sequences * (size_t)out->columns, blocks = (size_t)out->blocks;
    out->page = calloc(entries + 1, sizeof *out->page);
    out->owner = calloc(blocks, sizeof *out->owner);
    order = calloc(blocks, sizeof *order);
    if (out->page == NULL || out->owner == NULL || order == NULL) {
        st = at_fail_memory(err, entries * sizeof *out->page + blocks * (sizeof *out->owner + sizeof *order));
        goto done;
    }
    order_pages(order, c, out->blocks, seed);
    map_pages(out, order, c);
done:
    free(order);
    if (st != AT_OK) at_pages_free(out);
    return st;
}

void at_pages_free(at_pages *p) {
    free(p->page);
    free(p->owner);
    *p = (at_pages){0};
}
