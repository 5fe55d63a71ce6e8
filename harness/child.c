#include "child.h"
#include "clock.h"
#include "finding.h"
#include "sanitizer.h"
#include "worker.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { MOST_ARGUMENTS = 40, GRACE_MS = 1000, REAP_MS = 30000, NOTICE_SECONDS = 3 };

static void close_fd(int *fd) {
    if (*fd > 0) close(*fd);
    *fd = 0;
}

/* Above the five that a worker is given, so that laying those out overwrites none of them; closed by exec. */
static void move_up(int *fd) {
    int low = *fd;
    if (low <= 0) return;
    *fd = fcntl(low, F_DUPFD_CLOEXEC, 10);
    close(low);
}

/* A process group of its own, so that all of it can be ended. Signals that are sent to a whole job stay blocked until
 * the worker ignores them: the supervisor decides. */
static int spawn_with(pid_t *pid, const char *program, char *const argument[], const int source[5]) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t blocked;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGINT), sigaddset(&blocked, SIGTERM), sigaddset(&blocked, SIGHUP);
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setsigmask(&attributes, &blocked);
    for (int i = 0; i < 5; i++) posix_spawn_file_actions_adddup2(&actions, source[i], i);
    int failed = posix_spawn(pid, program, &actions, &attributes, argument, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return failed;
}

static at_status spawn(at_child *child, const at_options *o, int device, const int source[5], at_error *err) {
    char number[16], seed[24], memory[24], guards[40], self[] = "/proc/self/exe", log[64], tool[AT_SANITIZER_PATH];
    snprintf(number, sizeof number, "%d", device);
    snprintf(seed, sizeof seed, "%" PRIu64, o->seed);
    snprintf(memory, sizeof memory, "%" PRIu64, o->memory);
    snprintf(guards, sizeof guards, "%" PRIx64 ",%" PRIx64, o->open_guards.before, o->open_guards.after);
    const char *argument[MOST_ARGUMENTS] = {0}, *program = self;
    size_t n = 0;
    if (o->sanitizer != NULL) {
        at_status st = at_sanitizer_find(tool, err);
        if (st != AT_OK) return st;
        program = tool;
        n = at_sanitizer_arguments(argument, o->sanitizer, at_sanitizer_log_name(log, sizeof log, child->log_fd));
    }
    const char *own[] = {"attest", "worker", "--subject", o->subject,      "--cases", o->cases,   "--device",
                         number,   "--seed", seed,        "--open-guards", guards,    "--memory", memory};
    char exe[4096];
    ssize_t length = readlink(self, exe, sizeof exe - 1);
    exe[length < 0 ? 0 : length] = 0;
    if (o->sanitizer != NULL) own[0] = exe;
    size_t words = sizeof own / sizeof *own - (o->memory ? 0 : 2);
    for (size_t i = 0; i < words; i++) argument[n++] = own[i];
    int failed = spawn_with(&child->pid, program, (char *const *)(uintptr_t)argument, source);
    if (failed == 0) return AT_OK;
    child->pid = 0;
    return at_fail(err, AT_INFRASTRUCTURE, "starting a worker: %s: %s", program, strerror(failed));
}

/* By its number: glibc has a function for it from 2.36 on, and this program runs from 2.34 on. */
static int end_descriptor(pid_t pid) {
    int fd = (int)syscall(SYS_pidfd_open, pid, 0); /* closed by exec */
    return fd > 0 ? fd : 0;
}

at_status at_child_spawn(at_child *child, const at_options *o, int device, at_error *err) {
    int ask[2] = {0, 0}, reply[2] = {0, 0}, talk[2] = {0, 0};
    *child = (at_child){0};
    at_status st = AT_OK;
    signal(SIGPIPE, SIG_IGN);
    child->box_fd = at_blackbox_make();
    child->log_fd = o->sanitizer ? memfd_create("attest-sanitizer", MFD_CLOEXEC) : 0;
    if (child->box_fd < 0 || child->log_fd < 0 || pipe2(ask, O_CLOEXEC) != 0 || pipe2(reply, O_CLOEXEC) != 0 ||
        pipe2(talk, O_CLOEXEC) != 0) {
        st = at_fail(err, AT_INFRASTRUCTURE, "pipes for a worker: %s", strerror(errno));
        goto done;
    }
    int *const all[] = {&child->box_fd, &child->log_fd, &ask[0], &ask[1], &reply[0], &reply[1], &talk[0], &talk[1]};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) move_up(all[i]);
    child->box = at_blackbox_map(child->box_fd);
    child->ask = ask[1], child->reply = reply[0], child->talk = talk[0];
    ask[1] = reply[0] = talk[0] = 0;
    fcntl(child->talk, F_SETFL, O_NONBLOCK);
    fcntl(child->reply, F_SETFL, O_NONBLOCK);
    const int source[5] = {ask[0], talk[1], talk[1], reply[1], child->box_fd};
    st = spawn(child, o, device, source, err);
    if (st == AT_OK) child->end = end_descriptor(child->pid);
