/* families.cu: right kernels in the shapes that ours have, each an instance per barrier that it can be without. */
#include "../simt.h"
#include "kernels.h"

#define SYNC(n)                                                                                                        \
    do {                                                                                                               \
        if (WITHOUT != (n)) __syncthreads();                                                                           \
    } while (0)
#define SYNC_WARP(n)                                                                                                   \
    do {                                                                                                               \
        if (WITHOUT != (n)) __syncwarp();                                                                              \
    } while (0)

/* Four sums of 256, one after the other in the same array. */
template <int WITHOUT> __global__ void tree(const float *in, float *out) {
    SHARED_ARRAY(float, part, 256);
    const unsigned t = threadIdx.x;
    for (unsigned tile = 0; tile < 4; tile++) {
        part[t] = in[tile * 256 + t];
        SYNC(1); /* every element is there */
        for (unsigned step = 128; step > 0; step /= 2) {
            if (t < step) part[t] += part[t + step];
            SYNC(2); /* every sum of this step is there */
        }
        out[tile * 256 + t] = part[0];
        SYNC(3); /* everybody has read the sum */
    }
}

/* Inclusive sums of 128, in place. */
template <int WITHOUT> __global__ void scan(const float *in, float *out) {
    SHARED_ARRAY(float, sum, 128);
    const unsigned t = threadIdx.x;
    sum[t] = in[t];
    SYNC(1);
    for (unsigned step = 1; step < 128; step *= 2) {
        const float before = t >= step ? sum[t - step] : 0;
        SYNC(2); /* read before it grows */
        sum[t] += before;
        SYNC(3); /* grown before it is read */
    }
    out[t] = sum[t];
}

/* Two tiles of 16 x 16, mirrored. */
template <int WITHOUT> __global__ void transpose(const float *in, float *out) {
    SHARED_ARRAY(float, tile, 256);
    for (unsigned k = 0; k < 2; k++) {
        tile[threadIdx.y * 16 + threadIdx.x] = in[k * 256 + threadIdx.y * 16 + threadIdx.x];
        SYNC(1);
        out[k * 256 + threadIdx.y * 16 + threadIdx.x] = tile[threadIdx.x * 16 + threadIdx.y];
        SYNC(2);
    }
}

/* Sums of 32 by the lanes of each warp, through shared memory. */
template <int WITHOUT> __global__ void warp_tree(const float *in, float *out) {
    SHARED_ARRAY(float, part, 64);
    const unsigned t = threadIdx.x, lane = t % 32;
    for (unsigned tile = 0; tile < 2; tile++) {
        part[t] = in[tile * 64 + t];
        SYNC_WARP(1);
        for (unsigned step = 16; step > 0; step /= 2) {
            if (lane < step) part[t] += part[t + step];
            SYNC_WARP(2);
        }
        out[tile * 64 + t] = part[t - lane];
        SYNC_WARP(3);
    }
}

/* Attention of one query over 300 keys of 8 channels, of which the first 8 are the value as well; a thread scores a key
 * of a tile, then owns a channel,
 * channel t % 8, so that warps that disagree about the maximum are seen to. */
enum { TILE = 128, KEYS = 300, DIM = 8 };
template <int WITHOUT> __global__ void thread_tile(const float *in, float *out) {
    SHARED_DYNAMIC(dynamic);
    SHARED_ARRAY(unsigned, row, TILE);
    SHARED_ARRAY(float, score, TILE);
    SHARED_ARRAY(float, weight, TILE);
    float *const q = reinterpret_cast<float *>(dynamic);
    const unsigned t = threadIdx.x;
    if (t < DIM) q[t] = in[t];
    float top = -INFINITY, total = 0, o = 0;
    for (unsigned first = 0; first < KEYS; first += TILE) {
        const unsigned n = min(unsigned{TILE}, KEYS - first);
        SYNC(1); /* q is there; nobody reads the last tile any more */
        if (t < n) {
            float dot = 0;
            row[t] = DIM + (first + t) * DIM;
            for (unsigned d = 0; d < DIM; d++) dot += q[d] * in[row[t] + d];
            score[t] = dot;
        }
        SYNC(2); /* every score is there */
        float now = top;
        for (unsigned i = 0; i < n; i++) now = score[i] > now ? score[i] : now;
        if (t < n) weight[t] = expf(score[t] - now);
        SYNC(3); /* every weight is there */
        const float keep = expf(top - now);
        total *= keep;
        o *= keep;
        for (unsigned i = 0; i < n; i++) {
            total += weight[i];
            o += weight[i] * in[row[i] + t % DIM];
        }
        top = now;
    }
    out[t] = o / total;
}

/* The same over 96 keys, but a warp scores a key, 32 keys in turn, and the weights take the place of the scores. */
template <int WITHOUT> __global__ void warp_tile(const float *in, float *out) {
    SHARED_ARRAY(float, q, DIM);
    SHARED_ARRAY(float, score, 32);
    const unsigned t = threadIdx.x, lane = t % 32, warp = t / 32;
    if (t < DIM) q[t] = in[t];
    float top = -INFINITY, total = 0, o = 0;
    for (unsigned first = 0; first < 96; first += 32) {
        SYNC(1); /* q is there; nobody reads the last tile any more */
        for (unsigned i = warp; i < 32; i += 4) {
            const float dot = warp_sum(lane < DIM ? q[lane] * in[DIM + (first + i) * DIM + lane] : 0);
            if (lane == 0) score[i] = dot;
        }
        SYNC(2); /* every score is there */
        float now = top;
        for (unsigned i = 0; i < 32; i++) now = score[i] > now ? score[i] : now;
        SYNC(3); /* everybody has read them */
        if (t < 32) score[t] = expf(score[t] - now);
        SYNC(4); /* every weight is there */
        const float keep = expf(top - now);
        total *= keep;
        o *= keep;
        for (unsigned i = 0; i < 32; i++) {
            total += score[i];
            o += score[i] * in[DIM + (first + i) * DIM + t % DIM];
        }
        top = now;
    }
    out[t] = o / total;
}

/* A launcher of a family: the instance that leaves out barrier `without`. */
#define FAMILY(kernel, blocks, threads, shared)                                                                        \
    static const char *launch_##kernel(void *stream, int without, const float *in, float *out) {                       \
        void (*const instance[])(const float *, float *) = {kernel<0>, kernel<1>, kernel<2>, kernel<3>, kernel<4>};    \
        return LAUNCH(instance[without], blocks, threads, shared, stream_of(stream), in, out);                         \
    }
FAMILY(tree, 1, 256, 0)
FAMILY(scan, 1, 128, 0)
FAMILY(transpose, 1, dim3(16, 16), 0)
FAMILY(warp_tree, 1, 64, 0)
FAMILY(thread_tile, 1, TILE, DIM * sizeof(float))
FAMILY(warp_tile, 1, 128, 0)
const Family families[] = {{NAMED(tree), 3, 1024},     {NAMED(scan), 3, 128},         {NAMED(transpose), 2, 512},
                           {NAMED(warp_tree), 3, 128}, {NAMED(thread_tile), 3, TILE}, {NAMED(warp_tile), 4, TILE}};
const size_t families_count = sizeof families / sizeof *families;
