/* The CUDA driver API, opened at run time: what device_cuda.c calls, declared here so that no toolkit is needed to
 * build.
 *
 * Names, values and layouts are those of cuda.h; tests/device_header.c holds them against it where the toolkit is. The
 * symbols are those that a driver of CUDA 12.0 has, so cuEventElapsedTime and not its _v2 of 12.8. */
#ifndef AT_CUDA_DRIVER_H
#define AT_CUDA_DRIVER_H

#include "error.h"
#include <stdbool.h>

enum { AT_CUDA_LEAST = 12000 }; /* as cuDriverGetVersion counts: 12.0, which came with driver 525 */

typedef unsigned at_cu_result; /* CUresult; the enumerations of cuda.h are unsigned int in C */
typedef int at_cu_device;
typedef unsigned long long at_cu_address; /* CUdeviceptr */
typedef unsigned long long at_cu_memory;  /* CUmemGenericAllocationHandle */
typedef struct CUctx_st *at_cu_context;
typedef struct CUstream_st *at_cu_stream;
typedef struct CUevent_st *at_cu_event;
typedef struct CUgraph_st *at_cu_graph;
typedef struct CUgraphNode_st *at_cu_node;
typedef struct CUgraphExec_st *at_cu_exec;

enum {
    AT_CU_SUCCESS = 0,
    AT_CU_INVALID_VALUE = 1,
    AT_CU_OUT_OF_MEMORY = 2,
    AT_CU_NO_DEVICE = 100,
    AT_CU_ILLEGAL_ADDRESS = 700,
    AT_CU_TENSOR_MEMORY_LEAK = 721,
    AT_CU_CAPTURE_UNSUPPORTED = 900,
    AT_CU_CAPTURE_INVALIDATED = 901,
    AT_CU_CAPTURE_WRONG_THREAD = 908
};
/* CU_DEVICE_ATTRIBUTE_* */
enum { AT_CU_MULTIPROCESSORS = 16, AT_CU_MAJOR = 75, AT_CU_MINOR = 76, AT_CU_VIRTUAL_MEMORY = 102 };
enum { AT_CU_PINNED = 1, AT_CU_ON_DEVICE = 1, AT_CU_READ_WRITE = 3, AT_CU_GRANULARITY_MINIMUM = 0 };
enum { AT_CU_NON_BLOCKING = 1, AT_CU_CAPTURE_GLOBAL = 0, AT_CU_POINTER_MEMORY_TYPE = 2 };
/* CU_MEMORYTYPE_*, CU_GRAPH_NODE_TYPE_* */
enum { AT_CU_HOST = 1, AT_CU_DEVICE = 2, AT_CU_ARRAY = 3, AT_CU_UNIFIED = 4 };
enum {
    AT_CU_NODE_KERNEL = 0,
    AT_CU_NODE_MEMCPY = 1,
    AT_CU_NODE_MEMSET = 2,
    AT_CU_NODE_HOST = 3,
    AT_CU_NODE_GRAPH = 4,
    AT_CU_NODE_EMPTY = 5,
    AT_CU_NODE_ALLOC = 10,
    AT_CU_NODE_FREE = 11
};

/* CUmemLocation, CUmemAllocationProp, CUmemAccessDesc, CUDA_MEMCPY3D, CUuuid. The table below names them by cuda.h's
 * tags; calls cast. */
typedef struct {
    unsigned type;
    int id;
} at_cu_location;
typedef struct {
    unsigned type, handle_types;
    at_cu_location location;
    void *windows;
    unsigned char flags[8];
} at_cu_allocation;
typedef struct {
    at_cu_location location;
    unsigned access;
} at_cu_access;
typedef struct {
    size_t x, y, z, level;
    unsigned type;
    const void *host;
    at_cu_address device;
    void *array, *reserved;
    size_t pitch, height;
} at_cu_copy_end;
typedef struct {
    at_cu_copy_end source, target;
    size_t width, height, depth;
} at_cu_copy;
typedef struct {
    unsigned char byte[16];
} at_cu_uuid;
struct CUuuid_st;
struct CUmemAllocationProp_st;
struct CUmemAccessDesc_st;
struct CUDA_MEMCPY3D_st;

