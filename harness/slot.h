/* A worker's place in a run: the process that is there now, what it is at, and the answer that is held back. */
#ifndef AT_SLOT_H
#define AT_SLOT_H

#include "child.h"
#include "repeat.h"
#include "sanitizer.h"
#include "select.h"

typedef enum { AT_NOBODY, AT_STARTING, AT_READY, AT_BUSY, AT_LEAVING } at_slot_state;

typedef struct {
    at_child child;
    at_slot_state state;
    int device;
    const at_choice *at; /* what it is at, or is to be at once there is a process; NULL: nothing */
    int64_t runs;        /* of it that were answered */
    uint64_t ticket;     /* of the request that was sent last */
    double since,
        deadline;     /* of the state; seconds of the monotonic clock. Nobody: no new process before the deadline */
    int64_t answered; /* requests, by this process */
    at_record held;   /* the last answer */
    bool holds;
    at_repeats repeats;
    at_sanitizer_log log;
} at_slot;

/* Another of the `slots` places is on the same device. */
bool at_slot_shares_device(const at_slot *, const at_slot *all, int slots);
void at_slot_enter(at_slot *, at_slot_state, double seconds);
/* Sends the request for what it is at. */
void at_slot_ask(at_slot *, double seconds);
/* The request that was sent last has been taken up. */
bool at_slot_begun(const at_slot *);
/* Moves the deadline of a request of `seconds` by what the harness took for itself; false where it has passed even so.
 */
bool at_slot_extend(at_slot *, double seconds);
/* The process that there was put subject and device away before it ended. */
bool at_slot_left(const at_slot *);
/* An answer, or what stands for one: it is now the held one. The record is taken over. */
void at_slot_hold(at_slot *, at_record *, int64_t runs);
/* The record that a worker which is gone could not send. */
void at_slot_loss(at_slot *, at_record *out, const char *subject, const char *kind, at_verdict, const char *how);
/* The held answer turns out to be the worker's last deed. */
void at_slot_blame_held(at_slot *, at_verdict, const char *how);

#endif
