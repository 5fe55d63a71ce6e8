#include "arithmetic_words.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *key, *word;
    int value;
} choices[] = {
    {"rope", "exact", OR_ROPE_EXACT}, {"rope", "round", OR_ROPE_ROUND},   {"rope", "sep", OR_ROPE_SEP},
    {"rope", "fma", OR_ROPE_FMA},     {"dot", "f32", OR_DOT_F32},         {"dot", "tensor", OR_DOT_TENSOR},
    {"exp", "libm", OR_EXP_LIBM},     {"exp", "fast", OR_EXP_FAST},       {"exp", "exp2", OR_EXP2_APPROX},
    {"tanh", "libm", OR_TANH_LIBM},   {"tanh", "approx", OR_TANH_APPROX}, {"p", "float32", OR_F32},
    {"p", "float16", OR_F16},         {"p", "bfloat16", OR_BF16},         {"partial", "float32", OR_F32},
    {"partial", "float16", OR_F16},   {"partial", "bfloat16", OR_BF16},   {"sum", "rounded", 1},
};

static void set(or_arithmetic *a, const char *key, int value) {
    if (strcmp(key, "rope") == 0) a->rope = (or_rope)value;
    if (strcmp(key, "dot") == 0) a->dot = (or_dot)value;
    if (strcmp(key, "exp") == 0) a->exp = (or_exp)value;
    if (strcmp(key, "tanh") == 0) a->tanh = (or_tanh)value;
    if (strcmp(key, "p") == 0) a->p = (or_dtype)value;
    if (strcmp(key, "partial") == 0) a->partial = (or_dtype)value;
    if (strcmp(key, "sum") == 0) a->sum_of_rounded_p = value != 0;
    if (strcmp(key, "tile") == 0) a->tile = (uint32_t)value;
    if (strcmp(key, "splits") == 0) a->splits = (uint32_t)value;
}

static bool take(or_arithmetic *a, const char *key, const char *word) {
    if (strcmp(key, "tile") == 0 || strcmp(key, "splits") == 0) {
        char *end;
        long n = strtol(word, &end, 10);
        if (end == word || *end != 0 || n < 1 || n > 1 << 20) return false;
        set(a, key, (int)n);
        return true;
    }
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        if (strcmp(choices[i].key, key) != 0 || strcmp(choices[i].word, word) != 0) continue;
        set(a, key, choices[i].value);
        return true;
    }
    return false;
}

at_status at_arithmetic_of_words(or_arithmetic *out, const char *words, at_error *err) {
    char copy[256], *rest = copy;
    *out = (or_arithmetic){0};
    if (strlen(words) >= sizeof copy)
        return at_fail(err, AT_USAGE, "--arithmetic: more than %zu characters", sizeof copy - 1);
    strcpy(copy, words);
    for (char *pair; (pair = strsep(&rest, ",")) != NULL;) {
        char *word = strchr(pair, '=');
        if (word != NULL) *word++ = 0;
        if (word == NULL || !take(out, pair, word)) {
            return at_fail(
                err, AT_USAGE,
                "--arithmetic: '%s%s%s' is none of rope=exact|round|sep|fma, dot=f32|tensor, exp=libm|fast|exp2, "
                "tanh=libm|approx, p=float32|float16|bfloat16, partial=float32|float16|bfloat16, sum=rounded, tile=N, "
                "splits=N",
                pair, word ? "=" : "", word ? word : "");
        }
    }
    return AT_OK;
}
