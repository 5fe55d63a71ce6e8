/* RN_T(o - B) <= got <= RN_T(o + B): exact at binade edges, for subnormals, signed zeros and overflow, with no term for
 * the last rounding. */
#include "budget.h"

#include <math.h>

/* Half the distance of the T values around x. */
static double half_ulp(or_dtype t, double x) {
    int exponent;
    (void)frexp(x, &exponent);
    const double least = or_decode(t, 1) / 2;
    return isfinite(x) ? fmax(ldexp(or_unit(t), exponent - 1), least) : x;
}

/* From o to the reals that round to got; an infinity's begin where the largest value's end. */
static double distance(or_dtype t, double o, uint16_t got) {
    double lo, hi;
    if (or_class(t, got) == OR_FINITE) {
        or_preimage(t, got, &lo, &hi);
        return o < lo ? lo - o : o > hi ? o - hi : 0;
    }
    or_preimage(t, (uint16_t)((got & 0x7fff) - 1), &lo, &hi);
    return fmax(0, got & 0x8000 ? o + hi : hi - o);
}

static or_opinion judge_number(or_dtype t, double o, double bound, uint16_t got) {
    const double y = or_decode(t, got), least = or_decode(t, or_round(t, o - bound)),
                 most = or_decode(t, or_round(t, o + bound));
    const double off = distance(t, o, got), miss = fabs(y - o);
    return (or_opinion){
        .accepted = least <= y && y <= most,
        .excess = off == 0 ? 0 : off / bound,
        .ratio = isinf(y)    ? INFINITY
                 : miss == 0 ? 0
                             : miss / (bound + half_ulp(t, fabs(o) + bound)),
    };
}

or_opinion or_judge(or_dtype t, double o, double bound, unsigned classes, uint16_t got) {
    static const or_opinion wrong = {.wrong_class = true, .excess = INFINITY, .ratio = INFINITY};
    const unsigned is = or_class(t, got);
    const bool number = (classes & OR_FINITE) && isfinite(o);
    if (number && is == OR_FINITE) return judge_number(t, o, bound, got);
    if (classes & is) return (or_opinion){.accepted = true};
    if (!number || is == OR_NAN) return wrong;
    const or_opinion overflow = judge_number(t, o, bound, got); /* o + B may round to infinity */
    return overflow.accepted ? overflow : wrong;
}
