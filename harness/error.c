#include "error.h"
#include "utf8.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Controls, and what beyond ASCII ends a line or reorders what stands beside it. */
static bool may_be_shown(uint32_t c) {
    if (c < 0xA0) return c >= 0x20 && c < 0x7F;
    return !(c >= 0x2028 && c <= 0x202E) && !(c >= 0x2066 && c <= 0x2069) && c != 0xFEFF;
}

/* in: a terminated text. What does not fit ends in "...". */
static void escape(char *out, size_t size, const char *in) {
    static const char more[] = "...";
    size_t room = size - sizeof more, used = 0, left = strlen(in);
    while (left > 0) {
        char piece[8];
        uint32_t c = 0;
        size_t taken = at_utf8_decode(in, left, &c), bytes = taken;
        if (taken > 0 && may_be_shown(c)) {
            memcpy(piece, in, bytes);
        } else {
            taken = 1;
            bytes = (size_t)snprintf(piece, sizeof piece, *in == '\n' ? "\\n" : "\\x%02x", (unsigned char)*in);
        }
        if (used + bytes > room) {
            memcpy(out + used, more, sizeof more);
            return;
        }
        memcpy(out + used, piece, bytes);
        used += bytes, in += taken, left -= taken;
    }
    out[used] = 0;
}

at_status at_vfail(at_error *err, at_status st, const char *format, va_list args) {
    if (err == NULL) return st;
    char raw[2 * sizeof err->text];
    vsnprintf(raw, sizeof raw, format, args);
    escape(err->text, sizeof err->text, raw);
    return st;
}

at_status at_fail(at_error *err, at_status st, const char *format, ...) {
    va_list args;
    va_start(args, format);
    at_vfail(err, st, format, args);
    va_end(args);
    return st;
}

at_status at_fail_memory(at_error *err, size_t bytes) {
    return at_fail(err, AT_INFRASTRUCTURE, "out of memory: %zu bytes could not be had; free some, or run fewer workers",
                   bytes);
}

static int rank(at_status st) {
    static const at_status mildest_first[] = {AT_OK, AT_UNVALIDATED, AT_FAILED, AT_INFRASTRUCTURE};
    for (int i = 0; i < 4; i++) {
        if (mildest_first[i] == st) return i;
    }
    return 4;
}

at_status at_worse(at_status a, at_status b) {
    return rank(a) >= rank(b) ? a : b;
}
