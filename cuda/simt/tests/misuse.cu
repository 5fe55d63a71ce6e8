/* misuse.cu: kernels that must be stopped. The constant before a kernel is its line, so that the table at the end can
 * say where a message must point. */
#include "../simt.h"
#include "kernels.h"

enum { WRITES_PAST_ARRAY = __LINE__ };
__global__ void writes_past_array(int *out) {
    SHARED_ARRAY(int, row, 33);
    int *const all = row;
    all[threadIdx.x + 4] = out[0];
}
enum { WRITES_BEFORE_ARRAY = __LINE__ };
__global__ void writes_before_array(int *out) {
    SHARED_ARRAY(int, low, 64);
    int *const all = low;
    all[int(threadIdx.x) - 2] = out[0];
}
enum { WRITES_PAST_DYNAMIC = __LINE__ };
__global__ void writes_past_dynamic(int *out) {
    SHARED_DYNAMIC(bytes);
    bytes[threadIdx.x + 1] = static_cast<unsigned char>(out[0]);
}
enum { TWO_BARRIERS = __LINE__ };
__global__ void two_barriers(int *out) {
    if (threadIdx.x < 100) {
        __syncthreads();
        out[threadIdx.x] = 1;
    } else {
        __syncthreads();
        out[threadIdx.x] = 2;
    }
}
enum { BARRIER_AND_MEETING = __LINE__ };
__global__ void barrier_and_meeting(int *out) {
    if (threadIdx.x < 32)
        __syncthreads();
    else if (threadIdx.x < 63)
        __syncwarp();
    out[threadIdx.x] = 1;
}
enum { READS_OUTSIDE_MASK = __LINE__ };
__global__ void reads_outside_mask(int *out) {
    if (threadIdx.x < 16) out[threadIdx.x] = __shfl_sync(0xffffu, int(threadIdx.x), 20);
}
enum { CALLS_FROM_OUTSIDE_MASK = __LINE__ };
__global__ void calls_from_outside_mask(int *out) {
    out[threadIdx.x] = __shfl_xor_sync(0xffffu, int(threadIdx.x), 1);
}
enum { PARTIAL_WARP = __LINE__ };
__global__ void partial_warp(int *out) {
    out[threadIdx.x] = __any_sync(0xffffffffu, 1);
}
enum { EARLY_RETURN = __LINE__ };
__global__ void early_return(int *out) {
    if (threadIdx.x == 3) return;
    out[threadIdx.x] = int(warp_sum(1));
}
enum { TWO_OPERATIONS = __LINE__ };
__global__ void two_operations(int *out) {
    if (threadIdx.x % 2 == 0)
        out[threadIdx.x] = int(__ballot_sync(0xffffffffu, 1));
    else
        out[threadIdx.x] = __all_sync(0xffffffffu, 1);
}
enum { TWO_MASKS = __LINE__ };
__global__ void two_masks(int *out) {
    out[threadIdx.x] = __all_sync(threadIdx.x < 16 ? 0xffffffffu : 0x1ffffu | 1u << threadIdx.x, 1);
}
enum { MUCH_SHARED = __LINE__ };
__global__ void much_shared(int *out) {
    SHARED_ARRAY(int, half_of_it, 6 * 1024);
    SHARED_ARRAY(int, other_half, 6 * 1024);
    half_of_it[threadIdx.x] = out[0];
    other_half[threadIdx.x] = half_of_it[threadIdx.x];
    out[1] = other_half[threadIdx.x];
}

#define MISUSE(kernel, threads, shared)                                                                                \
    static const char *launch_##kernel(void *stream, int *out) {                                                       \
        return LAUNCH(kernel, 1, threads, shared, stream_of(stream), out);                                             \
    }
MISUSE(writes_past_array, 32, 0)
MISUSE(writes_before_array, 32, 0)
MISUSE(writes_past_dynamic, 64, 64)
MISUSE(two_barriers, 128, 0)
MISUSE(barrier_and_meeting, 64, 0)
MISUSE(reads_outside_mask, 32, 0)
MISUSE(calls_from_outside_mask, 32, 0)
MISUSE(partial_warp, 40, 0)
MISUSE(early_return, 32, 0)
MISUSE(two_operations, 32, 0)
MISUSE(two_masks, 32, 0)
MISUSE(much_shared, 32, 1)
const Misuse misuses[] = {
    {NAMED(writes_past_array),
     WRITES_PAST_ARRAY + 4,
     {WRITES_PAST_ARRAY + 2},
     {"0 bytes past its end", "shared array row (", "132 bytes"}},
    {NAMED(writes_before_array),
     WRITES_BEFORE_ARRAY + 4,
     {WRITES_BEFORE_ARRAY + 2},
     {"8 bytes before its start", "shared array low (", "256 bytes"}},
    {NAMED(writes_past_dynamic),
     WRITES_PAST_DYNAMIC + 3,
     {},
     {"0 bytes past its end", "the dynamic shared memory (64 bytes)"}},
    {NAMED(two_barriers),
     0,
     {TWO_BARRIERS + 3, TWO_BARRIERS + 6},
     {"100 threads from 0 wait at __syncthreads (", "28 threads from 100 wait at __syncthreads ("}},
    {NAMED(barrier_and_meeting),
     0,
     {BARRIER_AND_MEETING + 5},
     {"32 threads from 0 wait at __syncthreads (", "1 have ended"}},
    {NAMED(reads_outside_mask),
     0,
     {READS_OUTSIDE_MASK + 2},
     {"__shfl_sync (", "reads lane 20, which its mask does not name"}},
    {NAMED(calls_from_outside_mask),
     0,
     {CALLS_FROM_OUTSIDE_MASK + 2},
     {"__shfl_xor_sync (", "the mask 0x0000ffff does not name the lane itself"}},
    {NAMED(partial_warp), 0, {PARTIAL_WARP + 2}, {"not in the block", "0xffffff00"}},
    {NAMED(early_return), 0, {EARLY_RETURN + 3}, {"warp_sum ("}},
    {NAMED(two_operations), 0, {TWO_OPERATIONS + 3, TWO_OPERATIONS + 5}, {"__ballot_sync ("}},
    {NAMED(two_masks), 0, {TWO_MASKS + 2}, {"with mask 0xffffffff", "comes with mask 0x0001ffff"}},
    {NAMED(much_shared), 0, {MUCH_SHARED + 3}, {"shared array other_half (", "24576 of 49151 bytes are taken"}},
};
const size_t misuses_count = sizeof misuses / sizeof *misuses;

/* More of a stack than a fiber has, used from its top down. */
__global__ void large_frame(int *out) {
    volatile char frame[100 * 1024];
    for (unsigned i = sizeof frame; i-- > 0;) frame[i] = static_cast<char>(out[0]);
    out[1] = frame[out[0]];
}
const char *launch_large_frame(void *stream, int *out) {
    return LAUNCH(large_frame, 1, 2, 0, stream_of(stream), out);
}
