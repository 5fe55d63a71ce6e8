/* Bounds that look right and are not: each must be broken by an honest kernel, or the calibration could not have told.
 */
#include "calibrate.h"

#include "../budget_weights.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const width middle = {192, 128, 128, 64};

/* A row with what a bound is made of. */
typedef struct {
    const sample *s;
    const or_row *row;
    const or_weights *w;
    const double *rigorous, *statistical; /* [vhs] */
} evidence;

typedef double rival(const evidence *, int64_t channel);

static double value_of(const evidence *e, int64_t j, int64_t d) {
    const or_problem *p = &e->s->scene->p;
    return or_decode(p->dtype, e->s->scene->cache[e->row->slot[j] * p->head_size + d]);
}

/* sum p|v - o| f(E) over keys. */
static double weighted(const evidence *e, int64_t d, double (*f)(double)) {
    double sum = 0;
    for (int64_t j = 0; j < e->row->keys; j++)
        sum += e->row->weight[j] * fabs(value_of(e, j, d) - e->row->o[d]) * f(e->w->error[j]);
    return sum;
}

static double same(double x) {
    return x;
}

static double spread(const evidence *e, int64_t d) {
    double far = 0;
    for (int64_t j = 0; j < e->row->keys; j++) far = fmax(far, fabs(value_of(e, j, d) - e->row->o[d]));
    return far;
}

/* The accumulator's n roundings taken for independent: 6 sqrt(n) u sum p|v|. */
static double square_root_law(const evidence *e, int64_t d) {
    double all = 0;
    for (int64_t j = 0; j < e->row->keys; j++) all += e->row->weight[j] * fabs(value_of(e, j, d));
    return weighted(e, d, same) + 6 * sqrt((double)e->row->keys) * OR_U * (all + fabs(e->row->o[d]));
}

/* Mode S where V goes along with the logits. */
static double statistics_of_codes(const evidence *e, int64_t d) {
    return e->statistical[d];
}

/* D_j for expm1(D_j), and no limit at max |v - o|. */
static double first_order(const evidence *e, int64_t d) {
    const double weights = fmin(weighted(e, d, same) / e->w->den, spread(e, d));
    return e->rigorous[d] - weights + weighted(e, d, log1p);
}

typedef struct {
    const char *what, *design, *kernel;
    or_dtype dtype;
    width width;
    int64_t n;
    int rows;
    bool query_unsaid;
    rival *bound;
} guard;

static const guard guards[] = {
    {"sqrt(n) for the accumulator", "swamp", "plain", OR_F16, {32, 16, 16, 16}, 4096, 40, false, square_root_law},
    {"mode S where V follows the logits",
     "ramp codes",
     "flash, plain sum",
     OR_BF16,
     {32, 16, 16, 16},
     4096,
     120,
     false,
     statistics_of_codes},
    {"first order in the scores' error",
     "hot",
     "flash, plain sum",
     OR_BF16,
     {32, 16, 16, 16},
     2,
     2000,
     true,
     first_order},
};

typedef struct {
    double rival, budget; /* worst excess */
    int64_t over, elements;
} outcome;

static void judge_row(outcome *out, const guard *g, const evidence *e, const uint16_t *got) {
    const or_problem *p = &e->s->scene->p;
    for (int64_t d = 0; d < p->v_head_size; d++) {
        const or_opinion right = or_judge(p->dtype, e->row->o[d], e->rigorous[d], e->row->classes[d], got[d]);
        const or_opinion wrong = or_judge(p->dtype, e->row->o[d], g->bound(e, d), e->row->classes[d], got[d]);
        out->budget = fmax(out->budget, right.excess);
        out->rival = fmax(out->rival, wrong.excess);
        out->over += !wrong.accepted;
        out->elements++;
    }
}

static void bound_with(double *bound, const sample *s, const or_arithmetic *how, or_mode mode, const or_row *row) {
    or_budget *b = or_budget_new(&s->scene->p, s->scene->cache, how, mode);
    or_budget_row(b, row, 0, 0, bound);
    or_budget_free(b);
}

