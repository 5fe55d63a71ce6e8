/* harness/cuda_driver.h against the toolkit's cuda.h: names, values, layouts and signatures. Compiling it is the test:
 *     cc -std=c11 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I$(CUDA)/include harness/tests/device_header.c */
#include <cuda.h>
#include "../cuda_driver.h"

#define SAME(ours, theirs) _Static_assert((long long)(ours) == (long long)(theirs), #theirs)
SAME(AT_CU_SUCCESS, CUDA_SUCCESS);
SAME(AT_CU_INVALID_VALUE, CUDA_ERROR_INVALID_VALUE);
SAME(AT_CU_OUT_OF_MEMORY, CUDA_ERROR_OUT_OF_MEMORY);
SAME(AT_CU_NO_DEVICE, CUDA_ERROR_NO_DEVICE);
SAME(AT_CU_ILLEGAL_ADDRESS, CUDA_ERROR_ILLEGAL_ADDRESS);
SAME(AT_CU_CAPTURE_UNSUPPORTED, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
SAME(AT_CU_CAPTURE_INVALIDATED, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
SAME(AT_CU_CAPTURE_WRONG_THREAD, CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
#if CUDA_VERSION >= 12090
SAME(AT_CU_TENSOR_MEMORY_LEAK, CUDA_ERROR_TENSOR_MEMORY_LEAK);
#endif
SAME(AT_CU_MULTIPROCESSORS, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
SAME(AT_CU_MAJOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
SAME(AT_CU_MINOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
SAME(AT_CU_VIRTUAL_MEMORY, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED);
SAME(AT_CU_PINNED, CU_MEM_ALLOCATION_TYPE_PINNED);
SAME(AT_CU_ON_DEVICE, CU_MEM_LOCATION_TYPE_DEVICE);
SAME(AT_CU_READ_WRITE, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
SAME(AT_CU_GRANULARITY_MINIMUM, CU_MEM_ALLOC_GRANULARITY_MINIMUM);
SAME(AT_CU_NON_BLOCKING, CU_STREAM_NON_BLOCKING);
SAME(AT_CU_CAPTURE_GLOBAL, CU_STREAM_CAPTURE_MODE_GLOBAL);
SAME(AT_CU_POINTER_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_MEMORY_TYPE);
SAME(AT_CU_HOST, CU_MEMORYTYPE_HOST);
SAME(AT_CU_DEVICE, CU_MEMORYTYPE_DEVICE);
SAME(AT_CU_ARRAY, CU_MEMORYTYPE_ARRAY);
SAME(AT_CU_UNIFIED, CU_MEMORYTYPE_UNIFIED);
SAME(AT_CU_NODE_KERNEL, CU_GRAPH_NODE_TYPE_KERNEL);
SAME(AT_CU_NODE_MEMCPY, CU_GRAPH_NODE_TYPE_MEMCPY);
SAME(AT_CU_NODE_MEMSET, CU_GRAPH_NODE_TYPE_MEMSET);
SAME(AT_CU_NODE_HOST, CU_GRAPH_NODE_TYPE_HOST);
SAME(AT_CU_NODE_GRAPH, CU_GRAPH_NODE_TYPE_GRAPH);
SAME(AT_CU_NODE_EMPTY, CU_GRAPH_NODE_TYPE_EMPTY);
SAME(AT_CU_NODE_ALLOC, CU_GRAPH_NODE_TYPE_MEM_ALLOC);
SAME(AT_CU_NODE_FREE, CU_GRAPH_NODE_TYPE_MEM_FREE);

#define SAME_SIZE(ours, theirs) SAME(sizeof(ours), sizeof(theirs))
#define SAME_PLACE(ours, a, theirs, b) SAME(offsetof(ours, a), offsetof(theirs, b))
SAME_SIZE(at_cu_result, CUresult);
SAME_SIZE(at_cu_address, CUdeviceptr);
SAME_SIZE(at_cu_uuid, CUuuid);
SAME_SIZE(at_cu_location, CUmemLocation);
SAME_PLACE(at_cu_location, id, CUmemLocation, id);
SAME_SIZE(at_cu_allocation, CUmemAllocationProp);
SAME_PLACE(at_cu_allocation, handle_types, CUmemAllocationProp, requestedHandleTypes);
SAME_PLACE(at_cu_allocation, location, CUmemAllocationProp, location);
SAME_PLACE(at_cu_allocation, windows, CUmemAllocationProp, win32HandleMetaData);
SAME_PLACE(at_cu_allocation, flags, CUmemAllocationProp, allocFlags);
SAME_SIZE(at_cu_access, CUmemAccessDesc);
SAME_PLACE(at_cu_access, access, CUmemAccessDesc, flags);
SAME_SIZE(at_cu_copy, CUDA_MEMCPY3D);
SAME_PLACE(at_cu_copy, source.type, CUDA_MEMCPY3D, srcMemoryType);
SAME_PLACE(at_cu_copy, source.host, CUDA_MEMCPY3D, srcHost);
SAME_PLACE(at_cu_copy, source.device, CUDA_MEMCPY3D, srcDevice);
SAME_PLACE(at_cu_copy, source.array, CUDA_MEMCPY3D, srcArray);
SAME_PLACE(at_cu_copy, source.height, CUDA_MEMCPY3D, srcHeight);
SAME_PLACE(at_cu_copy, target, CUDA_MEMCPY3D, dstXInBytes);
SAME_PLACE(at_cu_copy, target.type, CUDA_MEMCPY3D, dstMemoryType);
SAME_PLACE(at_cu_copy, target.device, CUDA_MEMCPY3D, dstDevice);
SAME_PLACE(at_cu_copy, width, CUDA_MEMCPY3D, WidthInBytes);

/* This one stays at the symbol that a driver of 12.0 has; from 12.8 on cuda.h asks for a _v2 of the same signature. */
#undef cuEventElapsedTime
CUresult cuEventElapsedTime(float *milliseconds, CUevent begin, CUevent end);

/* cuda.h maps a name to the symbol of today, and the argument `name` with it: the symbol is ours, and so is the
 * signature. */
#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
#define CHECK(name, suffix, parameters)                                                                                \
    _Static_assert(sizeof TEXT(name) == sizeof(#name #suffix), #name " is another symbol in cuda.h");                  \
    _Static_assert(_Generic(&name##suffix, at_cu_result(*) parameters : 1, default : 0),                               \
                   #name " has another signature");
AT_CUDA_FUNCTIONS(CHECK)
