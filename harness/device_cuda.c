/* A CUDA device through the driver API: its primary context, one non-blocking stream, and arenas of virtual memory in
 * which the ranges beside each mapping are reserved and never mapped, so that one byte too far faults. No managed
 * memory. */
#include "cuda_driver.h"
#include "device_place.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct {
    at_cu_address reserved; /* 0, or guard | mapping | guard */
    size_t reserved_bytes;
    size_t mapped; /* without what of the guards is opened; 0 while there is no mapping */
    at_opened opened;
} arena;

struct at_graph {
    at_cu_graph graph;
    at_cu_exec exec;
};

struct at_device {
    at_cuda_driver cu;
    at_cu_device device;
    at_cu_context context;
    at_cu_stream stream;
    at_cu_stream other; /* of the disturbance, and what it writes: made when first asked for */
    at_buffer busy;
    at_cu_event begin, end;
    size_t granule, guard; /* bytes */
    arena slot[AT_DEVICE_SLOTS];
    at_guards guards;
    at_cu_address untouchable;
};

/* One driver call as a status, with its name in the sentence. */
#define CU(d, err, name, ...) at_cuda_check(&(d)->cu, (d)->cu.name(__VA_ARGS__), #name, err)

static at_cu_address address_of(const at_buffer *buffer) {
    return (at_cu_address)(uintptr_t)buffer->data;
}

static at_cu_allocation device_memory(const at_device *d) {
    return (at_cu_allocation){.type = AT_CU_PINNED, .location = {.type = AT_CU_ON_DEVICE, .id = d->device}};
}

static at_status cuda_wait(at_device *d, at_error *err) {
    return CU(d, err, cuStreamSynchronize, d->stream);
}

/* Where the mapping starts, and its size: the opened part of either guard with it. */
static at_cu_address mapping_of(const at_device *d, const arena *a) {
    return a->reserved + d->guard - a->opened.before;
}

static size_t mapping_bytes(const arena *a) {
    return a->opened.before + a->mapped + a->opened.after;
}

/* Here and where things are closed, an error has nobody to be told to. */
static void arena_drop(at_device *d, arena *a) {
    if (a->mapped > 0) d->cu.cuMemUnmap(mapping_of(d, a), mapping_bytes(a));
    if (a->reserved != 0) d->cu.cuMemAddressFree(a->reserved, a->reserved_bytes);
    *a = (arena){0};
}

/* The mapping keeps the memory; its handle is given back at once. */
static at_status arena_map(at_device *d, arena *a, size_t mapped, at_error *err) {
    at_cu_allocation what = device_memory(d);
    at_cu_access access = {.location = what.location, .access = AT_CU_READ_WRITE};
    at_cu_memory memory = 0;
    size_t bytes = a->opened.before + mapped + a->opened.after;
    at_cu_result result = d->cu.cuMemCreate(&memory, bytes, (const struct CUmemAllocationProp_st *)&what, 0);
    if (result == AT_CU_OUT_OF_MEMORY) {
        return at_fail(err, AT_INFRASTRUCTURE,
                       "the device has no %zu bytes left: run fewer workers on it, or smaller cases", bytes);
    }
    at_status st = at_cuda_check(&d->cu, result, "cuMemCreate", err);
    if (st != AT_OK) return st;
    at_cu_address mapping = mapping_of(d, a);
    if ((st = CU(d, err, cuMemMap, mapping, bytes, 0, memory, 0)) == AT_OK) a->mapped = mapped;
    d->cu.cuMemRelease(memory);
    if (st == AT_OK) st = CU(d, err, cuMemSetAccess, mapping, bytes, (const struct CUmemAccessDesc_st *)&access, 1);
    return st;
}

static at_status arena_grow(at_device *d, arena *a, size_t mapped, at_opened opened, at_error *err) {
    at_status st = cuda_wait(d, err); /* the old mapping may still be in use */
    if (st != AT_OK) return st;
    arena_drop(d, a);
    size_t whole = mapped + 2 * d->guard;
    if ((st = CU(d, err, cuMemAddressReserve, &a->reserved, whole, 0, 0, 0)) != AT_OK) return st;
    a->reserved_bytes = whole, a->opened = opened;
    if ((st = arena_map(d, a, mapped, err)) != AT_OK) arena_drop(d, a);
    return st;
}

