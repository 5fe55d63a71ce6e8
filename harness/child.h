/* One worker process, seen from the supervisor: its pipes, its black box, its last words. */
#ifndef AT_CHILD_H
#define AT_CHILD_H

#include "blackbox.h"
#include "options.h"
#include "record.h"
#include "wire.h"
#include <sys/types.h>

typedef struct {
    pid_t pid;       /* 0: none */
    int ask, reply;  /* ends of the pipes to its descriptors 0 and 3 */
    int words;       /* what it, or its subject, printed */
    int box_fd;
    at_blackbox *box;
    at_frames frames;
} at_child;

/* Spawns this program as a worker and waits for its hello. */
AT_MUST_USE at_status at_child_start(at_child *, const at_options *, int seconds, at_header *header, at_error *err);
bool at_child_alive(const at_child *);
void at_child_ask(at_child *, size_t index, const char *mode);
/* How it ended, in words; waits for it. */
void at_child_end(at_child *, char *how, size_t size);
void at_child_kill(at_child *);
/* The end of what it printed, on one line; malloc'ed. */
char *at_child_words(const at_child *);
/* Closes its pipes, waits a moment for it to leave, kills it otherwise. */
void at_child_stop(at_child *);

#endif
