/* What the devices' tests share: whether a byte faults, and a fake CUDA driver opened from subjects/ beside the test
 * program. */
#ifndef DEVICE_TEST_H
#define DEVICE_TEST_H

#include "../device.h"
#include "fake_cuda.h"

#include <dlfcn.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static sigjmp_buf device_test_back;

static void device_test_on_fault(int signal) {
    siglongjmp(device_test_back, signal);
}

/* Does touching this byte fault? Under a sanitizer too: the handler is installed here and taken away again. */
static inline bool faults(const void *address, bool write) {
    volatile uint8_t *byte = (volatile uint8_t *)(uintptr_t)address;
    struct sigaction before, mine = {.sa_handler = device_test_on_fault};
    volatile bool fault = true;
    sigaction(SIGSEGV, &mine, &before);
    if (sigsetjmp(device_test_back, 1) == 0) {
        uint8_t held = *byte;
        if (write) *byte = held;
        fault = false;
    }
    sigaction(SIGSEGV, &before, NULL);
    return fault;
}

/* DIR/subjects/NAME, DIR being the test program's; static. */
static inline const char *beside(const char *name) {
    static char path[PATH_MAX];
    char program[PATH_MAX - 300];
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    program[n > 0 ? n : 0] = 0;
    *strrchr(program, '/') = 0;
    snprintf(path, sizeof path, "%s/subjects/%s", program, name);
    return path;
}

/* Makes the CUDA device use the fake driver. What it exports, by name. */
static inline void *fake(const char *symbol) {
    static void *handle;
    if (handle == NULL) {
        at_cuda_driver_path(beside("fake_cuda.so"));
        handle = dlopen(beside("fake_cuda.so"), RTLD_NOW);
    }
    return handle != NULL ? dlsym(handle, symbol) : NULL;
}

#endif
