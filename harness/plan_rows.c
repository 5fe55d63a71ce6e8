/* Which (token, head) rows are judged: all, or a sample that has the ends, what lies at page and window edges, and
 * picks by the seed. */
#include "plan_parts.h"

#include <stdlib.h>
#include <string.h>

enum { STREAM_ROWS = 0x726F7773 };

typedef struct {
    int64_t *row; /* [limit] ascending */
    int64_t rows, limit;
} sample;

static void add(sample *s, int64_t row) {
    int64_t low = 0, high = s->rows;
    if (s->rows == s->limit) return;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (s->row[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < s->rows && s->row[low] == row) return;
    memmove(&s->row[low + 1], &s->row[low], (size_t)(s->rows - low) * sizeof *s->row);
    s->row[low] = row;
    s->rows++;
}

/* First or last of a page, or the first that no longer sees position 0, or whose first key begins a page. */
static bool at_edge(const or_problem *p, int64_t position) {
    const int64_t bs = p->block_size, first = position - p->window_before;
    if (position % bs == 0 || position % bs == bs - 1) return true;
    return p->window_before >= 0 && (first == 0 || first == 1 || (first > 0 && first % bs == 0));
}

/* Heads go round, so that a few rows show many. */
static void add_edges(sample *s, const or_problem *p) {
    int64_t head = 0;
    for (int64_t b = 0; b < p->sequences; b++) {
        const int64_t start = p->cumulative_sequence_length[b], end = p->cumulative_sequence_length[b + 1];
        for (int64_t t = start; t < end && s->rows < s->limit; t++) {
            if (t != start && t != end - 1 && !at_edge(p, p->past_seqlens[b] + t - start)) continue;
            add(s, t * p->heads + head);
            head = (head + 1) % p->heads;
        }
    }
}

/* Edges get half of the sample, what the seed picks the rest. */
static void take_sample(sample *s, const or_problem *p, uint64_t seed, int64_t limit) {
    const int64_t all = p->tokens * p->heads;
    s->limit = limit;
    add(s, 0);
    add(s, all - 1);
    s->limit = (limit + 1) / 2;
    add_edges(s, p);
    s->limit = limit;
    for (uint64_t i = 0; s->rows < limit; i++) add(s, (int64_t)(at_draw(seed, STREAM_ROWS, i) % (uint64_t)all));
}

at_status at_plan_rows(at_plan *plan, at_error *err) {
    const or_problem *p = &plan->problem;
    const int64_t all = p->tokens * p->heads, wanted = plan->c->sample_rows;
    const int64_t limit = wanted == 0 || wanted > all / 2 ? all : wanted; /* half of all is no sample */
    sample s = {.row = calloc((size_t)limit + 1, sizeof *s.row)};
    if (s.row == NULL) return at_fail_memory(err, ((size_t)limit + 1) * sizeof *s.row);
    if (limit == all) {
        for (int64_t i = 0; i < all; i++) s.row[i] = i;
        s.rows = all;
    } else {
        take_sample(&s, p, plan->seed, limit);
    }
    plan->row = s.row;
    plan->rows = s.rows;
    return AT_OK;
}
