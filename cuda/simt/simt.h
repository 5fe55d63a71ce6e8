/* simt.h: what a kernel source includes. One source, two executions: nvcc builds it for the GPU over gpu.h, a host
 * compiler for the CPU over cpu.h. Kernels are CUDA C; the two headers give the same names to the few things that are
 * not:
 *
 *   SHARED_ARRAY(T, name, count);      T name[count] in shared memory, 16-aligned; in place of __shared__
 *   SHARED_DYNAMIC(name);              unsigned char *name: the dynamic shared memory of the launch, 128-aligned
 *   LAUNCH(kernel, grid, block, shared_bytes, stream, args...)      a status, see below; LAUNCH((attend<T, 4>), ...)
 *   Stream_t  stream_of(void *)  stream_capturing(Stream_t)         at_call.stream, and whether it records
 *   allow_shared(kernel, bytes)        a status; dynamic shared memory over 48 KB: at create, never while capturing
 *   to_f32(T)  put(T &, float)        for float, __half and __nv_bfloat16, rounding to nearest even
 *   exp_fast  exp2_fast  tanh_fast     the GPU's approximations, libm on the CPU: declare them in at_arithmetic
 *   warp_sum  warp_max                 over all 32 lanes, the same bits in each; fmaxf, so a NaN lane is passed over
 *
 * A status is a const char *: NULL, or the sentence that says what went wrong (static or valid until the thread's next
 * launch).
 */
#ifndef SIMT_SIMT_H
#define SIMT_SIMT_H

#include <stddef.h>
#include <stdint.h>

/* Limits that the CPU enforces too, sizes in bytes: of every device since sm_30; the last is the largest device's,
 * sm_90. */
enum {
    SIMT_MAX_GRID_X = 2147483647,
    SIMT_MAX_GRID_YZ = 65535,
    SIMT_MAX_BLOCK = 1024,
    SIMT_SHARED_UNASKED = 48 * 1024,
    SIMT_SHARED_MOST = 227 * 1024
};

#ifdef __CUDACC__
#include "gpu.h"
#else
#include "cpu.h"
#endif

/* Element access: two-byte types have no arithmetic here, so that every rounding is seen. */
__host__ __device__ __forceinline__ float to_f32(float x) {
    return x;
}
__host__ __device__ __forceinline__ float to_f32(__half x) {
    return __half2float(x);
}
__host__ __device__ __forceinline__ float to_f32(__nv_bfloat16 x) {
    return __bfloat162float(x);
}
__host__ __device__ __forceinline__ void put(float &to, float x) {
    to = x;
}
__host__ __device__ __forceinline__ void put(__half &to, float x) {
    to = __float2half_rn(x);
}
__host__ __device__ __forceinline__ void put(__nv_bfloat16 &to, float x) {
    to = __float2bfloat16_rn(x);
}

#endif
