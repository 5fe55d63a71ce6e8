/* CPU execution: mapped arenas between unreadable neighbours, and a stream that runs a launch at once or keeps a copy
 * to run at replay. As in CUDA, arguments are frozen when recorded, what they point to is read at replay, and an error
 * stays. */
#include "device_place.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

enum { ARGS_ALIGNMENT = 64, SHARED_LIMIT = 227 << 10 /* of a block on sm_90 */ };

typedef struct {
    char *reserved; /* NULL, or guard | mapping | guard */
    size_t mapped;  /* without what of the guards is opened */
    at_opened opened;
} arena;

struct at_graph {
    at_cpu_launch *launch; /* [count], each with a name and args of its own */
    size_t count;
};

struct at_device {
    at_cpu_stream stream; /* first: launch() finds the device by it */
    at_cpu_how how;
    at_graph *recording; /* NULL unless capturing */
    char sticky[600];    /* "" while nothing went wrong */
    arena slot[AT_DEVICE_SLOTS];
    at_guards guards;
    char *untouchable;
    struct timespec begun;
};

static size_t page_bytes(void) {
    return (size_t)sysconf(_SC_PAGESIZE);
}

/* Address space that faults when touched, or NULL. */
static char *reserve(size_t bytes) {
    void *p = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

static void arena_drop(arena *a) {
    if (a->reserved != NULL) munmap(a->reserved, a->mapped + 2 * AT_GUARD_BYTES);
    *a = (arena){0};
}

static at_status arena_grow(arena *a, size_t mapped, at_opened opened, at_error *err) {
    arena_drop(a);
    if ((a->reserved = reserve(mapped + 2 * AT_GUARD_BYTES)) == NULL) return at_fail_memory(err, mapped);
    a->mapped = mapped, a->opened = opened;
    if (mprotect(a->reserved + AT_GUARD_BYTES - opened.before, opened.before + mapped + opened.after,
                 PROT_READ | PROT_WRITE) == 0)
        return AT_OK;
    arena_drop(a);
    return at_fail_memory(err, mapped);
}

static void cpu_open_guards(at_device *d, at_guards guards) {
    d->guards = guards;
}

static at_status cpu_place(at_device *d, at_buffer *out, int slot, size_t bytes, size_t alignment, at_edge edge,
                           at_error *err) {
    size_t mapped;
    at_status st = at_place_bytes(&mapped, slot, bytes, alignment, page_bytes(), err);
    if (st != AT_OK) return st;
    arena *a = &d->slot[slot];
    if (a->mapped < mapped && (st = arena_grow(a, mapped, at_opened_of(d->guards, slot, AT_GUARD_BYTES), err)) != AT_OK)
        return st;
    at_place_in(out, a->reserved + AT_GUARD_BYTES, a->mapped, a->opened, bytes, alignment, edge);
    return at_canaries_write(&at_cpu_device, d, out, err);
}

static at_status cpu_upload(at_device *d, const at_buffer *buffer, const void *host, at_error *err) {
    (void)d, (void)err;
    if (buffer->bytes > 0) memcpy(buffer->data, host, buffer->bytes);
    return AT_OK;
}

static at_status cpu_download(at_device *d, void *host, const at_buffer *buffer, at_error *err) {
    (void)d, (void)err;
    if (buffer->bytes > 0) memcpy(host, buffer->data, buffer->bytes);
    return AT_OK;
}

static at_status cpu_fill(at_device *d, const at_buffer *buffer, uint8_t byte, at_error *err) {
    (void)d, (void)err;
    memset(buffer->data, byte, buffer->bytes);
    return AT_OK;
}

static at_status cpu_check_canaries(at_device *d, const at_buffer *buffer, bool *intact, int64_t *where,
                                    at_error *err) {
    return at_canaries_check(&at_cpu_device, d, buffer, intact, where, err);
}

static void *cpu_untouchable(at_device *d) {
    return d->untouchable + AT_UNTOUCHABLE_BYTES / 2;
}

static at_status cpu_wait(at_device *d, at_error *err) {
    return d->sticky[0] ? at_fail(err, AT_FAILED, "%s", d->sticky) : AT_OK;
}

static int spoil(at_device *d, const char *name, const char *what) {
    snprintf(d->sticky, sizeof d->sticky, "kernel %s: %s", name != NULL ? name : "without a name", what);
    return 1;
}

static int run(at_device *d, const at_cpu_launch *launch) {
    const char *wrong = launch->run(launch, &d->how);
    return wrong == NULL ? 0 : spoil(d, launch->name, wrong);
}

/* Copies what the launch points to; its name may live in a subject's buffer too. */
static int record(at_device *d, const at_cpu_launch *launch) {
    at_graph *g = d->recording;
    at_cpu_launch *grown = realloc(g->launch, (g->count + 1) * sizeof *grown);
    if (grown != NULL) g->launch = grown;
    char *name = strdup(launch->name);
    void *args = aligned_alloc(ARGS_ALIGNMENT, at_round_up(launch->args_bytes + 1, ARGS_ALIGNMENT));
    if (grown == NULL || name == NULL || args == NULL) {
        free(name);
        free(args);
        return spoil(d, launch->name, "no memory to record the launch");
    }
    if (launch->args_bytes > 0) memcpy(args, launch->args, launch->args_bytes);
    grown[g->count] = *launch;
    grown[g->count].name = name;
    grown[g->count++].args = args;
    return 0;
}

static int cpu_launch(at_cpu_stream *stream, const at_cpu_launch *launch) {
    at_device *d = (at_device *)stream;
    if (d->sticky[0] != 0) return 1;
    if (launch->name == NULL) return spoil(d, NULL, "a launch needs a name");
    if (launch->run == NULL) return spoil(d, launch->name, "run is NULL");
    if (launch->args == NULL && launch->args_bytes > 0)
        return spoil(d, launch->name, "args is NULL and args_bytes is not 0");
    return d->recording != NULL ? record(d, launch) : run(d, launch);
}

static void cpu_graph_free(at_device *d, at_graph *graph) {
    (void)d;
    if (graph == NULL) return;
    for (size_t i = 0; i < graph->count; i++) {
        free((char *)graph->launch[i].name);
        free((void *)graph->launch[i].args);
    }
    free(graph->launch);
    free(graph);
}

static at_status cpu_capture_begin(at_device *d, at_error *err) {
    at_status st = cpu_wait(d, err);
    if (st != AT_OK) return st;
    if (d->recording != NULL) return at_fail(err, AT_INFRASTRUCTURE, "the stream is being captured already");
    if ((d->recording = calloc(1, sizeof *d->recording)) == NULL) return at_fail_memory(err, sizeof *d->recording);
    d->stream.capturing = 1;
    return AT_OK;
}

static at_status cpu_capture_end(at_device *d, at_graph **out, at_error *err) {
    at_graph *graph = d->recording;
    *out = NULL;
    if (graph == NULL) return at_fail(err, AT_INFRASTRUCTURE, "the stream is not being captured");
    d->recording = NULL;
    d->stream.capturing = 0;
    at_status st = cpu_wait(d, err);
    if (st != AT_OK)
        cpu_graph_free(d, graph);
    else
        *out = graph;
    return st;
}

static at_status cpu_inspect(at_device *d, const at_graph *graph, at_graph_nodes *out, at_error *err) {
    (void)d, (void)err;
    *out = (at_graph_nodes){.kernels = (int)graph->count};
    return AT_OK;
}

static at_status cpu_replay(at_device *d, at_graph *graph, at_error *err) {
    for (size_t i = 0; i < graph->count && d->sticky[0] == 0; i++) run(d, &graph->launch[i]);
    return cpu_wait(d, err);
}

static void *cpu_stream(at_device *d) {
    return &d->stream;
}

static at_status cpu_disturb(at_device *d, at_error *err) {
    (void)d, (void)err;
    return AT_OK;
}

static void cpu_how(at_device *d, const at_cpu_how *how) {
    d->how = *how;
    if (d->how.shared_limit == 0) d->how.shared_limit = SHARED_LIMIT;
}

static at_status cpu_time_begin(at_device *d, at_error *err) {
    clock_gettime(CLOCK_MONOTONIC, &d->begun);
    return cpu_wait(d, err);
}

static at_status cpu_time_end(at_device *d, double *seconds, at_error *err) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    *seconds = (double)(now.tv_sec - d->begun.tv_sec) + 1e-9 * (double)(now.tv_nsec - d->begun.tv_nsec);
    return cpu_wait(d, err);
}

