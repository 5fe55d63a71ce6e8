#include "../arithmetic.h"

#include <criterion/criterion.h>
#include <string.h>

Test(arithmetic, a_headline_says_each_choice_in_order) {
    static const struct {
        or_arithmetic a;
        const char *text;
    } rows[] = {
        {{.rope = OR_ROPE_EXACT, .dot = OR_DOT_F32, .exp = OR_EXP_LIBM, .p = OR_F32, .tile = 128, .splits = 1},
         "q exact f32, dot f32, exp libm, P f32, tile 128, splits 1"},
        {{0}, "q not said, dot not said, exp not said, P not said"},
        {{.rope = OR_ROPE_SEP,
          .dot = OR_DOT_TENSOR,
          .exp = OR_EXP2_APPROX,
          .tanh = OR_TANH_APPROX,
          .p = OR_BF16,
          .partial = OR_F32,
          .sum_of_rounded_p = true,
          .splits = 8},
         "q rounded at each step, dot tensor core, exp ex2.approx, tanh tanh.approx, P bf16 and its sum, partials f32, "
         "splits 8"},
        {{.rope = OR_ROPE_FMA, .exp = OR_EXP_FAST, .tanh = OR_TANH_LIBM, .p = OR_F16},
         "q fused and rounded, dot not said, exp fast, tanh libm, P f16"},
        {{.rope = OR_ROPE_ROUND, .p = OR_F64}, "q rounded, dot not said, exp not said, P float64"},
    };
    char text[200];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        cr_assert_str_eq(or_arithmetic_text(&rows[i].a, text, sizeof text), rows[i].text);
}

Test(arithmetic, a_short_buffer_gets_the_beginning_and_its_end) {
    const or_arithmetic a = {.rope = OR_ROPE_EXACT, .tile = 64};
    char text[16];
    memset(text, 'x', sizeof text);
    cr_assert_str_eq(or_arithmetic_text(&a, text, 8), "q exact");
    cr_assert_eq(text[8], 'x');
}
