/* Teeth: kernels with one fault, on data whose logits spread by 0.5, must exceed the budget, in at least this share of
 * elements; and what no element shows must show in the two statistics. */
#include "calibrate.h"

#include "../bias.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const width middle = {192, 128, 128, 64};
enum { ROWS = 32 };

/* A fault turns the conditions of an honest run into its own; extra: room for one key more behind the keys. */
typedef struct {
    const char *name;
    void (*commit)(conditions *, float *keys, const float *extra, int64_t hs);
} mutant;

static void honest(conditions *c, float *keys, const float *extra, int64_t hs) {
    (void)c, (void)keys, (void)extra, (void)hs;
}
static void drop_key(conditions *c, float *keys, const float *extra, int64_t hs) {
    (void)extra;
    const int64_t j = c->n / 2;
    memmove(keys + j * hs, keys + (j + 1) * hs, (size_t)((c->n - j - 1) * hs) * sizeof *keys);
    c->n--;
}
static void add_key(conditions *c, float *keys, const float *extra, int64_t hs) {
    memcpy(keys + c->n * hs, extra, (size_t)hs * sizeof *keys);
    c->n++;
}
static void come_late(conditions *c, float *keys, const float *extra, int64_t hs) {
    honest(c, keys, extra, hs), c->late = 1;
}
static void stretch(conditions *c, float *keys, const float *extra, int64_t hs) {
    honest(c, keys, extra, hs), c->scale *= 1.005;
}
static void uncap(conditions *c, float *keys, const float *extra, int64_t hs) {
    honest(c, keys, extra, hs), c->softcap = 0;
}
static void truncate_p(conditions *c, float *keys, const float *extra, int64_t hs) {
    honest(c, keys, extra, hs), c->fault = P_TRUNCATED;
}
static void shorten(conditions *c, float *keys, const float *extra, int64_t hs) {
    honest(c, keys, extra, hs), c->fault = DENOMINATOR_SHORT;
}

typedef struct {
    int64_t elements, over, rows, rows_over;
    or_bias bias;
} outcome;

static void judge_row(outcome *out, const kernel *k, const sample *s, const conditions *c, or_mode mode) {
    const or_problem *p = &s->scene->p;
    const or_arithmetic how = arithmetic_of(k, p->dtype);
    uint16_t got[512];
    double bound[512], wide[512];
    answer(got, k, s, c);
    or_attention *a = or_attention_new(p, s->scene->cache, &how);
    or_budget *b = or_budget_new(p, s->scene->cache, &how, mode),
              *statistical = or_budget_new(p, s->scene->cache, &how, OR_STATISTICAL);
    const or_row *row = or_attend(a, 0, 0);
    or_budget_row(b, row, 0, 0, bound);
    or_budget_row(statistical, row, 0, 0, wide);
    int64_t over = 0;
    for (int64_t d = 0; d < p->v_head_size; d++)
        over += !or_judge(p->dtype, row->o[d], bound[d], row->classes[d], got[d]).accepted;
    out->elements += p->v_head_size, out->over += over, out->rows++, out->rows_over += over > 0;
    or_bias_add(&out->bias, p->dtype, p->v_head_size, row->o, or_budget_slope(statistical),
                or_budget_without_p(statistical), got);
    or_budget_free(b), or_budget_free(statistical);
    or_attention_free(a);
}

static outcome run(const mutant *m, const char *design, const kernel *k, or_dtype dtype, int64_t n, or_mode mode) {
    outcome out = {0};
    uint64_t random = UINT64_C(0x2545f4914f6cdd1d) + (uint64_t)n;
    for (int r = 0; r < ROWS; r++) {
        sample s;
        float extra[576];
        sample_make(&s, design_by_name(design), dtype, middle, n, &random);
        float *exact = keys_of(&s), *keys = malloc((size_t)((n + 1) * middle.hs) * sizeof *keys);
        memcpy(keys, exact, (size_t)(n * middle.hs) * sizeof *keys);
        for (int64_t i = 0; i < middle.hs; i++)
            extra[i] = (float)or_decode(dtype, or_round(dtype, 0.7 * normal(&random)));
        conditions c = plain_conditions(&s, keys, (curve)(r % CURVES));
        m->commit(&c, keys, extra, middle.hs);
        judge_row(&out, k, &s, &c, mode);
        free(exact), free(keys);
        sample_free(&s);
    }
    return out;
}

