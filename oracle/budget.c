/* |computed - o| <= B before the last rounding. With weights that are off as budget_weights.h says,
 *
 *     o~ - o = sum_j p~_j (v_j - o),   |o~ - o| <= min( sum_j p_j |v_j - o| E_j / den, max_j |v_j - o| );
 *
 * to that come the rounding of P, the summing of P.V, the denominator, and what underflows: parts of sum_j p_j |v_j|.
 * Mode S adds squares over keys where their errors are independent. BUDGET.md has the formula with its sources; the
 * names here are the ones there. */
#include "budget.h"

#include "budget_weights.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sums and maxima over the keys, for each channel. */
enum { LIN, FAR, ABS, ROUNDED, QUAD, QUAD_ROUNDED, QUAD_V, COV, SWAMPED, WITHOUT_P, SUMS };

struct or_budget {
    const or_problem *problem;
    const uint16_t *cache;
    or_mode mode;
    or_weights w;
    double *value;     /* [vhs] of one key */
    double *sum[SUMS]; /* [vhs] each       */
    double vanished;   /* sum of the p_j that are below u */
};

or_budget *or_budget_new(const or_problem *p, const uint16_t *cache, const or_arithmetic *how, or_mode mode) {
    or_budget *b = calloc(1, sizeof *b);
    if (!b) return NULL;
    *b = (or_budget){.problem = p, .cache = cache, .mode = mode};
    const size_t vhs = p->v_head_size > 0 ? (size_t)p->v_head_size : 1;
    bool whole =
        or_weights_init(&b->w, p, cache, how, mode == OR_STATISTICAL) && (b->value = calloc(vhs, sizeof(double)));
    for (int s = 0; s < SUMS; s++) whole = (b->sum[s] = calloc(vhs, sizeof(double))) && whole;
    if (whole) return b;
    or_budget_free(b);
    return NULL;
}

void or_budget_free(or_budget *b) {
    if (!b) return;
    or_weights_free(&b->w);
    free(b->value);
    for (int s = 0; s < SUMS; s++) free(b->sum[s]);
    free(b);
}

const double *or_budget_slope(const or_budget *b) {
    return b->sum[COV];
}
const double *or_budget_without_p(const or_budget *b) {
    return b->sum[WITHOUT_P];
}

/* b_j of P: relative, or the step of a subnormal f16 beside the weight. That may be exp(L_j - m), divided in the end,
 * or p_j itself, as softmax is taught: smaller by the row sum, so that its steps weigh more. */
static double rounding_of_p(const or_budget *b, const or_row *row, int64_t j) {
    const or_constants *c = &b->w.c;
    return c->p == 0 ? 0 : fmin(1, fmax(c->p, c->p_least / row->weight[j]));
}

static void add_linear(or_budget *b, const or_row *row, int64_t j) {
    const double p = row->weight[j], error = p * (b->mode == OR_RIGOROUS ? b->w.error[j] : b->w.linear[j]);
    double *restrict lin = b->sum[LIN], *restrict far = b->sum[FAR], *restrict abs = b->sum[ABS];
    const double *restrict v = b->value, *restrict o = row->o;
    for (int64_t d = 0; d < b->problem->v_head_size; d++) {
        const double distance = fabs(v[d] - o[d]);
        lin[d] += error * distance;
        far[d] = distance > far[d] ? distance : far[d];
        abs[d] += p * fabs(v[d]);
    }
}

/* The row sum that adds rounded weights cancels their common part: then v_j - o counts, else v_j. Not said is the
 * larger. */
static void add_rounding(or_budget *b, const or_row *row, int64_t j) {
    const double p = row->weight[j], relative = rounding_of_p(b, row, j), linear = p * relative;
    const double square = p * b->w.tied[j] * relative * relative; /* tied is 0 in mode R */
    const double plain = b->w.c.plain_sum, centred = b->w.c.rounded_sum;
    double *restrict lin = b->sum[ROUNDED], *restrict quad = b->sum[QUAD_ROUNDED];
    const double *restrict v = b->value, *restrict o = row->o;
    for (int64_t d = 0; d < b->problem->v_head_size; d++) {
        const double size = plain * fabs(v[d]), distance = centred * fabs(v[d] - o[d]);
        const double x = size > distance ? size : distance;
        lin[d] += linear * x;
        quad[d] += square * x * x;
    }
}

static void add_squares(or_budget *b, const or_row *row, int64_t j) {
    const double p = row->weight[j], tied = p * b->w.tied[j], lead = p * (row->logit[j] - b->w.mean);
    const double error = b->w.error[j] - b->w.linear[j], square = tied * error * error;
    double *restrict quad = b->sum[QUAD], *restrict vv = b->sum[QUAD_V], *restrict cov = b->sum[COV];
    const double *restrict v = b->value, *restrict o = row->o;
    for (int64_t d = 0; d < b->problem->v_head_size; d++) {
        const double distance = v[d] - o[d];
        quad[d] += square * distance * distance;
        vv[d] += tied * v[d] * v[d];
        cov[d] += lead * v[d];
    }
}

static void load_value(or_budget *b, const or_row *row, int64_t j) {
    const or_problem *p = b->problem;
    or_decode_row(b->value, p->dtype, b->cache + row->slot[j] * p->head_size, (size_t)p->v_head_size);
}

