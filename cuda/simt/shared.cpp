/* shared.cpp: the shared memory of a block: [red][dynamic][red][array][red]... An array gets its place when a thread
 * first comes to its declaration. Every byte is 0xFF when a block begins: NaN in each floating type, -1 in int, so what
 * is read unwritten shows. Red zones are compared when a block ends, and poisoned for the address sanitizer. */
#include "runtime.h"

#include <string.h>
#include <sys/mman.h>

namespace simt {

enum { UNWRITTEN = 0xFF, ALIGN_ARRAY = 16, PAGE = 64 * 1024 }; /* a page: as large as any system's */

static size_t round_up(size_t n, size_t unit) {
    return (n + unit - 1) / unit * unit;
}

/* With an inaccessible page behind it. */
static bool map(SharedMemory *m, size_t bytes) {
    const size_t open = round_up(bytes, PAGE);
    void *p = mmap(nullptr, open + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) return false;
    m->base = static_cast<unsigned char *>(p);
    m->bytes = bytes;
    memset(m->base, UNWRITTEN, bytes);
    return mprotect(m->base + open, PAGE, PROT_NONE) == 0;
}

void SharedMemory::free() {
    if (base == nullptr) return;
    unpoison(base, bytes);
    munmap(base, round_up(bytes, PAGE) + PAGE);
    base = nullptr;
    bytes = 0;
}

bool SharedMemory::begin(const at_cpu_launch *l, const at_cpu_how *how, size_t allowed) {
    dynamic = l->shared;
    fixed_limit = how->shared_limit - dynamic;
    if (fixed_limit > SIMT_SHARED_UNASKED) fixed_limit = SIMT_SHARED_UNASKED;
    if (dynamic > allowed && fixed_limit > SIMT_SHARED_UNASKED - dynamic) fixed_limit = SIMT_SHARED_UNASKED - dynamic;
    const size_t need = 2 * RED + round_up(dynamic, RED) + fixed_limit + ARRAYS * (RED + ALIGN_ARRAY);
    if (need <= bytes) return true;
    free();
    return map(this, round_up(need, RED));
}

/* For the race detector a block's shared memory is new: only a new mapping makes it forget who used the addresses
 * before. */
static void forget_last_block(SharedMemory *m) {
    const size_t bytes = m->bytes;
    m->free();
    if (!map(m, bytes)) __builtin_trap();
}

void SharedMemory::begin_block() {
    if (seeks_races()) forget_last_block(this);
    poison(base, bytes);
    arrays = 0;
    fixed = 0;
    used = RED;
    array[arrays++] = {nullptr, used, dynamic};
    unpoison(base + used, dynamic);
    used += round_up(dynamic, ALIGN_ARRAY) + RED;
}

void *SharedMemory::place(const SharedSite *site, size_t n) {
    for (unsigned i = 1; i < arrays; i++)
        if (array[i].site == site) return base + array[i].start;
    if (arrays > ARRAYS || n > fixed_limit - fixed)
        fault([=](Text *out) {
            out->add("shared array %s (%s:%d, %zu bytes) has no room: %zu of %zu bytes are taken, in %u of %d arrays",
                     site->name, site->at.file, site->at.line, n, fixed, fixed_limit, arrays - 1, ARRAYS);
        });
    const size_t start = used;
    array[arrays++] = {site, start, n};
    unpoison(base + start, n);
    fixed += n;
    used += round_up(n, ALIGN_ARRAY) + RED;
    return base + start;
}

static void say_array(Text *out, const SharedMemory::Array *a) {
    if (a->site == nullptr)
        out->add("the dynamic shared memory (%zu bytes)", a->bytes);
    else
        out->add("shared array %s (%s:%d, %zu bytes)", a->site->name, a->site->at.file, a->site->at.line, a->bytes);
}

/* The first byte in [from, to) that is not as it was, or `to`. */
static size_t first_written(const unsigned char *base, size_t from, size_t to) {
    while (from < to && base[from] == UNWRITTEN) from++;
    return from;
}

bool SharedMemory::end_block(Text *out) {
    unpoison(base, used);
    bool fine = true;
    for (unsigned i = 0; out != nullptr && fine && i <= arrays; i++) {
        const size_t from = i == 0 ? 0 : array[i - 1].start + array[i - 1].bytes,
                     to = i == arrays ? used : array[i].start;
        const size_t bad = first_written(base, from, to);
        if (bad == to) continue;
        fine = false;
        const bool before = i == 0 || (i < arrays && to - bad < bad - from);
        out->add("a thread wrote outside of ");
        say_array(out, &array[before ? i : i - 1]);
        out->add(before ? ", %zu bytes before its start" : ", %zu bytes past its end", before ? to - bad : bad - from);
    }
    if (!seeks_races()) memset(base, UNWRITTEN, used);
    return fine;
}

void *shared_array(const SharedSite *site, size_t bytes) {
    return worker->shared.place(site, bytes);
}
unsigned char *shared_dynamic() {
    return worker->shared.base + SharedMemory::RED;
}

} // namespace simt