enum { GAIN = 1, SLOPE = 2 };

typedef struct {
    mutant mutant;
    const char *design;
    int64_t n;
    struct {
        double elements, rows; /* least shares, in per cent */
        unsigned drifts;       /* statistics that must be flagged */
    } plain[2], flash[2];      /* mode R; mode S; float16, bfloat16 */
} expectation;

static const expectation table[] = {
    {{"none", honest}, "normal 0.7", 64, {{0, 0, 0}, {0, 0, 0}}, {{0, 0, 0}, {0, 0, 0}}},
    {{"one key dropped", drop_key}, "normal 0.7", 64, {{95, 100, 0}, {90, 100, 0}}, {{90, 100, 0}, {80, 100, 0}}},
    {{"one key more", add_key}, "normal 0.7", 64, {{95, 100, 0}, {90, 100, 0}}, {{90, 100, 0}, {80, 100, 0}}},
    {{"RoPE one position late", come_late},
     "normal 0.7",
     64,
     {{95, 100, 0}, {90, 100, 0}},
     {{90, 100, 0}, {70, 100, 0}}},
    {{"scale 0.5 % off", stretch},
     "normal 0.7",
     64,
     {{80, 100, SLOPE}, {40, 90, SLOPE}},
     {{35, 95, SLOPE}, {0, 0, SLOPE}}},
    {{"P truncated", truncate_p}, "normal 0.7", 64, {{0, 0, 0}, {0, 0, 0}}, {{0, 0, GAIN}, {0, 0, GAIN}}},
    {{"denominator misses a key", shorten},
     "normal 0.7",
     64,
     {{95, 100, GAIN}, {90, 100, GAIN}},
     {{80, 100, GAIN}, {20, 80, GAIN}}},
    {{"softcap 30 ignored", uncap}, "cap30 normal 3", 64, {{95, 100, 0}, {85, 100, 0}}, {{90, 100, 0}, {80, 100, 0}}},
    {{"none", honest}, "normal 0.7", 1024, {{0, 0, 0}, {0, 0, 0}}, {{0, 0, 0}, {0, 0, 0}}},
    {{"one key dropped", drop_key}, "normal 0.7", 1024, {{80, 100, 0}, {70, 100, 0}}, {{80, 100, 0}, {40, 100, 0}}},
    {{"one key more", add_key}, "normal 0.7", 1024, {{80, 100, 0}, {70, 100, 0}}, {{80, 100, 0}, {40, 100, 0}}},
    {{"RoPE one position late", come_late},
     "normal 0.7",
     1024,
     {{90, 100, 0}, {85, 100, 0}},
     {{90, 100, 0}, {70, 100, 0}}},
    {{"scale 0.5 % off", stretch},
     "normal 0.7",
     1024,
     {{60, 100, SLOPE}, {35, 100, SLOPE}},
     {{55, 100, SLOPE}, {0, 0, SLOPE}}},
    {{"P truncated", truncate_p}, "normal 0.7", 1024, {{0, 0, 0}, {0, 0, 0}}, {{0, 0, 0}, {0, 0, GAIN}}},
    {{"denominator misses a key", shorten}, "normal 0.7", 1024, {{5, 50, 0}, {0, 20, 0}}, {{4, 40, 0}, {0, 0, 0}}},
    {{"softcap 30 ignored", uncap}, "cap30 normal 3", 1024, {{95, 100, 0}, {90, 100, 0}}, {{95, 100, 0}, {85, 100, 0}}},
};

