/* run.cpp: a launch: what every device would refuse, then block after block. */
#include "runtime.h"

#include <mutex>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

namespace simt {

void Text::add(const char *format, ...) {
    va_list list;
    va_start(list, format);
    const int n = vsnprintf(text + used, sizeof text - used, format, list);
    va_end(list);
    if (n > 0) used = used + static_cast<size_t>(n) < sizeof text ? used + static_cast<size_t>(n) : sizeof text - 1;
}

void Order::begin(const at_cpu_how *asked, uint64_t stream) {
    how = asked->order;
    state = asked->seed + stream * 0x9e3779b97f4a7c15u;
    state = (state ^ state >> 30) * 0xbf58476d1ce4e5b9u; /* splitmix64: near seeds give far states */
    state = (state ^ state >> 27) * 0x94d049bb133111ebu;
    state |= 1;
}

uint64_t Order::below(uint64_t n) {
    state ^= state >> 12; /* xorshift64* */
    state ^= state << 25;
    state ^= state >> 27;
    return state * 0x2545f4914f6cdd1du % n;
}

/* One worker a thread, kept from launch to launch. Behind a pointer: a loaded library has few bytes of fast
 * thread-local memory. */
static Worker *my_worker() {
    struct Owner {
        Worker *w = nullptr;
        ~Owner() {
            if (w == nullptr) return;
            drop_fibers(w);
            w->shared.free();
            free(w);
        }
    };
    static thread_local Owner owner;
    if (owner.w == nullptr) owner.w = static_cast<Worker *>(calloc(1, sizeof(Worker)));
    return worker = owner.w;
}

static const char no_memory[] = "no memory for the fibers or the shared memory of a block";

/* Dynamic shared memory over 48 KB has to be asked for, kernel by kernel. */

static std::mutex asked_lock;
static struct {
    void (*kernel)();
    size_t bytes;
} asked[256];

const char *allow(void (*kernel)(), size_t bytes) {
    if (bytes > SIMT_SHARED_MOST) return "no device has so much shared memory for a block";
    std::lock_guard<std::mutex> hold(asked_lock);
    for (auto &a : asked) {
        if (a.kernel != nullptr && a.kernel != kernel) continue;
        a = {kernel, bytes};
        return nullptr;
    }
    return "more kernels ask for shared memory than there is room to note";
}

size_t allowed(void (*kernel)()) {
    std::lock_guard<std::mutex> hold(asked_lock);
    for (const auto &a : asked)
        if (a.kernel == kernel) return a.bytes;
    return 0;
}

/* What no device takes, whatever the kernel does; false: the text says why. */
static bool check(const at_cpu_launch *l, size_t allowed, Text *out) {
    const struct {
        const char *what;
        uint64_t value, most;
    } limit[] = {{"grid.x", l->grid[0], SIMT_MAX_GRID_X},
                 {"grid.y", l->grid[1], SIMT_MAX_GRID_YZ},
                 {"grid.z", l->grid[2], SIMT_MAX_GRID_YZ},
                 {"block.x", l->block[0], SIMT_MAX_BLOCK},
                 {"block.y", l->block[1], SIMT_MAX_BLOCK},
                 {"block.z", l->block[2], 64},
                 {"block.x*y*z", uint64_t{l->block[0]} * l->block[1] * l->block[2], SIMT_MAX_BLOCK}};
    for (const auto &x : limit) {
        if (x.value >= 1 && x.value <= x.most) continue;
        out->clear();
        out->add("%s: %s is %llu, must be 1 to %llu", l->name, x.what, static_cast<unsigned long long>(x.value),
                 static_cast<unsigned long long>(x.most));
        return false;
    }
    if (l->shared <= SIMT_SHARED_UNASKED || l->shared <= allowed) return true;
    out->clear();
    out->add("%s: %zu bytes of dynamic shared memory: over %d must be asked for, and allow_shared asked for %zu",
             l->name, l->shared, SIMT_SHARED_UNASKED, allowed);
    return false;
}

/* Blocks in turn: all indices once. The random order walks in steps that have no divisor in common with their number.
 */
struct Walk {
    uint64_t at, step, n;
    void next() { at = at < n - step ? at + step : at - (n - step); }
};

static uint64_t common_divisor(uint64_t a, uint64_t b) {
    return b == 0 ? a : common_divisor(b, a % b);
}

static Walk walk(const at_cpu_how *how, uint64_t n) {
    if (how->order == AT_FORWARD || n == 1) return {0, 1, n};
    if (how->order == AT_BACKWARD) return {n - 1, n - 1, n};
    Order order;
    order.begin(how, 0);
    Walk w = {order.below(n), 1 + order.below(n - 1), n};
    while (common_divisor(w.step, n) != 1) w.step = 1 + w.step % (n - 1);
    return w;
}

static bool run_blocks(Worker *w, const at_cpu_launch *l, const at_cpu_how *how) {
    const uint64_t n = uint64_t{l->grid[0]} * l->grid[1] * l->grid[2];
    bool fine = true;
    fiber_adopt(&w->home);
    Walk turn = walk(how, n);
    for (uint64_t i = 0; fine && i < n; i++, turn.next()) fine = run_block(w, l, how, turn.at);
    acquire(&w->finished);
    return fine;
}

static __thread const char *last_said;

const char *run(const at_cpu_launch *l, const at_cpu_how *how, size_t allowed, void (*thread)(const void *closure)) {
    Worker *const w = my_worker();
    if (w == nullptr) return last_said = no_memory;
    last_said = w->said.text;
    if (!check(l, allowed, &w->said)) return last_said;
    if (l->shared > how->shared_limit) {
        w->said.clear();
        w->said.add("%s: %zu bytes of dynamic shared memory, the device has %zu", l->name, l->shared,
                    how->shared_limit);
        return last_said;
    }
    if (!make_fibers(w, l->block[0] * l->block[1] * l->block[2]) || !w->shared.begin(l, how, allowed))
        return last_said = no_memory;
    w->body = thread;
    w->closure = l->args;
    return last_said = run_blocks(w, l, how) ? nullptr : w->said.text;
}

const char *submit(Stream_t stream, const at_cpu_launch *l, size_t allowed) {
    if (stream == nullptr) return "a launch on the CPU needs the stream of its call";
    if (stream->abi != AT_SUBJECT_ABI) return "the stream is of another ABI";
    Worker *const w = my_worker();
    if (w == nullptr) return no_memory;
    if (!check(l, allowed, &w->refused)) return w->refused.text;
    last_said = nullptr;
    if (stream->launch(stream, l) == 0) return nullptr;
    return last_said != nullptr ? last_said : "the stream takes no launch: an earlier one failed";
}

} // namespace simt