static void try_sample(outcome *out, const guard *g, const sample *s, curve curve) {
    const or_problem *p = &s->scene->p;
    const kernel *k = kernel_by_name(g->kernel);
    or_arithmetic how = arithmetic_of(k, g->dtype);
    float *keys = keys_of(s);
    const conditions honest = plain_conditions(s, keys, curve);
    uint16_t got[512];
    double rigorous[512], statistical[512];
    answer(got, k, s, &honest);
    if (g->query_unsaid) how.rope = OR_ROPE_UNSAID;
    or_attention *a = or_attention_new(p, s->scene->cache, &how);
    const or_row *row = or_attend(a, 0, 0);
    bound_with(rigorous, s, &how, OR_RIGOROUS, row);
    bound_with(statistical, s, &how, OR_STATISTICAL, row);
    or_weights w;
    if (or_weights_init(&w, p, s->scene->cache, &how, false)) {
        or_weigh(&w, row, 0, 0);
        judge_row(out, g, &(evidence){s, row, &w, rigorous, statistical}, got);
    }
    or_weights_free(&w);
    or_attention_free(a);
    free(keys);
}

void check_guards(void) {
    printf("Bounds that honest kernels must break\n\n| bound | data, kernel | its worst excess | elements over | the "
           "budget's |\n|---|---|---|---|---|\n");
    for (size_t i = 0; i < sizeof guards / sizeof guards[0]; i++) {
        const guard *g = &guards[i];
        uint64_t random = UINT64_C(0xd1342543de82ef95) + i;
        outcome out = {0};
        for (int r = 0; r < g->rows; r++) {
            sample s;
            sample_make(&s, design_by_name(g->design), g->dtype, g->width, g->n, &random);
            try_sample(&out, g, &s, (curve)(r % CURVES));
            sample_free(&s);
        }
        printf("| %s | %s, %s, %s | %.2f | %lld of %lld | %.2f |\n", g->what, g->design, or_dtype_name(g->dtype),
               g->kernel, out.rival, (long long)out.over, (long long)out.elements, out.budget);
        expect(out.rival > 1, "%s was not broken", g->what);
        expect(out.budget <= 1, "%s: the budget was broken too", g->what);
    }
    printf("\n");
}

/* Whatever a kernel does, a declaration that says nothing covers it. */
static void unsaid_sample(const sample *s, double *worst, int64_t *elements) {
    const or_problem *p = &s->scene->p;
    const or_arithmetic nothing = {0};
    float *keys = keys_of(s);
    uint16_t got[512];
    double bound[512];
    or_attention *a = or_attention_new(p, s->scene->cache, &nothing);
    const or_row *row = or_attend(a, 0, 0);
    bound_with(bound, s, &nothing, OR_RIGOROUS, row);
    for (size_t i = 0; i < kernel_count; i++) {
        const conditions honest = plain_conditions(s, keys, (curve)(i % CURVES));
        answer(got, &kernels[i], s, &honest);
        for (int64_t d = 0; d < p->v_head_size; d++, ++*elements)
            *worst = fmax(*worst, or_judge(p->dtype, row->o[d], bound[d], row->classes[d], got[d]).excess);
    }
    or_attention_free(a);
    free(keys);
}

void check_unsaid(void) {
    static const int64_t contexts[] = {3, 64, 300};
    double worst = 0;
    int64_t elements = 0;
    uint64_t random = 1;
    for (size_t d = 0; d < design_count; d++)
        for (int t = OR_F16; t <= OR_BF16; t++)
            for (size_t c = 0; c < 3; c++) {
                sample s;
                sample_make(&s, &designs[d], (or_dtype)t, middle, contexts[c], &random);
                unsaid_sample(&s, &worst, &elements);
                sample_free(&s);
            }
    printf("Nothing declared: %lld elements of all kernels and designs, worst excess %.3f\n\n", (long long)elements,
           worst);
    expect(worst <= 1, "a declaration that says nothing was exceeded: %.3f", worst);
}