static void check(const expectation *e, bool flash, or_dtype t) {
    const char *name = flash ? "flash, plain sum" : "plain";
    const outcome out = run(&e->mutant, e->design, kernel_by_name(name), t, e->n, flash ? OR_STATISTICAL : OR_RIGOROUS);
    const double elements = 100 * (double)out.over / (double)out.elements,
                 rows = 100 * (double)out.rows_over / (double)out.rows;
    const or_drift gain = or_drift_of(&out.bias.gain), slope = or_drift_of(&out.bias.slope);
    const unsigned drifts = (gain.flagged ? GAIN : 0u) | (slope.flagged ? SLOPE : 0u);
    const int type = t - OR_F16;
    const double least = flash ? e->flash[type].elements : e->plain[type].elements,
                 least_rows = flash ? e->flash[type].rows : e->plain[type].rows;
    const unsigned due = flash ? e->flash[type].drifts : e->plain[type].drifts;
    printf("| %s | %lld | %s | %s, %s | %.1f %% / %.0f %% | %.1f%s | %.1f%s |\n", or_dtype_name(t), (long long)e->n,
           e->design, name, e->mutant.name, elements, rows, gain.t, gain.flagged ? " !" : "", slope.t,
           slope.flagged ? " !" : "");
    expect(elements >= least && rows >= least_rows,
           "%s, %s, n %lld: %s is seen in %.1f %% of elements, %.0f %% of rows", or_dtype_name(t), name,
           (long long)e->n, e->mutant.name, elements, rows);
    expect((drifts & due) == due, "%s, %s, n %lld: %s drifts unseen (gain t %.1f, slope t %.1f)", or_dtype_name(t),
           name, (long long)e->n, e->mutant.name, gain.t, slope.t);
    if (e->mutant.commit == honest)
        expect(out.over == 0 && drifts == 0, "%s, %s: an honest kernel fails", or_dtype_name(t), name);
}

/* No drift is seen where there is none, on any data that the statistics are for, and on some that they are not. */
static void check_honest_drifts(void) {
    static const char *const data[] = {"normal 0.1", "normal 0.7", "flat .02-.06",
                                       "mixed",      "positive V", "offset -5e4"};
    static const mutant none = {"none", honest};
    double gain = 0, slope = 0;
    for (size_t i = 0; i < sizeof data / sizeof data[0]; i++)
        for (size_t k = 0; k < kernel_count; k++)
            for (int t = OR_F16; t <= OR_BF16; t++) {
                const outcome out = run(&none, data[i], &kernels[k], (or_dtype)t, 64, OR_STATISTICAL);
                const or_drift g = or_drift_of(&out.bias.gain), s = or_drift_of(&out.bias.slope);
                expect(!g.flagged && !s.flagged, "%s, %s, %s: an honest kernel drifts, gain t %.1f, slope t %.1f",
                       or_dtype_name((or_dtype)t), data[i], kernels[k].name, g.t, s.t);
                if (strcmp(data[i], "offset -5e4") == 0) continue;
                gain = fmax(gain, fabs(g.t)), slope = fmax(slope, fabs(s.t));
            }
    printf("\nHonest kernels on 6 designs: no drift flagged; without offset, largest |t| %.1f (gain), %.1f (slope)\n\n",
           gain, slope);
}

void check_mutants(void) {
    printf("Faults: share of elements / of %d rows over (plain in mode R, flash in mode S), statistics of the attempt "
           "(! flagged)\n\n"
           "| type | keys | data | kernel, fault | over | gain t | slope t |\n|---|---|---|---|---|---|---|\n",
           ROWS);
    for (int t = OR_F16; t <= OR_BF16; t++)
        for (int flash = 0; flash < 2; flash++)
            for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
                if (flash || table[i].mutant.commit != truncate_p) check(&table[i], flash, (or_dtype)t);
    check_honest_drifts();
}
