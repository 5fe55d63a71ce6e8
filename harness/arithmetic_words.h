/* A declaration of arithmetic as words on a command line:
 * "rope=fma,dot=tensor,exp=exp2,tanh=libm,p=float16,tile=64,splits=8". */
#ifndef AT_ARITHMETIC_WORDS_H
#define AT_ARITHMETIC_WORDS_H

#include "../oracle/arithmetic.h"
#include "error.h"

/* What is not named stays not said. */
AT_MUST_USE at_status at_arithmetic_of_words(or_arithmetic *out, const char *words, at_error *err);

#endif
