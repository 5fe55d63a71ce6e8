#include "confine.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SHADOWED = 1 }; /* the shadow counts as data memory */
#else
enum { SHADOWED = 0 };
#endif

static uint64_t control_group_limit(void)
{
    uint64_t bytes = UINT64_MAX;
    FILE *f = fopen("/sys/fs/cgroup/memory.max", "re");
    if (f == NULL) return bytes;
    if (fscanf(f, "%" SCNu64, &bytes) != 1) bytes = UINT64_MAX; /* "max" */
    fclose(f);
    return bytes;
}

uint64_t at_confine_default(void)
{
    uint64_t machine = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE), group = control_group_limit();
    return (machine < group ? machine : group) / 4 * 3;
}

/* Where the limit does not bite, the kernel's choice of whom to kill is made for it. */
static void volunteer(void)
{
    int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (fd < 0) return;
    ssize_t written = write(fd, "1000", 4);
    (void)written; /* a wish */
    close(fd);
}

void at_confine(uint64_t data_bytes)
{
    const struct rlimit data = {data_bytes, data_bytes}, core = {0, 0};
    volunteer();
    setrlimit(RLIMIT_CORE, &core); /* the black box says more, and a GPU process's core is its whole memory */
    if (!SHADOWED && data_bytes > 0) setrlimit(RLIMIT_DATA, &data);
}