/* A term below half an ulp of the sum that it joins is lost whole, and always to the same side. */
static void add_swamped(or_budget *b, const or_row *row) {
    for (int64_t j = 0; j < row->keys; j++) {
        const double p = row->weight[j];
        if (!(p > 0)) continue;
        if (p < OR_U) b->vanished += p;
        load_value(b, row, j);
        for (int64_t d = 0; d < b->problem->v_head_size; d++) {
            const double size = p * fabs(b->value[d]);
            if (size < OR_U * b->sum[ABS][d]) b->sum[SWAMPED][d] += size;
        }
    }
}

static void add_keys(or_budget *b, const or_row *row) {
    for (int s = 0; s < SUMS; s++) memset(b->sum[s], 0, (size_t)b->problem->v_head_size * sizeof(double));
    b->vanished = 0;
    for (int64_t j = 0; j < row->keys; j++) {
        if (!(row->weight[j] > 0)) continue; /* below the least double; a score of -inf */
        load_value(b, row, j);
        add_linear(b, row, j);
        if (b->w.c.p > 0) add_rounding(b, row, j);
        if (b->mode == OR_STATISTICAL) add_squares(b, row, j);
    }
    if (b->mode == OR_STATISTICAL && b->w.c.chain) add_swamped(b, row);
}

/* The weights' errors. 3: a uniform error of at most b has the variance b^2/3, so this is 5 and more deviations of
 * their sum; 2^-14 of the slope: errors of exp that follow L smoothly. */
static double of_weights(const or_budget *b, int64_t d) {
    double error = b->sum[LIN][d];
    if (b->mode == OR_STATISTICAL) error += 3 * sqrt(b->sum[QUAD][d]) + 0x1p-14 * fabs(b->sum[COV][d]);
    return fmin(error / b->w.den, b->sum[FAR][d]);
}

/* Near-equal weights round alike: what they have in common is a slope in L of at most u_P over the spread of L. */
static double of_rounded_p(const or_budget *b, const or_row *row, int64_t d, double weights) {
    const double u = b->w.c.p, sd = b->w.deviation, rigorous = b->sum[ROUNDED][d];
    if (u == 0) return 0;
    const double crossed = u * (weights + fabs(row->o[d]) * b->w.mean_error); /* of weights that are off already */
    if (b->mode == OR_RIGOROUS) return rigorous + crossed;
    const double slope = sd > 0 ? u * fabs(b->sum[COV][d]) / sd * fmin(1, 2 * u / sd) : 0;
    return fmin(rigorous, 3 * sqrt(b->sum[QUAD_ROUNDED][d]) + slope) + crossed;
}

/* One float accumulator: r roundings, each of at most u of what it holds. */
static double of_chain(const or_budget *b, const or_row *row, int64_t d) {
    const double r = or_chain(&b->w.c, (double)row->keys, b->w.rescalings), o = fabs(row->o[d]);
    if (b->mode == OR_RIGOROUS) return r * OR_U * (b->sum[ABS][d] + o);
    return fmin(r, 6 * sqrt(r)) * OR_U * (b->sum[ABS][d] + o) + b->sum[SWAMPED][d] + b->vanished * o;
}

/* Tensor cores lose a part of what they hold at each step; each tile rescales the accumulator; 64: the row sum inside a
 * tile. */
static double of_tensor(const or_budget *b, const or_row *row, int64_t d) {
    const or_constants *c = &b->w.c;
    const double n = (double)row->keys, tiles = or_tiles(c, n), all = b->sum[ABS][d], o = fabs(row->o[d]);
    const double held = b->mode == OR_STATISTICAL ? fmin(all, o + 4 * sqrt(b->sum[QUAD_V][d])) : all;
    const double merge = c->splits == 1 ? 0 : (or_pieces(c, n) + 2) * OR_U * (all + o);
    return or_tensor_loss(n) * held + tiles * OR_U * all + (64 + tiles) * OR_U * o + merge;
}

static double of_summing(const or_budget *b, const or_row *row, int64_t d) {
    const or_constants *c = &b->w.c;
    const double chain = c->chain ? of_chain(b, row, d) : 0, tensor = c->tensor ? of_tensor(b, row, d) : 0;
    return fmax(chain, tensor) + c->partial * b->sum[ABS][d] + c->partial_least + c->division * fabs(row->o[d]);
}

/* ex2.approx.ftz makes 0 of a weight below 2^-126, and |v| <= far + |o|; every sum ends in steps of 2^-149. */
static double of_underflow(const or_budget *b, const or_row *row, int64_t d) {
    const double n = (double)row->keys;
    return 0x1p-126 * n * (b->sum[FAR][d] + fabs(row->o[d])) + (n + 4) * 0x1p-149;
}

void or_budget_row(or_budget *b, const or_row *row, int64_t token, int64_t head, double *bound) {
    const int64_t vhs = b->problem->v_head_size;
    const bool numbers = row->keys > 0 && !isnan(row->weight[0]);
    for (int64_t d = 0; d < vhs; d++) bound[d] = 0;
    if (!numbers) return;
    or_weigh(&b->w, row, token, head);
    add_keys(b, row);
    for (int64_t d = 0; d < vhs; d++) {
        const double weights = of_weights(b, d);
        b->sum[WITHOUT_P][d] = weights + of_summing(b, row, d) + of_underflow(b, row, d);
        bound[d] = b->sum[WITHOUT_P][d] + of_rounded_p(b, row, d, weights);
    }
}
