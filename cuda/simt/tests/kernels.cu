/* kernels.cu: kernels that tell what a launch, a warp and the two-byte types do. */
#include "../simt.h"
#include "kernels.h"

__global__ void touches_dynamic(int *out) {
    SHARED_DYNAMIC(bytes);
    if (threadIdx.x == 0) bytes[0] = 1;
    atomicAdd(&out[0], int(blockDim.x > 0));
}
const char *launch_geometry(void *stream, const uint32_t g[3], const uint32_t b[3], size_t shared, int *out) {
    return LAUNCH(touches_dynamic, dim3(g[0], g[1], g[2]), dim3(b[0], b[1], b[2]), shared, stream_of(stream), out);
}
const char *allow_geometry(size_t shared) {
    return allow_shared(touches_dynamic, shared);
}

__global__ void add(const int *in, int value, int *out) {
    out[threadIdx.x] += in[threadIdx.x] + value;
}
const char *launch_add(void *stream, const int *in, int value, int *out) {
    return LAUNCH(add, 1, 128, 0, stream_of(stream), in, value, out);
}

__global__ void note_order(int *out) {
    const int n = atomicAdd(&out[0], 1);
    out[1 + n] = int(1000 * blockIdx.x + threadIdx.x);
}
const char *launch_order(void *stream, int *out) {
    return LAUNCH(note_order, 3, 40, 0, stream_of(stream), out);
}

__global__ void warp_facts(int *out) {
    const int lane = int(threadIdx.x), all = 100 + lane;
    int *const fact = out + lane * WARP_FACTS;
    fact[0] = __shfl_sync(0xffffffffu, all, 5);
    fact[1] = __shfl_sync(0xffffffffu, all, 9, 8); /* lane 1 of each segment of 8 */
    fact[2] = __shfl_up_sync(0xffffffffu, all, 3, 16);
    fact[3] = __shfl_down_sync(0xffffffffu, all, 3, 16);
    fact[4] = __shfl_xor_sync(0xffffffffu, all, 12);
    fact[5] = __shfl_xor_sync(0xffffffffu, all, 8, 8); /* the lower segment is in reach, the upper is not */
    fact[6] = int(__ballot_sync(0xffffffffu, lane % 3 == 0));
    fact[7] = __any_sync(0xffffffffu, lane == 31) + 2 * __any_sync(0xffffffffu, 0);
    fact[8] = __all_sync(0xffffffffu, 1) + 2 * __all_sync(0xffffffffu, lane != 7);
    fact[9] = int(warp_sum(float(lane)));
    fact[10] = int(warp_max(float(lane * 7 % 32)));
    fact[11] = lane < 16 ? __shfl_xor_sync(0x0000ffffu, all, 1) : __shfl_xor_sync(0xffff0000u, all, 2);
}
const char *launch_warp(void *stream, int *out) {
    return LAUNCH(warp_facts, 1, 32, 0, stream_of(stream), out);
}

template <class T> __global__ void twice(const T *in, float *out) {
    T rounded;
    put(rounded, to_f32(in[threadIdx.x]) * 1.001f);
    out[threadIdx.x] = to_f32(rounded);
}
const char *launch_types(void *stream, const void *f16, const void *bf16, float *out) {
    const char *e = LAUNCH((twice<__half>), 1, 64, 0, stream_of(stream), static_cast<const __half *>(f16), out);
    if (e != nullptr) return e;
    return LAUNCH((twice<__nv_bfloat16>), 1, 64, 0, stream_of(stream), static_cast<const __nv_bfloat16 *>(bf16),
                  out + 64);
}