/* F(name in cuda.h, what the symbol has behind it, parameters) */
/* clang-format off */
#define AT_CUDA_FUNCTIONS(F) \
    F(cuDriverGetVersion, , (int *version)) \
    F(cuInit, , (unsigned flags)) \
    F(cuGetErrorName, , (at_cu_result error, const char **name)) \
    F(cuGetErrorString, , (at_cu_result error, const char **text)) \
    F(cuDeviceGetCount, , (int *count)) \
    F(cuDeviceGet, , (at_cu_device *device, int index)) \
    F(cuDeviceGetName, , (char *name, int bytes, at_cu_device device)) \
    F(cuDeviceGetUuid, _v2, (struct CUuuid_st *out, at_cu_device device)) \
    F(cuDeviceGetAttribute, , (int *value, unsigned attribute, at_cu_device device)) \
    F(cuDeviceTotalMem, _v2, (size_t *bytes, at_cu_device device)) \
    F(cuDevicePrimaryCtxRetain, , (at_cu_context *context, at_cu_device device)) \
    F(cuDevicePrimaryCtxRelease, _v2, (at_cu_device device)) \
    F(cuCtxSetCurrent, , (at_cu_context context)) \
    F(cuMemGetInfo, _v2, (size_t *unused, size_t *total)) \
    F(cuMemGetAllocationGranularity, , (size_t *bytes, const struct CUmemAllocationProp_st *what, unsigned option)) \
    F(cuMemAddressReserve, , \
      (at_cu_address *out, size_t bytes, size_t alignment, at_cu_address wish, unsigned long long flags)) \
    F(cuMemAddressFree, , (at_cu_address address, size_t bytes)) \
    F(cuMemCreate, , \
      (at_cu_memory *out, size_t bytes, const struct CUmemAllocationProp_st *what, unsigned long long flags)) \
    F(cuMemRelease, , (at_cu_memory memory)) \
    F(cuMemMap, , (at_cu_address address, size_t bytes, size_t offset, at_cu_memory memory, unsigned long long flags)) \
    F(cuMemUnmap, , (at_cu_address address, size_t bytes)) \
    F(cuMemSetAccess, , (at_cu_address address, size_t bytes, const struct CUmemAccessDesc_st *access, size_t count)) \
    F(cuMemcpyHtoDAsync, _v2, (at_cu_address target, const void *source, size_t bytes, at_cu_stream stream)) \
    F(cuMemcpyDtoHAsync, _v2, (void *target, at_cu_address source, size_t bytes, at_cu_stream stream)) \
    F(cuMemsetD8Async, , (at_cu_address target, unsigned char byte, size_t bytes, at_cu_stream stream)) \
    F(cuPointerGetAttribute, , (void *out, unsigned attribute, at_cu_address address)) \
    F(cuStreamCreate, , (at_cu_stream *out, unsigned flags)) \
    F(cuStreamDestroy, _v2, (at_cu_stream stream)) \
    F(cuStreamSynchronize, , (at_cu_stream stream)) \
    F(cuStreamBeginCapture, _v2, (at_cu_stream stream, unsigned mode)) \
    F(cuStreamEndCapture, , (at_cu_stream stream, at_cu_graph *out)) \
    F(cuGraphGetNodes, , (at_cu_graph graph, at_cu_node *nodes, size_t *count)) \
    F(cuGraphNodeGetType, , (at_cu_node node, unsigned *type)) \
    F(cuGraphMemcpyNodeGetParams, , (at_cu_node node, struct CUDA_MEMCPY3D_st *out)) \
    F(cuGraphChildGraphNodeGetGraph, , (at_cu_node node, at_cu_graph *out)) \
    F(cuGraphInstantiate, WithFlags, (at_cu_exec *out, at_cu_graph graph, unsigned long long flags)) \
    F(cuGraphLaunch, , (at_cu_exec exec, at_cu_stream stream)) \
    F(cuGraphExecDestroy, , (at_cu_exec exec)) \
    F(cuGraphDestroy, , (at_cu_graph graph)) \
    F(cuEventCreate, , (at_cu_event *out, unsigned flags)) \
    F(cuEventDestroy, _v2, (at_cu_event event)) \
    F(cuEventRecord, , (at_cu_event event, at_cu_stream stream)) \
    F(cuEventSynchronize, , (at_cu_event event)) \
    F(cuEventElapsedTime, , (float *milliseconds, at_cu_event begin, at_cu_event end))
/* clang-format on */

#define AT_CUDA_MEMBER(name, suffix, parameters) at_cu_result(*name) parameters;
typedef struct {
    void *library;
    AT_CUDA_FUNCTIONS(AT_CUDA_MEMBER)
} at_cuda_driver;

/* Opens libcuda.so.1, asks for its version before anything else, and wakes it. AT_UNVALIDATED: no driver, too old,
 * without a symbol, or without a GPU; the sentence says what is needed. */
AT_MUST_USE at_status at_cuda_driver_open(at_cuda_driver *out, at_error *err);
void at_cuda_driver_close(at_cuda_driver *);
/* Another library in its place; NULL: libcuda.so.1. The string must stay. */
void at_cuda_driver_path(const char *path);

/* AT_OK, or the driver's words about `call`: AT_FAILED where the code blames work that a subject issued,
 * AT_INFRASTRUCTURE elsewhere. */
AT_MUST_USE at_status at_cuda_check(const at_cuda_driver *, at_cu_result, const char *call, at_error *err);
/* "580.82.07, CUDA 13.0": the version in the text of /proc/driver/nvidia/version, if it is there, and what the driver
 * gives. */
void at_cuda_driver_words(char *out, size_t bytes, const char *proc, int version);

#endif
