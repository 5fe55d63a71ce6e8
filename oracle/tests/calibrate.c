#include "calibrate.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ratios as a histogram: a median to a fiftieth of an octave is enough. */

enum { BUCKETS = 1024, PER_OCTAVE = 48 };

typedef struct {
    int64_t count[BUCKETS], elements;
} histogram;

static void histogram_add(histogram *h, double ratio) {
    const double place = ratio > 0 ? BUCKETS - 1 + PER_OCTAVE * log2(ratio) : 0;
    h->count[(int)fmin(fmax(place, 0), BUCKETS - 1)]++;
    h->elements++;
}

static double median(const histogram *h) {
    int64_t below = 0;
    int i = 0;
    while (i < BUCKETS - 1 && (below += h->count[i]) * 2 < h->elements) i++;
    return i == 0 ? 0 : exp2((double)(i - BUCKETS + 1) / PER_OCTAVE);
}

/* What one design does to one kernel in one mode. */

typedef struct {
    histogram all, large;       /* contexts; from 1000 keys on                       */
    double ratio;               /* the largest                                       */
    double excess, excess_many; /* likewise; of elements with MANY roundings or more */
    int64_t over;
} cell;

enum { KERNELS = 8, MODES = 2, DESIGNS = 19, MOST_CHANNELS = 512, MANY = 64 };
static cell (*cells)[DESIGNS][KERNELS]; /* [MODES] of one dtype */

static void note(cell *c, int64_t n, double roundings, or_opinion opinion) {
    histogram_add(&c->all, opinion.ratio);
    if (n >= 1000) histogram_add(&c->large, opinion.ratio);
    c->ratio = fmax(c->ratio, opinion.ratio);
    c->excess = fmax(c->excess, opinion.excess);
    if (roundings >= MANY) c->excess_many = fmax(c->excess_many, opinion.excess);
    c->over += !opinion.accepted;
}

/* How many independent roundings of P an element has: of the terms p_j x_j those with one weight are rounded alike and
 * count as one, and the terms count by (sum |t|)^2 / sum t^2, which is n for n alike and 1 where one outweighs the
 * rest. Of few, all can pull one way. x: v, or v - o where the row sum is of rounded weights too. */
typedef struct {
    double of_v[MOST_CHANNELS], of_difference[MOST_CHANNELS];
} roundings;

static const double *weights; /* of by_weight */

static int by_weight(const void *a, const void *b) {
    const double x = weights[*(const int64_t *)a], y = weights[*(const int64_t *)b];
    return (x > y) - (x < y);
}

static double participation(const double *term, int64_t n) {
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < n; i++) sum += fabs(term[i]), squares += term[i] * term[i];
    return squares > 0 ? sum * sum / squares : 0;
}

static void count_roundings(roundings *out, const sample *s) {
    const or_problem *p = &s->scene->p;
    const or_arithmetic exact = {.rope = OR_ROPE_EXACT};
    or_attention *attention = or_attention_new(p, s->scene->cache, &exact);
    const or_row *row = or_attend(attention, 0, 0);
    int64_t *order = calloc((size_t)row->keys, sizeof *order);
    double *term = calloc((size_t)row->keys, sizeof *term), *centred = calloc((size_t)row->keys, sizeof *centred);
    for (int64_t j = 0; j < row->keys; j++) order[j] = j;
    weights = row->weight;
    qsort(order, (size_t)row->keys, sizeof *order, by_weight);
    for (int64_t c = 0; c < p->v_head_size; c++) {
        int64_t groups = 0;
        for (int64_t i = 0; i < row->keys; i++) {
            const int64_t j = order[i];
            const bool same = i > 0 && weights[j] == weights[order[i - 1]];
            const double v = or_decode(p->dtype, s->scene->cache[row->slot[j] * p->head_size + c]), w = weights[j];
            if (!same) term[groups] = centred[groups] = 0, groups++;
            term[groups - 1] += w * v, centred[groups - 1] += w * (v - row->o[c]);
        }
        out->of_v[c] = participation(term, groups), out->of_difference[c] = participation(centred, groups);
    }
    free(order), free(term), free(centred);
    or_attention_free(attention);
}

static void judge_kernel(const sample *s, const float *k, const roundings *r, size_t d, size_t i, curve curve) {
    const kernel *kernel = &kernels[i];
    const or_problem *p = &s->scene->p;
    const or_arithmetic how = arithmetic_of(kernel, p->dtype);
    const conditions honest = plain_conditions(s, k, curve);
    uint16_t got[MOST_CHANNELS];
    double bound[MOST_CHANNELS];
    answer(got, kernel, s, &honest);
    or_attention *attention = or_attention_new(p, s->scene->cache, &how);
    const or_row *row = or_attend(attention, 0, 0);
    for (int mode = OR_RIGOROUS; mode <= (designs[d].independent ? OR_STATISTICAL : OR_RIGOROUS); mode++) {
        or_budget *budget = or_budget_new(p, s->scene->cache, &how, (or_mode)mode);
        or_budget_row(budget, row, 0, 0, bound);
        for (int64_t c = 0; c < p->v_head_size; c++)
            note(&cells[mode][d][i], s->n, how.sum_of_rounded_p ? r->of_difference[c] : r->of_v[c],
                 or_judge(p->dtype, row->o[c], bound[c], row->classes[c], got[c]));
        or_budget_free(budget);
    }
    or_attention_free(attention);
}

/* The plan: contexts and widths, with rows so that each design has 4e4 elements of each type. */

