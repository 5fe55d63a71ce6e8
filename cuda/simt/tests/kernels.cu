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
    const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    out[1 + n] = int(1000 * block + threadIdx.x);
}
const char *launch_order(void *stream, int *out) {
    return LAUNCH(note_order, dim3(3, 2, 2), 10, 0, stream_of(stream), out);
}

/* 64 ints of an array and of dynamic memory, as a block finds them; it leaves others there. */
__global__ void unwritten(int *out) {
    SHARED_ARRAY(int, fixed, 64);
    SHARED_DYNAMIC(bytes);
    int *const dynamic = reinterpret_cast<int *>(bytes);
    out[threadIdx.x] = fixed[threadIdx.x];
    out[64 + threadIdx.x] = dynamic[threadIdx.x];
    fixed[threadIdx.x] = dynamic[threadIdx.x] = 5;
}
const char *launch_unwritten(void *stream, int *out) {
    return LAUNCH(unwritten, 2, 64, 64 * sizeof(int), stream_of(stream), out);
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

/* Sums and the largest by every means of two threads meeting in memory, then what a number is made of. */
__global__ void other_names(const float4 *in, int *whole, float *real) {
    const float4 x = __ldg(&in[threadIdx.x]);
    atomicAdd(&whole[0], int(x.x));
    atomicAdd(reinterpret_cast<unsigned *>(&whole[1]), unsigned(x.x));
    atomicAdd(&real[0], x.y);
    for (int seen = atomicCAS(&whole[2], 0, 0); seen < int(x.x);) {
        const int was = atomicCAS(&whole[2], seen, int(x.x));
        if (was == seen) break;
        seen = was;
    }
    if (threadIdx.x != 0) return;
    const uint4 u = make_uint4(40, 3, 0, __float_as_uint(-2.0f));
    const float4 f = make_float4(__uint_as_float(u.w), min(2.0f, 3.0f), max(2.0f, 3.0f), float(warpSize));
    whole[3] = __ffs(int(u.x)) * 10 + __popc(u.x);
    whole[4] = min(3, -3) * 10 + max(3, -3);
    whole[5] = int(f.x * 1000 + f.y * 100 + f.z * 10 + f.w);
    real[1] = exp_fast(1.0f);
    real[2] = exp2_fast(3.0f);
    real[3] = tanh_fast(0.5f);
}
const char *launch_names(void *stream, const void *in, int *whole, float *real) {
    return LAUNCH(other_names, 1, 64, 0, stream_of(stream), static_cast<const float4 *>(in), whole, real);
}
