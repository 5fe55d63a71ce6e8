/* Every bit pattern through the write path: pass-through channels are bytes, not numbers. */
#include "designs.h"

enum { P_FIRST = AT_P_OWN, P_FINITE };
static const at_design_parameter parameters[] = {
    AT_ANGLE_PARAMETERS,
    {"first", 0, "the pattern of the first element"},
    {"finite", 0, "1: infinities and NaNs lose the top bit of their exponent, so that the output is finite"},
    {0},
};

static int64_t new_token_of(const at_fill *f, at_spot at) {
    int64_t token = at.position - f->c->sequence[at.sequence].past;
    for (int64_t b = 0; b < at.sequence; b++) token += f->c->sequence[b].fresh;
    return token;
}

/* Patterns run on from channel to channel and from token to token: 65,536 / (hs - R) tokens hold all. */
static uint16_t pattern(const at_fill *f, at_spot at) {
    const or_problem *p = f->problem;
    if (at_is_rotated(f, at.channel)) return at_plain_fresh(f, at);
    const int64_t channel = at.channel < p->rotary_offset ? at.channel : at.channel - p->rotary_dim;
    const uint16_t bits =
        (uint16_t)((int64_t)f->value[P_FIRST] + new_token_of(f, at) * (p->head_size - p->rotary_dim) + channel);
    return f->value[P_FINITE] != 0 && or_class(p->dtype, bits) != OR_FINITE ? bits & 0xBFFF : bits;
}

const at_design at_all_bits = {
    .name = "all_bits",
    .about = "consecutive bit patterns in the pass-through channels: NaN payloads, signed zeros and subnormals are to "
             "be copied",
    .parameter = parameters,
    .row = at_position_code,
    .fresh = pattern,
    .cached = at_wished_cached,
};
