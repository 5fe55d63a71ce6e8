/* sanitize.h: entry points of the sanitizers' run-time libraries, weak: NULL where the process has none. So one object
 * of the runtime serves every build, and none can be built without the annotations it needs. The runtime itself must
 * not be compiled with -fsanitize=thread: it writes what many fibers share, and switches stacks inside functions. */
#ifndef SIMT_SANITIZE_H
#define SIMT_SANITIZE_H

#include <stddef.h>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define __SANITIZE_THREAD__ 1
#endif
#endif
#ifdef __SANITIZE_THREAD__
#error "build the runtime without -fsanitize=thread; the kernels alone are instrumented"
#endif

#define SIMT_WEAK __attribute__((weak, visibility("default")))

extern "C" {
SIMT_WEAK void __sanitizer_start_switch_fiber(void **fake_stack, const void *bottom, size_t size);
SIMT_WEAK void __sanitizer_finish_switch_fiber(void *fake_stack, const void **old_bottom, size_t *old_size);
SIMT_WEAK void __asan_poison_memory_region(const volatile void *, size_t);
SIMT_WEAK void __asan_unpoison_memory_region(const volatile void *, size_t);
SIMT_WEAK void *__tsan_get_current_fiber();
SIMT_WEAK void *__tsan_create_fiber(unsigned flags);
SIMT_WEAK void __tsan_destroy_fiber(void *);
SIMT_WEAK void __tsan_switch_to_fiber(void *, unsigned flags);
SIMT_WEAK void __tsan_acquire(void *);
SIMT_WEAK void __tsan_release(void *);
}

namespace simt {

inline void poison(const void *p, size_t bytes) {
    if (__asan_poison_memory_region) __asan_poison_memory_region(p, bytes);
}
inline void unpoison(const void *p, size_t bytes) {
    if (__asan_unpoison_memory_region) __asan_unpoison_memory_region(p, bytes);
}
inline bool seeks_races() {
    return __tsan_create_fiber != nullptr;
}

/* What the running fiber did before `release` happens before what a fiber does after a later `acquire` of the same
 * object. */
inline void release(char *sync) {
    if (__tsan_release) __tsan_release(sync);
}
inline void acquire(char *sync) {
    if (__tsan_acquire) __tsan_acquire(sync);
}

} // namespace simt

#endif
