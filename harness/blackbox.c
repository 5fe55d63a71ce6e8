#include "blackbox.h"

#include <inttypes.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { BOX_BYTES = 4096, SLOTS = 64, SIGNAL_STACK = 1 << 16 };
static const uintptr_t near = (uintptr_t)64
                              << 20; /* a fault farther from a buffer than this is not told as the buffer's */

typedef struct {
    const char *name;
    uintptr_t data;
    size_t bytes;
} watched;

static at_blackbox *box;
static watched buffer[SLOTS];

int at_blackbox_make(void) {
    int fd = memfd_create("attest-blackbox", 0);
    if (fd >= 0 && ftruncate(fd, BOX_BYTES) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

at_blackbox *at_blackbox_map(int fd) {
    void *page = mmap(NULL, BOX_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    return page == MAP_FAILED ? NULL : page;
}

void at_blackbox_unmap(at_blackbox *b) {
    if (b != NULL) munmap(b, BOX_BYTES);
}

void at_blackbox_carry(at_blackbox *b) {
    box = b;
}

void at_blackbox_begin(uint64_t ticket) {
    if (box == NULL) return;
    box->granted = 0;
    box->begun = ticket;
}

void at_blackbox_grant(double seconds) {
    if (box != NULL) box->granted += seconds;
}

void at_blackbox_leave(void) {
    if (box != NULL) box->left = true;
}

void at_phase(const char *phase) {
    if (box != NULL) snprintf(box->phase, sizeof box->phase, "%s", phase);
}

void at_blackbox_buffer(int slot, const char *name, const void *data, size_t bytes) {
    if (slot >= 0 && slot < SLOTS) buffer[slot] = (watched){name, (uintptr_t)data, bytes};
}

/* Bytes from the buffer to the address: 0 inside it, negative before its start. */
static intptr_t distance(const watched *w, uintptr_t address) {
    if (address < w->data) return -(intptr_t)(w->data - address);
    return address < w->data + w->bytes ? 0 : (intptr_t)(address - (w->data + w->bytes)) + 1;
}

static void describe_fault(uintptr_t address) {
    const watched *closest = NULL;
    uintptr_t least = near;
    for (int i = 0; i < SLOTS; i++) {
        if (buffer[i].data == 0) continue;
        intptr_t off = distance(&buffer[i], address);
        uintptr_t size = (uintptr_t)(off < 0 ? -off : off);
        if (size < least) least = size, closest = &buffer[i];
    }
    if (closest == NULL) {
        snprintf(box->detail, sizeof box->detail, "address 0x%" PRIxPTR " is in no buffer of the call, nor near one",
                 address);
        return;
    }
    intptr_t off = distance(closest, address);
    snprintf(box->detail, sizeof box->detail, "byte %" PRIdPTR " %s %s (%zu bytes)", off < 0 ? -off : off,
             off < 0   ? "before the start of"
             : off > 0 ? "past the end of"
                       : "inside",
             closest->name, closest->bytes);
}

/* The process is about to die of it: no promise is made to what comes after. */
static void on_fault(int number, siginfo_t *info, void *context) {
    (void)context;
    /* a signal that was sent has no address */
    if (box != NULL && info->si_code > 0) describe_fault((uintptr_t)info->si_addr);
    signal(number, SIG_DFL);
    raise(number);
}

static void catch_signals(const int *number, size_t n, void (*handler)(int, siginfo_t *, void *)) {
    static char stack[SIGNAL_STACK];
    const stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
    const struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigaltstack(&alternate, NULL);
    for (size_t i = 0; i < n; i++) sigaction(number[i], &action, NULL);
}

void at_blackbox_catch_signals(void) {
    static const int faults[] = {SIGSEGV, SIGBUS};
    catch_signals(faults, sizeof faults / sizeof *faults, on_fault);
}

static const char *told_case;

/* There is nobody else to say it. */
static void tell_and_end(int number, siginfo_t *info, void *context) {
    char line[1024];
    (void)context;
    if (info->si_code > 0 && (number == SIGSEGV || number == SIGBUS)) describe_fault((uintptr_t)info->si_addr);
    int length =
        snprintf(line, sizeof line,
                 "attest: SIG%s in phase '%s' of %s%s%s; attest repro '%s' runs it in a worker, and survives "
                 "it\n",
                 sigabbrev_np(number), box->phase, told_case, box->detail[0] ? ": " : "", box->detail, told_case);
    if (length > 0) (void)!write(STDERR_FILENO, line, (size_t)length < sizeof line ? (size_t)length : sizeof line - 1);
    signal(number, SIG_DFL);
    raise(number);
}

void at_blackbox_tell(const char *id) {
    static const int ends[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    static at_blackbox own;
    fflush(stdout); /* what was said before is not lost */
    told_case = id;
    at_blackbox_carry(&own);
    catch_signals(ends, sizeof ends / sizeof *ends, tell_and_end);
}