static void cuda_open_guards(at_device *d, at_guards guards) {
    d->guards = guards;
}

static at_status cuda_place(at_device *d, at_buffer *out, int slot, size_t bytes, size_t alignment, at_edge edge,
                            at_error *err) {
    size_t mapped;
    at_status st = at_place_bytes(&mapped, slot, bytes, alignment, d->granule, err);
    if (st != AT_OK) return st;
    arena *a = &d->slot[slot];
    if (a->mapped < mapped && (st = arena_grow(d, a, mapped, at_opened_of(d->guards, slot, d->guard), err)) != AT_OK)
        return st;
    at_place_in(out, (void *)(uintptr_t)(a->reserved + d->guard), a->mapped, a->opened, bytes, alignment, edge);
    return at_canaries_write(&at_cuda_device, d, out, err);
}

/* Waits: the host's bytes may change as soon as this returns. */
static at_status cuda_upload(at_device *d, const at_buffer *buffer, const void *host, at_error *err) {
    if (buffer->bytes == 0) return AT_OK;
    at_status st = CU(d, err, cuMemcpyHtoDAsync, address_of(buffer), host, buffer->bytes, d->stream);
    return st == AT_OK ? cuda_wait(d, err) : st;
}

static at_status cuda_download(at_device *d, void *host, const at_buffer *buffer, at_error *err) {
    if (buffer->bytes == 0) return AT_OK;
    at_status st = CU(d, err, cuMemcpyDtoHAsync, host, address_of(buffer), buffer->bytes, d->stream);
    return st == AT_OK ? cuda_wait(d, err) : st;
}

static at_status cuda_fill(at_device *d, const at_buffer *buffer, uint8_t byte, at_error *err) {
    return buffer->bytes == 0 ? AT_OK : CU(d, err, cuMemsetD8Async, address_of(buffer), byte, buffer->bytes, d->stream);
}

static at_status cuda_check_canaries(at_device *d, const at_buffer *buffer, bool *intact, int64_t *where,
                                     at_error *err) {
    return at_canaries_check(&at_cuda_device, d, buffer, intact, where, err);
}

static void *cuda_untouchable(at_device *d) {
    return (void *)(uintptr_t)(d->untouchable + AT_UNTOUCHABLE_BYTES / 2);
}

static void *cuda_stream(at_device *d) {
    return d->stream;
}

static void cuda_how(at_device *d, const at_cpu_how *how) {
    (void)d, (void)how;
}

static at_status cuda_capture_begin(at_device *d, at_error *err) {
    return CU(d, err, cuStreamBeginCapture, d->stream, AT_CU_CAPTURE_GLOBAL);
}

static void cuda_graph_free(at_device *d, at_graph *graph) {
    if (graph == NULL) return;
    if (graph->exec != NULL) d->cu.cuGraphExecDestroy(graph->exec);
    if (graph->graph != NULL) d->cu.cuGraphDestroy(graph->graph);
    free(graph);
}

static at_status cuda_capture_end(at_device *d, at_graph **out, at_error *err) {
    at_cu_graph captured = NULL;
    *out = NULL;
    at_status st = CU(d, err, cuStreamEndCapture, d->stream, &captured);
    if (st != AT_OK) return st;
    at_graph *graph = calloc(1, sizeof *graph);
    if (graph == NULL) {
        d->cu.cuGraphDestroy(captured);
        return at_fail_memory(err, sizeof *graph);
    }
    graph->graph = captured;
    if ((st = CU(d, err, cuGraphInstantiate, &graph->exec, captured, 0)) != AT_OK)
        cuda_graph_free(d, graph);
    else
        *out = graph;
    return st;
}

