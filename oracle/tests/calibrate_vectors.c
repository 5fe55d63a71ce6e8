/* What real hardware answered, under the arithmetic that each implementation was found to use; and under another one.
 */
#include "calibrate.h"

#include "vector.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    int64_t elements, over, wrong_class;
    double excess;
} verdicts;

static void judge_vector(verdicts *out, const char *name, const char *implementation, or_dialect dialect,
                         const or_arithmetic *how) {
    vector *v = vector_open(name, implementation, dialect);
    const or_problem *p = &v->p;
    double *bound = malloc((size_t)p->v_head_size * sizeof *bound);
    or_attention *a = or_attention_new(p, v->cache_out, how);
    or_budget *b = or_budget_new(p, v->cache_out, how, OR_RIGOROUS);
    for (int64_t row = 0; row < p->tokens * p->heads; row++) {
        const or_row *r = or_attend(a, row / p->heads, row % p->heads);
        or_budget_row(b, r, row / p->heads, row % p->heads, bound);
        for (int64_t d = 0; d < p->v_head_size; d++) {
            const or_opinion o =
                or_judge(p->dtype, r->o[d], bound[d], r->classes[d], v->output[row * p->v_head_size + d]);
            out->elements++;
            out->wrong_class += o.wrong_class;
            if (o.wrong_class) continue;
            out->over += !o.accepted;
            out->excess = fmax(out->excess, o.excess);
        }
    }
    or_budget_free(b);
    or_attention_free(a);
    free(bound);
    vector_close(v);
}

static verdicts judge_all(const char *implementation, or_dialect dialect, or_dtype dtype, or_rope rope) {
    const or_arithmetic how = {.rope = rope,
                               .dot = OR_DOT_F32,
                               .exp = OR_EXP_FAST,
                               .tanh = OR_TANH_LIBM,
                               .p = OR_F32,
                               .partial = OR_F32,
                               .tile = 1,
                               .splits = 1};
    verdicts out = {0};
    for (size_t i = 0; i < vector_count; i++) {
        const or_dtype is = strstr(vector_names[i], "bf16") ? OR_BF16 : OR_F16;
        if (is == dtype && vector_recorded(vector_names[i], implementation))
            judge_vector(&out, vector_names[i], implementation, dialect, &how);
    }
    return out;
}

static const char *const ropes[] = {"not said", "exact", "rounded once", "rounded at each step", "fused"};

void check_vectors(void) {
    static const struct {
        const char *implementation;
        or_dialect dialect;
        or_dtype dtype;
        or_rope rope;
        bool holds;
        int64_t wrong_class; /* zeros where a visible NaN is due */
    } rows[] = {
        {"onnx-genai", OR_GENAI, OR_F16, OR_ROPE_EXACT, true, 128},
        {"onnx-genai", OR_GENAI, OR_BF16, OR_ROPE_EXACT, true, 0},
        {"onnxruntime", OR_ONNXRUNTIME, OR_F16, OR_ROPE_FMA, true, 0},
        {"onnxruntime", OR_ONNXRUNTIME, OR_BF16, OR_ROPE_SEP, true, 0},
        {"onnxruntime", OR_ONNXRUNTIME, OR_F16, OR_ROPE_UNSAID, true, 0},
        {"onnxruntime", OR_ONNXRUNTIME, OR_BF16, OR_ROPE_UNSAID, true, 0},
        {"onnxruntime", OR_ONNXRUNTIME, OR_F16, OR_ROPE_SEP, false, 0},
        {"onnxruntime", OR_ONNXRUNTIME, OR_BF16, OR_ROPE_FMA, false, 0},
        {"onnxruntime", OR_ONNXRUNTIME, OR_F16, OR_ROPE_ROUND, false, 0},
        {"onnxruntime", OR_ONNXRUNTIME, OR_BF16, OR_ROPE_EXACT, false, 0},
        {"onnx-genai", OR_GENAI, OR_F16, OR_ROPE_ROUND, false, 128},
    };
    printf("Recorded on an H200, mode R, float32 arithmetic\n\n| implementation | type | q | elements | over | worst "
           "excess | wrong class |\n|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const verdicts v = judge_all(rows[i].implementation, rows[i].dialect, rows[i].dtype, rows[i].rope);
        printf("| %s | %s | %s | %lld | %lld | %.3f | %lld |\n", rows[i].implementation, or_dtype_name(rows[i].dtype),
               ropes[rows[i].rope], (long long)v.elements, (long long)v.over, v.excess, (long long)v.wrong_class);
        expect(v.elements > 10000, "%s: the vectors are missing", rows[i].implementation);
        expect((v.over == 0) == rows[i].holds, "%s, q %s: %lld over", rows[i].implementation, ropes[rows[i].rope],
               (long long)v.over);
        expect(v.wrong_class == rows[i].wrong_class, "%s: %lld of a wrong class", rows[i].implementation,
               (long long)v.wrong_class);
    }
    printf("\n");
}
