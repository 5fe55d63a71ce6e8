/* runtime.h: what the parts of the runtime share. A worker is one OS thread's fibers, shared memory and the block that
 * they run; workers share nothing, so a launch can be spread over several. */
#ifndef SIMT_RUNTIME_H
#define SIMT_RUNTIME_H

#include "fiber.h"
#include "sanitize.h"
#include "simt.h"

namespace simt {

/* A growing sentence; what does not fit is cut. */
struct Text {
    char text[900];
    size_t used;
    void clear() { text[used = 0] = '\0'; }
    void add(const char *format, ...) __attribute__((format(printf, 2, 3)));
};

/* The order of things that are free to go on: as they come, last first, or shuffled. */
struct Order {
    at_order how;
    uint64_t state;
    void begin(const at_cpu_how *, uint64_t stream); /* each stream of a seed is a sequence of its own */
    uint64_t below(uint64_t n);                      /* 0 .. n-1, n > 0 */
};

struct Thread;

/* Objects of the race detector for one place where threads wait. Four, for two parities: of the wait, since with one
 * object a thread that wakes late would learn what others bring to the next wait; and of the block, since blocks are
 * not ordered by it. */
struct Sync {
    char of[4];
    char *at(uint64_t block, unsigned wait) { return &of[block % 2 * 2 + wait % 2]; }
};

/* The lanes of one mask, kept by the thread that is the mask's lowest lane: masks of one warp that share no lane never
 * mix. */
struct Meeting {
    const Operation *op;
    Site at;
    uint32_t mask, here; /* here == 0: nobody waits */
    unsigned held;       /* so far */
    Sync sync;
};

struct Barrier {
    Site at; /* of the first to come */
    unsigned here;
    bool mixed;      /* others came from another line: it never opens */
    unsigned opened; /* so far */
    Sync sync;
};

struct Thread : Self {
    Fiber *fiber;
    const char *waits; /* for what; NULL: for nothing */
    Site at;           /* where it waits */
    bool ended;
    uint32_t present; /* of a warp's first thread: its lanes that are in the block and have not ended */
    void *mine;       /* what it brought to a meeting */
    Meeting meeting;
};

struct SharedMemory {
    enum { RED = 128, ARRAYS = 32 };
    struct Array {
        const SharedSite *site; /* NULL: the dynamic part */
        size_t start, bytes;
    };
    unsigned char *base;
    size_t bytes, used; /* there is; up to the end of the last red zone */
    Array array[ARRAYS + 1];
    unsigned arrays;
    size_t dynamic, fixed, fixed_limit; /* bytes: asked for at launch; declared so far; most that may be declared */

    bool begin(const at_cpu_launch *, const at_cpu_how *, size_t allowed); /* of a launch; false: no memory */
    void begin_block();
    bool end_block(Text *); /* false: something was written outside the arrays; the text says where */
    void *place(const SharedSite *, size_t n);
    void free();
};

/* What stopped a block. The words are found on the worker's own stack: printf wants more of one than a fiber has to
 * lend. */
struct Fault {
    void (*describe)(const void *facts, Text *);
    const void *facts; /* on the stack of the fiber that stopped, which is not used again before they are read */
};

struct Worker {
    Fiber home, fiber[2 * SIMT_MAX_BLOCK];
    unsigned fibers; /* made so far */
    Thread thread[SIMT_MAX_BLOCK];
    unsigned threads, live;        /* of the block: all, not ended */
    Thread *ready[SIMT_MAX_BLOCK]; /* a ring: the next is ready[first] */
    unsigned first, waiting;
    Barrier barrier;
    Order order;
    SharedMemory shared;
    Fault fault;
    void (*body)(const void *closure);
    const void *closure;
    uint64_t blocks;      /* run so far by this worker */
    char begun, finished; /* for race detection */
    Text said;            /* by the last run */
    Text refused;         /* to the last launch that no stream got to see */
};

extern __thread Worker *worker __attribute__((tls_model("initial-exec")));

bool make_fibers(Worker *, unsigned threads); /* enough for blocks of so many; false: no memory */
void drop_fibers(Worker *);

/* Runs one block of the launch that the worker was set up for; false: `said` has what went wrong. */
bool run_block(Worker *, const at_cpu_launch *, const at_cpu_how *, uint64_t index);

[[noreturn]] void stop_block(Fault);

/* For a running fiber: leaves the block with the words that `words(Text *)` will find. */
template <class Words> [[noreturn]] void fault(const Words &words) {
    stop_block({[](const void *facts, Text *out) { (*static_cast<const Words *>(facts))(out); }, &words});
}

} // namespace simt

#endif
