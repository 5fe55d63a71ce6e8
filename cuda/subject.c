/* The kernels behind the ABI: gates first, then launches. One row of `subjects` adds a kernel. */
#include "gates.h"
#include "v1.h"
#include <stdlib.h>

#ifdef ATTEST_CUDA
#define DEVICE AT_CUDA
#else
#define DEVICE AT_HOST
#endif

typedef struct {
    at_arithmetic arithmetic;
    const char *(*load)(void);
    at_code (*launch)(const pa_problem *, void *stream, at_refusal *);
} variant;

struct at_kernel {
    const variant *variant;
    pa_node node;
    pa_warmed warmed;
};

static at_code create(const variant *v, const at_node *node, at_kernel **out, at_refusal *why) {
    *out = NULL;
    at_code code = pa_gate_create(node, why);
    if (code != AT_ACCEPTED) return code;
    const char *wrong = v->load();
    if (wrong != NULL) {
        pa_say(why, "the kernels could not be loaded: %s", wrong);
        return AT_DEVICE_ERROR;
    }
    at_kernel *kernel = calloc(1, sizeof *kernel);
    if (kernel == NULL) {
        pa_say(why, "no memory for the %zu bytes of a kernel", sizeof *kernel);
        return AT_OUT_OF_MEMORY;
    }
    kernel->variant = v;
    pa_node_read(&kernel->node, node);
    *out = kernel;
    return AT_ACCEPTED;
}

static at_code prepare(at_kernel *kernel, const at_call *call, size_t *workspace_bytes, at_arithmetic *arithmetic,
                       at_refusal *why) {
    (void)call;
    *why = (at_refusal){0};
    *workspace_bytes = 0;
    *arithmetic = kernel->variant->arithmetic;
    return AT_ACCEPTED;
}

static at_code execute(at_kernel *kernel, const at_call *call, at_refusal *why) {
    at_code code = pa_gate_execute(&kernel->node, &kernel->warmed, call, why);
    if (code != AT_ACCEPTED) return code;
    pa_problem problem;
    pa_problem_of(&problem, &kernel->node, call);
    if (problem.tokens > 0) code = kernel->variant->launch(&problem, call->stream, why);
    if (code == AT_ACCEPTED && !call->capturing) pa_warmed_add(&kernel->warmed, call);
    return code;
}

static at_code capture_ready(const at_kernel *kernel, const at_call *call, at_refusal *why) {
    *why = (at_refusal){0};
    if (pa_warmed_has(&kernel->warmed, call)) return AT_ACCEPTED;
    why->rule = "not-warmed";
    pa_say(why, "a call of these dtypes and shapes has not run on this kernel; run it once eagerly");
    return AT_NOT_WARMED;
}

static void destroy(at_kernel *kernel) {
    if (kernel != NULL) pa_warmed_free(&kernel->warmed);
    free(kernel);
}

static const variant v1 = {
    .arithmetic = {.rope = AT_ROPE_EXACT,
                   .dot = AT_DOT_F32,
                   .exp = AT_EXP_LIBM,
                   .tanh = AT_TANH_LIBM,
                   .p = AT_F32,
                   .partial = AT_F32,
                   .tile = 128,
                   .splits = 1},
    .load = pa_v1_load,
    .launch = pa_v1_launch,
};

static at_code create_v1(const at_node *node, int device, at_kernel **out, at_refusal *why) {
    (void)device; /* its context is current */
    return create(&v1, node, out, why);
}

static const at_subject subjects[] = {
    {
        .abi = AT_SUBJECT_ABI,
        .bytes = sizeof(at_subject),
        .name = "v1",
        .version = "1",
        .about = "plain: a block per token and head, f32 throughout",
        .device = DEVICE,
        .dialects = pa_dialect_names,
        .promises = AT_CAPTURE | AT_REPEATABLE | AT_ANY_PAGE_ORDER | AT_ANY_BATCH | AT_ANY_CHUNK | AT_HARDENED,
        .alignment = 16, /* rows of a multiple of eight channels are read 16 bytes at a time */
        .supports = pa_gate_supports,
        .create = create_v1,
        .prepare = prepare,
        .execute = execute,
        .capture_ready = capture_ready,
        .destroy = destroy,
    },
};

const at_subject *at_subject_v1(uint32_t index) {
    return index < sizeof subjects / sizeof *subjects ? &subjects[index] : NULL;
}
