/* cache[slot[t]] = rotate(key[t]): what each element may be, and the cache after all writes of a call. */
#include "write.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Anything that rounds to T from lo to hi, NaN and infinities by their class alone. */
static void admit(or_written *w, or_dtype t, double lo, double hi) {
    const unsigned classes = or_class(t, or_round(t, lo)) | or_class(t, or_round(t, hi));
    w->classes |= classes;
    if (!(classes & OR_FINITE)) return;
    w->lo = fmin(w->lo, lo);
    w->hi = fmax(w->hi, hi);
}

static bool is_float(double x) {
    return (double)(float)x == x;
}

/* A float sum is off by one rounding, its products being exact in float, or by half of the least float for each of them
 * that underflows; and by nothing where a float holds it. Then a tie is one, and goes to the even side: adding half and
 * cutting, the usual shortcut, goes away from 0. A product beyond float leaves nothing to say. */
static double float_error(double sum, or_products p) {
    const bool whole = sum - p.a == p.b && sum - p.b == p.a; /* double lost nothing */
    if (!isfinite(sum) || (whole && is_float(p.a) && is_float(p.b) && is_float(sum))) return 0;
    return 0x1p-24 * fabs(sum) + 0x1p-149;
}

static void admit_float(or_written *w, or_dtype t, or_products p) {
    const double exact = p.a + p.b, error = float_error(exact, p);
    admit(w, t, exact - error, exact + error);
    if (isfinite(exact) && (fabs(p.a) > FLT_MAX || fabs(p.b) > FLT_MAX))
        w->classes |= OR_NAN | OR_PLUS_INF | OR_MINUS_INF;
}

static void admit_emulated(or_written *w, or_dtype t, or_rope rope, or_products p) {
    const double x = or_rotated(t, rope, p);
    admit(w, t, x, x);
}

static or_written rotated_channel(or_dtype t, or_rope rope, or_products p) {
    or_written w = {.rotated = true, .bits = or_round_sum(t, p), .exact = p.a + p.b, .lo = NAN, .hi = NAN};
    if (rope == OR_ROPE_SEP || rope == OR_ROPE_UNSAID) admit_emulated(&w, t, OR_ROPE_SEP, p);
    if (rope == OR_ROPE_FMA || rope == OR_ROPE_UNSAID) admit_emulated(&w, t, OR_ROPE_FMA, p);
    if (rope != OR_ROPE_SEP && rope != OR_ROPE_FMA) admit_float(&w, t, p);
    return w;
}

static or_written copied_channel(or_dtype t, uint16_t bits) {
    const double x = or_decode(t, bits);
    return (or_written){.bits = bits, .exact = x, .lo = x, .hi = x, .classes = or_class(t, bits)};
}

void or_written_row(or_written *row, const or_problem *p, const or_arithmetic *how, int64_t token) {
    const uint16_t *key = p->key + token * p->head_size;
    const int64_t position = or_position_of(p, token);
    for (int64_t d = 0; d < p->head_size; d++) row[d] = copied_channel(p->dtype, key[d]);
    for (int64_t i = 0; i < p->rotary_dim / 2; i++) {
        const or_pair pair = or_pair_of(p, position, i);
        const double x = or_decode(p->dtype, key[pair.first]), y = or_decode(p->dtype, key[pair.second]);
        row[pair.first] = rotated_channel(p->dtype, how->rope, or_first(pair, x, y));
        row[pair.second] = rotated_channel(p->dtype, how->rope, or_second(pair, x, y));
    }
}

bool or_written_accepts(const or_written *w, or_dtype t, uint16_t got) {
    if (!w->rotated) return got == w->bits;
    const unsigned class = or_class(t, got);
    if (!(w->classes & class)) return false;
    if (class != OR_FINITE) return true;
    const double x = or_decode(t, got);
    return or_decode(t, or_round(t, w->lo)) <= x && x <= or_decode(t, or_round(t, w->hi));
}

static void write_row(uint16_t *out, const or_problem *p, int64_t token) {
    const uint16_t *key = p->key + token * p->head_size;
    const int64_t position = or_position_of(p, token);
    memcpy(out, key, (size_t)p->head_size * sizeof *out);
    for (int64_t i = 0; i < p->rotary_dim / 2; i++) {
        const or_pair pair = or_pair_of(p, position, i);
        const double x = or_decode(p->dtype, key[pair.first]), y = or_decode(p->dtype, key[pair.second]);
        out[pair.first] = or_round_sum(p->dtype, or_first(pair, x, y));
        out[pair.second] = or_round_sum(p->dtype, or_second(pair, x, y));
    }
}

void or_write_all(uint16_t *cache, const or_problem *p) {
    for (int64_t t = 0; t < p->tokens; t++) {
        const int64_t slot = or_write_slot(p, t);
        if (slot >= 0) write_row(cache + slot * p->head_size, p, t);
    }
}
