#define _DEFAULT_SOURCE 1
#include "fake_cuda.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define DECLARE(name, suffix, parameters) at_cu_result name##suffix parameters;
AT_CUDA_FUNCTIONS(DECLARE)

fake_cuda_script fake_cuda = {.version = 12000, .devices = FAKE_CUDA_DEVICES, .virtual_memory = 1};

enum { NODES = 16, MAPPINGS = 256 };
struct CUgraph_st {
    fake_cuda_node node[NODES];
    size_t count;
};
struct CUgraphExec_st {
    at_cu_graph graph;
};
struct CUevent_st {
    struct timespec at;
};
static struct {
    uintptr_t start;
    size_t bytes;
} mapping[MAPPINGS];
static size_t created;
static at_cu_graph recording;
static bool spoiled;

static at_cu_result scripted(const char *name) {
    if (fake_cuda.fail == NULL || strcmp(fake_cuda.fail, name) != 0) return AT_CU_SUCCESS;
    return fake_cuda.calls++ < fake_cuda.good ? AT_CU_SUCCESS : fake_cuda.code;
}

/* What a call gives that does nothing else wrong; those that touch the context see its sticky error. */
#define SCRIPT()                                                                                                       \
    do {                                                                                                               \
        at_cu_result scripted_ = scripted(__func__);                                                                   \
        if (scripted_ != AT_CU_SUCCESS) return scripted_;                                                              \
    } while (0)
#define CONTEXT()                                                                                                      \
    do {                                                                                                               \
        SCRIPT();                                                                                                      \
        if (fake_cuda.sticky != AT_CU_SUCCESS) return fake_cuda.sticky;                                                \
    } while (0)

static at_cu_result make(void *out, size_t bytes) {
    void *made = calloc(1, bytes);
    memcpy(out, &made, sizeof made);
    fake_cuda.live++;
    return AT_CU_SUCCESS;
}

static at_cu_result give_back(void *made) {
    free(made);
    fake_cuda.live--;
    return AT_CU_SUCCESS;
}

static void *pointer(at_cu_address address) {
    return (void *)(uintptr_t)address;
}

void fake_cuda_issue(at_cu_stream stream, const fake_cuda_node *node) {
    (void)stream;
    if (recording != NULL)
        recording->node[recording->count++] = *node;
    else if (node->kernel != NULL)
        node->kernel(node->arg);
}

void fake_cuda_spoil(void) {
    spoiled = true;
}

at_cu_result cuDriverGetVersion(int *version) {
    SCRIPT();
    *version = fake_cuda.version;
    return AT_CU_SUCCESS;
}

at_cu_result cuInit(unsigned flags) {
    SCRIPT();
    return flags == 0 ? AT_CU_SUCCESS : AT_CU_INVALID_VALUE;
}

