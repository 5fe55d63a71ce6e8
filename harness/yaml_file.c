/* From a name to bytes that are worth parsing: a regular file, not too large, of text. */
#include "utf8.h"
#include "yaml_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool yaml_allows(uint32_t c) {
    if (c < 0x20) return c == '\t' || c == '\n' || c == '\r';
    return c != 0x7F && (c < 0x80 || c >= 0xA0 || c == 0x85) && c != 0xFEFF && c != 0xFFFE && c != 0xFFFF;
}

at_status at_yaml_check_text(const char *file, const char *bytes, size_t size, at_error *err) {
    at_place place = {file, 1, 1};
    size_t bom = size >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    for (size_t i = bom, n; i < size; i += n) {
        uint32_t c = 0;
        n = at_utf8_decode(bytes + i, size - i, &c);
        if (n == 0)
            return at_place_fail(err, place, "byte 0x%02x is not UTF-8; save the file as UTF-8",
                                 (unsigned char)bytes[i]);
        if (!yaml_allows(c)) return at_place_fail(err, place, "character U+%04X has no place in a text; remove it", c);
        /* Thousands of them would take libyaml minutes. */
        if (c == '%' && place.column == 1)
            return at_place_fail(err, place, "a directive starts with %%; indent the line, or remove it");
        place.column++;
        if (c == '\n') place.line++, place.column = 1;
    }
    return AT_OK;
}

static at_status cannot(const char *file, const at_place *place, const char *why, at_error *err) {
    const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
    if (place != NULL)
        return at_place_fail(err, *place, "'%s' cannot be read: %s; name a file beside this one", name, why);
    return at_fail(err, AT_USAGE, "%s: cannot be read: %s; give a suite file or a directory of them", file, why);
}

/* One byte more than the limit is asked for, so that a file that grows meanwhile is found out. */
static at_status read_all(int fd, const char *file, char *bytes, size_t limit, size_t *size, at_error *err) {
    for (*size = 0; *size <= limit;) {
        ssize_t n = read(fd, bytes + *size, limit + 1 - *size);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return cannot(file, NULL, strerror(errno), err);
        if (n == 0) return AT_OK;
        *size += (size_t)n;
    }
    return at_place_fail(err, (at_place){file, 1, 1}, "the file is larger than %zu bytes; split the suite", limit);
}

at_status at_yaml_read(const at_yaml **out, at_arena *arena, const char *file, const at_place *place,
                       const at_limits *limits, at_error *err) {
    at_status st = AT_OK;
    struct stat facts;
    size_t size = 0;
    char *bytes = NULL;
    /* A FIFO would make a blocking open wait for ever. */
    int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (place ? O_NOFOLLOW : 0));
    if (fd < 0 || fstat(fd, &facts) != 0) {
        st = cannot(file, place, errno == ELOOP ? "it is a symbolic link" : strerror(errno), err);
        goto done;
    }
    if (!S_ISREG(facts.st_mode)) {
        st = cannot(file, place, "it is no regular file", err);
        goto done;
    }
    if ((bytes = malloc(limits->file_bytes + 1)) == NULL) {
        st = at_fail_memory(err, limits->file_bytes);
        goto done;
    }
    if ((st = read_all(fd, file, bytes, limits->file_bytes, &size, err)) != AT_OK) goto done;
    st = at_yaml_parse(out, arena, file, bytes, size, limits, err);
done:
    if (fd >= 0) close(fd);
    free(bytes);
    return st;
}
