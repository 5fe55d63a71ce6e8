#include "../sanitizer.h"
#include "../wire.h"
#include "../worker.h"
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { TICKET = 7 };

/* A stream that a subject wrote: whatever comes out was sealed with the ticket. */
static void check_stream(const uint8_t *data, size_t size) {
    at_frames frames = {0};
    at_error err;
    bool open = true, corrupt = false;
    int fd = memfd_create("stream", MFD_CLOEXEC);
    AT_FUZZ_DUE(fd >= 0 && write(fd, data, size) == (ssize_t)size && lseek(fd, 0, SEEK_SET) == 0);
    while (open && !corrupt) {
        size_t bytes;
        AT_FUZZ_DUE(at_frames_feed(&frames, fd, &open, &err) == AT_OK);
        char *payload = at_frames_next(&frames, TICKET, &bytes, &corrupt);
        AT_FUZZ_DUE(payload == NULL || (!corrupt && strlen(payload) <= bytes && bytes <= AT_FRAME_LIMIT));
        free(payload);
    }
    AT_FUZZ_DUE(frames.room <= 4 * (size_t)AT_FRAME_LIMIT);
    at_frames_free(&frames);
    close(fd);
}

/* What a worker sends comes out as it went in. */
static void check_frame(const char *text, size_t size) {
    at_frames frames = {0};
    at_error err;
    bool open, corrupt;
    size_t bytes = 0;
    int fd = memfd_create("frame", MFD_CLOEXEC);
    AT_FUZZ_DUE(fd >= 0 && at_frame_write(fd, TICKET, text, size, &err) == AT_OK && lseek(fd, 0, SEEK_SET) == 0);
    do AT_FUZZ_DUE(at_frames_feed(&frames, fd, &open, &err) == AT_OK);
    while (open);
    char *payload = at_frames_next(&frames, TICKET, &bytes, &corrupt);
    AT_FUZZ_DUE(payload != NULL && bytes == size && memcmp(payload, text, size) == 0 && frames.used == 0);
    free(payload);
    at_frames_free(&frames);
    close(fd);
}

static void check_messages(const char *text, size_t size) {
    at_record record;
    at_header header = {0};
    at_error err = {0};
    if (at_record_from_json(&record, text, size, &err) == AT_OK)
        at_record_clear(&record);
    else
        AT_FUZZ_DUE(at_fuzz_plain(err.text));
    if (at_hello_from_json(&header, text, size, &err) == AT_OK)
        at_header_clear(&header);
    else
        AT_FUZZ_DUE(at_fuzz_plain(err.text));
}

static void check_log(const char *text) {
    at_sanitizer_log log = {0};
    at_record record = {.verdict = AT_PASS};
    at_error err;
    at_status st = at_sanitizer_findings(&log, text, "memcheck", &record, &err);
    AT_FUZZ_DUE(st == AT_OK || st == AT_INFRASTRUCTURE);
    AT_FUZZ_DUE((record.verdict == AT_FAIL) == (record.findings_all > 0));
    at_record_clear(&record);
}

int at_fuzz_wire(const uint8_t *data, size_t size) {
    if (size > AT_FRAME_LIMIT) return 0;
    char *text = malloc(size + 1);
    AT_FUZZ_DUE(text != NULL);
    memcpy(text, data, size);
    text[size] = 0;
    check_stream(data, size);
    check_frame(text, size);
    check_messages(text, size);
    check_log(text);
    free(text);
    return 0;
}

AT_FUZZ_MAIN(at_fuzz_wire)
