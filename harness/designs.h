/* The data designs, and what they share. Private to design*.c. */
#ifndef AT_DESIGNS_H
#define AT_DESIGNS_H

#include "../oracle/rope.h"
#include "angle.h"
#include "design.h"

/* clang-format off */
#define AT_ANGLE_PARAMETERS                                                                                  \
    {"angle", AT_ANGLE_STANDARD,                                                                             \
     "rows of cos_cache and sin_cache: 0 standard, 1 quarter turns, 2 no turn, 3 standard and 5/4 as long"}, \
    {"base", 10000, "base of the standard angles"}
/* clang-format on */

uint16_t at_bits_of(const at_fill *, double); /* rounded to the case's type */
bool at_is_rotated(const at_fill *, int64_t channel);
or_pair at_pair_of(const at_fill *, int64_t position, int64_t channel);

/* Bits of a design whose `ask` and `row` are what attention should meet, after RoPE: a new row or query is turned back,
 * such that RoPE gives it again, exactly so where cos and sin are 0 and +-1. */
uint16_t at_wished_query(const at_fill *, at_spot);
uint16_t at_wished_fresh(const at_fill *, at_spot);
uint16_t at_wished_cached(const at_fill *, at_spot);
/* Bits of a design whose `ask` and `row` are what enters RoPE: an old row is turned. */
uint16_t at_plain_query(const at_fill *, at_spot);
uint16_t at_plain_fresh(const at_fill *, at_spot);
uint16_t at_plain_cached(const at_fill *, at_spot);

/* Small integers that tell rows apart, exact in both types. Channel 0: 37 j mod 256 - 128, shifted by the sequence;
 * 1 to 15: the bits of j as +-64; d from 16 on: d mod 251. */
double at_position_code(const at_fill *, at_spot);

/* One of the positions that a token sees, by the seed; not its own if `other` and there is another. */
int64_t at_pick(const at_fill *, at_spot token, bool other);

/* Whose data a sequence holds: its own, but in a variant of a case. */
int64_t at_data_of(const at_fill *, int64_t sequence);

/* Streams of at_draw; further ones are those of pages.c and plan_rows.c. */
enum { AT_STREAM_QUERY = 1, AT_STREAM_KEY, AT_STREAM_PICK };
uint64_t at_draw_of(const at_fill *, uint32_t stream, at_spot);
double at_normal_of(const at_fill *, uint32_t stream, at_spot);

extern const at_design at_uniform_codes, at_edge_markers, at_large_values; /* design_uniform.c */
extern const at_design at_one_hot, at_rope_retrieval;                      /* design_pick.c    */
extern const at_design at_saturate, at_two_keys, at_rising;                /* design_scores.c  */
extern const at_design at_all_bits;                                        /* design_bits.c    */
extern const at_design at_normal_data, at_special, at_rope_overflow;       /* design_normal.c  */

#endif
