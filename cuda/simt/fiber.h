/* fiber.h: a stack and the place where it goes on. */
#ifndef SIMT_FIBER_H
#define SIMT_FIBER_H

#include <stddef.h>

namespace simt {

struct Fiber {
    void *at;       /* where it goes on, of no meaning while it runs */
    void (*loop)(); /* what it runs from its first resumption; never returns */
    char *map;      /* guard and stack; NULL: a thread's own stack */
    const void *bottom;
    size_t size;    /* of the stack, bytes */
    void *fake;     /* the address sanitizer's second stack, while away */
    void *race;     /* the race detector's idea of this thread of control */
    unsigned known; /* to valgrind, under this number */
};

/* false: no memory. The index staggers the stack's top: equal offsets in a page would all fall into the same cache
 * sets. */
bool fiber_make(Fiber *, unsigned index, void (*loop)());
void fiber_free(Fiber *);
void fiber_adopt(Fiber *home); /* the calling thread's own stack */
void fiber_switch(Fiber *from, Fiber *to);
void fiber_impersonate(Fiber *); /* for the race detector alone: the caller acts for that one, without its stack */

} // namespace simt

#endif
