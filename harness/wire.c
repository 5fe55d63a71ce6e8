#include "wire.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

uint64_t at_ticket(void) {
    uint64_t ticket = 0;
    if (getrandom(&ticket, sizeof ticket, 0) == (ssize_t)sizeof ticket) return ticket;
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_nsec * UINT64_C(0x9E3779B97F4A7C15);
}

/* FNV-1a from another start. */
static uint64_t seal(uint64_t ticket, const char *payload, size_t bytes) {
    uint64_t hash = ticket ^ UINT64_C(0xCBF29CE484222325);
    for (size_t i = 0; i < bytes; i++) hash = (hash ^ (unsigned char)payload[i]) * UINT64_C(0x100000001B3);
    return hash;
}

static at_status write_all(int fd, const char *data, size_t bytes, at_error *err) {
    while (bytes > 0) {
        ssize_t n = write(fd, data, bytes);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return at_fail(err, AT_INFRASTRUCTURE, "writing to a pipe: %s", strerror(errno));
        data += n, bytes -= (size_t)n;
    }
    return AT_OK;
}

at_status at_frame_write(int fd, uint64_t ticket, const char *payload, size_t bytes, at_error *err) {
    if (bytes > AT_FRAME_LIMIT) {
        return at_fail(err, AT_INFRASTRUCTURE,
                       "a message of %zu bytes; between worker and supervisor there are at most %d", bytes,
                       AT_FRAME_LIMIT);
    }
    char *frame = malloc(bytes + AT_FRAME_HEAD + 1);
    if (frame == NULL) return at_fail_memory(err, bytes + AT_FRAME_HEAD + 1);
    snprintf(frame, AT_FRAME_HEAD + 1, "%07zu %016" PRIx64 "\n", bytes, seal(ticket, payload, bytes));
    memcpy(frame + AT_FRAME_HEAD, payload, bytes);
    frame[AT_FRAME_HEAD + bytes] = '\n';
    at_status st = write_all(fd, frame, AT_FRAME_HEAD + bytes + 1, err);
    free(frame);
    return st;
}

at_status at_frames_feed(at_frames *frames, int fd, bool *open, at_error *err) {
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

/* Whether what has come of the head can be the start of one. */
static bool head_so_far(const char *data, size_t used) {
    static const char shape[] = "ddddddd hhhhhhhhhhhhhhhh\n";
    for (size_t i = 0; i < used && i < AT_FRAME_HEAD; i++) {
        bool digit = data[i] >= '0' && data[i] <= '9', letter = data[i] >= 'a' && data[i] <= 'f';
        if (shape[i] == 'd' ? !digit : shape[i] == 'h' ? !digit && !letter : data[i] != shape[i]) return false;
    }
    return true;
}

char *at_frames_next(at_frames *frames, uint64_t ticket, size_t *bytes, bool *corrupt) {
    *bytes = 0;
    *corrupt = !head_so_far(frames->data, frames->used);
    if (*corrupt || frames->used < AT_FRAME_HEAD) return NULL;
    size_t length = strtoul(frames->data, NULL, 10);
    uint64_t sealed = strtoull(frames->data + 8, NULL, 16);
    const char *start = frames->data + AT_FRAME_HEAD;
    *corrupt = length > AT_FRAME_LIMIT;
    if (*corrupt || frames->used < AT_FRAME_HEAD + length + 1) return NULL;
    *corrupt = start[length] != '\n' || seal(ticket, start, length) != sealed;
    char *payload = *corrupt ? NULL : malloc(length + 1);
    if (payload == NULL) return NULL;
    memcpy(payload, start, length);
    payload[length] = 0;
    *bytes = length;
    frames->used -= AT_FRAME_HEAD + length + 1;
    memmove(frames->data, start + length + 1, frames->used);
    return payload;
}

void at_frames_free(at_frames *frames) {
    free(frames->data);
    *frames = (at_frames){0};
}
