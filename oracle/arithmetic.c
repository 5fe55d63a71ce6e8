/* The declared choices in words. */
#include "arithmetic.h"

#include <stdarg.h>
#include <stdio.h>

static const char *const rope_names[] = {
    [OR_ROPE_UNSAID] = "not said",          [OR_ROPE_EXACT] = "exact f32",       [OR_ROPE_ROUND] = "rounded",
    [OR_ROPE_SEP] = "rounded at each step", [OR_ROPE_FMA] = "fused and rounded",
};
static const char *const dot_names[] = {
    [OR_DOT_UNSAID] = "not said", [OR_DOT_F32] = "f32", [OR_DOT_TENSOR] = "tensor core"};
static const char *const exp_names[] = {
    [OR_EXP_UNSAID] = "not said", [OR_EXP_LIBM] = "libm", [OR_EXP_FAST] = "fast", [OR_EXP2_APPROX] = "ex2.approx"};
static const char *const tanh_names[] = {
    [OR_TANH_UNSAID] = "not said", [OR_TANH_LIBM] = "libm", [OR_TANH_APPROX] = "tanh.approx"};

static const char *type_name(or_dtype t) {
    switch (t) {
    case OR_ABSENT: return "not said";
    case OR_F16: return "f16";
    case OR_BF16: return "bf16";
    case OR_F32: return "f32";
    default: return or_dtype_name(t);
    }
}

typedef struct {
    char *text;
    size_t size, used;
} line;

__attribute__((format(printf, 2, 3))) static void add(line *l, const char *format, ...) {
    if (l->used >= l->size) return;
    va_list list;
    va_start(list, format);
    l->used += (size_t)vsnprintf(l->text + l->used, l->size - l->used, format, list);
    va_end(list);
}

const char *or_arithmetic_text(const or_arithmetic *a, char *text, size_t size) {
    line l = {text, size, 0};
    add(&l, "q %s, dot %s, exp %s", rope_names[a->rope], dot_names[a->dot], exp_names[a->exp]);
    if (a->tanh != OR_TANH_UNSAID) add(&l, ", tanh %s", tanh_names[a->tanh]);
    add(&l, ", P %s%s", type_name(a->p), a->sum_of_rounded_p ? " and its sum" : "");
    if (a->partial != OR_ABSENT) add(&l, ", partials %s", type_name(a->partial));
    if (a->tile) add(&l, ", tile %u", (unsigned)a->tile);
    if (a->splits) add(&l, ", splits %u", (unsigned)a->splits);
    return text;
}
