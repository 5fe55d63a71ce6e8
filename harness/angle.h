/* cos_cache and sin_cache: entry [p, i] is the cosine and sine of p * base^(-2i/R), i < R/2, rounded once to the case's
 * type. */
#ifndef AT_ANGLE_H
#define AT_ANGLE_H

#include "../oracle/dtype.h"

typedef enum {
    AT_ANGLE_STANDARD,
    AT_ANGLE_QUARTERS, /* cos and sin in {0, 1, -1}: a rotation is exact, and the row spells its position */
    AT_ANGLE_IDENTITY, /* cos 1, sin 0                                                                    */
    AT_ANGLE_LONGER,   /* standard, both times 5/4, as YaRN's and LongRoPE's factor lengthens them        */
    AT_ANGLES
} at_angle;

/* cos, sin: [positions, pairs]. base >= 1; for standard angles positions <= 2^20. */
void at_angle_table(uint16_t *cos, uint16_t *sin, or_dtype, int64_t positions, int64_t pairs, at_angle, double base);

/* Within 2^-50 for 0 <= x <= 2^20, by IEEE double additions and multiplications alone: bit-identical on every host. */
void at_cos_sin(double *cos, double *sin, double x);
/* base^(-1/n), within 4 units of the last place, likewise. */
double at_inverse_root(double base, int64_t n);

#endif
