/* A small call with data of its own: tests change the data, then resolve a node against it. */
#ifndef OR_TESTS_SCENE_H
#define OR_TESTS_SCENE_H

#include "../problem.h"

typedef struct {
    or_dtype dtype;
    int64_t heads, head_size, rotary_dim, block_size, max_blocks, sequences;
    const int32_t *past, *fresh; /* [sequences] positions in the cache, and new tokens */
} shape;

typedef struct {
    shape of;
    or_problem p; /* as the last node resolved it */
    or_call call;
    int64_t tokens, blocks;
    uint16_t *query, *key, *cache, *cos, *sin;
    int32_t *start, *past, *table, *slots;
} scene;

/* Pages in a shuffled order and one that is nobody's; elements are uniform in [-1, 1), or all 0 for seed 0. cos and sin
 * turn pair i at position p by p / 100^(2i/R). Slots are those of the table until a test changes them. */
scene *scene_new(const shape *, uint64_t seed);
void scene_free(scene *);

/* Resolves s->p for a LATENT node of the scene's heads with these attributes besides. */
void scene_resolve(scene *, or_dialect, const or_attr *, size_t attrs);
#define RESOLVE(s, dialect, ...)                                                                                       \
    scene_resolve(s, dialect, (const or_attr[]){__VA_ARGS__}, sizeof((const or_attr[]){__VA_ARGS__}) / sizeof(or_attr))
#define INT(attribute, value)                                                                                          \
    { .name = attribute, .type = OR_INT, .i = value }
#define FLOAT(attribute, value)                                                                                        \
    { .name = attribute, .type = OR_FLOAT, .f = (double)(float)(value) }
#define STRING(attribute, value)                                                                                       \
    { .name = attribute, .type = OR_STRING, .s = value }

/* One element. The position must be mapped. */
void scene_cached(scene *, int64_t sequence, int64_t position, int64_t channel, double value);
void scene_query(scene *, int64_t token, int64_t head, int64_t channel, double value);
void scene_key(scene *, int64_t token, int64_t channel, double value);

uint64_t scene_random(uint64_t *state);
double scene_uniform(uint64_t *state); /* [-1, 1) */

#endif
