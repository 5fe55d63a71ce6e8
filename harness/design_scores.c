/* Scores at chosen heights, by the first channels of q and k; the values say how the weight was shared out. */
#include "designs.h"

#include <math.h>
#include <stddef.h>

/* Odd channels: 1 for the keys of odd positions, else 0, so that the answer is their share; even ones: codes. */
static double share_or_code(const at_fill *f, at_spot at) {
    return at.channel % 2 ? (double)(at.position % 2) : at_position_code(f, at);
}

static const char *needs_scale(const at_fill *f) {
    return f->problem->scale == 0 ? "with scale 0 all scores are 0" : NULL;
}

enum { P_HIGH = AT_P_OWN, P_LOW };
enum { SATURATE_Q = 256 };
static const at_design_parameter saturate_parameters[] = {
    AT_ANGLE_PARAMETERS,
    {"high", 1e5, "q.k of the even positions, before the scale"},
    {"low", 40, "q.k of the odd positions"},
    {0},
};

static double saturate_row(const at_fill *f, at_spot at) {
    return at.channel == 0 ? f->value[at.position % 2 ? P_LOW : P_HIGH] / SATURATE_Q : share_or_code(f, at);
}
static double saturate_ask(const at_fill *f, at_spot at) {
    (void)f;
    return at.channel == 0 ? SATURATE_Q : 0;
}

const at_design at_saturate = {
    .name = "saturate",
    .about = "q.k of 1e5 and 40: with scale 0.01 and softcap 1 two such keys weigh 0.650 and 0.350; capped before the "
             "scale 0.500 each, "
             "uncapped 1 and 0",
    .parameter = saturate_parameters,
    .ask = saturate_ask,
    .row = saturate_row,
    .query = at_wished_query,
    .fresh = at_wished_fresh,
    .cached = at_wished_cached,
};

enum { P_LOGIT = AT_P_OWN, P_APART };
enum { LOGIT_Q = 2048, APART_Q = 16 };
static const at_design_parameter two_keys_parameters[] = {
    AT_ANGLE_PARAMETERS,
    {"logit", -51200, "of the even positions"},
    {"apart", 0.6931471805599453, "how much higher the logit of the odd ones is: ln 2"},
    {0},
};

static double two_keys_row(const at_fill *f, at_spot at) {
    if (at.channel == 0) return f->value[P_LOGIT] / (f->problem->scale * LOGIT_Q);
    if (at.channel == 1) return at.position % 2 ? f->value[P_APART] / (f->problem->scale * APART_Q) : 0;
    return share_or_code(f, at);
}
static double two_keys_ask(const at_fill *f, at_spot at) {
    (void)f;
    return at.channel == 0 ? LOGIT_Q : at.channel == 1 ? APART_Q : 0;
}

const at_design at_two_keys = {
    .name = "two_keys",
    .about = "all logits far from 0 and two heights ln 2 apart: of two such keys 1/3 and 2/3, or 0/0 where the maximum "
             "is not taken off",
    .parameter = two_keys_parameters,
    .unfit = needs_scale,
    .ask = two_keys_ask,
    .row = two_keys_row,
    .query = at_wished_query,
    .fresh = at_wished_fresh,
    .cached = at_wished_cached,
};

enum { P_STEP = AT_P_OWN };
enum { RISING_UNIT = 16 };
static const at_design_parameter rising_parameters[] = {
    AT_ANGLE_PARAMETERS,
    {"step", 0.25, "from the logit of one position to the next; may be negative"},
    {0},
};

static double rising_row(const at_fill *f, at_spot at) {
    return at.channel == 0 ? (double)at.position / RISING_UNIT : at_position_code(f, at);
}
static double rising_ask(const at_fill *f, at_spot at) {
    return at.channel == 0 ? f->value[P_STEP] * RISING_UNIT / f->problem->scale : 0;
}

const at_design at_rising = {
    .name = "rising",
    .about = "logits rise with the position: a running maximum moves all along, and what was summed before it has to "
             "be rescaled",
    .parameter = rising_parameters,
    .unfit = needs_scale,
    .ask = rising_ask,
    .row = rising_row,
    .query = at_wished_query,
    .fresh = at_wished_fresh,
    .cached = at_wished_cached,
};
