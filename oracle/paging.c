/* slot = block_table[b][j / bs] * bs + j % bs: where a sequence's positions lie in the cache, and which sequence a
 * token is of. */
#include "problem.h"

int64_t or_sequence_of(const or_problem *p, int64_t token) {
    for (int64_t b = 0; b < p->sequences; b++)
        if (token < p->cumulative_sequence_length[b + 1]) return b;
    return -1;
}

int64_t or_position_of(const or_problem *p, int64_t token) {
    const int64_t b = or_sequence_of(p, token);
    return b < 0 ? -1 : p->past_seqlens[b] + token - p->cumulative_sequence_length[b];
}

int64_t or_slot_of(const or_problem *p, int64_t sequence, int64_t position) {
    if (position < 0 || position / p->block_size >= p->max_blocks) return -1;
    const int64_t block = p->block_table[sequence * p->max_blocks + position / p->block_size];
    if (block < 0 || block >= p->blocks) return -1;
    return block * p->block_size + position % p->block_size;
}

int64_t or_write_slot(const or_problem *p, int64_t token) {
    const int64_t b = or_sequence_of(p, token);
    if (b < 0) return -1;
    const int64_t slot = p->slot_mapping ? p->slot_mapping[token] : or_slot_of(p, b, or_position_of(p, token));
    return slot >= 0 && slot < p->blocks * p->block_size ? slot : -1;
}

int64_t or_longest_context(const or_problem *p) {
    int64_t most = 0;
    for (int64_t b = 0; b < p->sequences; b++) {
        const int32_t *start = p->cumulative_sequence_length + b;
        const int64_t context = p->past_seqlens[b] + (int64_t)start[1] - start[0];
        if (context > most) most = context;
    }
    const int64_t mapped = p->max_blocks * p->block_size;
    return most < mapped ? most : mapped;
}
