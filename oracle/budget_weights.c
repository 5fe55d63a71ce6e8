#include "budget_weights.h"

#include "rope.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void *array(int64_t n, size_t size) {
    return calloc(n > 0 ? (size_t)n : 1, size);
}

bool or_weights_init(or_weights *w, const or_problem *p, const uint16_t *cache, const or_arithmetic *how, bool ties) {
    const int64_t n = or_longest_context(p), hs = p->head_size;
    *w = (or_weights){.problem = p, .cache = cache, .c = or_constants_of(p, how), .rope = how->rope, .ties = ties};
    w->error = array(n, sizeof(double));
    w->linear = array(n, sizeof(double));
    w->tied = array(n, sizeof(double));
    w->peak = array(n, sizeof(double));
    w->ranked = array(n, sizeof *w->ranked);
    w->channel = array(hs, sizeof(double));
    w->ambiguous = array(hs, sizeof(double));
    w->key = array(hs, sizeof(double));
    return w->error && w->linear && w->tied && w->peak && w->ranked && w->channel && w->ambiguous && w->key;
}

void or_weights_free(or_weights *w) {
    void *const arrays[] = {w->error, w->linear, w->tied, w->peak, w->ranked, w->channel, w->ambiguous, w->key};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) free(arrays[i]);
}

/* Error terms take a = |x c| + |y s|, which cancellation may leave far above |q_i|. */
static void describe_rotated(or_weights *w, int64_t channel, or_products e) {
    const double a = fabs(e.a) + fabs(e.b), d = 2 * OR_U * a, exact = e.a + e.b;
    const or_dtype t = w->problem->dtype;
    w->channel[channel] = (w->c.dot + w->c.query) * a + w->c.query_least;
    if (w->rope != OR_ROPE_ROUND) return;
    w->ambiguous[channel] = or_decode(t, or_round(t, exact + d)) - or_decode(t, or_round(t, exact - d));
    w->any_ambiguous = w->any_ambiguous || w->ambiguous[channel] != 0;
}

static void describe_query(or_weights *w, int64_t token, int64_t head) {
    const or_problem *p = w->problem;
    const int64_t position = or_position_of(p, token);
    double *x = w->key; /* no key is in it yet */
    or_decode_row(x, p->dtype, p->query + (token * p->heads + head) * p->head_size, (size_t)p->head_size);
    memset(w->ambiguous, 0, (size_t)p->head_size * sizeof(double));
    w->any_ambiguous = false;
    for (int64_t i = 0; i < p->head_size; i++) w->channel[i] = w->c.dot * fabs(x[i]);
    for (int64_t i = 0; i < p->rotary_dim / 2; i++) {
        const or_pair pair = or_pair_of(p, position, i);
        describe_rotated(w, pair.first, or_first(pair, x[pair.first], x[pair.second]));
        describe_rotated(w, pair.second, or_second(pair, x[pair.first], x[pair.second]));
    }
}

/* How often a running maximum can rise in a contiguous piece of the row, walked in one direction. From the far end,
 * `peak` holds the chain of ever larger logits that begins at the key met last: its length is what a piece that starts
 * there would count. */
static int64_t rises(double *peak, const or_row *row, bool backwards) {
    int64_t height = 0, most = 0;
    for (int64_t i = 0; i < row->keys; i++) {
        const double l = row->logit[backwards ? i : row->keys - 1 - i];
        while (height > 0 && peak[height - 1] <= l) height--;
        peak[height++] = l;
        if (height > most) most = height;
    }
    return most;
}

static double rescalings(const or_weights *w, const or_row *row) {
    const double up = (double)rises(w->peak, row, false), down = (double)rises(w->peak, row, true);
    return fmin(fmax(up, down), or_tiles(&w->c, (double)row->keys));
}

static int by_logit(const void *a, const void *b) {
    const double x = ((const struct or_ranked *)a)->logit, y = ((const struct or_ranked *)b)->logit;
    return (x > y) - (x < y);
}

