/* Seeded normals, for what the error budget has to say; and the same with a NaN, an infinity or an overflow in one
 * place. */
#include "designs.h"

#include <math.h>
#include <stddef.h>

enum { P_AMPLITUDE = AT_P_OWN, P_DEVIATION, P_NEXT };
#define NORMAL_PARAMETERS                                                                                              \
    AT_ANGLE_PARAMETERS, {"amplitude", 0.7, "standard deviation of keys and values"}, {                                \
        "deviation", 0.5, "standard deviation of the logits, for which q is sized; 0.3 to 1 is sharpest"               \
    }

static const at_design_parameter normal_parameters[] = {NORMAL_PARAMETERS, {0}};

/* sd(scale <q, k>) = |scale| sd(q) sd(k) sqrt(hs). Where the scale is too small for that, q is as large as k. */
static double query_amplitude(const at_fill *f) {
    const double per_unit = fabs(f->problem->scale) * f->value[P_AMPLITUDE] * sqrt((double)f->problem->head_size);
    return per_unit * 1024 < f->value[P_DEVIATION] ? f->value[P_AMPLITUDE] : f->value[P_DEVIATION] / per_unit;
}

static double normal_ask(const at_fill *f, at_spot at) {
    return query_amplitude(f) * at_normal_of(f, AT_STREAM_QUERY, at);
}
static double normal_row(const at_fill *f, at_spot at) {
    return f->value[P_AMPLITUDE] * at_normal_of(f, AT_STREAM_KEY, at);
}

static const char *normal_unfit(const at_fill *f) {
    return f->value[P_AMPLITUDE] > 0 && f->value[P_DEVIATION] >= 0
               ? NULL
               : "amplitude has to be positive, deviation not negative";
}

const at_design at_normal_data = {
    .name = "normal",
    .about = "independent normals: what rounding does to ordinary data, judged by the error budget",
    .independent = true,
    .parameter = normal_parameters,
    .unfit = normal_unfit,
    .ask = normal_ask,
    .row = normal_row,
    .query = at_plain_query,
    .fresh = at_plain_fresh,
    .cached = at_plain_cached,
};

enum { P_SEQUENCE = P_NEXT, P_POSITION, P_HEAD, P_CHANNEL, P_KIND };
static const at_design_parameter special_parameters[] = {
    NORMAL_PARAMETERS,
    {"sequence", 0, "where the special element lies"},
    {"position", 0, "old or new"},
    {"head", -1, "-1: in the row of that position; else in that head of its query"},
    {"channel", 0, "before RoPE in a new row or query, as cached in an old row"},
    {"kind", 0, "0 NaN, 1 infinity, -1 minus infinity"},
    {0},
};

static uint16_t special_or(const at_fill *f, at_spot at, at_channel_bits plain) {
    const double *v = f->value;
    const bool here = (double)at_data_of(f, at.sequence) == v[P_SEQUENCE] && (double)at.position == v[P_POSITION] &&
                      (double)at.head == v[P_HEAD] && (double)at.channel == v[P_CHANNEL];
    if (!here) return plain(f, at);
    if (v[P_KIND] == 0) return at_poison_bits(AT_POISON_NAN, f->problem->dtype, 0);
    return at_bits_of(f, v[P_KIND] > 0 ? INFINITY : -INFINITY);
}

static uint16_t special_query(const at_fill *f, at_spot at) {
    return special_or(f, at, at_plain_query);
}
static uint16_t special_fresh(const at_fill *f, at_spot at) {
    return special_or(f, at, at_plain_fresh);
}
static uint16_t special_cached(const at_fill *f, at_spot at) {
    return special_or(f, at, at_plain_cached);
}

static bool below(double x, int64_t end) {
    return x >= 0 && x < (double)end;
}

static const char *special_unfit(const at_fill *f) {
    const double *v = f->value;
    const or_problem *p = f->problem;
    const bool there = below(v[P_SEQUENCE], p->sequences) && below(v[P_POSITION], f->length[(size_t)v[P_SEQUENCE]]) &&
                       below(v[P_CHANNEL], p->head_size) && v[P_HEAD] < (double)p->heads;
    return there ? normal_unfit(f) : "there is no such sequence, position, head or channel";
}

const at_design at_special = {
    .name = "special",
    .about = "normal with one NaN or infinity: who sees it has to show it, who does not must not",
    .parameter = special_parameters,
    .unfit = special_unfit,
    .ask = normal_ask,
    .row = normal_row,
    .query = special_query,
    .fresh = special_fresh,
    .cached = special_cached,
};

enum { P_WHERE = P_NEXT, P_SHARE };
static const at_design_parameter overflow_parameters[] = {
    NORMAL_PARAMETERS,
    {"position", -1, "the new row that overflows; -1: all"},
    {"share", 0.92, "of the largest finite value, in every rotated channel"},
    {0},
};

static uint16_t overflow_fresh(const at_fill *f, at_spot at) {
    const bool here = f->value[P_WHERE] < 0 || (double)at.position == f->value[P_WHERE];
    if (!here || !at_is_rotated(f, at.channel)) return at_plain_fresh(f, at);
    const or_dtype t = f->problem->dtype;
    return at_bits_of(f, f->value[P_SHARE] * or_decode(t, at_poison_bits(AT_POISON_LARGEST, t, 0)));
}

static const char *overflow_unfit(const at_fill *f) {
    if (f->problem->rotary_dim == 0 || f->value[AT_P_ANGLE] != AT_ANGLE_STANDARD)
        return "no row is turned by less than a quarter";
    return normal_unfit(f);
}

const at_design at_rope_overflow = {
    .name = "rope_overflow",
    .about = "normal, but x cos + y sin of a new row exceeds the type: the written element is infinite, not wrapped or "
             "clamped",
    .parameter = overflow_parameters,
    .unfit = overflow_unfit,
    .ask = normal_ask,
    .row = normal_row,
    .query = at_plain_query,
    .fresh = overflow_fresh,
    .cached = at_plain_cached,
};
