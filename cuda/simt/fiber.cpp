/* fiber.cpp: stacks with a guard page, and the one function that changes from one to another. */
#include "fiber.h"
#include "sanitize.h"

#include <boost/context/detail/fcontext.hpp>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#else
#define VALGRIND_STACK_REGISTER(start, end) 0u
#define VALGRIND_STACK_DEREGISTER(id) (void)(id)
#endif

using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

namespace simt {

enum { STACK = 64 * 1024, STAGGER = 192, STAGGER_SPAN = 4096, NO_SYNC = 1 };

static size_t guard_bytes() {
    return static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

struct Passage {
    Fiber *from, *to;
};

/* First thing on the new stack. The old one's bounds are learnt here because a thread's own stack has no other way to
 * say them. */
static void arrive(transfer_t came) {
    const Passage *p = static_cast<const Passage *>(came.data);
    p->from->at = came.fctx;
    if (__sanitizer_finish_switch_fiber) __sanitizer_finish_switch_fiber(p->to->fake, &p->from->bottom, &p->from->size);
}

static void enter(transfer_t came) {
    void (*loop)() = static_cast<const Passage *>(came.data)->to->loop;
    arrive(came);
    loop();
    __builtin_trap();
}

void fiber_switch(Fiber *from, Fiber *to) {
    Passage passage = {from, to};
    if (__sanitizer_start_switch_fiber) __sanitizer_start_switch_fiber(&from->fake, to->bottom, to->size);
    if (__tsan_switch_to_fiber) __tsan_switch_to_fiber(to->race, NO_SYNC);
    arrive(jump_fcontext(to->at, &passage));
}

void fiber_impersonate(Fiber *f) {
    if (__tsan_switch_to_fiber) __tsan_switch_to_fiber(f->race, NO_SYNC);
}

bool fiber_make(Fiber *f, unsigned index, void (*loop)()) {
    const size_t guard = guard_bytes(), bytes = guard + STACK;
    void *map =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (map == MAP_FAILED) return false;
    if (mprotect(map, guard, PROT_NONE) != 0) {
        munmap(map, bytes);
        return false;
    }
    unpoison(map, bytes);
    char *bottom = static_cast<char *>(map) + guard;
    const size_t size = STACK - index * STAGGER % STAGGER_SPAN;
    *f = {};
    f->at = make_fcontext(bottom + size, size, enter);
    f->loop = loop;
    f->map = static_cast<char *>(map);
    f->bottom = bottom;
    f->size = size;
    if (__tsan_create_fiber) f->race = __tsan_create_fiber(0);
    f->known = VALGRIND_STACK_REGISTER(bottom, bottom + size);
    return true;
}

void fiber_free(Fiber *f) {
    if (f->map == nullptr) return;
    VALGRIND_STACK_DEREGISTER(f->known);
    if (__tsan_destroy_fiber) __tsan_destroy_fiber(f->race);
    munmap(f->map, guard_bytes() + STACK);
    *f = {};
}

void fiber_adopt(Fiber *home) {
    *home = {};
    if (__tsan_get_current_fiber) home->race = __tsan_get_current_fiber();
}

} // namespace simt
