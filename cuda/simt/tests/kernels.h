/* kernels.h: small kernels and their faults, as the tests see them. Each function launches on `stream` and gives
 * LAUNCH's status. */
#ifndef SIMT_TESTS_KERNELS_H
#define SIMT_TESTS_KERNELS_H

#include <stddef.h>
#include <stdint.h>

/* The first two members of a row: a name and its launcher. */
#define NAMED(name) #name, launch_##name

/* Right kernels whose barriers can be left out one by one: `without` is 0, or a barrier's number. They read `in` (at
 * least 4,096 floats) and write `out` (at least 1,024). */
struct Family {
    const char *name;
    const char *(*launch)(void *stream, int without, const float *in, float *out);
    int barriers, outputs;
};
extern const Family families[];
extern const size_t families_count;

/* Kernels that must be stopped, with the lines of misuse.cu and the words that the sentence must have. An overrun is a
 * line where the address sanitizer stops the process; 0: it has nothing to say. */
struct Misuse {
    const char *name;
    const char *(*launch)(void *stream, int *out);
    int overrun;
    int line[2];         /* 0: none more */
    const char *says[3]; /* NULL: nothing more */
};
extern const Misuse misuses[];
extern const size_t misuses_count;

/* Ends in the guard below a fiber's stack. */
const char *launch_large_frame(void *stream, int *out);

/* Wrong in a way that no order of threads shows, and their right twins. `out`: at least 1,024 ints, all zero. */
struct Race {
    const char *name;
    const char *(*launch)(void *stream, int *out);
    int line; /* of the racing statement, 0: there is no race */
};
extern const Race races[];
extern const size_t races_count;

/* Adds the number of threads to out[0]. */
const char *launch_geometry(void *stream, const uint32_t grid[3], const uint32_t block[3], size_t shared, int *out);
const char *allow_geometry(size_t shared);

/* out[i] += in[i] + value, i < 128 */
const char *launch_add(void *stream, const int *in, int value, int *out);

/* 3 x 2 x 2 blocks of 10 threads: out[0] counts them; out[1 + n] = 1000 * block + thread of the n-th to come. */
const char *launch_order(void *stream, int *out);

/* What 64 + 64 ints of shared memory hold before they are written, in the last of two blocks. */
const char *launch_unwritten(void *stream, int *out);

/* What each of 32 lanes is told by 12 operations, lane by lane. */
enum { WARP_FACTS = 12 };
const char *launch_warp(void *stream, int *out);

/* 64 of each type, times 1.001 and rounded: out[i] and out[64 + i]. */
const char *launch_types(void *stream, const void *f16, const void *bf16, float *out);

/* in: 64 of {i, 1/4, 0, 0}. The names that no other kernel uses: whole[6], real[4], all zero before. */
const char *launch_names(void *stream, const void *in, int *whole, float *real);

#endif