static void find_ties(or_weights *w, const or_row *row) {
    for (int64_t j = 0; j < row->keys; j++) w->ranked[j] = (struct or_ranked){row->logit[j], j};
    qsort(w->ranked, (size_t)row->keys, sizeof *w->ranked, by_logit);
    for (int64_t i = 0, next; i < row->keys; i = next) {
        double total = 0;
        for (next = i; next < row->keys && w->ranked[next].logit == w->ranked[i].logit; next++)
            total += row->weight[w->ranked[next].key];
        for (int64_t j = i; j < next; j++) w->tied[w->ranked[j].key] = total;
    }
}

static void find_moments(or_weights *w, const or_row *row) {
    double mean = 0, square = 0;
    for (int64_t j = 0; j < row->keys; j++)
        if (row->weight[j] > 0) mean += row->weight[j] * row->logit[j];
    for (int64_t j = 0; j < row->keys; j++)
        if (row->weight[j] > 0) square += row->weight[j] * (row->logit[j] - mean) * (row->logit[j] - mean);
    w->mean = mean;
    w->deviation = sqrt(square);
}

static double dot_magnitudes(const double *g, const double *k, int64_t n) {
    double sum[4] = {0};
    int64_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (int l = 0; l < 4; l++) sum[l] += g[i + l] * fabs(k[i + l]);
    for (; i < n; i++) sum[0] += g[i] * fabs(k[i]);
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* What an error ds of the score makes of the logit. The difference toward 0 is the steeper one, and right where ds
 * exceeds c too. */
static double through_softcap(const or_weights *w, double s, double logit, double ds) {
    const double c = w->problem->softcap;
    if (!(c > 0)) return ds;
    const double rounding = fabs(logit) * (w->c.tanh + 2 * OR_U);
    return isinf(s) ? rounding : c * (tanh(fabs(s) / c) - tanh((fabs(s) - ds) / c)) + rounding;
}

/* The whole of D_j, and its part that many keys share: a rounding of the maximum or of a rescaling, a query channel
 * gone the other way. */
static double exponent_error(const or_weights *w, const or_row *row, int64_t j, double *linear) {
    const or_problem *p = w->problem;
    const double s = row->s[j], l = row->logit[j], scale = fabs(p->scale), n = (double)row->keys;
    or_decode_row(w->key, p->dtype, w->cache + row->slot[j] * p->head_size, (size_t)p->head_size);
    const double gaps = w->any_ambiguous ? scale * dot_magnitudes(w->ambiguous, w->key, p->head_size) : 0;
    const double rounding = w->c.score + (p->softcap > 0 ? OR_U : 0); /* softcap divides */
    const double ds = scale * dot_magnitudes(w->channel, w->key, p->head_size) + gaps + rounding * fabs(s);
    const double maximum = w->c.maximum * fmax(fabs(l), fabs(row->max)), steps = w->c.exponential * w->rescalings;
    const double argument =
        row->max - l + (w->c.splits == 1 ? 0 : log(n)); /* a piece's lse exceeds its maximum by log n at most */
    *linear = gaps + maximum + steps;
    return through_softcap(w, s, l, ds) + maximum + steps + w->c.exponential + w->c.exponent * argument;
}

void or_weigh(or_weights *w, const or_row *row, int64_t token, int64_t head) {
    describe_query(w, token, head);
    w->rescalings = rescalings(w, row);
    if (w->ties) find_ties(w, row);
    if (w->ties) find_moments(w, row);
    double errors = 0;
    w->den = 0;
    for (int64_t j = 0; j < row->keys; j++) {
        const double p = row->weight[j];
        double linear = 0;
        w->error[j] = w->linear[j] = 0;
        if (!(p > 0)) continue;
        const double d = exponent_error(w, row, j, &linear);
        w->error[j] = expm1(fmin(d, 50));
        w->linear[j] = fmin(expm1(fmin(linear, 50)), w->error[j]);
        w->den += p * exp(-d);
        errors += p * w->error[j];
    }
    w->mean_error = fmin(errors / w->den, 2);
}
