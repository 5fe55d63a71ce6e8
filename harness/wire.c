#include "wire.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static at_status write_all(int fd, const char *data, size_t bytes, at_error *err)
{
    while (bytes > 0) {
        ssize_t n = write(fd, data, bytes);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return at_fail(err, AT_INFRASTRUCTURE, "writing to a pipe: %s", strerror(errno));
        data += n, bytes -= (size_t)n;
    }
    return AT_OK;
}

at_status at_frame_write(int fd, const char *payload, size_t bytes, at_error *err)
{
    char *frame = malloc(bytes + 32);
    if (frame == NULL) return at_fail_memory(err, bytes + 32);
    size_t head = (size_t)snprintf(frame, 32, "%zu\n", bytes);
    memcpy(frame + head, payload, bytes);
    frame[head + bytes] = '\n';
    at_status st = write_all(fd, frame, head + bytes + 1, err);
    free(frame);
    return st;
}

at_status at_frames_feed(at_frames *frames, int fd, bool *open, at_error *err)
{
    *open = true;
    if (frames->room - frames->used < 4096) {
        size_t room = frames->room * 2 + 65536;
        char *data = realloc(frames->data, room);
        if (data == NULL) return at_fail_memory(err, room);
        frames->data = data, frames->room = room;
    }
    ssize_t n;
    do {
        n = read(fd, frames->data + frames->used, frames->room - frames->used);
    } while (n < 0 && errno == EINTR);
    if (n < 0 && errno == EAGAIN) return AT_OK;
    if (n <= 0) *open = false;
    if (n > 0) frames->used += (size_t)n;
    return AT_OK;
}

/* The payload's length and where it starts; false while the head is not whole. */
static bool head_of(const at_frames *frames, size_t *length, size_t *start, bool *corrupt)
{
    size_t i = 0, n = 0;
    while (i < frames->used && i < 8 && frames->data[i] >= '0' && frames->data[i] <= '9') {
        n = n * 10 + (size_t)(frames->data[i++] - '0');
    }
    if (i == frames->used && i < 8) return false;
    *corrupt = i == 0 || frames->data[i] != '\n' || n > AT_FRAME_LIMIT;
    *length = n, *start = i + 1;
    return !*corrupt;
}

char *at_frames_next(at_frames *frames, size_t *bytes, bool *corrupt)
{
    size_t length, start;
    *corrupt = false;
    if (!head_of(frames, &length, &start, corrupt) || frames->used < start + length + 1) return NULL;
    if (frames->data[start + length] != '\n') {
        *corrupt = true;
        return NULL;
    }
    char *payload = malloc(length + 1);
    if (payload == NULL) return NULL;
    memcpy(payload, frames->data + start, length);
    payload[length] = 0;
    *bytes = length;
    frames->used -= start + length + 1;
    memmove(frames->data, frames->data + start + length + 1, frames->used);
    return payload;
}

void at_frames_free(at_frames *frames)
{
    free(frames->data);
    *frames = (at_frames){0};
}
