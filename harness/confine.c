#include "confine.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

/* Of a sanitizer the shadow counts as data memory. ThreadSanitizer may be here by its library alone: racecheck compiles
 * only the kernels for it. */
#ifdef __SANITIZE_ADDRESS__
enum { SHADOWED = 1 };
#else
enum { SHADOWED = 0 };
#endif
void __tsan_init(void) __attribute__((weak));

enum { LEAST = 1 << 30 };

static uint64_t control_group_limit(void) {
    uint64_t bytes = UINT64_MAX;
    FILE *f = fopen("/sys/fs/cgroup/memory.max", "re");
    if (f == NULL) return bytes;
    if (fscanf(f, "%" SCNu64, &bytes) != 1) bytes = UINT64_MAX; /* "max" */
    fclose(f);
    return bytes;
}

static uint64_t most_of_the_machine(void) {
    uint64_t machine = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE),
             group = control_group_limit();
    uint64_t most = (machine < group ? machine : group) / 4 * 3;
    return most > LEAST ? most : LEAST;
}

void at_confine(void) {
    const struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none); /* the black box says more, and a GPU process's core is its whole memory */
    int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (fd < 0) return;
    ssize_t written = write(fd, "1000", 4);
    (void)written; /* a wish */
    close(fd);
}

void at_confine_data(uint64_t bytes) {
    if (bytes == 0) bytes = most_of_the_machine();
    const struct rlimit data = {bytes, bytes};
    if (!SHADOWED && __tsan_init == NULL) setrlimit(RLIMIT_DATA, &data);
}
