/* fiber.cpp: stacks with a guard, and the one function that changes from one to another. */
#include "fiber.h"
#include "sanitize.h"

#include <boost/context/detail/fcontext.hpp>
#include <stdint.h>
#include <sys/mman.h>

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

/* Bytes. The guard is as large as the stack: a frame that does not fit must not reach past it. */
enum { STACK = 64 * 1024, GUARD = 64 * 1024, STAGGER = 192, STAGGER_SPAN = 4096 };
enum { NO_SYNC = 1 }; /* the race detector's flag */

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
    void *map = mmap(nullptr, GUARD + STACK, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (map == MAP_FAILED) return false;
    if (mprotect(map, GUARD, PROT_NONE) != 0) {
        munmap(map, GUARD + STACK);
        return false;
    }
    unpoison(map, GUARD + STACK);
    char *bottom = static_cast<char *>(map) + GUARD;
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
    munmap(f->map, GUARD + STACK);
    *f = {};
}

void fiber_adopt(Fiber *home) {
    *home = {};
    if (__tsan_get_current_fiber) home->race = __tsan_get_current_fiber();
}

} // namespace simt
