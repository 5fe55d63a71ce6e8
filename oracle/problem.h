/* A legal LATENT call, resolved: what every attribute, default and dialect comes to, and where the data lie. */
#ifndef OR_PROBLEM_H
#define OR_PROBLEM_H

#include "op.h"

typedef struct {
    or_dialect dialect;
    or_dtype dtype;
    int64_t tokens, sequences, heads;          /* T, B, H                                                 */
    int64_t head_size, v_head_size;            /* hs; vhs, never 0                                        */
    int64_t rotary_dim, rotary_offset;         /* R (0: nothing is rotated), off                          */
    int64_t block_size, blocks, max_blocks;    /* bs, pages of the cache, columns of block_table          */
    bool interleaved;                          /* pairs are (2i, 2i+1), else (i, i + R/2)                 */
    bool not_causal;                           /* is_causal = 0: it sees its sequence to the end          */
    double scale, softcap;                     /* the scale in force; softcap <= 0 is off                 */
    double scale_error;                        /* relative: 0 where given, else a kernel's own 1/sqrt(hs) */
    int64_t window_before;                     /* keys before the token itself that it sees; -1: all      */
    const uint16_t *query;                     /* [T, H, hs]                                              */
    const uint16_t *key;                       /* [T, hs] the fresh latent rows                           */
    const int32_t *cumulative_sequence_length; /* [B+1]                                                   */
    const int32_t *past_seqlens;               /* [B]                                                     */
    const int32_t *block_table;                /* [B, max_blocks]; negative or >= blocks: not mapped      */
    const uint16_t *cos_cache, *sin_cache;     /* [rows, R/2], NULL where nothing is rotated              */
    const int32_t *slot_mapping;               /* [T], or NULL: slots are derived from the table          */
} or_problem;

/* The call is one that or_refusal (rules.h) does not refuse, or only for is_causal = 0. Data may be NULL where no
 * element is asked for. A scale that is not given is 1.0f / sqrtf(hs) in float32, as the known kernels compute it. */
void or_problem_of(or_problem *out, const or_node *node, const or_call *call);

/* A token's sequence, the first with t < cumseq[b+1], and its position, past[b] + t - cumseq[b]; -1 past the last. */
int64_t or_sequence_of(const or_problem *, int64_t token);
int64_t or_position_of(const or_problem *, int64_t token);

/* Where position j of sequence b lies: block_table[b][j / bs] * bs + j % bs, or -1 where that is not mapped. */
int64_t or_slot_of(const or_problem *, int64_t sequence, int64_t position);
/* Where token t's row is written; -1: nowhere. */
int64_t or_write_slot(const or_problem *, int64_t token);

/* The most keys that any token sees. */
int64_t or_longest_context(const or_problem *);

#endif