/* A unified address says where its memory is; the driver knows none of plain host memory. */
static at_status on_device(at_device *d, const at_cu_copy_end *end, bool *yes, at_error *err) {
    unsigned type = end->type;
    if (type == AT_CU_UNIFIED) {
        at_cu_result result = d->cu.cuPointerGetAttribute(&type, AT_CU_POINTER_MEMORY_TYPE, end->device);
        if (result == AT_CU_INVALID_VALUE)
            type = AT_CU_HOST;
        else if (result != AT_CU_SUCCESS)
            return at_cuda_check(&d->cu, result, "cuPointerGetAttribute", err);
    }
    *yes = type == AT_CU_DEVICE || type == AT_CU_ARRAY;
    return AT_OK;
}

static at_status count_copy(at_device *d, at_cu_node node, at_graph_nodes *out, at_error *err) {
    at_cu_copy copy = {0};
    bool from = false, to = false;
    at_status st = CU(d, err, cuGraphMemcpyNodeGetParams, node, (struct CUDA_MEMCPY3D_st *)&copy);
    if (st == AT_OK) st = on_device(d, &copy.source, &from, err);
    if (st == AT_OK) st = on_device(d, &copy.target, &to, err);
    if (st == AT_OK) *(from && to ? &out->device_copies : &out->host_copies) += 1;
    return st;
}

static at_status count_graph(at_device *d, at_cu_graph graph, at_graph_nodes *out, at_error *err);

static at_status count_child(at_device *d, at_cu_node node, at_graph_nodes *out, at_error *err) {
    at_cu_graph child = NULL;
    at_status st = CU(d, err, cuGraphChildGraphNodeGetGraph, node, &child);
    return st == AT_OK ? count_graph(d, child, out, err) : st;
}

static at_status count_node(at_device *d, at_cu_node node, at_graph_nodes *out, at_error *err) {
    unsigned type;
    at_status st = CU(d, err, cuGraphNodeGetType, node, &type);
    if (st != AT_OK) return st;
    switch (type) {
    case AT_CU_NODE_KERNEL: out->kernels++; break;
    case AT_CU_NODE_MEMSET: out->memsets++; break;
    case AT_CU_NODE_HOST: out->hosts++; break;
    case AT_CU_NODE_ALLOC:
    case AT_CU_NODE_FREE: out->allocations++; break;
    case AT_CU_NODE_EMPTY: break; /* orders others, does nothing */
    case AT_CU_NODE_MEMCPY: return count_copy(d, node, out, err);
    case AT_CU_NODE_GRAPH: return count_child(d, node, out, err);
    default: out->others++;
    }
    return AT_OK;
}

static at_status count_graph(at_device *d, at_cu_graph graph, at_graph_nodes *out, at_error *err) {
    size_t count = 0;
    at_status st = CU(d, err, cuGraphGetNodes, graph, NULL, &count);
    if (st != AT_OK || count == 0) return st;
    at_cu_node *node = calloc(count, sizeof *node);
    if (node == NULL) return at_fail_memory(err, count * sizeof *node);
    st = CU(d, err, cuGraphGetNodes, graph, node, &count);
    for (size_t i = 0; i < count && st == AT_OK; i++) st = count_node(d, node[i], out, err);
    free(node);
    return st;
}

static at_status cuda_inspect(at_device *d, const at_graph *graph, at_graph_nodes *out, at_error *err) {
    *out = (at_graph_nodes){0};
    return count_graph(d, graph->graph, out, err);
}

static at_status cuda_replay(at_device *d, at_graph *graph, at_error *err) {
    return CU(d, err, cuGraphLaunch, graph->exec, d->stream);
}

static at_status cuda_time_begin(at_device *d, at_error *err) {
    return CU(d, err, cuEventRecord, d->begin, d->stream);
}

static at_status cuda_time_end(at_device *d, double *seconds, at_error *err) {
    float milliseconds = 0;
    at_status st = CU(d, err, cuEventRecord, d->end, d->stream);
    if (st == AT_OK) st = CU(d, err, cuEventSynchronize, d->end);
    if (st == AT_OK) st = CU(d, err, cuEventElapsedTime, &milliseconds, d->begin, d->end);
    *seconds = 1e-3 * (double)milliseconds;
    return st;
}

static at_status cuda_free_memory(at_device *d, uint64_t *bytes, at_error *err) {
    size_t left = 0, total = 0;
    at_status st = CU(d, err, cuMemGetInfo, &left, &total);
    *bytes = left;
    return st;
}