done:
    for (int i = 0; i < 2; i++) close_fd(&ask[i]), close_fd(&reply[i]), close_fd(&talk[i]);
    if (st != AT_OK) at_child_close(child);
    return st;
}

bool at_child_is_over(const at_child *child) {
    siginfo_t how = {0};
    return child->pid != 0 && waitid(P_PID, (id_t)child->pid, &how, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           how.si_pid == child->pid;
}

void at_child_watch(const at_child *child, struct pollfd fd[AT_CHILD_WATCHED]) {
    const int watched[AT_CHILD_WATCHED] = {child->reply, child->talk, child->end};
    for (int i = 0; i < AT_CHILD_WATCHED; i++)
        fd[i] = (struct pollfd){.fd = watched[i] > 0 ? watched[i] : -1, .events = POLLIN};
}

at_status at_child_read(at_child *child, bool *open, at_error *err) {
    bool over = at_child_is_over(child); /* asked before reading: all that it wrote is in the pipe by then */
    size_t before = child->frames.used;
    at_status st = at_frames_feed(&child->frames, child->reply, open, err);
    if (over && child->frames.used == before) *open = false;
    return st;
}

static const char *phase_of(const at_child *child) {
    return child->box != NULL ? child->box->phase : "?";
}

/* Before its hello a worker is busy with what is not ours, or with reading cases. */
static at_status whose_start(const at_child *child) {
    bool theirs = strcmp(phase_of(child), AT_LOADING) == 0 || strcmp(phase_of(child), AT_OPENING) == 0;
    return theirs ? AT_UNVALIDATED : AT_INFRASTRUCTURE;
}

/* How it ended, in which phase, and what it printed last. Returns `status`. */
static at_status tell_start(at_child *child, at_status status, const char *how, at_error *err) {
    char *words = at_child_words(child);
    at_fail(err, AT_OK, "%s in phase '%.63s'%s%s", how, phase_of(child), words && words[0] ? "; its last words: " : "",
            words ? words : "");
    free(words);
    return status;
}

at_status at_child_stillborn(at_child *child, at_error *err) {
    char how[100], told[140];
    at_status st = whose_start(child);
    at_child_end(child, how, sizeof how);
    snprintf(told, sizeof told, "a worker did not come up: %s", how);
    return tell_start(child, st, told, err);
}

const char *at_child_stop(const at_child *child, char words[AT_STOP_WORDS]) {
    siginfo_t how = {0};
    words[0] = 0;
    if (child->pid != 0 && waitid(P_PID, (id_t)child->pid, &how, WSTOPPED | WNOHANG | WNOWAIT) == 0 &&
        how.si_pid == child->pid)
        snprintf(words, AT_STOP_WORDS, ", and its process is stopped by SIG%s", sigabbrev_np(how.si_status));
    return words;
}

at_status at_child_late(at_child *child, int seconds, at_error *err) {
    char how[100], told[300], stop[AT_STOP_WORDS];
    at_status st = whose_start(child);
    bool loading = strcmp(phase_of(child), AT_LOADING) == 0;
    snprintf(told, sizeof told, "%s within %d s%s%s", loading ? "the subject did not load" : "a worker did not come up",
             seconds, at_child_stop(child, stop),
             loading ? ": a constructor of it, or of what it links, does not return (--timeout gives it longer); ended"
                     : "; ended");
    at_child_kill(child);
    at_child_end(child, how, sizeof how);
    return tell_start(child, st, told, err);
}

int at_child_patience(const at_options *o) {
    enum { USUAL = 120, LEAST = 10 }; /* a driver with many devices takes seconds */
    return o->timeout <= 0 ? USUAL : o->timeout < LEAST ? LEAST : (int)o->timeout;
}

at_status at_child_await(at_child *child, uint64_t ticket, double seconds, char **payload, size_t *bytes,
                         at_error *err) {
    bool open = true, corrupt = false;
    double deadline = at_seconds_now() + seconds;
    at_status st = AT_OK;
    *payload = NULL;
    while (st == AT_OK && open && !corrupt && *payload == NULL && at_seconds_now() <= deadline) {
        struct pollfd fd[AT_CHILD_WATCHED];
        at_child_watch(child, fd);
        poll(fd, AT_CHILD_WATCHED, 1000);
        at_child_listen(child);
        st = at_child_read(child, &open, err);
        if (st == AT_OK) *payload = at_frames_next(&child->frames, ticket, bytes, &corrupt);
    }
    return st;
}

at_status at_child_start(at_child *child, const at_options *o, int device, at_header *header, at_error *err) {
    char *payload = NULL;
    size_t bytes;
    const int seconds = at_child_patience(o);
    const double start = at_seconds_now();
    at_status st = at_child_spawn(child, o, device, err);
    if (st == AT_OK) st = at_child_await(child, 0, NOTICE_SECONDS, &payload, &bytes, err);
    if (st == AT_OK && payload == NULL && at_seconds_now() >= start + NOTICE_SECONDS) {
        fprintf(stderr, "attest: waiting for a worker that is %.63s, for %d s at most\n", phase_of(child), seconds);
        st = at_child_await(child, 0, seconds - NOTICE_SECONDS, &payload, &bytes, err);
    }
    if (payload != NULL)
        st = at_hello_from_json(header, payload, bytes, err);
    else if (st == AT_OK)
        st = at_seconds_now() >= start + seconds ? at_child_late(child, seconds, err) : at_child_stillborn(child, err);
    free(payload);
    if (st != AT_OK) at_child_close(child);
    return st;
}

void at_child_ask(at_child *child, size_t index, const char *hash, const char *mode, uint64_t ticket) {
    char line[120];
    int n = snprintf(line, sizeof line, "%zu %s %s %016" PRIx64 "\n", index, hash, mode, ticket);
    at_child_listen(child);
    child->words_used = 0;
    if (child->box != NULL) child->box->detail[0] = 0;
    ssize_t written = write(child->ask, line, (size_t)n);
    (void)written; /* a worker that is gone is seen at the end of its stream */
}

static void keep(at_child *child, const char *text, size_t bytes) {
    size_t drop = child->words_used + bytes > AT_WORDS_KEPT ? child->words_used + bytes - AT_WORDS_KEPT : 0;
    if (drop >= child->words_used) {
        text += drop - child->words_used, bytes -= drop - child->words_used;
        drop = child->words_used;
    }
    memmove(child->words, child->words + drop, child->words_used - drop);
    child->words_used -= drop;
    memcpy(child->words + child->words_used, text, bytes);
    child->words_used += bytes;
}

bool at_child_listen(at_child *child) {
    char text[16384];
    for (int turn = 0; turn < 16; turn++) { /* who never stops printing must not keep the others waiting */
        ssize_t n = child->talk > 0 ? read(child->talk, text, sizeof text) : 0;
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return errno == EAGAIN;
        if (n == 0) {
            close_fd(&child->talk);
            return false;
        }
        keep(child, text, (size_t)n);
    }
    return true;
}

char *at_child_words(at_child *child) {
    enum { SHOWN = 600 };
    char text[SHOWN + 1];
    at_child_listen(child);
    size_t n = child->words_used < SHOWN ? child->words_used : SHOWN;
    memcpy(text, child->words + child->words_used - n, n);
    for (size_t i = 0; i < n; i++) {
        if ((unsigned char)text[i] < 32) text[i] = ' ';
    }
    while (n > 0 && text[n - 1] == ' ') n--;
    return at_text("%.*s", (int)n, text);
}

void at_child_dismiss(at_child *child) {
    close_fd(&child->ask);
}

void at_child_kill(at_child *child) {
    if (child->pid != 0) kill(-child->pid, SIGKILL);
}

/* False where it has not ended in that time. Its pipe is emptied meanwhile, or a last word would keep it. */
static bool reap(at_child *child, int *status, int milliseconds) {
    const struct timespec moment = {.tv_nsec = 2000000};
    for (int waited = 0; waited <= milliseconds; waited += 2) {
        if (waitpid(child->pid, status, WNOHANG) == child->pid) return true;
        at_child_listen(child);
        nanosleep(&moment, NULL);
    }
    return false;
}

int at_child_end(at_child *child, char *how, size_t size) {
    int status = 0;
    snprintf(how, size, "the worker is gone");
    if (child->pid == 0) return 0;
    bool by_itself = reap(child, &status, GRACE_MS), ended = by_itself;
    at_child_kill(child); /* what it started ends with it */
    if (!by_itself) ended = reap(child, &status, REAP_MS);
    child->pid = 0;
    if (!ended) {
        snprintf(how, size, "the worker cannot be killed (is its device stuck?)");
    } else if (!by_itself) {
        snprintf(how, size, "the worker closed its pipe and went on");
    } else if (WIFSIGNALED(status)) {
        snprintf(how, size, "killed by SIG%s (%s)", sigabbrev_np(WTERMSIG(status)), strsignal(WTERMSIG(status)));
        return WTERMSIG(status);
    } else {
        snprintf(how, size, "the worker left with exit status %d", WEXITSTATUS(status));
    }
    return 0;
}

void at_child_close(at_child *child) {
    int status;
    if (child->pid != 0) {
        at_child_kill(child);
        reap(child, &status, REAP_MS);
    }
    int *const all[] = {&child->ask, &child->reply, &child->talk, &child->end, &child->box_fd, &child->log_fd};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) close_fd(all[i]);
    at_blackbox_unmap(child->box);
    at_frames_free(&child->frames);
    *child = (at_child){0};
}
