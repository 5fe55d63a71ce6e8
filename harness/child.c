#include "child.h"
#include "finding.h"
#include "worker.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static void close_fd(int *fd)
{
    if (*fd > 0) close(*fd);
    *fd = 0;
}

/* Above the five that a worker is given, so that laying those out overwrites none of them; closed by exec. */
static void move_up(int *fd)
{
    int low = *fd;
    if (low < 0) return;
    *fd = fcntl(low, F_DUPFD_CLOEXEC, 10);
    close(low);
}

/* Descriptors of the child are laid out by dup2, which clears close-on-exec; everything else closes itself. */
static at_status spawn(at_child *child, const at_options *o, int ask, int reply, at_error *err)
{
    char device[16], seed[24];
    snprintf(device, sizeof device, "%d", o->device);
    snprintf(seed, sizeof seed, "%" PRIu64, o->seed);
    char *argument[] = {"attest",     "worker", "--subject", (char *)(uintptr_t)o->subject, "--cases", (char *)(uintptr_t)o->cases,
                        "--device", device,   "--seed",    seed,                          NULL};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    const int source[] = {ask, child->words, child->words, reply, child->box_fd};
    for (int i = 0; i < 5; i++) posix_spawn_file_actions_adddup2(&actions, source[i], i);
    int failed = posix_spawn(&child->pid, "/proc/self/exe", &actions, NULL, argument, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed == 0) return AT_OK;
    child->pid = 0;
    return at_fail(err, AT_INFRASTRUCTURE, "starting a worker: %s", strerror(failed));
}

static at_status wait_for_hello(at_child *child, int seconds, at_header *header, at_error *err)
{
    char how[100], *payload = NULL, *words;
    size_t bytes;
    bool open = true, corrupt = false;
    time_t deadline = time(NULL) + seconds;
    while (open && !corrupt && payload == NULL && time(NULL) <= deadline) {
        struct pollfd fd = {.fd = child->reply, .events = POLLIN};
        if (poll(&fd, 1, 1000) <= 0) continue;
        at_status st = at_frames_feed(&child->frames, child->reply, &open, err);
        if (st != AT_OK) return st;
        payload = at_frames_next(&child->frames, &bytes, &corrupt);
    }
    if (payload != NULL) {
        at_status st = at_hello_from_json(header, payload, bytes, err);
        free(payload);
        return st;
    }
    words = at_child_words(child);
    if (open) at_child_kill(child);
    at_child_end(child, how, sizeof how);
    at_fail(err, AT_INFRASTRUCTURE, "a worker did not come up: %s in phase '%s'; its last words: %s", how,
            child->box ? child->box->phase : "?", words ? words : "");
    free(words);
    return AT_INFRASTRUCTURE;
}

at_status at_child_start(at_child *child, const at_options *o, int seconds, at_header *header, at_error *err)
{
    int ask[2] = {0, 0}, reply[2] = {0, 0};
    *child = (at_child){0};
    at_status st = AT_OK;
    signal(SIGPIPE, SIG_IGN);
    child->words = memfd_create("attest-words", MFD_CLOEXEC);
    child->box_fd = at_blackbox_make();
    if (child->words < 0 || child->box_fd < 0 || pipe2(ask, O_CLOEXEC) != 0 || pipe2(reply, O_CLOEXEC) != 0) {
        st = at_fail(err, AT_INFRASTRUCTURE, "pipes for a worker: %s", strerror(errno));
        goto done;
    }
    int *const all[] = {&child->words, &child->box_fd, &ask[0], &ask[1], &reply[0], &reply[1]};
    for (int i = 0; i < 6; i++) move_up(all[i]);
    child->box = at_blackbox_map(child->box_fd);
    child->ask = ask[1], child->reply = reply[0];
    ask[1] = reply[0] = 0;
    if ((st = spawn(child, o, ask[0], reply[1], err)) != AT_OK) goto done;
    close_fd(&ask[0]);
    close_fd(&reply[1]);
    st = wait_for_hello(child, seconds, header, err);
done:
    close_fd(&ask[0]), close_fd(&ask[1]), close_fd(&reply[0]), close_fd(&reply[1]);
    if (st != AT_OK) at_child_stop(child);
    return st;
}

bool at_child_alive(const at_child *child) { return child->pid != 0; }

void at_child_ask(at_child *child, size_t index, const char *mode)
{
    char line[64];
    int n = snprintf(line, sizeof line, "%zu %s\n", index, mode);
    if (ftruncate(child->words, 0) == 0) lseek(child->words, 0, SEEK_SET);
    if (child->box != NULL) child->box->detail[0] = 0;
    ssize_t written = write(child->ask, line, (size_t)n);
    (void)written; /* a worker that is gone is seen at the end of its stream */
}

void at_child_end(at_child *child, char *how, size_t size)
{
    int status = 0;
    snprintf(how, size, "the worker is gone");
    if (child->pid == 0 || waitpid(child->pid, &status, 0) != child->pid) return;
    child->pid = 0;
    if (WIFSIGNALED(status)) {
        snprintf(how, size, "killed by %s (%s)", sigabbrev_np(WTERMSIG(status)), strsignal(WTERMSIG(status)));
    } else {
        snprintf(how, size, "the worker left with exit status %d", WEXITSTATUS(status));
    }
}

void at_child_kill(at_child *child)
{
    if (child->pid != 0) kill(child->pid, SIGKILL);
}

char *at_child_words(const at_child *child)
{
    char text[1024];
    off_t end = lseek(child->words, 0, SEEK_END), start = end > 600 ? end - 600 : 0;
    ssize_t n = end > 0 ? pread(child->words, text, sizeof text - 1, start) : 0;
    text[n < 0 ? 0 : n] = 0;
    for (char *c = text; *c; c++) {
        if ((unsigned char)*c < 32) *c = ' ';
    }
    return at_text("%s", text);
}

void at_child_stop(at_child *child)
{
    const struct timespec moment = {.tv_nsec = 5000000};
    close_fd(&child->ask);
    for (int i = 0; i < 400 && child->pid != 0; i++) { /* two seconds to unload what it holds */
        if (waitpid(child->pid, NULL, WNOHANG) == child->pid) child->pid = 0;
        else nanosleep(&moment, NULL);
    }
    if (child->pid != 0) {
        at_child_kill(child);
        waitpid(child->pid, NULL, 0);
    }
    close_fd(&child->reply), close_fd(&child->words), close_fd(&child->box_fd);
    at_blackbox_unmap(child->box);
    at_frames_free(&child->frames);
    *child = (at_child){0};
}
