/* half.h: binary16 and bfloat16 for the host under the toolkit's names: two bytes, conversions, and no arithmetic on
 * purpose. float -> T rounds to nearest even; NaN becomes 0x7fff, as the toolkit gives. Both fields are public as the
 * toolkit's are. */
#ifndef SIMT_HALF_H
#define SIMT_HALF_H

#include <stdint.h>

struct alignas(2) __half {
    uint16_t __x;
};
struct alignas(2) __nv_bfloat16 {
    uint16_t __x;
};

namespace simt {

inline uint32_t bits_of(float x) {
    uint32_t u;
    __builtin_memcpy(&u, &x, sizeof u);
    return u;
}
inline float float_of(uint32_t u) {
    float x;
    __builtin_memcpy(&x, &u, sizeof x);
    return x;
}

} // namespace simt

/* Exponent and mantissa are moved into place; 2^112 makes up for the two biases (127 - 15), subnormals included. */
inline float __half2float(__half h) {
    const uint32_t sign = (h.__x & 0x8000u) << 16, rest = (h.__x & 0x7fffu) << 13;
    if (rest >= 0x7c00u << 13) return simt::float_of(sign | 0x7f800000u | (rest & 0x7fffffu)); /* inf, NaN */
    return simt::float_of(sign | simt::bits_of(simt::float_of(rest) * 0x1p112f));
}

/* Normal results drop 13 bits, half an ulp added first (one less on an even last bit, so that ties go to even). Below
 * 2^-14 the sum with 0.5 has its last bit at 2^-24, a subnormal's unit, and the addition itself rounds. */
inline __half __float2half_rn(float x) {
    const uint32_t u = simt::bits_of(x), sign = u >> 16 & 0x8000u, mag = u & 0x7fffffffu;
    uint32_t r;
    if (mag > 0x7f800000u) return __half{0x7fff};
    if (mag >= 0x477ff000u)
        r = 0x7c00u; /* 65520, half way past the largest */
    else if (mag < 0x38800000u)
        r = simt::bits_of(simt::float_of(mag) + 0.5f) - simt::bits_of(0.5f);
    else
        r = (mag - (112u << 23) + 0xfffu + (mag >> 13 & 1u)) >> 13;
    return __half{static_cast<uint16_t>(sign | r)};
}

inline float __bfloat162float(__nv_bfloat16 b) {
    return simt::float_of(static_cast<uint32_t>(b.__x) << 16);
}

inline __nv_bfloat16 __float2bfloat16_rn(float x) {
    const uint32_t u = simt::bits_of(x);
    if ((u & 0x7fffffffu) > 0x7f800000u) return __nv_bfloat16{0x7fff};
    return __nv_bfloat16{static_cast<uint16_t>((u + 0x7fffu + (u >> 16 & 1u)) >> 16)};
}

#endif
