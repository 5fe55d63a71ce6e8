/* An accepted LATENT call as a kernel takes it, by value: sizes, addresses, what the attributes come to. */
#ifndef PA_PROBLEM_H
#define PA_PROBLEM_H

#include "node.h"

/* T tokens, B sequences, H heads, hs head_size, vhs v_head_size, bs block_size, R = 2 x rotary_half. All device
 * addresses. */
typedef struct {
    at_dtype dtype;                              /* AT_F16 or AT_BF16, of every tensor without another type here */
    const void *query, *key;                     /* [T, H, hs]  [T, hs]                                          */
    void *key_cache, *output;                    /* [blocks, bs, hs]  [T, H, vhs]                                */
    const void *cos_cache, *sin_cache;           /* [positions, rotary_half], NULL where nothing is rotated      */
    const int32_t *cumulative_sequence_length;   /* [B+1]                                                        */
    const int32_t *past_seqlens;                 /* [B]                                                          */
    const int32_t *block_table;                  /* [B, max_blocks]; below 0 or from blocks on: not mapped       */
    const int32_t *slot_mapping;                 /* [T], or NULL: slots come from block_table                    */
    int64_t tokens, sequences, heads, head_size; /* T, B, H, hs                                                  */
    int64_t v_head_size;                         /* vhs, never "the same as hs" by 0                             */
    int64_t blocks, block_size, max_blocks;
    int64_t rotary_offset, rotary_half; /* rotary_half 0: nothing is rotated                            */
    int64_t keys_before;                /* that a token sees besides itself; -1: all there are          */
    float scale, softcap;               /* softcap 0: off                                               */
    bool interleaved;                   /* pairs are (2i, 2i+1), else (i, i + rotary_half)              */
} pa_problem;

/* call: one that pa_gate_execute accepts. */
void pa_problem_of(pa_problem *out, const pa_node *node, const at_call *call);

#endif
