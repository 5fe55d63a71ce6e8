#include "fuzz.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char directory[] = "/dev/shm/attest-fuzz-XXXXXX", path[100];

static void forget(void) {
    unlink(path);
    rmdir(directory);
}

const char *at_fuzz_file(const char *name, const uint8_t *data, size_t size) {
    if (path[0] == 0) {
        if (mkdtemp(directory) == NULL) at_fuzz_broken("mkdtemp", __FILE__, __LINE__);
        snprintf(path, sizeof path, "%s/%s", directory, name);
        atexit(forget);
    }
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size) at_fuzz_broken("a file", __FILE__, __LINE__);
    close(fd);
    return path;
}

void at_fuzz_broken(const char *what, const char *file, int line) {
    fprintf(stderr, "%s:%d: broken: %s\n", file, line, what);
    abort();
}

int at_fuzz_plain(const char *text) {
    for (; *text != 0; text++) {
        if ((unsigned char)*text < 32 || *text == 127) return 0;
    }
    return 1;
}
