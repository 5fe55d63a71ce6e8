/* Pairs, their exact products, and the ways of rounding a sum of two. */
#include "rope.h"

#include <math.h>
#include <string.h>

or_pair or_pair_of(const or_problem *p, int64_t position, int64_t i) {
    const int64_t half = p->rotary_dim / 2, entry = position * half + i;
    const int64_t first = p->rotary_offset + (p->interleaved ? 2 * i : i);
    return (or_pair){
        .first = first,
        .second = first + (p->interleaved ? 1 : half),
        .cos = or_decode(p->dtype, p->cos_cache[entry]),
        .sin = or_decode(p->dtype, p->sin_cache[entry]),
    };
}

/* a + b in 53 bits, rounded to odd: whatever rounds the result to fewer bits then rounds the exact sum. */
static double sum_to_odd(or_products t) {
    const double sum = t.a + t.b, b = sum - t.a;
    const double rest = (t.a - (sum - b)) + (t.b - b);
    uint64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    if (!isfinite(sum) || rest == 0 || (bits & 1)) return sum;
    return nextafter(sum, rest > 0 ? INFINITY : -INFINITY);
}

uint16_t or_round_sum(or_dtype t, or_products p) {
    return or_round(t, sum_to_odd(p));
}

static double rounded(or_dtype t, double x) {
    return or_decode(t, or_round(t, x));
}

double or_rotated(or_dtype t, or_rope rope, or_products p) {
    switch (rope) {
    case OR_ROPE_SEP: p.a = rounded(t, p.a); /* and b, as below */ /* fall through */
    case OR_ROPE_FMA: p.b = rounded(t, p.b);                       /* fall through */
    case OR_ROPE_ROUND: return or_decode(t, or_round_sum(t, p));
    default: return p.a + p.b;
    }
}

void or_rotate(double *out, const double *x, const or_problem *p, int64_t position) {
    memcpy(out, x, (size_t)p->head_size * sizeof *out);
    for (int64_t i = 0; i < p->rotary_dim / 2; i++) {
        const or_pair pair = or_pair_of(p, position, i);
        const or_products first = or_first(pair, x[pair.first], x[pair.second]);
        const or_products second = or_second(pair, x[pair.first], x[pair.second]);
        out[pair.first] = first.a + first.b;
        out[pair.second] = second.a + second.b;
    }
}
