/* What a worker was doing when it died, in memory that outlives it: which request it had taken up, the phase, and for a
 * fault the buffer beside which it happened. */
#ifndef AT_BLACKBOX_H
#define AT_BLACKBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Phases of a worker's start. One that ends in them was ended by its subject or driver, not by the harness. */
#define AT_LOADING "loading the subject"
#define AT_OPENING "opening the device"

typedef struct {
    volatile uint64_t
        begun; /* ticket of the last request that was taken up; whatever happens from there on is that attempt's */
    volatile bool left;      /* subject and device are put away: an end after this is nobody's fault */
    char phase[64];          /* "execute", "oracle", ... */
    char detail[300];        /* written by the signal handler: what lay at the faulting address */
    volatile double granted; /* seconds that do not count against the deadline of the attempt under way */
} at_blackbox;

/* One page of shared memory: the supervisor makes it, the worker finds it under the same descriptor. -1 and NULL on
 * failure. */
int at_blackbox_make(void);
at_blackbox *at_blackbox_map(int fd);
void at_blackbox_unmap(at_blackbox *);

/* The worker's side. All do nothing where no black box was mapped. */
void at_blackbox_carry(at_blackbox *);
void at_blackbox_begin(uint64_t ticket);
void at_blackbox_leave(void);
/* Time that the harness takes for itself, and that the attempt's deadline does not count; below 0: given back. */
void at_blackbox_grant(double seconds);
void at_phase(const char *phase);
/* From now on a fault near [data, data + bytes) is told as one of this buffer; data NULL takes the slot back. name:
 * static storage. */
void at_blackbox_buffer(int slot, const char *name, const void *data, size_t bytes);
void at_blackbox_catch_signals(void);
/* Where there is no worker: a signal that ends this process is told on stderr, as one of this case. id: outlives all
 * that is run. */
void at_blackbox_tell(const char *id);

#endif