static const int contexts[] = {1, 2, 3, 5, 16, 17, 31, 63, 64, 65, 127, 256, 300, 512, 1000, 1024, 2048, 2500, 4096};
static const struct {
    width width;
    int rows, rows_large; /* of a context; from 1000 keys on */
} widths[] = {{{32, 16, 16, 16}, 8, 2}, {{192, 128, 128, 64}, 8, 2}, {{576, 512, 512, 64}, 3, 1}};

static void run_design(size_t d, or_dtype dtype, int times) {
    uint64_t random = UINT64_C(0x9e3779b97f4a7c15) * (d + 1) + (uint64_t)dtype;
    int turn = 0;
    for (size_t w = 0; w < sizeof widths / sizeof widths[0]; w++)
        for (size_t c = 0; c < sizeof contexts / sizeof contexts[0]; c++)
            for (int r = 0; r < times * (contexts[c] < 1000 ? widths[w].rows : widths[w].rows_large); r++) {
                sample s;
                roundings of_p;
                sample_make(&s, &designs[d], dtype, widths[w].width, contexts[c], &random);
                count_roundings(&of_p, &s);
                float *k = keys_of(&s);
                for (size_t i = 0; i < kernel_count; i++) judge_kernel(&s, k, &of_p, d, i, (curve)(turn % CURVES));
                turn++;
                free(k);
                sample_free(&s);
            }
}

static int failures;

void expect(bool holds, const char *format, ...) {
    if (holds) return;
    va_list list;
    va_start(list, format);
    printf("FAILED: ");
    vprintf(format, list);
    printf("\n");
    va_end(list);
    failures++;
}

static void print_row(const char *name, const cell *row) {
    printf("| %-15s |", name);
    for (size_t i = 0; i < kernel_count; i++)
        printf(" %.2f/%.3f/%.3f |", row[i].ratio, median(&row[i].all), median(&row[i].large));
    printf("\n");
}

static void print_totals(int mode) {
    printf("| elements / over |");
    for (size_t i = 0; i < kernel_count; i++) {
        int64_t elements = 0, over = 0;
        for (size_t d = 0; d < design_count; d++)
            elements += cells[mode][d][i].all.elements, over += cells[mode][d][i].over;
        printf(" %.2fM / %lld |", (double)elements / 1e6, (long long)over);
    }
    printf("\n| worst excess    |");
    for (size_t i = 0; i < kernel_count; i++) {
        double all = 0, many = 0;
        for (size_t d = 0; d < design_count; d++)
            all = fmax(all, cells[mode][d][i].excess), many = fmax(many, cells[mode][d][i].excess_many);
        printf(" %.3f, of many %.3f |", all, many);
    }
    printf("\n\n");
}

static void print_mode(int mode, or_dtype dtype) {
    printf("%s, mode %s: largest ratio / median / median at n >= 1000\n\n| data            |", or_dtype_name(dtype),
           mode == OR_RIGOROUS ? "R" : "S");
    for (size_t i = 0; i < kernel_count; i++) printf(" %s |", kernels[i].name);
    printf("\n|---|");
    for (size_t i = 0; i < kernel_count; i++) printf("---|");
    printf("\n");
    for (size_t d = 0; d < design_count; d++)
        if (cells[mode][d][0].all.elements) print_row(designs[d].name, cells[mode][d]);
    print_totals(mode);
}

static void assert_upper_side(int mode, or_dtype dtype) {
    for (size_t d = 0; d < design_count; d++)
        for (size_t i = 0; i < kernel_count; i++) {
            const cell *c = &cells[mode][d][i];
            expect(c->over == 0 && c->excess <= 1, "%s, %s, %s, mode %d: %lld over, excess %.3f", or_dtype_name(dtype),
                   designs[d].name, kernels[i].name, mode, (long long)c->over, c->excess);
            expect(c->excess_many <= kernels[i].ceiling, "%s, %s, %s, mode %d: excess %.3f of %d roundings or more",
                   or_dtype_name(dtype), designs[d].name, kernels[i].name, mode, c->excess_many, MANY);
        }
}

/* A budget that nothing comes near proves nothing: on ordinary data the typical error is at least a fiftieth of what is
 * allowed. */
static void assert_lower_side(int mode, or_dtype dtype) {
    const size_t d = (size_t)(design_by_name("normal 0.7") - designs);
    for (size_t i = 0; i < kernel_count; i++) {
        const double typical = median(&cells[mode][d][i].all);
        if (mode == OR_STATISTICAL || kernels[i].how.p == OR_F32)
            expect(typical >= 0.02, "%s, %s, mode %d: median ratio %.4f", or_dtype_name(dtype), kernels[i].name, mode,
                   typical);
    }
}

static void run_dtype(or_dtype dtype, int times) {
    memset(cells, 0, MODES * sizeof *cells);
    for (size_t d = 0; d < design_count; d++) run_design(d, dtype, times);
    for (int mode = 0; mode < MODES; mode++) {
        print_mode(mode, dtype);
        assert_upper_side(mode, dtype);
        assert_lower_side(mode, dtype);
    }
}

int main(int argc, char **argv) {
    const bool nightly = argc > 1 && strcmp(argv[1], "--nightly") == 0;
    printf("The error budget against emulated kernels, %s tier\n\n", nightly ? "nightly" : "gate");
    cells = calloc(MODES, sizeof *cells);
    if (!cells || kernel_count != KERNELS || design_count != DESIGNS) return 3;
    run_dtype(OR_F16, nightly ? 25 : 1);
    run_dtype(OR_BF16, nightly ? 25 : 1);
    check_guards();
    check_unsaid();
    check_mutants();
    check_vectors();
    free(cells);
    printf("%s\n", failures ? "calibration FAILED" : "calibration holds");
    return failures != 0;
}
