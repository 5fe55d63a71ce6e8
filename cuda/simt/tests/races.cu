/* races.cu: wrong in a way that no order of threads shows, and their right twins. */
#include "../simt.h"
#include "kernels.h"

enum { LOST_UPDATE = __LINE__ };
__global__ void lost_update(int *out) {
    out[0] = out[0] + 1;
}
__global__ void counted(int *out) {
    atomicAdd(&out[0], 1);
}
enum { SHUFFLE_AS_FENCE = __LINE__ };
__global__ void shuffle_as_fence(int *out) {
    SHARED_ARRAY(int, box, 32);
    box[threadIdx.x] = int(threadIdx.x);
    __shfl_sync(0xffffffffu, 0, 0);
    out[threadIdx.x] = box[threadIdx.x ^ 1];
}
__global__ void syncwarp_as_fence(int *out) {
    SHARED_ARRAY(int, box, 32);
    box[threadIdx.x] = int(threadIdx.x);
    __syncwarp();
    out[threadIdx.x] = box[threadIdx.x ^ 1];
}
enum { TWO_WRITERS_OF_ONE_VALUE = __LINE__ };
__global__ void two_writers_of_one_value(int *out) {
    SHARED_ARRAY(int, flag, 1);
    flag[0] = 1;
    __syncthreads();
    out[threadIdx.x] = flag[0];
}
enum { BLOCKS_SHARE_A_ROW = __LINE__ };
__global__ void blocks_share_a_row(int *out) {
    SHARED_ARRAY(int, mine, 64);
    mine[threadIdx.x] = 7;
    __syncthreads();
    out[threadIdx.x] = mine[63 - threadIdx.x];
    __syncthreads();
}
__global__ void blocks_have_rows(int *out) {
    SHARED_ARRAY(int, mine, 64);
    mine[threadIdx.x] = 7;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = mine[63 - threadIdx.x];
}
/* The last block to come adds up what the others left: right only with a fence on both sides of the counter. */
enum { LAST_BLOCK_ADDS = __LINE__ };
template <bool FENCE> __global__ void last_block_adds(int *out) {
    SHARED_ARRAY(int, ticket, 1);
    if (threadIdx.x == 0) {
        out[1 + blockIdx.x] = int(blockIdx.x);
        if (FENCE) __threadfence();
        ticket[0] = atomicAdd(&out[0], 1);
        if (FENCE) __threadfence();
    }
    __syncthreads();
    if (ticket[0] != 3 || threadIdx.x != 1) return;
    for (int i = 0; i < 4; i++) {
        out[8] += out[1 + i];
    }
}
#define RACE(name, kernel, blocks, threads)                                                                            \
    static const char *launch_##name(void *stream, int *out) {                                                         \
        return LAUNCH(kernel, blocks, threads, 0, stream_of(stream), out);                                             \
    }
RACE(lost_update, lost_update, 1, 32)
RACE(counted, counted, 2, 64)
RACE(shuffle_as_fence, shuffle_as_fence, 1, 32)
RACE(syncwarp_as_fence, syncwarp_as_fence, 1, 32)
RACE(two_writers_of_one_value, two_writers_of_one_value, 1, 32)
RACE(blocks_share_a_row, blocks_share_a_row, 2, 64)
RACE(blocks_have_rows, blocks_have_rows, 4, 64)
RACE(last_block_without_fence, last_block_adds<false>, 4, 32)
RACE(last_block, last_block_adds<true>, 4, 32)
const Race races[] = {{NAMED(lost_update), LOST_UPDATE + 2},
                      {NAMED(counted), 0},
                      {NAMED(shuffle_as_fence), SHUFFLE_AS_FENCE + 5},
                      {NAMED(syncwarp_as_fence), 0},
                      {NAMED(two_writers_of_one_value), TWO_WRITERS_OF_ONE_VALUE + 3},
                      {NAMED(blocks_share_a_row), BLOCKS_SHARE_A_ROW + 5},
                      {NAMED(blocks_have_rows), 0},
                      {NAMED(last_block_without_fence), LAST_BLOCK_ADDS + 12},
                      {NAMED(last_block), 0}};
const size_t races_count = sizeof races / sizeof *races;
