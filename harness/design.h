/* What the tensors of a case hold. Random data hide most faults, so each design is built to make some visible.
 *
 * Every element is a function of (seed, tensor, element) through Philox and integer or exactly specified double
 * arithmetic, so that inputs are bit-identical on every host. One row of the table adds a design. */
#ifndef AT_DESIGN_H
#define AT_DESIGN_H

#include "../oracle/problem.h"
#include "case.h"

/* Every design has the parameters "angle" and "base" (angle.h) first; its own follow. */
enum { AT_P_ANGLE, AT_P_BASE, AT_P_OWN, AT_DESIGN_PARAMETERS = 10 };

typedef struct at_design at_design;

/* What a design may look at. */
typedef struct {
    const at_case *c;
    uint64_t seed;
    const at_design *design;
    const or_problem *problem;          /* resolved; of its data only cos_cache and sin_cache are there yet */
    const int64_t *length;              /* [sequences] past + fresh of each                                 */
    int64_t longest;                    /* of them, with what is reserved                                   */
    double value[AT_DESIGN_PARAMETERS]; /* of the design's parameters, in the order of its table            */
} at_fill;

typedef struct {
    const char *name;
    double value; /* the default */
    const char *about;
} at_design_parameter;

/* One channel of a token's query, or with head -1 of its row. */
typedef struct {
    int64_t sequence, position, head, channel;
} at_spot;
typedef double (*at_channel)(const at_fill *, at_spot);
typedef uint16_t (*at_channel_bits)(const at_fill *, at_spot);

struct at_design {
    const char *name, *about;
    bool independent;  /* V and logits are independent draws: the statistical budget may be used             */
    bool marks_hidden; /* cached rows that no token sees are the design's too, and not the case's poison      */
    const at_design_parameter *parameter;  /* ends with a NULL name                                          */
    const char *(*unfit)(const at_fill *); /* why the case cannot show what the design is for; may be NULL   */
    at_channel ask, row;                   /* numbers that query, fresh and cached start from */
    at_channel_bits query;                 /* NULL: 0                                         */
    at_channel_bits fresh;                 /* a row of `key`, before RoPE                     */
    at_channel_bits cached;                /* a row that an earlier call left, after RoPE     */
};

const at_design *const *at_designs(size_t *count);
const at_design *at_design_by_name(const char *name); /* NULL where there is none of that name */
/* Of the design's parameters, as the case gives them or the defaults. AT_USAGE where it names one that is not there. */
AT_MUST_USE at_status at_design_values(double out[AT_DESIGN_PARAMETERS], const at_design *, const at_case *,
                                       at_error *err);

/* Bits that must not be read: what `poison` puts at element i of a place; NaNs carry the low bits of i as payload. For
 * AT_POISON_NEIGHBOUR the caller copies another row; here it is 0. */
uint16_t at_poison_bits(at_poison, or_dtype, uint64_t element);

/* Portable draws by Philox 4x32-10: a uniform 64-bit word, and a normal with mean 0 and deviation 1 (integer table, no
 * libm; cut off at 5.42 deviations). `stream` names the tensor. */
uint64_t at_draw(uint64_t seed, uint32_t stream, uint64_t element);
double at_normal(uint64_t seed, uint32_t stream, uint64_t element);

#endif
