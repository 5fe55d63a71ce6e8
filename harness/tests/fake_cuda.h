/* A CUDA driver in host memory: the entry points of harness/cuda_driver.h, address space that faults where nothing is
 * mapped, captures that record, and failures by script. Built as a shared object of its own; a test reaches fake_cuda
 * and fake_cuda_issue by dlsym. */
#ifndef FAKE_CUDA_H
#define FAKE_CUDA_H

#include "../cuda_driver.h"

enum { FAKE_CUDA_GRANULE = 2 << 20, FAKE_CUDA_MEMORY = 1 << 30, FAKE_CUDA_DEVICES = 2 };

typedef struct {
    int version, devices, virtual_memory; /* what it claims */
    const char *fail;                     /* this call fails, after `good` good ones, with this code; NULL: none does */
    int good;
    at_cu_result code;
    at_cu_result sticky;   /* not 0: what every call that touches the context returns */
    int live;              /* what was made and not given back, of all kinds */
    int calls;             /* of `fail`, so far */
    unsigned capture_mode; /* of the last capture */
    const void *pinned;    /* the one host address that the driver knows */
} fake_cuda_script;
extern fake_cuda_script fake_cuda;

/* One thing a subject puts on a stream: it runs now, or is recorded. */
typedef struct {
    unsigned type; /* AT_CU_NODE_* */
    void (*kernel)(void *);
    void *arg;
    at_cu_copy copy;
    at_cu_graph child;
} fake_cuda_node;
void fake_cuda_issue(at_cu_stream stream, const fake_cuda_node *node);
/* What a cudaMalloc while capturing does. */
void fake_cuda_spoil(void);

#endif