static at_status cuda_held_memory(at_device *d, uint64_t *bytes, at_error *err) {
    size_t left = 0, total = 0;
    at_status st = CU(d, err, cuMemGetInfo, &left, &total);
    *bytes = total - left;
    for (int i = 0; i < AT_DEVICE_SLOTS; i++) *bytes -= *bytes < d->slot[i].mapped ? *bytes : d->slot[i].mapped;
    return st;
}

static at_status cuda_disturb(at_device *d, at_error *err) {
    enum { SLOT = AT_DEVICE_SLOTS - 1, TIMES = 32 };
    static const size_t bytes = (size_t)64 << 20; /* more than the caches hold, some 30 us at 2 TB/s */
    at_status st = AT_OK;
    if (d->other == NULL) {
        st = cuda_place(d, &d->busy, SLOT, bytes, 256, AT_EDGE_END, err);
        if (st == AT_OK) st = cuda_wait(d, err);
        if (st == AT_OK) st = CU(d, err, cuStreamCreate, &d->other, AT_CU_NON_BLOCKING);
    }
    for (int i = 0; i < TIMES && st == AT_OK; i++) {
        st = CU(d, err, cuMemsetD8Async, address_of(&d->busy), (unsigned char)i, bytes, d->other);
    }
    return st;
}

/* What the kernel module says of itself; "" where it is not to be read (some containers). */
static void read_module(char *out, size_t bytes) {
    FILE *file = fopen("/proc/driver/nvidia/version", "r");
    out[0] = 0;
    if (file == NULL) return;
    if (fgets(out, (int)bytes, file) == NULL) out[0] = 0;
    fclose(file);
}

/* As nvidia-smi writes it, for a card and for a part of one. */
static void read_id(char *out, size_t bytes, const at_device *d) {
    at_cu_uuid uuid;
    size_t used = (size_t)snprintf(out, bytes, "GPU");
    out[0] = 0;
    if (d->cu.cuDeviceGetUuid((struct CUuuid_st *)&uuid, d->device) != AT_CU_SUCCESS) return;
    out[0] = 'G';
    for (int i = 0; i < 16; i++) {
        bool dash = i == 0 || i == 4 || i == 6 || i == 8 || i == 10;
        used += (size_t)snprintf(out + used, bytes - used, "%s%02x", dash ? "-" : "", uuid.byte[i]);
    }
}

/* A question that fails leaves its answer empty. */
static void cuda_facts(const at_device *d, at_device_facts *out) {
    const at_cuda_driver *cu = &d->cu;
    char module[256];
    int major = 0, minor = 0, version = 0;
    size_t memory = 0;
    *out = (at_device_facts){.kind = "cuda"};
    cu->cuDeviceGetName(out->name, sizeof out->name, d->device);
    cu->cuDeviceGetAttribute(&major, AT_CU_MAJOR, d->device);
    cu->cuDeviceGetAttribute(&minor, AT_CU_MINOR, d->device);
    cu->cuDeviceGetAttribute(&out->multiprocessors, AT_CU_MULTIPROCESSORS, d->device);
    cu->cuDeviceTotalMem(&memory, d->device);
    cu->cuDriverGetVersion(&version);
    out->memory = memory;
    snprintf(out->arch, sizeof out->arch, "sm_%d%d", major, minor);
    read_id(out->id, sizeof out->id, d);
    read_module(module, sizeof module);
    at_cuda_driver_words(out->driver, sizeof out->driver, module, version);
}

static at_status count_devices(at_device *d, int *out, at_error *err) {
    at_status st = CU(d, err, cuDeviceGetCount, out);
    if (st == AT_OK && *out == 0) return at_fail(err, AT_UNVALIDATED, "the NVIDIA driver is here and shows no GPU");
    return st;
}

