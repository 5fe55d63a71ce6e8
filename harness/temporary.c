#include "temporary.h"
#include "finding.h"
#include "tree.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TRIES = 500 };

/* Left to a process of its own: a signal's handler may not walk through directories, and SIGKILL has none. Tried again
 * and again, since an archiver that has lost its parent may go on writing there for a moment. */
_Noreturn static void keep(const char *path, int alive) {
    const struct timespec moment = {.tv_nsec = 10000000};
    char nothing;
    setsid();
    while (read(alive, &nothing, 1) < 0 && errno == EINTR) continue;
    for (int i = 0; i < TRIES && access(path, F_OK) == 0; i++) {
        at_tree_remove(path);
        nanosleep(&moment, NULL);
    }
    _exit(0);
}

static at_status start_keeper(at_temporary *t, at_error *err) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return at_fail(err, AT_INFRASTRUCTURE, "a pipe: %s", strerror(errno));
    if ((t->keeper = fork()) == 0) {
        close(ends[1]);
        keep(t->path, ends[0]); /* with the signals blocked that end a job */
    }
    close(ends[0]);
    t->alive = ends[1];
    return t->keeper > 0 ? AT_OK : at_fail(err, AT_INFRASTRUCTURE, "a process: %s", strerror(errno));
}

at_status at_temporary_make(at_temporary *t, at_error *err) {
    const char *base = getenv("TMPDIR");
    sigset_t job, before;
    *t = (at_temporary){.path = at_text("%s/attest-XXXXXX", base != NULL && base[0] != 0 ? base : "/tmp")};
    if (t->path == NULL) return at_fail_memory(err, 64);
    sigemptyset(&job);
    sigaddset(&job, SIGINT), sigaddset(&job, SIGTERM), sigaddset(&job, SIGHUP);
    sigprocmask(SIG_BLOCK, &job, &before);
    at_status st = AT_OK;
    if (mkdtemp(t->path) == NULL) {
        st = at_fail(err, AT_INFRASTRUCTURE, "%s: no directory can be made there: %s; set TMPDIR", t->path,
                     strerror(errno));
        free(t->path);
        *t = (at_temporary){0};
    } else if ((st = start_keeper(t, err)) != AT_OK) {
        at_temporary_drop(t);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    return st;
}

void at_temporary_drop(at_temporary *t) {
    at_tree_remove(t->path);
    if (t->alive > 0) close(t->alive);
    while (t->keeper > 0 && waitpid(t->keeper, NULL, 0) < 0 && errno == EINTR) continue;
    free(t->path);
    *t = (at_temporary){0};
}