static at_status cpu_free_memory(at_device *d, uint64_t *bytes, at_error *err) {
    (void)d, (void)err;
    *bytes = (uint64_t)sysconf(_SC_AVPHYS_PAGES) * page_bytes();
    return AT_OK;
}

static at_status cpu_held_memory(at_device *d, uint64_t *bytes, at_error *err) {
    const struct mallinfo2 heap = mallinfo2();
    (void)d, (void)err;
    *bytes = heap.uordblks + heap.hblkhd;
    return AT_OK;
}

static void cpu_facts(const at_device *d, at_device_facts *out) {
    struct utsname host;
    (void)d;
    *out = (at_device_facts){.kind = "cpu", .name = "CPU execution", .driver = "none"};
    if (uname(&host) == 0) snprintf(out->arch, sizeof out->arch, "%.15s", host.machine);
    out->memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * page_bytes();
    out->multiprocessors = (int)sysconf(_SC_NPROCESSORS_ONLN);
}

static void cpu_close(at_device *d) {
    if (d == NULL) return;
    for (int i = 0; i < AT_DEVICE_SLOTS; i++) arena_drop(&d->slot[i]);
    if (d->untouchable != NULL) munmap(d->untouchable, AT_UNTOUCHABLE_BYTES);
    cpu_graph_free(d, d->recording);
    free(d);
}

