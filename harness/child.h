/* One worker process, seen from the supervisor: its pipes, its black box, its last words. */
#ifndef AT_CHILD_H
#define AT_CHILD_H

#include "blackbox.h"
#include "options.h"
#include "record.h"
#include "wire.h"
#include <poll.h>
#include <sys/types.h>

enum { AT_WORDS_KEPT = 2048, AT_CHILD_WATCHED = 3 };

typedef struct {
    pid_t pid;          /* 0: none; leader of its process group */
    int ask, reply;     /* ends of the pipes to its descriptors 0 and 3 */
    int talk;           /* of the pipe to 1 and 2: what it, or its subject, prints; 0: closed */
    int end;            /* readable once the process is over; 0 where this kernel has no such descriptor */
    int box_fd, log_fd; /* log_fd: of the sanitizer, or 0 */
    at_blackbox *box;
    at_frames frames;
    char words[AT_WORDS_KEPT]; /* the end of what was printed since it was last asked */
    size_t words_used;
} at_child;

/* Spawns this program as a worker on a device, under the sanitizer where the options say so. Its first frame, sealed
 * with ticket 0, is its hello. AT_INFRASTRUCTURE, and nothing is left running. */
AT_MUST_USE at_status at_child_spawn(at_child *, const at_options *, int device, at_error *err);
/* The same, and waits for the hello; says on stderr what takes its time. The status in it where the worker has no
 * subject or no device. */
AT_MUST_USE at_status at_child_start(at_child *, const at_options *, int device, at_header *header, at_error *err);
/* Seconds that a worker may take to its hello: --timeout, but not less than a driver needs. */
int at_child_patience(const at_options *);
/* Waits for the next frame with that seal: malloc'ed, or NULL where none comes: not in time, or the stream has ended or
 * cannot be read. */
AT_MUST_USE at_status at_child_await(at_child *, uint64_t ticket, double seconds, char **payload, size_t *bytes,
                                     at_error *err);
/* What became of a worker that ended before its hello: AT_UNVALIDATED where its subject or device brought it down.
 * Reaps it. */
at_status at_child_stillborn(at_child *, at_error *err);
/* The same of one that is still at it when its time is up. Kills it first. */
at_status at_child_late(at_child *, int seconds, at_error *err);
/* For poll(): its reply, its talk and its end, in this order; -1 for one that it does not have. */
void at_child_watch(const at_child *, struct pollfd fd[AT_CHILD_WATCHED]);
/* Takes what its reply has now, without waiting. *open is false once nothing more of it can come: not only at the end
 * of the stream, which a process that its subject has left behind may hold open, but once it is over itself. */
AT_MUST_USE at_status at_child_read(at_child *, bool *open, at_error *err);
bool at_child_is_over(const at_child *); /* and not reaped yet */
/* Request: "INDEX HASH MODE TICKET". */
void at_child_ask(at_child *, size_t index, const char *hash, const char *mode, uint64_t ticket);
/* Takes what it has printed, without waiting. False at the end of it. */
bool at_child_listen(at_child *);
/* The end of what it printed since it was asked, on one line; malloc'ed. */
char *at_child_words(at_child *);
/* No more requests: it puts its subject away and ends. */
void at_child_dismiss(at_child *);
/* How it ended, in words. Waits a moment for it, kills it otherwise, reaps it. The signal that ended it, or 0. */
int at_child_end(at_child *, char *how, size_t size);
enum { AT_STOP_WORDS = 64 };
/* ", and its process is stopped by SIGSTOP", or "", so that it is not taken for one that computes for ever. */
const char *at_child_stop(const at_child *, char words[AT_STOP_WORDS]);
/* With all it has started. */
void at_child_kill(at_child *);
/* Kills and reaps it, closes everything. NULL and a zeroed one are fine. */
void at_child_close(at_child *);

#endif