static at_status choose(at_device *d, int index, at_error *err) {
    int count = 0, has = 0;
    at_status st = count_devices(d, &count, err);
    if (st != AT_OK) return st;
    if (index < 0 || index >= count) {
        return at_fail(err, AT_UNVALIDATED,
                       "device %d: the NVIDIA driver shows %d, counted from 0 (CUDA_VISIBLE_DEVICES hides some)", index,
                       count);
    }
    if ((st = CU(d, err, cuDeviceGet, &d->device, index)) != AT_OK) return st;
    if ((st = CU(d, err, cuDeviceGetAttribute, &has, AT_CU_VIRTUAL_MEMORY, d->device)) != AT_OK) return st;
    return has ? AT_OK
               : at_fail(err, AT_UNVALIDATED, "device %d has no virtual memory management; guarded buffers need it",
                         index);
}

static at_status prepare(at_device *d, at_error *err) {
    at_cu_allocation what = device_memory(d);
    at_status st;
    if ((st = CU(d, err, cuDevicePrimaryCtxRetain, &d->context, d->device)) != AT_OK) return st;
    if ((st = CU(d, err, cuCtxSetCurrent, d->context)) != AT_OK) return st;
    if ((st = CU(d, err, cuStreamCreate, &d->stream, AT_CU_NON_BLOCKING)) != AT_OK) return st;
    if ((st = CU(d, err, cuEventCreate, &d->begin, 0)) != AT_OK) return st;
    if ((st = CU(d, err, cuEventCreate, &d->end, 0)) != AT_OK) return st;
    st = CU(d, err, cuMemGetAllocationGranularity, &d->granule, (const struct CUmemAllocationProp_st *)&what,
            AT_CU_GRANULARITY_MINIMUM);
    if (st != AT_OK) return st;
    d->guard = at_round_up(AT_GUARD_BYTES, d->granule);
    return CU(d, err, cuMemAddressReserve, &d->untouchable, AT_UNTOUCHABLE_BYTES, 0, 0, 0);
}

static void cuda_close(at_device *d) {
    if (d == NULL) return;
    if (d->stream != NULL) d->cu.cuStreamSynchronize(d->stream);
    if (d->other != NULL) d->cu.cuStreamSynchronize(d->other);
    for (int i = 0; i < AT_DEVICE_SLOTS; i++) arena_drop(d, &d->slot[i]);
    if (d->untouchable != 0) d->cu.cuMemAddressFree(d->untouchable, AT_UNTOUCHABLE_BYTES);
    if (d->begin != NULL) d->cu.cuEventDestroy(d->begin);
    if (d->end != NULL) d->cu.cuEventDestroy(d->end);
    if (d->stream != NULL) d->cu.cuStreamDestroy(d->stream);
    if (d->other != NULL) d->cu.cuStreamDestroy(d->other);
    if (d->context != NULL) d->cu.cuDevicePrimaryCtxRelease(d->device);
    at_cuda_driver_close(&d->cu);
    free(d);
}

static at_status cuda_open(at_device **out, int index, at_error *err) {
    *out = NULL;
    at_device *d = calloc(1, sizeof *d);
    if (d == NULL) return at_fail_memory(err, sizeof *d);
    at_status st = at_cuda_driver_open(&d->cu, err);
    if (st == AT_OK) st = choose(d, index, err);
    if (st == AT_OK) st = prepare(d, err);
    if (st != AT_OK)
        cuda_close(d);
    else
        *out = d;
    return st;
}

const at_device_ops at_cuda_device = {.kind = "cuda",
                                      .open = cuda_open,
                                      .close = cuda_close,
                                      .facts = cuda_facts,
                                      .open_guards = cuda_open_guards,
                                      .place = cuda_place,
                                      .upload = cuda_upload,
                                      .download = cuda_download,
                                      .fill = cuda_fill,
                                      .check_canaries = cuda_check_canaries,
                                      .untouchable = cuda_untouchable,
                                      .stream = cuda_stream,
                                      .how = cuda_how,
                                      .capture_begin = cuda_capture_begin,
                                      .capture_end = cuda_capture_end,
                                      .inspect = cuda_inspect,
                                      .replay = cuda_replay,
                                      .graph_free = cuda_graph_free,
                                      .wait = cuda_wait,
                                      .time_begin = cuda_time_begin,
                                      .time_end = cuda_time_end,
                                      .free_memory = cuda_free_memory,
                                      .held_memory = cuda_held_memory,
                                      .disturb = cuda_disturb};
