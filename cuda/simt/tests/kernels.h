/* kernels.h: small kernels and their faults, as the tests see them. Each function launches on `stream` and gives
 * LAUNCH's status. */
#ifndef SIMT_TESTS_KERNELS_H
#define SIMT_TESTS_KERNELS_H

#include <stddef.h>
#include <stdint.h>

/* Right kernels whose barriers can be left out one by one. They read `in` (at least 4,096 floats), write `out` (at
 * least 1,024). */
struct Family {
    const char *name;
    int barriers;
    int outputs;
    const char *(*launch)(void *stream, int without, const float *in,
                          float *out); /* without: 0, or the barrier left out */
};
extern const Family families[];
extern const size_t families_count;

/* Kernels that must be stopped, what the sentence must contain, and the lines of misuse.cu that it must name. */
struct Misuse {
    const char *name;
    const char *(*launch)(void *stream, int *out);
    const char *says[3]; /* NULL: nothing more */
    int line[2];         /* 0: none more        */
};
extern const Misuse misuses[];
extern const size_t misuses_count;

/* Wrong in a way that no order of threads shows, and their right twins. `out`: at least 1,024 ints, all zero. */
struct Race {
    const char *name;
    const char *(*launch)(void *stream, int *out);
    int line; /* of the racing statement, 0: there is no race */
};
extern const Race races[];
extern const size_t races_count;

const char *launch_geometry(void *stream, const uint32_t grid[3], const uint32_t block[3], size_t shared, int *out);
const char *allow_geometry(size_t shared);
const char *launch_add(void *stream, const int *in, int value, int *out); /* out[i] += in[i] + value, i < 128 */
const char *launch_order(void *stream,
                         int *out); /* out[0] counts; out[1 + n] = 1000 * block + thread of the n-th: 3 x 40 of them */
const char *launch_warp(void *stream, int *out); /* 32 lanes x WARP_FACTS: see warp_facts of kernels.cu */
const char *launch_types(void *stream, const void *f16, const void *bf16,
                         float *out); /* 64 of each: out[i] and out[64 + i] */

enum { WARP_FACTS = 12 };

#endif
