/* The calibration of the error budget: kernels emulated in exact float32 on data of many designs, judged by the budget
 * itself. BUDGET.md says what is asserted.
 *
 *   calibrate_designs.c    the data
 *   calibrate_kernels.c    the kernels; their tensor cores in calibrate_tensor.c
 *   calibrate_guards.c     bounds that must fail, declarations that must hold
 *   calibrate_mutants.c    kernels that must fail
 *   calibrate_vectors.c    answers of real hardware
 *   calibrate.c            the runs, the tables, the assertions above and below */
#ifndef OR_TESTS_CALIBRATE_H
#define OR_TESTS_CALIBRATE_H

#include "../attend.h"
#include "../budget.h"
#include "scene.h"

typedef struct {
    int64_t hs, vhs, off, rotary;
} width;

/* A call of one token, one sequence, one head. */
typedef struct {
    scene *scene;
    int64_t n; /* keys                     */
    width w;
    double scale, softcap; /* a design may change them */
    double *q, *k;         /* [hs], [n, hs] before they are rounded to T */
    uint64_t *random;
} sample;

typedef struct {
    const char *name;
    void (*fill)(sample *);
    bool independent; /* V and logits are independent draws: mode S holds                                 */
} design;

extern const design designs[];
extern const size_t design_count;
const design *design_by_name(const char *name);

/* n keys of a design, resolved. Freed with sample_free. */
void sample_make(sample *, const design *, or_dtype, width, int64_t n, uint64_t *random);
void sample_free(sample *);
double normal(uint64_t *random); /* near enough: the sum of four uniform numbers */

/* How the error of exp and tanh runs along the argument, inside its documented limit. */
typedef enum { SINE, HIGH, LOW, CURVES } curve;
typedef enum { HONEST, P_TRUNCATED, DENOMINATOR_SHORT } fault;

/* A row as a kernel sees it. */
typedef struct {
    or_dtype dtype;
    int64_t n, hs, vhs;
    const float *q, *k; /* [hs] rotated as the kernel does, [n, hs] */
    float scale, softcap;
    curve curve;
    fault fault;
} input;

typedef struct kernel kernel;
struct kernel {
    const char *name;
    or_arithmetic how;   /* OR_F16 in p and partial stands for T */
    int block, fraction; /* of the tensor core; block: else the sums of a dot product, side by side */
    double ceiling;      /* of excess of many roundings; 1 where one rounding to T may decide */
    void (*run)(float *o, const input *, const kernel *); /* o: [vhs], before the last rounding */
};

extern const kernel kernels[];
extern const size_t kernel_count;
const kernel *kernel_by_name(const char *name);
or_arithmetic arithmetic_of(const kernel *, or_dtype);

/* The kernel's answer, rounded to T. `late`: positions by which its rotation of q is off; k: [n, hs] its keys. */
typedef struct {
    int64_t late, n;
    double scale, softcap;
    const float *k;
    curve curve;
    fault fault;
} conditions;
conditions plain_conditions(const sample *, const float *k, curve);
void answer(uint16_t *got, const kernel *, const sample *, const conditions *);
float *keys_of(const sample *); /* [n, hs], malloc'ed */

/* a += sum_i x_i y_i as a tensor core adds it: `count` <= block products of T values. */
float tensor_dot(float a, const float *x, const float *y, int64_t count, or_dtype, const kernel *);
/* a[d] += sum_j x[j] y[j * stride + d] for each of `width` channels, count <= block. */
void tensor_rows(float *a, int64_t width, const float *x, const float *y, int64_t stride, int64_t count, or_dtype,
                 const kernel *);

/* Says what did not hold, and counts it. */
void expect(bool holds, const char *format, ...) __attribute__((format(printf, 2, 3)));

void check_guards(void);
void check_unsaid(void);
void check_mutants(void);
void check_vectors(void);

#endif
