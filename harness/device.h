/* Where a subject's memory, stream and graphs come from: one interface, a CPU and a CUDA behind it. Opened by workers,
 * and by commands that answer in their own process. */
#ifndef AT_DEVICE_H
#define AT_DEVICE_H

#include "error.h"
#include "subject.h"
#include <stdbool.h>

typedef struct at_device at_device;
typedef struct at_graph at_graph;

typedef enum { AT_EDGE_END, AT_EDGE_START } at_edge; /* which side of a buffer touches the unmapped page */

/* A buffer of the subject's: `bytes` at `data`, which is a multiple of the subject's alignment. Canaries stand beside
 * it on both sides, as far as its mapping goes and AT_CANARY_STRETCH at most; both neighbours of the mapping are
 * unmapped. */
typedef struct {
    void *data; /* device address; mapped and not NULL even for 0 bytes */
    size_t bytes;
    void *mapping; /* start of the mapped range around it, and its size */
    size_t mapped;
} at_buffer;
enum { AT_CANARY = 0xA5, AT_CANARY_STRETCH = 4096, AT_DEVICE_SLOTS = 64 };

/* Which of the unmapped ranges beside buffers are to be mapped all the same; bit i is slot i's. A fault that is gone
 * then was in one of them. */
typedef struct {
    uint64_t before, after;
} at_guards;

typedef struct {
    int kernels, memsets, device_copies;         /* allowed                        */
    int host_copies, hosts, allocations, others; /* not allowed in a captured call */
} at_graph_nodes;

typedef struct {
    char kind[16];   /* "cpu" or "cuda" */
    char name[128];  /* "CPU execution", "NVIDIA H200" */
    char arch[16];   /* "sm_90"; "x86_64" */
    char id[48];     /* the card itself, whatever its index: "GPU-8d2c..."; "" on the CPU */
    char driver[64]; /* driver version and the CUDA version it gives; "none" */
    uint64_t memory; /* bytes */
    int multiprocessors;
} at_device_facts;

typedef struct {
    const char *kind;
    /* AT_UNVALIDATED where there is no such device, or its driver is missing or too old: the sentence says which is
     * needed. */
    at_status (*open)(at_device **out, int index, at_error *err);
    void (*close)(at_device *);
    void (*facts)(const at_device *, at_device_facts *out);

    /* Called before any buffer is placed. */
    void (*open_guards)(at_device *, at_guards);
    /* slot: a number below AT_DEVICE_SLOTS that names the buffer's place in the arena. The slot's mapping is kept
     * between calls and grown when needed; what it held is lost. alignment: a power of two, 1 to 256. Canaries are
     * written. Not while capturing. */
    at_status (*place)(at_device *, at_buffer *out, int slot, size_t bytes, size_t alignment, at_edge edge,
                       at_error *err);
    at_status (*upload)(at_device *, const at_buffer *, const void *host, at_error *err);
    at_status (*download)(at_device *, void *host, const at_buffer *, at_error *err);
    at_status (*fill)(at_device *, const at_buffer *, uint8_t byte, at_error *err);
    /* The byte nearest to the buffer that lost its canary, past the end if any is there: *where < 0 before its start,
     * >= bytes past its end, from data; *intact otherwise. */
    at_status (*check_canaries)(at_device *, const at_buffer *, bool *intact, int64_t *where, at_error *err);
    void *(*untouchable)(at_device *); /* an address that faults when a subject touches it */

    void *(*stream)(at_device *);
    /* CPU execution: how the next launches and replays run; shared_limit 0 is that of sm_90. Ignored by CUDA. */
    void (*how)(at_device *, const at_cpu_how *);
    at_status (*capture_begin)(at_device *, at_error *err);
    /* Ends capture even when it was spoiled; *out is NULL then and err says why. */
    at_status (*capture_end)(at_device *, at_graph **out, at_error *err);
    at_status (*inspect)(at_device *, const at_graph *, at_graph_nodes *out, at_error *err);
    at_status (*replay)(at_device *, at_graph *, at_error *err);
    void (*graph_free)(at_device *, at_graph *);
    /* Waits for the stream. AT_FAILED with the device's words where work on it went wrong (the sticky error). */
    at_status (*wait)(at_device *, at_error *err);
    /* Seconds of what ran on the stream between the two calls (CUDA events; a clock on the CPU). Waits. */
    at_status (*time_begin)(at_device *, at_error *err);
    at_status (*time_end)(at_device *, double *seconds, at_error *err);
    at_status (*free_memory)(at_device *, uint64_t *bytes, at_error *err);
    /* Bytes that are taken, the arenas' left out: on a GPU by whoever runs on it, on the CPU from this process's heap.
     * What a subject does not give back shows as growth. */
    at_status (*held_memory)(at_device *, uint64_t *bytes, at_error *err);
    /* Other work beside the stream, about a millisecond of it, waited for by nobody; nothing on the CPU, where fibers
     * have orders instead. */
    at_status (*disturb)(at_device *, at_error *err);
} at_device_ops;

extern const at_device_ops at_cpu_device, at_cuda_device;
/* By the subject's kind. */
const at_device_ops *at_device_for(at_device_kind);

#endif