static const struct {
    at_cu_result code;
    const char *name, *text;
} words[] = {{AT_CU_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
             {AT_CU_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
             {AT_CU_NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
             {AT_CU_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
             {AT_CU_CAPTURE_UNSUPPORTED, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED",
              "operation not permitted when stream is capturing"},
             {AT_CU_CAPTURE_INVALIDATED, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED",
              "operation failed due to a previous error during capture"}};

static at_cu_result look_up(at_cu_result code, const char **name, const char **text) {
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (words[i].code != code) continue;
        if (name != NULL) *name = words[i].name;
        if (text != NULL) *text = words[i].text;
        return AT_CU_SUCCESS;
    }
    return AT_CU_INVALID_VALUE;
}

at_cu_result cuGetErrorName(at_cu_result error, const char **name) {
    return look_up(error, name, NULL);
}

at_cu_result cuGetErrorString(at_cu_result error, const char **text) {
    return look_up(error, NULL, text);
}

at_cu_result cuDeviceGetCount(int *count) {
    SCRIPT();
    *count = fake_cuda.devices;
    return AT_CU_SUCCESS;
}

at_cu_result cuDeviceGet(at_cu_device *device, int index) {
    SCRIPT();
    *device = index;
    return index >= 0 && index < fake_cuda.devices ? AT_CU_SUCCESS : AT_CU_INVALID_VALUE;
}

at_cu_result cuDeviceGetName(char *name, int bytes, at_cu_device device) {
    SCRIPT();
    snprintf(name, (size_t)bytes, "Fake GPU %d", device);
    return AT_CU_SUCCESS;
}

at_cu_result cuDeviceGetUuid_v2(struct CUuuid_st *out, at_cu_device device) {
    SCRIPT();
    for (int i = 0; i < 16; i++) ((at_cu_uuid *)out)->byte[i] = (unsigned char)(16 * device + i);
    return AT_CU_SUCCESS;
}

at_cu_result cuDeviceGetAttribute(int *value, unsigned attribute, at_cu_device device) {
    (void)device;
    SCRIPT();
    switch (attribute) {
    case AT_CU_MULTIPROCESSORS: *value = 132; return AT_CU_SUCCESS;
    case AT_CU_MAJOR: *value = 9; return AT_CU_SUCCESS;
    case AT_CU_MINOR: *value = 0; return AT_CU_SUCCESS;
    case AT_CU_VIRTUAL_MEMORY: *value = fake_cuda.virtual_memory; return AT_CU_SUCCESS;
    default: return AT_CU_INVALID_VALUE;
    }
}

at_cu_result cuDeviceTotalMem_v2(size_t *bytes, at_cu_device device) {
    (void)device;
    SCRIPT();
    *bytes = FAKE_CUDA_MEMORY;
    return AT_CU_SUCCESS;
}

at_cu_result cuDevicePrimaryCtxRetain(at_cu_context *context, at_cu_device device) {
    SCRIPT();
    *context = (at_cu_context)(uintptr_t)(device + 1);
    fake_cuda.live++;
    return AT_CU_SUCCESS;
}

at_cu_result cuDevicePrimaryCtxRelease_v2(at_cu_device device) {
    (void)device;
    return give_back(NULL);
}

at_cu_result cuCtxSetCurrent(at_cu_context context) {
    CONTEXT();
    return context != NULL ? AT_CU_SUCCESS : AT_CU_INVALID_VALUE;
}

at_cu_result cuMemGetInfo_v2(size_t *unused, size_t *total) {
    CONTEXT();
    *total = FAKE_CUDA_MEMORY;
    *unused = FAKE_CUDA_MEMORY - created;
    return AT_CU_SUCCESS;
}

static bool plain_memory(const struct CUmemAllocationProp_st *what) {
    const at_cu_allocation *a = (const at_cu_allocation *)what;
    return a->type == AT_CU_PINNED && a->location.type == AT_CU_ON_DEVICE && a->location.id < fake_cuda.devices;
}

at_cu_result cuMemGetAllocationGranularity(size_t *bytes, const struct CUmemAllocationProp_st *what, unsigned option) {
    CONTEXT();
    *bytes = FAKE_CUDA_GRANULE;
    return plain_memory(what) && option == AT_CU_GRANULARITY_MINIMUM ? AT_CU_SUCCESS : AT_CU_INVALID_VALUE;
}

static at_cu_result cover(void *where, size_t bytes, int protection) {
    int fixed = where != NULL ? MAP_FIXED : 0;
    void *p = mmap(where, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | fixed, -1, 0);
    return p == MAP_FAILED ? AT_CU_OUT_OF_MEMORY : AT_CU_SUCCESS;
}

at_cu_result cuMemAddressReserve(at_cu_address *out, size_t bytes, size_t alignment, at_cu_address wish,
                                 unsigned long long flags) {
    CONTEXT();
    if (bytes == 0 || bytes % FAKE_CUDA_GRANULE != 0 || alignment != 0 || wish != 0 || flags != 0)
        return AT_CU_INVALID_VALUE;
    void *p = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) return AT_CU_OUT_OF_MEMORY;
    *out = (uintptr_t)p;
    fake_cuda.live++;
    return AT_CU_SUCCESS;
}

at_cu_result cuMemAddressFree(at_cu_address address, size_t bytes) {
    munmap(pointer(address), bytes);
    return give_back(NULL);
}

/* A handle is its size. */
at_cu_result cuMemCreate(at_cu_memory *out, size_t bytes, const struct CUmemAllocationProp_st *what,
                         unsigned long long flags) {
    CONTEXT();
    if (!plain_memory(what) || flags != 0 || bytes == 0 || bytes % FAKE_CUDA_GRANULE != 0) return AT_CU_INVALID_VALUE;
    if (bytes > FAKE_CUDA_MEMORY - created) return AT_CU_OUT_OF_MEMORY;
    *out = bytes;
    fake_cuda.live++;
    return AT_CU_SUCCESS;
}

at_cu_result cuMemRelease(at_cu_memory memory) {
    (void)memory;
    return give_back(NULL);
}

at_cu_result cuMemMap(at_cu_address address, size_t bytes, size_t offset, at_cu_memory memory,
                      unsigned long long flags) {
    size_t i = 0;
    CONTEXT();
    while (i < MAPPINGS && mapping[i].start != 0) i++;
    if (i == MAPPINGS || memory != bytes || offset != 0 || flags != 0) return AT_CU_INVALID_VALUE;
    mapping[i].start = (uintptr_t)address;
    mapping[i].bytes = bytes;
    created += bytes;
    fake_cuda.live++;
    return AT_CU_SUCCESS;
}

at_cu_result cuMemUnmap(at_cu_address address, size_t bytes) {
    for (size_t i = 0; i < MAPPINGS; i++) {
        if (mapping[i].start != address || mapping[i].bytes != bytes) continue;
        mapping[i].start = 0;
        created -= bytes;
        cover(pointer(address), bytes, PROT_NONE);
        return give_back(NULL);
    }
    return AT_CU_INVALID_VALUE;
}

static bool is_mapped(at_cu_address address, size_t bytes) {
    for (size_t i = 0; i < MAPPINGS; i++) {
        if (mapping[i].start != 0 && address >= mapping[i].start &&
            address + bytes <= mapping[i].start + mapping[i].bytes)
            return true;
    }
    return false;
}

at_cu_result cuMemSetAccess(at_cu_address address, size_t bytes, const struct CUmemAccessDesc_st *access,
                            size_t count) {
    const at_cu_access *a = (const at_cu_access *)access;
    CONTEXT();
    if (count != 1 || a->access != AT_CU_READ_WRITE || a->location.type != AT_CU_ON_DEVICE ||
        !is_mapped(address, bytes)) {
        return AT_CU_INVALID_VALUE;
    }
    return cover(pointer(address), bytes, PROT_READ | PROT_WRITE);
}

/* Asynchronous work that leaves its mapping; a driver would say so at the next wait. */
static at_cu_result check_range(at_cu_address address, size_t bytes, at_cu_stream stream) {
    return stream != NULL && is_mapped(address, bytes) ? AT_CU_SUCCESS : AT_CU_INVALID_VALUE;
}

at_cu_result cuMemcpyHtoDAsync_v2(at_cu_address target, const void *source, size_t bytes, at_cu_stream stream) {
    CONTEXT();
    if (check_range(target, bytes, stream) != AT_CU_SUCCESS) return AT_CU_INVALID_VALUE;
    memcpy(pointer(target), source, bytes);
    return AT_CU_SUCCESS;
}

at_cu_result cuMemcpyDtoHAsync_v2(void *target, at_cu_address source, size_t bytes, at_cu_stream stream) {
    CONTEXT();
    if (check_range(source, bytes, stream) != AT_CU_SUCCESS) return AT_CU_INVALID_VALUE;
    memcpy(target, pointer(source), bytes);
    return AT_CU_SUCCESS;
}

at_cu_result cuMemsetD8Async(at_cu_address target, unsigned char byte, size_t bytes, at_cu_stream stream) {
    CONTEXT();
    if (check_range(target, bytes, stream) != AT_CU_SUCCESS) return AT_CU_INVALID_VALUE;
    memset(pointer(target), byte, bytes);
    return AT_CU_SUCCESS;
}

at_cu_result cuPointerGetAttribute(void *out, unsigned attribute, at_cu_address address) {
    CONTEXT();
    bool pinned = fake_cuda.pinned != NULL && pointer(address) == fake_cuda.pinned;
    if (attribute != AT_CU_POINTER_MEMORY_TYPE || (!pinned && !is_mapped(address, 1))) return AT_CU_INVALID_VALUE;
    *(unsigned *)out = pinned ? AT_CU_HOST : AT_CU_DEVICE;
    return AT_CU_SUCCESS;
}

at_cu_result cuStreamCreate(at_cu_stream *out, unsigned flags) {
    CONTEXT();
    return flags == AT_CU_NON_BLOCKING ? make(out, 1) : AT_CU_INVALID_VALUE;
}

at_cu_result cuStreamDestroy_v2(at_cu_stream stream) {
    return give_back(stream);
}

at_cu_result cuStreamSynchronize(at_cu_stream stream) {
    (void)stream;
    CONTEXT();
    return recording == NULL ? AT_CU_SUCCESS : AT_CU_CAPTURE_UNSUPPORTED;
}

at_cu_result cuStreamBeginCapture_v2(at_cu_stream stream, unsigned mode) {
    (void)stream;
    CONTEXT();
    if (recording != NULL) return AT_CU_CAPTURE_UNSUPPORTED;
    fake_cuda.capture_mode = mode;
    return make(&recording, sizeof *recording);
}

at_cu_result cuStreamEndCapture(at_cu_stream stream, at_cu_graph *out) {
    at_cu_graph graph = recording;
    at_cu_result wrong = scripted(__func__);
    (void)stream;
    recording = NULL;
    *out = NULL;
    if (wrong == AT_CU_SUCCESS) wrong = fake_cuda.sticky;
    if (wrong == AT_CU_SUCCESS && spoiled) wrong = AT_CU_CAPTURE_INVALIDATED;
    spoiled = false;
    if (wrong != AT_CU_SUCCESS)
        give_back(graph);
    else
        *out = graph;
    return wrong;
}

at_cu_result cuGraphGetNodes(at_cu_graph graph, at_cu_node *nodes, size_t *count) {
    SCRIPT();
    *count = graph != NULL ? graph->count : 0;
    for (size_t i = 0; nodes != NULL && i < *count; i++) nodes[i] = (at_cu_node)&graph->node[i];
    return AT_CU_SUCCESS;
}

at_cu_result cuGraphNodeGetType(at_cu_node node, unsigned *type) {
    SCRIPT();
    *type = ((fake_cuda_node *)node)->type;
    return AT_CU_SUCCESS;
}

at_cu_result cuGraphMemcpyNodeGetParams(at_cu_node node, struct CUDA_MEMCPY3D_st *out) {
    SCRIPT();
    memcpy(out, &((fake_cuda_node *)node)->copy, sizeof(at_cu_copy));
    return AT_CU_SUCCESS;
}

at_cu_result cuGraphChildGraphNodeGetGraph(at_cu_node node, at_cu_graph *out) {
    SCRIPT();
    *out = ((fake_cuda_node *)node)->child;
    return AT_CU_SUCCESS;
}

at_cu_result cuGraphInstantiateWithFlags(at_cu_exec *out, at_cu_graph graph, unsigned long long flags) {
    CONTEXT();
    if (flags != 0) return AT_CU_INVALID_VALUE;
    make(out, sizeof **out);
    (*out)->graph = graph;
    return AT_CU_SUCCESS;
}

at_cu_result cuGraphLaunch(at_cu_exec exec, at_cu_stream stream) {
    CONTEXT();
    for (size_t i = 0; i < exec->graph->count; i++) fake_cuda_issue(stream, &exec->graph->node[i]);
    return AT_CU_SUCCESS;
}

at_cu_result cuGraphExecDestroy(at_cu_exec exec) {
    return give_back(exec);
}

at_cu_result cuGraphDestroy(at_cu_graph graph) {
    return give_back(graph);
}

at_cu_result cuEventCreate(at_cu_event *out, unsigned flags) {
    CONTEXT();
    return flags == 0 ? make(out, sizeof **out) : AT_CU_INVALID_VALUE;
}

at_cu_result cuEventDestroy_v2(at_cu_event event) {
    return give_back(event);
}

at_cu_result cuEventRecord(at_cu_event event, at_cu_stream stream) {
    (void)stream;
    CONTEXT();
    clock_gettime(CLOCK_MONOTONIC, &event->at);
    return AT_CU_SUCCESS;
}

at_cu_result cuEventSynchronize(at_cu_event event) {
    (void)event;
    CONTEXT();
    return AT_CU_SUCCESS;
}

at_cu_result cuEventElapsedTime(float *milliseconds, at_cu_event begin, at_cu_event end) {
    CONTEXT();
    *milliseconds =
        (float)(end->at.tv_sec - begin->at.tv_sec) * 1e3f + (float)(end->at.tv_nsec - begin->at.tv_nsec) * 1e-6f;
    return AT_CU_SUCCESS;
}