static at_status cpu_open(at_device **out, int index, at_error *err) {
    *out = NULL;
    if (index != 0) return at_fail(err, AT_UNVALIDATED, "device %d: CPU execution has device 0 alone", index);
    at_device *d = calloc(1, sizeof *d);
    if (d == NULL) return at_fail_memory(err, sizeof *d);
    if ((d->untouchable = reserve(AT_UNTOUCHABLE_BYTES)) == NULL) {
        free(d);
        return at_fail_memory(err, AT_UNTOUCHABLE_BYTES);
    }
    d->stream = (at_cpu_stream){.abi = AT_SUBJECT_ABI, .launch = cpu_launch};
    cpu_how(d, &(at_cpu_how){.late = 1});
    *out = d;
    return AT_OK;
}

const at_device_ops at_cpu_device = {.kind = "cpu",
                                     .open = cpu_open,
                                     .close = cpu_close,
                                     .facts = cpu_facts,
                                     .open_guards = cpu_open_guards,
                                     .place = cpu_place,
                                     .upload = cpu_upload,
                                     .download = cpu_download,
                                     .fill = cpu_fill,
                                     .check_canaries = cpu_check_canaries,
                                     .untouchable = cpu_untouchable,
                                     .stream = cpu_stream,
                                     .how = cpu_how,
                                     .capture_begin = cpu_capture_begin,
                                     .capture_end = cpu_capture_end,
                                     .inspect = cpu_inspect,
                                     .replay = cpu_replay,
                                     .graph_free = cpu_graph_free,
                                     .wait = cpu_wait,
                                     .time_begin = cpu_time_begin,
                                     .time_end = cpu_time_end,
                                     .free_memory = cpu_free_memory,
                                     .held_memory = cpu_held_memory,
                                     .disturb = cpu_disturb};
