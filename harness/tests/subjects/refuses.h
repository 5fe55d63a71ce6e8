/* A well-formed subject that refuses everything. */
#ifndef REFUSES_H
#define REFUSES_H

#include "../../subject.h"

static at_code supports(const at_node *node, const at_dtype in[AT_INPUTS], at_refusal *refusal) {
    (void)node, (void)in, (void)refusal;
    return AT_NOT_IMPLEMENTED;
}

static at_code create(const at_node *node, int device, at_kernel **out, at_refusal *refusal) {
    (void)node, (void)device, (void)refusal;
    *out = NULL;
    return AT_NOT_IMPLEMENTED;
}

static at_code prepare(at_kernel *kernel, const at_call *call, size_t *bytes, at_arithmetic *how, at_refusal *refusal) {
    (void)kernel, (void)call, (void)bytes, (void)how, (void)refusal;
    return AT_NOT_IMPLEMENTED;
}

static at_code execute(at_kernel *kernel, const at_call *call, at_refusal *refusal) {
    (void)kernel, (void)call, (void)refusal;
    return AT_NOT_IMPLEMENTED;
}

static at_code capture_ready(const at_kernel *kernel, const at_call *call, at_refusal *refusal) {
    (void)kernel, (void)call, (void)refusal;
    return AT_NOT_WARMED;
}

static void destroy(at_kernel *kernel) {
    (void)kernel;
}

static const char *const both[] = {"onnxruntime", "onnx-genai", NULL};
#define SUBJECT(NAME, DEVICE)                                                                                          \
    {                                                                                                                  \
        .abi = AT_SUBJECT_ABI, .bytes = sizeof(at_subject), .name = NAME, .version = "1", .about = "refuses",          \
        .device = DEVICE, .dialects = both, .promises = AT_CAPTURE, .alignment = 16, .supports = supports,             \
        .create = create, .prepare = prepare, .execute = execute, .capture_ready = capture_ready, .destroy = destroy   \
    }

#endif
