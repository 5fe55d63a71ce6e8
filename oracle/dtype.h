/* The 16-bit types of the operator, as exact doubles and back. */
#ifndef OR_DTYPE_H
#define OR_DTYPE_H

#include <stddef.h>
#include <stdint.h>

typedef enum { OR_ABSENT, OR_F16, OR_BF16, OR_F32, OR_F64, OR_I8, OR_U8, OR_F8E4M3FN, OR_I32, OR_I64 } or_dtype;

/* What an element is before its value counts; a set of them says what an answer may be. */
enum { OR_FINITE = 1, OR_NAN = 2, OR_PLUS_INF = 4, OR_MINUS_INF = 8 };

const char *or_dtype_name(or_dtype t); /* "float16", ... ; "absent" for OR_ABSENT */
size_t or_dtype_size(or_dtype t);      /* bytes of an element; 0 for OR_ABSENT    */

/* t is OR_F16 or OR_BF16 from here on. */
double or_decode(or_dtype t, uint16_t bits); /* exact; NaN keeps its sign, not its payload              */
void or_decode_row(double *x, or_dtype t, const uint16_t *bits, size_t n); /* the same for [n], many at a time */
uint16_t or_round(or_dtype t, double x);      /* RN_T: to nearest, ties to even, once; overflow is inf   */
unsigned or_class(or_dtype t, uint16_t bits); /* one of OR_FINITE ... OR_MINUS_INF                       */
double or_unit(or_dtype t);                   /* u_T: half an ulp of 1, 2^-11 or 2^-8                    */

/* Steps along the finite values and infinities, -0 and +0 being one. NaN is 0 from NaN, INT64_MAX from all else. */
int64_t or_ulps(or_dtype t, uint16_t a, uint16_t b);

/* [*lo, *hi]: the reals that round to `bits`, which is finite. Whether an end belongs to it (a tie) is not told. */
void or_preimage(or_dtype t, uint16_t bits, double *lo, double *hi);

#endif
