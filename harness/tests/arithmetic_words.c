/* Declarations of arithmetic on a command line. */
#include "../arithmetic_words.h"

#include <criterion/criterion.h>
#include <string.h>

static at_error err;

Test(arithmetic_words, each_choice_can_be_said) {
    or_arithmetic a;
    cr_assert_eq(
        at_arithmetic_of_words(
            &a, "rope=fma,dot=tensor,exp=exp2,tanh=libm,p=float16,partial=bfloat16,sum=rounded,tile=64,splits=8", &err),
        AT_OK, "%s", err.text);
    cr_expect(a.rope == OR_ROPE_FMA && a.dot == OR_DOT_TENSOR && a.exp == OR_EXP2_APPROX && a.tanh == OR_TANH_LIBM);
    cr_expect(a.p == OR_F16 && a.partial == OR_BF16 && a.sum_of_rounded_p && a.tile == 64 && a.splits == 8);
}

Test(arithmetic_words, what_is_not_said_stays_the_widest) {
    or_arithmetic a;
    cr_assert_eq(at_arithmetic_of_words(&a, "p=float32", &err), AT_OK);
    cr_expect(a.rope == OR_ROPE_UNSAID && a.dot == OR_DOT_UNSAID && a.exp == OR_EXP_UNSAID && a.tanh == OR_TANH_UNSAID);
    cr_expect(a.p == OR_F32 && a.partial == OR_ABSENT && !a.sum_of_rounded_p && a.tile == 0 && a.splits == 0);
}

Test(arithmetic_words, every_word_says_its_own_choice) {
    static const struct {
        const char *words;
        int got; /* offset of an int of or_arithmetic */
        int want;
    } expected[] = {
#define SAYS(words, field, value) {words, (int)offsetof(or_arithmetic, field), value}
        SAYS("rope=exact", rope, OR_ROPE_EXACT),
        SAYS("rope=round", rope, OR_ROPE_ROUND),
        SAYS("rope=sep", rope, OR_ROPE_SEP),
        SAYS("dot=f32", dot, OR_DOT_F32),
        SAYS("exp=libm", exp, OR_EXP_LIBM),
        SAYS("exp=fast", exp, OR_EXP_FAST),
        SAYS("tanh=approx", tanh, OR_TANH_APPROX),
        SAYS("p=bfloat16", p, OR_BF16),
        SAYS("partial=float32", partial, OR_F32),
        SAYS("partial=float16", partial, OR_F16),
        SAYS("tile=1", tile, 1),
        SAYS("splits=1048576", splits, 1 << 20),
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        or_arithmetic a;
        int got;
        cr_assert_eq(at_arithmetic_of_words(&a, expected[i].words, &err), AT_OK, "%s", err.text);
        memcpy(&got, (char *)&a + expected[i].got, sizeof got);
        cr_expect_eq(got, expected[i].want, "%s", expected[i].words);
    }
}

Test(arithmetic_words, anything_else_is_refused_with_what_could_be_said) {
    static const char *const wrong[] = {"",
                                        "rope",
                                        "rope=",
                                        "rope=exactly",
                                        "p=int8",
                                        "sum=plain",
                                        "tile=0",
                                        "tile=-4",
                                        "tile=8x",
                                        "tile=",
                                        "splits=2000000",
                                        "=exact",
                                        "dot=f32,",
                                        ",dot=f32",
                                        "Rope=fma",
                                        "rope=fma dot=f32",
                                        "tile=99999999999999999999"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        or_arithmetic a;
        err.text[0] = 0;
        cr_expect_eq(at_arithmetic_of_words(&a, wrong[i], &err), AT_USAGE, "%s", wrong[i]);
        cr_expect_not_null(strstr(err.text, "--arithmetic: '"));
        cr_expect_not_null(strstr(err.text, "rope=exact|round|sep|fma, dot=f32|tensor"));
    }
}

Test(arithmetic_words, a_text_that_is_too_long_is_refused) {
    char words[400];
    or_arithmetic a;
    memset(words, 'x', sizeof words - 1);
    words[sizeof words - 1] = 0;
    cr_expect_eq(at_arithmetic_of_words(&a, words, &err), AT_USAGE);
    cr_expect_not_null(strstr(err.text, "more than 255 characters"));
}
