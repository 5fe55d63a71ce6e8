/* cpu.h: the names of simt.h, and those of CUDA that our kernels use, for a host compiler. A CUDA thread is a fiber; it
 * runs until it comes to a barrier, a warp-wide operation or its end. README.md says what a kernel must not do to run
 * here. */
#ifndef SIMT_CPU_H
#define SIMT_CPU_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <type_traits>
#include <utility>

#include "../../harness/subject.h"
#include "half.h"

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __align__(n) alignas(n)
#define __shared__                                                                                                     \
    _Pragma("GCC error \"write SHARED_ARRAY(type, name, count): __shared__ has no red zones on the CPU\"")

struct uint3 {
    unsigned x, y, z;
};
struct alignas(16) uint4 {
    unsigned x, y, z, w;
};
struct alignas(16) float4 {
    float x, y, z, w;
};
struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};
inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) {
    return uint4{x, y, z, w};
}
inline float4 make_float4(float x, float y, float z, float w) {
    return float4{x, y, z, w};
}

typedef at_cpu_stream *Stream_t;

namespace simt {

/* A place in a kernel's source. As a default argument it is the caller's, so every message has a line and kernels pay
 * nothing. */
struct Site {
    const char *file;
    int line;
    static constexpr Site here(const char *file = __builtin_FILE(), int line = __builtin_LINE()) {
        return {file, line};
    }
};

/* What a running thread sees of itself. */
struct Self {
    uint3 thread_idx, block_idx;
    dim3 block_dim, grid_dim;
    unsigned flat, lane; /* thread_idx as one number; flat % 32 */
};
extern __thread Self *self __attribute__((tls_model("initial-exec")));

void sync_threads(Site);
void thread_fence();

struct SharedSite { /* its address tells arrays of one kernel apart */
    const char *name;
    Site at;
};
void *shared_array(const SharedSite *, size_t bytes);
unsigned char *shared_dynamic();

/* The arguments of a launch as one trivially copyable value. */
template <size_t I, class T> struct Cell {
    static_assert(std::is_trivially_copyable<T>::value, "kernel arguments are copied byte for byte");
    T value;
};
template <class Indices, class... P> struct Frozen;
template <size_t... I, class... P> struct Frozen<std::index_sequence<I...>, P...> : Cell<I, P>... {
    void pass_to(void (*kernel)(P...)) const { kernel(static_cast<const Cell<I, P> &>(*this).value...); }
};
template <class... P> struct Closure {
    void (*kernel)(P...);
    size_t allowed; /* dynamic shared memory, bytes: what allow_shared said before the launch */
    Frozen<std::index_sequence_for<P...>, P...> args;
    static void thread(const void *closure) {
        const Closure *c = static_cast<const Closure *>(closure);
        c->args.pass_to(c->kernel);
    }
};

const char *allow(void (*kernel)(), size_t bytes);
size_t allowed(void (*kernel)());
const char *run(const at_cpu_launch *, const at_cpu_how *, size_t allowed, void (*thread)(const void *closure));
const char *submit(Stream_t, const at_cpu_launch *, size_t allowed);

template <class... P> const char *run_closure(const at_cpu_launch *l, const at_cpu_how *how) {
    typedef Closure<P...> C;
    return run(l, how, static_cast<const C *>(l->args)->allowed, C::thread);
}

template <class T> struct as_is { typedef T type; };

/* The arguments' types are the kernel's, so a call that does not fit it fails to compile here. */
template <class... P>
const char *launch(const char *name, void (*kernel)(P...), dim3 grid, dim3 block, size_t shared_bytes, Stream_t stream,
                   typename as_is<P>::type... args) {
    typedef Closure<P...> C;
    static_assert(alignof(C) <= alignof(max_align_t), "a stream keeps arguments in memory from malloc");
    const C closure = {kernel, allowed(reinterpret_cast<void (*)()>(kernel)), {{args}...}};
    const at_cpu_launch l = {
        name,           {grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, shared_bytes, &closure,
        sizeof closure, run_closure<P...>};
    return submit(stream, &l, closure.allowed);
}

} // namespace simt

#define threadIdx (::simt::self->thread_idx)
#define blockIdx (::simt::self->block_idx)
#define blockDim (::simt::self->block_dim)
#define gridDim (::simt::self->grid_dim)
#define warpSize 32

#define SHARED_ARRAY(T, name, count)                                                                                   \
    static const ::simt::SharedSite name##_site = {#name, {__FILE__, __LINE__}};                                       \
    T(&name)[count] = *static_cast<T(*)[count]>(::simt::shared_array(&name##_site, sizeof(T[count])))
#define SHARED_DYNAMIC(name) unsigned char *name = ::simt::shared_dynamic()
#define LAUNCH(kernel, grid, block, shared_bytes, ...)                                                                 \
    ::simt::launch(#kernel, kernel, grid, block, shared_bytes, __VA_ARGS__)

inline Stream_t stream_of(void *stream) {
    return static_cast<Stream_t>(stream);
}
inline bool stream_capturing(Stream_t stream) {
    return stream->capturing != 0;
}
template <class... P> const char *allow_shared(void (*kernel)(P...), size_t bytes) {
    return simt::allow(reinterpret_cast<void (*)()>(kernel), bytes);
}

inline void __syncthreads(simt::Site at = simt::Site::here()) {
    simt::sync_threads(at);
}
inline void __threadfence() {
    simt::thread_fence();
}

template <class T> inline T atomicAdd(T *at, T x) {
    static_assert(std::is_same<T, int>::value || std::is_same<T, unsigned>::value, "int, unsigned or float");
    return __atomic_fetch_add(at, x, __ATOMIC_RELAXED);
}
template <> inline float atomicAdd(float *at, float x) {
    float old;
    __atomic_load(at, &old, __ATOMIC_RELAXED);
    for (float sum = old + x; !__atomic_compare_exchange(at, &old, &sum, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED);)
        sum = old + x;
    return old;
}
template <class T> inline T atomicCAS(T *at, T expected, T wanted) {
    static_assert(std::is_same<T, int>::value || std::is_same<T, unsigned>::value, "int or unsigned");
    __atomic_compare_exchange_n(at, &expected, wanted, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return expected;
}

/* As in CUDA these stand beside libm's names; only operands of one type are taken, so nothing is converted unseen. */
#define SIMT_MIN_MAX(T)                                                                                                \
    constexpr T min(T a, T b) {                                                                                        \
        return b < a ? b : a;                                                                                          \
    }                                                                                                                  \
    constexpr T max(T a, T b) {                                                                                        \
        return a < b ? b : a;                                                                                          \
    }
SIMT_MIN_MAX(int)
SIMT_MIN_MAX(unsigned)
SIMT_MIN_MAX(long)
SIMT_MIN_MAX(unsigned long)
SIMT_MIN_MAX(long long)
SIMT_MIN_MAX(unsigned long long)
#undef SIMT_MIN_MAX
inline float min(float a, float b) {
    return fminf(a, b);
}
inline float max(float a, float b) {
    return fmaxf(a, b);
}

inline unsigned __float_as_uint(float x) {
    return simt::bits_of(x);
}
inline float __uint_as_float(unsigned u) {
    return simt::float_of(u);
}
inline int __popc(unsigned u) {
    return __builtin_popcount(u);
}
inline int __ffs(int i) {
    return __builtin_ffs(i);
}
template <class T> inline T __ldg(const T *p) {
    return *p;
}

inline float exp_fast(float x) {
    return expf(x);
}
inline float exp2_fast(float x) {
    return exp2f(x);
}
inline float tanh_fast(float x) {
    return tanhf(x);
}

#include "warp.h"

#endif
