/* gpu.h: the names of simt.h in CUDA. Inline PTX stands here and in no kernel. */
#ifndef SIMT_GPU_H
#define SIMT_GPU_H

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

typedef cudaStream_t Stream_t;

#define SHARED_ARRAY(T, name, count) __shared__ __align__(16) T name[count]
#define SHARED_DYNAMIC(name) extern __shared__ __align__(128) unsigned char name[]
#define LAUNCH(kernel, grid, block, shared_bytes, ...) ::simt::launch(kernel, grid, block, shared_bytes, __VA_ARGS__)

namespace simt {

inline const char *status(cudaError_t e) {
    return e == cudaSuccess ? nullptr : cudaGetErrorString(e);
}

template <class T> struct as_is { typedef T type; };

/* The arguments' types are the kernel's, so a call that does not fit it fails to compile here. */
template <class... P>
const char *launch(void (*kernel)(P...), dim3 grid, dim3 block, size_t shared_bytes, Stream_t stream,
                   typename as_is<P>::type... args) {
    kernel<<<grid, block, shared_bytes, stream>>>(args...);
    return status(cudaGetLastError());
}

} // namespace simt

inline Stream_t stream_of(void *stream) {
    return static_cast<Stream_t>(stream);
}

inline bool stream_capturing(Stream_t stream) {
    cudaStreamCaptureStatus state = cudaStreamCaptureStatusNone;
    return cudaStreamIsCapturing(stream, &state) != cudaSuccess || state != cudaStreamCaptureStatusNone;
}

template <class... P> const char *allow_shared(void (*kernel)(P...), size_t bytes) {
    const cudaError_t e = cudaFuncSetAttribute(reinterpret_cast<const void *>(kernel),
                                               cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes));
    cudaGetLastError(); /* said here: the next launch is not to say it again */
    return simt::status(e);
}

__device__ __forceinline__ float exp_fast(float x) {
    return __expf(x);
}
__device__ __forceinline__ float exp2_fast(float x) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
__device__ __forceinline__ float tanh_fast(float x) {
    float y;
    asm("tanh.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

__device__ __forceinline__ float warp_sum(float x) {
    for (int m = 16; m > 0; m >>= 1) x += __shfl_xor_sync(0xffffffffu, x, m);
    return x;
}
__device__ __forceinline__ float warp_max(float x) {
    for (int m = 16; m > 0; m >>= 1) x = fmaxf(x, __shfl_xor_sync(0xffffffffu, x, m));
    return x;
}

#endif
