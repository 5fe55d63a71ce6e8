#include "lock.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { POLL_MS = 200 };

static const char *lock_directory(void) {
    return access("/run/lock", W_OK) == 0 ? "/run/lock" : "/tmp";
}

static void lock_path(char *out, size_t size, const char *directory, const char *device) {
    char name[100];
    size_t n = 0;
    for (; n < sizeof name - 1 && device[n] != 0; n++) name[n] = isalnum((unsigned char)device[n]) ? device[n] : '-';
    name[n] = 0;
    snprintf(out, size, "%s/attest-%s.lock", directory, name);
}

/* Never by a link, and readable for everybody, since reading is enough to lock it; made only where it is not there,
 * since a shared directory may forbid to create over somebody else's file. */
static int open_lock(const char *path) {
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd >= 0 || errno != ENOENT) return fd;
    fd = open(path, O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (fd < 0 && errno == EEXIST) fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd >= 0) (void)!fchmod(fd, 0644);
    return fd;
}

at_status at_lock_device(int *out, const char *directory, const char *device, double seconds, at_error *err) {
    const struct timespec moment = {.tv_nsec = POLL_MS * 1000000L};
    char path[300];
    lock_path(path, sizeof path, directory ? directory : lock_directory(), device);
    int fd = open_lock(path);
    if (fd < 0)
        return at_fail(err, AT_INFRASTRUCTURE, "%s: the device's lock cannot be opened: %s", path, strerror(errno));
    for (double waited = 0; flock(fd, LOCK_EX | LOCK_NB) != 0; waited += POLL_MS / 1e3) {
        if (errno != EWOULDBLOCK && errno != EINTR) {
            at_fail(err, AT_INFRASTRUCTURE, "%s: %s", path, strerror(errno));
            close(fd);
            return AT_INFRASTRUCTURE;
        }
        if (waited == 0 && seconds > 0)
            fprintf(stderr, "attest: device %s is in use by another run; waiting\n", device);
        if (waited >= seconds) {
            close(fd);
            return at_fail(
                err, AT_INFRASTRUCTURE,
                "device %s is in use by another run, which holds %s; wait for it, or give --wait more seconds", device,
                path);
        }
        nanosleep(&moment, NULL);
    }
    *out = fd;
    return AT_OK;
}
