/* Cases made in C, planned, and answered by the oracle. */
#ifndef PLAN_CASE_H
#define PLAN_CASE_H

#include "../../oracle/attend.h"
#include "../design.h"
#include "../plan.h"

typedef struct {
    int64_t head_size, v_head_size, rotary_offset, rotary_dim, heads;
} geometry;
extern const geometry tiny, glm, mla, overlapping, unrotated, geometries[];
enum { GEOMETRIES = 11 };

enum { HEADS, KV_HEADS, V_HEAD_SIZE, LAYOUT, SCALE, DO_ROTARY, OFFSET, WINDOW, SOFTCAP, INTERLEAVED, PLAIN_ATTRIBUTES };
typedef struct {
    at_case c;
    at_attr attr[PLAIN_ATTRIBUTES + 2]; /* room for two more */
    at_sequence sequence[65];
    at_parameter parameter[8];
    at_override override_[4];
} plan_case;

/* One sequence with 40 old and 3 new tokens, pages of 16, float16, scale 1/sqrt(hs), no window, no softcap, expects
 * budget. */
void plan_case_start(plan_case *, geometry, const char *design);
/* Two busy sequences with a window before each and an idle one; two pages of nobody; float16 normals. */
void plan_case_crowd(plan_case *);
void plan_case_set(plan_case *, const char *parameter, double);
at_override *plan_case_override(plan_case *, bool output, int index, int how);

at_plan *plan_made(const plan_case *, or_dialect); /* with seed 1; fails the test where the case is refused */
const char *plan_complaint(const plan_case *,
                           or_dialect); /* why it is AT_USAGE, behind place and id; "" where it is not */

/* The oracle's view of a plan: the cache after the writes, and rows of the answer. */
typedef struct {
    const at_plan *plan;
    uint16_t *cache;
    or_problem problem; /* a copy: a test may bend it before it asks */
    or_attention *attention;
} answer;
void answer_open(answer *, const at_plan *);
void answer_close(answer *);
/* Of a plan of its own, in dialect onnx-genai. */
void plan_and_open(answer *, const plan_case *);
void close_all(answer *);
const or_row *answer_row(answer *, int64_t token, int64_t head);
double *right_row(answer *, int64_t token, int64_t head); /* a copy of its o, for free() */
/* max over channels of |a - b| */
double distance(const double *a, const double *b, int64_t n);
const uint16_t *cached_row(const answer *, int64_t sequence, int64_t position);

#endif
