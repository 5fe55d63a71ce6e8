/* Queries that pick one key, so far ahead that all other weights are 0 in float32: the answer is that key's value. */
#include "designs.h"

#include <math.h>
#include <stddef.h>

static const at_design_parameter angles_alone[] = {AT_ANGLE_PARAMETERS, {0}};

/* The q for which q * unit * scale reaches `lead`: a power of two with the scale's sign, or 0 where float16 has none.
 */
static double reach(const at_fill *f, double lead, double unit) {
    const double wanted = lead / (unit * fabs(f->problem->scale));
    double q = 0x1p-14;
    while (q < wanted && q <= 0x1p15) q *= 2;
    if (q > 0x1p15) return 0;
    return f->problem->scale < 0 ? -q : q;
}

static const char *cannot_lead(const at_fill *f, double q) {
    if (f->problem->softcap > 0) return "softcap lets no key lead by enough";
    return f->problem->scale == 0 || q == 0 ? "with this scale no key can lead by enough" : NULL;
}

/* one_hot. The first channels of a row spell its position in +-8, twelve or as many as the longest sequence needs, and
 * the query spells the picked one. A bit that differs costs 2 * 8 * |q * scale|. Further channels hold small integers
 * and are 0 in the query. */
enum { LETTER = 8, LEAD = 128, LEAST_BITS = 12 };

static int address_bits(const at_fill *f) {
    int bits = LEAST_BITS; /* so that a short sequence has the same rows in any batch */
    while ((f->longest - 1) >> bits > 0) bits++;
    return bits;
}

static double sign_of_bit(int64_t position, int64_t bit) {
    return position >> bit & 1 ? 1 : -1;
}

static double addressed(const at_fill *f, at_spot at) {
    if (at.channel < address_bits(f)) return LETTER * sign_of_bit(at.position, at.channel);
    return (double)(at_draw_of(f, AT_STREAM_KEY, at) % 256) - 128;
}

static double addressing(const at_fill *f, at_spot at) {
    if (at.channel >= address_bits(f)) return 0;
    return reach(f, LEAD, 2 * LETTER) * sign_of_bit(at_pick(f, at, false), at.channel);
}

static const char *one_hot_unfit(const at_fill *f) {
    if (address_bits(f) > f->problem->head_size) return "head_size has fewer channels than positions have bits";
    return cannot_lead(f, reach(f, LEAD, 2 * LETTER));
}

const at_design at_one_hot = {
    .name = "one_hot",
    .about = "each token and head picks one visible key: head mapping, positions and pages, bit for bit",
    .parameter = angles_alone,
    .unfit = one_hot_unfit,
    .ask = addressing,
    .row = addressed,
    .query = at_wished_query,
    .fresh = at_wished_fresh,
    .cached = at_wished_cached,
};

/* rope_retrieval. Every key is (16, 0) in each pair and RoPE alone tells keys apart; the query, after RoPE, has the
 * picked key's direction: score = 16 q sum_i cos((picked - j) theta_i). Latent channels hold codes and are 0 in the
 * query. */
enum { ARM = 16, STEEPNESS = 1024 };

static double unturned(const at_fill *f, at_spot at) {
    if (!at_is_rotated(f, at.channel)) return at_position_code(f, at);
    return at.channel == at_pair_of(f, at.position, at.channel).first ? ARM : 0;
}

static double retrieving(const at_fill *f, at_spot at) {
    if (!at_is_rotated(f, at.channel)) return 0;
    const or_pair pair = at_pair_of(f, at_pick(f, at, true), at.channel);
    return reach(f, STEEPNESS, ARM) * (at.channel == pair.first ? pair.cos : pair.sin);
}

static const char *retrieval_unfit(const at_fill *f) {
    if (f->problem->rotary_dim == 0 || f->value[AT_P_ANGLE] == AT_ANGLE_IDENTITY) return "nothing is rotated";
    return cannot_lead(f, reach(f, STEEPNESS, ARM));
}

const at_design at_rope_retrieval = {
    .name = "rope_retrieval",
    .about = "RoPE alone tells the keys apart and each token and head picks one: a wrong pairing, sign, row or span "
             "picks another",
    .parameter = angles_alone,
    .unfit = retrieval_unfit,
    .ask = retrieving,
    .row = unturned,
    .query = at_wished_query,
    .fresh = at_plain_fresh,
    .cached = at_plain_cached,
};
