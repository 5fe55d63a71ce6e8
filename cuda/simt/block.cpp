/* block.cpp: the threads of one block, who may go on, and who waits for whom. Depth first: lanes that leave a warp's
 * meeting go to the front of the queue, so a warp runs as far ahead of the others as the barriers let it. Warps that
 * kept step would hide races. */
#include "runtime.h"

#include <string.h>

namespace simt {

__thread Self *self;
__thread Worker *worker;

static Thread *me() {
    return static_cast<Thread *>(self);
}

static bool same(Site a, Site b) {
    return a.line == b.line && (a.file == b.file || strcmp(a.file, b.file) == 0);
}

/* The queue. */

static void put_first(Worker *w, Thread *t) {
    w->first = (w->first + SIMT_MAX_BLOCK - 1) % SIMT_MAX_BLOCK;
    w->ready[w->first] = t;
    w->waiting++;
}

static void swap(Thread **a, Thread **b) {
    Thread *const was = *a;
    *a = *b;
    *b = was;
}

static void arrange(Order *order, Thread **t, unsigned n) {
    if (order->how == AT_BACKWARD)
        for (unsigned i = 0; i < n / 2; i++) swap(&t[i], &t[n - 1 - i]);
    if (order->how == AT_RANDOM)
        for (unsigned left = n; left > 1; left--) swap(&t[left - 1], &t[order->below(left)]);
}

/* All live threads, none of which is in the queue. */
static void release_block(Worker *w) {
    w->first = w->waiting = 0;
    for (unsigned i = 0; i < w->threads; i++) {
        if (w->thread[i].ended) continue;
        w->thread[i].waits = nullptr;
        w->ready[w->waiting++] = &w->thread[i];
    }
    arrange(&w->order, w->ready, w->waiting);
}

static void release_lanes(Worker *w, Thread *warp, uint32_t mask) {
    Thread *all[ALL_LANES];
    unsigned n = 0;
    for (unsigned i = 0; i < ALL_LANES; i++)
        if (mask >> i & 1) all[n++] = &warp[i];
    arrange(&w->order, all, n);
    while (n-- > 0) {
        all[n]->waits = nullptr;
        put_first(w, all[n]);
    }
}

static Thread *take_first(Worker *w) {
    Thread *const t = w->ready[w->first];
    w->first = (w->first + 1) % SIMT_MAX_BLOCK;
    w->waiting--;
    return t;
}

static void go_home(Worker *w) {
    fiber_switch(me()->fiber, &w->home);
}

/* The caller stops here until somebody puts it into the queue and its turn comes. An empty queue is for home to
 * explain. */
static void let_others_run(Worker *w) {
    Thread *const from = me();
    if (w->waiting == 0) return go_home(w);
    Thread *const to = take_first(w);
    self = to;
    if (to != from) fiber_switch(from->fiber, to->fiber);
}

void stop_block(Fault f) {
    worker->fault = f;
    go_home(worker);
    __builtin_unreachable();
}

/* Barriers. */

static void open_if_complete(Worker *w) {
    Barrier *b = &w->barrier;
    if (b->here == 0 || b->here != w->live || b->mixed) return;
    b->here = 0;
    b->opened++;
    release_block(w);
}

void sync_threads(Site at) {
    Worker *const w = worker;
    Barrier *b = &w->barrier;
    char *const sync = b->sync.at(w->blocks, b->opened);
    if (b->here++ == 0) b->at = at;
    b->mixed = b->mixed || !same(b->at, at);
    me()->waits = "__syncthreads";
    me()->at = at;
    release(sync);
    open_if_complete(w);
    let_others_run(w);
    acquire(sync);
}

void thread_fence() {
    static char sync; /* any two fences order: more than CUDA promises, but a fence left out is still seen */
    release(&sync);
    acquire(&sync);
}

/* Meetings. */

static void say_place(Text *out, const Thread *t, const char *what, Site at) {
    out->add("thread %u (lane %u) at %s (%s:%d): ", t->flat, t->lane, what, at.file, at.line);
}

static void check_mask(const Thread *warp, const Operation &op, uint32_t mask, Site at) {
    const Thread *t = me();
    if (!(mask >> t->lane & 1))
        fault([=, &op](Text *out) {
            say_place(out, t, op.name, at);
            out->add("the mask 0x%08x does not name the lane itself", mask);
        });
    const uint32_t missing = mask & ~warp->present;
    if (missing != 0)
        fault([=, &op](Text *out) {
            say_place(out, t, op.name, at);
            out->add("the mask 0x%08x names lanes that have ended or are not in the block: 0x%08x", mask, missing);
        });
}

static void check_fellows(const Meeting *m, const Operation &op, uint32_t mask, Site at) {
    if (m->here == 0 || (m->op->run == op.run && m->mask == mask && same(m->at, at))) return;
    const Thread *t = me();
    fault([=, &op](Text *out) {
        say_place(out, t, op.name, at);
        out->add("comes with mask 0x%08x, but lanes 0x%08x of its warp wait at %s (%s:%d) with mask 0x%08x", mask,
                 m->here, m->op->name, m->at.file, m->at.line, m->mask);
    });
}

static void run_operation(const Operation &op, Thread *warp, uint32_t mask) {
    void *lane[ALL_LANES];
    for (unsigned i = 0; i < ALL_LANES; i++) lane[i] = mask >> i & 1 ? warp[i].mine : nullptr;
    op.run(lane, mask);
}

void meet(const Operation &op, uint32_t mask, void *mine, Site at) {
    Worker *const w = worker;
    Thread *const t = me(), *const warp = t - t->lane;
    check_mask(warp, op, mask, at);
    Meeting *const m = &warp[__builtin_ctz(mask)].meeting;
    check_fellows(m, op, mask, at);
    char *const sync = m->sync.at(w->blocks, m->held);
    m->op = &op;
    m->at = t->at = at;
    m->mask = mask;
    m->here |= 1u << t->lane;
    t->waits = op.name;
    t->mine = mine;
    if (op.orders_memory) release(sync);
    if (m->here == mask) {
        if (op.run != nullptr) run_operation(op, warp, mask);
        m->here = 0;
        m->held++;
        release_lanes(w, warp, mask);
    }
    let_others_run(w);
    if (op.orders_memory) acquire(sync);
}

void fault_from_outside(unsigned lane, unsigned source) {
    const Thread *const t = me() - me()->lane + lane;
    fault([=](Text *out) {
        say_place(out, t, t->waits, t->at);
        out->add("reads lane %u, which its mask does not name", source);
    });
}

/* A block from its first thread to its last. */

static void end_thread(Worker *w) {
    Thread *const t = me();
    t->ended = true;
    (t - t->lane)->present &= ~(1u << t->lane);
    w->live--;
    open_if_complete(w);
}

static void thread_loop() {
    for (;;) {
        Worker *const w = worker;
        acquire(&w->begun);
        w->body(w->closure);
        release(&w->finished);
        end_thread(w);
        let_others_run(w);
    }
}

/* To the race detector a fiber is a thread of control, and blocks must not be ordered by running one after the other on
 * the same ones: neighbours take turns on two sets. */
static unsigned sets() {
    return seeks_races() ? 2 : 1;
}

bool make_fibers(Worker *w, unsigned threads) {
    for (; w->fibers < threads * sets(); w->fibers++)
        if (!fiber_make(&w->fiber[w->fibers], w->fibers, thread_loop)) return false;
    return true;
}

void drop_fibers(Worker *w) {
    while (w->fibers > 0) fiber_free(&w->fiber[--w->fibers]);
}

/* Field by field: to clear it all costs as much as to run an empty kernel. */
static void set_threads(Worker *w, const at_cpu_launch *l, uint3 block) {
    const dim3 dim(l->block[0], l->block[1], l->block[2]), grid(l->grid[0], l->grid[1], l->grid[2]);
    uint3 place = {0, 0, 0};
    w->threads = w->live = dim.x * dim.y * dim.z;
    for (unsigned i = 0; i < w->threads; i++) {
        Thread *const t = &w->thread[i];
        t->thread_idx = place;
        t->block_idx = block;
        t->block_dim = dim;
        t->grid_dim = grid;
        t->flat = i;
        t->lane = i % ALL_LANES;
        t->fiber = &w->fiber[i * sets() + w->blocks % sets()];
        t->waits = nullptr;
        t->ended = false;
        t->present = 0;
        t->meeting.here = 0;
        w->thread[i - t->lane].present |= 1u << t->lane;
        if (++place.x < dim.x) continue;
        place.x = 0;
        if (++place.y < dim.y) continue;
        place.y = 0;
        place.z++;
    }
}

static void say_waiting(const Worker *w, Text *out) {
    enum { MOST = 6 };
    struct {
        const Thread *first;
        unsigned threads;
    } group[MOST];
    unsigned groups = 0, ended = 0, others = 0;
    for (unsigned i = 0; i < w->threads; i++) {
        const Thread *const t = &w->thread[i];
        ended += t->ended;
        if (t->ended) continue;
        unsigned g = 0;
        while (g < groups && !(group[g].first->waits == t->waits && same(group[g].first->at, t->at))) g++;
        if (g == groups && g < MOST) group[groups++] = {t, 0};
        ++(g < MOST ? group[g].threads : others);
    }
    out->add("no thread can go on;");
    for (unsigned g = 0; g < groups; g++)
        out->add(" %u threads from %u wait at %s (%s:%d);", group[g].threads, group[g].first->flat,
                 group[g].first->waits, group[g].first->at.file, group[g].first->at.line);
    if (others > 0) out->add(" %u wait elsewhere;", others);
    out->add(" %u have ended", ended);
}

/* Fibers that stopped in mid-kernel can't go on with another block. What they did is over all the same. */
static void abandon_fibers(Worker *w) {
    for (unsigned i = 0; seeks_races() && i < w->threads; i++) {
        if (w->thread[i].ended) continue;
        fiber_impersonate(w->thread[i].fiber);
        release(&w->finished);
    }
    fiber_impersonate(&w->home);
    drop_fibers(w);
}

static uint3 place_of(uint64_t index, const at_cpu_launch *l) {
    const uint64_t x = l->grid[0], y = l->grid[1];
    return {static_cast<unsigned>(index % x), static_cast<unsigned>(index / x % y),
            static_cast<unsigned>(index / x / y)};
}

/* false: `said` has what stopped it. */
static bool run_threads(Worker *w) {
    release_block(w);
    self = take_first(w);
    release(&w->begun);
    fiber_switch(&w->home, me()->fiber);
    if (w->fault.describe != nullptr)
        w->fault.describe(w->fault.facts, &w->said);
    else if (w->live > 0)
        say_waiting(w, &w->said);
    else
        return true;
    return false;
}

bool run_block(Worker *w, const at_cpu_launch *l, const at_cpu_how *how, uint64_t index) {
    const uint3 place = place_of(index, l);
    w->said.clear();
    w->said.add("%s block (%u,%u,%u): ", l->name, place.x, place.y, place.z);
    w->order.begin(how, index + 1);
    w->barrier = {};
    w->fault = {};
    set_threads(w, l, place);
    w->shared.begin_block();
    const bool ran = run_threads(w);
    w->blocks++;
    if (!ran) abandon_fibers(w);
    return w->shared.end_block(ran ? &w->said : nullptr) && ran;
}

} // namespace simt
