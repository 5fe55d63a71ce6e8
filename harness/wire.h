/* Frames between supervisor and worker: length and seal, a newline, the payload, a newline. The seal is a hash of the
 * payload begun from a ticket that the request carried and the subject was not told: what a subject writes into the
 * pipe has none, and a worker that dies half way leaves a torn frame. Nothing of either is believed. */
#ifndef AT_WIRE_H
#define AT_WIRE_H

#include "error.h"
#include <stdbool.h>
#include <stdint.h>

enum { AT_FRAME_LIMIT = 1 << 20, AT_FRAME_HEAD = 7 + 1 + 16 + 1 /* "0001234 0123456789abcdef\n" */ };

/* AT_INFRASTRUCTURE where the payload is longer than the limit, or the other end is gone. */
AT_MUST_USE at_status at_frame_write(int fd, uint64_t ticket, const char *payload, size_t bytes, at_error *err);

typedef struct {
    char *data;
    size_t used, room;
} at_frames;
/* Takes what the descriptor has now. *open is false at the end of the stream. */
AT_MUST_USE at_status at_frames_feed(at_frames *, int fd, bool *open, at_error *err);
/* The next whole payload, NUL-terminated and malloc'ed, or NULL where there is none yet; *corrupt where none can ever
 * come. */
char *at_frames_next(at_frames *, uint64_t ticket, size_t *bytes, bool *corrupt);
void at_frames_free(at_frames *);

/* Not to be guessed by a subject. */
uint64_t at_ticket(void);

#endif
