/* Frames between supervisor and worker: a decimal length, a newline, the payload, a newline. A subject that writes into the pipe, or a
 * worker that dies half way, is seen as a corrupt or a torn frame; nothing of it is believed. */
#ifndef AT_WIRE_H
#define AT_WIRE_H

#include "error.h"
#include <stdbool.h>

enum { AT_FRAME_LIMIT = 1 << 20 };

AT_MUST_USE at_status at_frame_write(int fd, const char *payload, size_t bytes, at_error *err);

typedef struct {
    char *data;
    size_t used, room;
} at_frames;
/* Takes what the descriptor has now. *open is false at the end of the stream. */
AT_MUST_USE at_status at_frames_feed(at_frames *, int fd, bool *open, at_error *err);
/* The next whole payload, NUL-terminated and malloc'ed, or NULL where there is none yet; *corrupt where none can ever come. */
char *at_frames_next(at_frames *, size_t *bytes, bool *corrupt);
void at_frames_free(at_frames *);

#endif
