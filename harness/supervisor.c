#include "supervisor.h"
#include "check.h"
#include "clock.h"
#include "finding.h"
#include "locate.h"
#include "lock.h"
#include "same.h"
#include "slot.h"
#include "strays.h"
#include "worker.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST_WORKERS = 256, LEAVE_SECONDS = 60, MOST_BAD_STARTS = 3, MOST_SEARCHES = 4 };

struct at_supervisor {
    const at_options *options;
    at_header first; /* what the first worker said of subject and device: all others must say the same */
    at_slot slot[MOST_WORKERS];
    int slots;
    const at_selection *selection;
    size_t next; /* the first choice that nobody is at yet */
    const at_listener *listener;
    bool deaf;      /* it wants no more records */
    int bad_starts; /* in a row */
    int searches;   /* for the place of a fault */
    char *locked[MOST_WORKERS];
    int lock[MOST_WORKERS], locks;
    bool adopts; /* what workers leave behind */
    int strays;  /* of it, ended so far */
};

static volatile sig_atomic_t interrupts;

static void on_interrupt(int number) {
    (void)number;
    if (interrupts++ > 0) _Exit(130);
}

/* A floor for what is small, and about ten times the slowest machine seen for what is not. */
static double allowance(const at_options *o, const at_choice *choice) {
    double seconds = 60 + at_cost(choice->c, choice->mode) * 1e-7 + (double)at_case_bytes(choice->c) * 5e-8;
    return o->timeout > 0 ? o->timeout : o->sanitizer != NULL ? 10 * seconds : seconds;
}

/* ---- starting ---- */

static at_status lock_once(at_supervisor *s, const char *device_id, at_error *err) {
    if (device_id == NULL || device_id[0] == 0) return AT_OK;
    for (int i = 0; i < s->locks; i++) {
        if (strcmp(s->locked[i], device_id) == 0) return AT_OK;
    }
    at_status st = at_lock_device(&s->lock[s->locks], NULL, device_id, s->options->wait, err);
    if (st == AT_OK) s->locked[s->locks++] = at_text("%s", device_id);
    return st;
}

static int device_of(const at_options *o, int slot) {
    return o->devices > 0 ? o->device_list[slot % o->devices] : o->device;
}

/* A copy, by way of its JSON. */
static at_status copy_header(at_header *out, const at_header *header, at_error *err) {
    char *text = NULL;
    at_status st = at_header_to_json(&text, header, err);
    if (st == AT_OK) st = at_header_from_json(out, text, strlen(text), err);
    free(text);
    return st;
}

at_status at_supervisor_start(at_supervisor **out, const at_options *o, at_header *header, at_error *err) {
    at_supervisor *s = calloc(1, sizeof *s);
    if (s == NULL) return at_fail_memory(err, sizeof *s);
    s->options = o;
    s->slots = 1;
    s->slot[0].device = device_of(o, 0);
    s->adopts = at_strays_adopt();
    at_status st = at_child_start(&s->slot[0].child, o, s->slot[0].device, header, err);
    if (st == AT_OK) st = copy_header(&s->first, header, err);
    if (st == AT_OK) st = lock_once(s, header->device_id, err);
    at_slot_enter(&s->slot[0], AT_READY, 0);
    if (st == AT_OK)
        *out = s;
    else
        at_supervisor_stop(s);
    return st;
}

/* What a worker that is gone has left behind ends too. */
static void sweep(at_supervisor *s) {
    pid_t alive[MOST_WORKERS];
    size_t n = 0;
    if (!s->adopts) return;
    for (int i = 0; i < s->slots; i++) {
        if (s->slot[i].child.pid != 0) alive[n++] = s->slot[i].child.pid;
    }
    s->strays += at_strays_end(alive, n);
}

static void gone(at_supervisor *s, at_slot *w) {
    at_child_close(&w->child);
    sweep(s);
    at_slot_enter(w, AT_NOBODY, 0);
}

void at_supervisor_stop(at_supervisor *s) {
    if (s == NULL) return;
    for (int i = 0; i < s->slots; i++) {
        at_child_close(&s->slot[i].child);
        at_record_clear(&s->slot[i].held);
        at_repeats_clear(&s->slot[i].repeats);
    }
    sweep(s);
    if (s->strays > 0)
        fprintf(stderr, "attest: ended %d process%s that the subject had started and left behind\n", s->strays,
                s->strays == 1 ? "" : "es");
    for (int i = 0; i < s->locks; i++) close(s->lock[i]), free(s->locked[i]);
    at_header_clear(&s->first);
    free(s);
}

/* A worker that does not come up is tried again a few times, ever later: a device may need a moment after a crash. */
static at_status bad_start(at_supervisor *s, at_slot *w, at_status st) {
    gone(s, w);
    at_slot_enter(w, AT_NOBODY, 1 << s->bad_starts);
    if (++s->bad_starts < MOST_BAD_STARTS) return AT_OK;
    return at_worse(st, AT_INFRASTRUCTURE); /* since one came up before */
}

static at_status start(at_supervisor *s, at_slot *w, at_error *err) {
    if (at_seconds_now() < w->deadline) return AT_OK;
    w->answered = 0;
    w->log = (at_sanitizer_log){0};
    at_status st = at_child_spawn(&w->child, s->options, w->device, err);
    if (st != AT_OK) return bad_start(s, w, st);
    at_slot_enter(w, AT_STARTING, at_child_patience(s->options));
    return AT_OK;
}

static at_status take_hello(at_supervisor *s, at_slot *w, const char *payload, size_t bytes, at_error *err) {
    at_header header = {0};
    char other[32];
    snprintf(other, sizeof other, "a worker on device %d", w->device);
    at_status st = at_hello_from_json(&header, payload, bytes, err);
    if (st != AT_OK) {
        st = bad_start(s, w, st);
    } else if ((st = at_same(&s->first, "the first worker", &header, other, AT_SAME_SUBJECT | AT_SAME_DEVICE, err)) ==
                   AT_OK &&
               (st = lock_once(s, header.device_id, err)) == AT_OK) {
        s->bad_starts = 0;
        at_slot_enter(w, AT_READY, 0);
    }
    at_header_clear(&header);
    return st;
}

/* ---- answers ---- */

/* The held answer goes to whoever listens, once all runs of its attempt are there. */
static at_status release(at_supervisor *s, at_slot *w, at_error *err) {
    at_record record = {0};
    if (!w->holds) return AT_OK;
    w->holds = false;
    at_repeats_add(&w->repeats, &w->held);
    if (w->repeats.runs < s->options->repeat) return AT_OK;
    at_repeats_take(&w->repeats, &record);
    record.worker = (int)(w - s->slot);
    /* a card says how much of it is taken, not by whom */
    if (strcmp(s->first.device_kind, "cuda") == 0 && at_slot_shares_device(w, s->slot, s->slots))
        record.held_before = record.held_after = 0;
    free(record.repro);
    record.repro = at_text("%s repro '%s' --mode %s --subject %s --seed %" PRIu64,
                           s->options->program ? s->options->program : "attest", record.id, record.mode,
                           s->options->subject, s->options->seed);
    at_status st = s->listener->on_record(s->listener->user, &record, err);
    s->deaf = st != AT_OK;
    at_record_clear(&record);
    return st;
}

static at_status read_log(at_supervisor *s, at_slot *w, at_record *record, at_error *err) {
    const char *tool = s->options->sanitizer;
    return tool == NULL ? AT_OK : at_sanitizer_read(&w->log, w->child.log_fd, tool, record, err);
}

/* The worker is given up, and what it was at with it. */
static at_status lose(at_supervisor *s, at_slot *w, at_verdict verdict, const char *how, at_error *err) {
    at_record loss = {0};
    char ignored[100];
    at_status st = release(s, w, err);
    at_child_kill(&w->child);
    at_child_end(&w->child, ignored, sizeof ignored);
    if (st == AT_OK) {
        at_slot_loss(w, &loss, s->first.subject, s->first.device_kind, verdict, how);
        st = read_log(s, w, &loss, err);
        at_slot_hold(w, &loss, s->options->repeat);
    }
    gone(s, w);
    return st == AT_OK ? release(s, w, err) : st;
}

/* A search takes seconds in which nobody else is attended to: only the first few faults of a run have one. */
static void locate(at_supervisor *s, const at_slot *w, at_record *record) {
    if (s->options->sanitizer != NULL || !at_is_illegal_access(record) || s->searches++ >= MOST_SEARCHES) return;
    char *where = at_locate_fault(s->options, w->device, w->at, allowance(s->options, w->at));
    if (where == NULL) return;
    at_find_besides(record, "guard", where);
    char *message = at_text("%s: %s", record->message, where);
    free(record->message);
    record->message = message;
    free(where);
}

/* Whether it answers what was asked, and says one thing. */
static bool fits(const at_record *r, const at_choice *choice) {
    return r->id != NULL && r->hash != NULL && r->mode != NULL && strcmp(r->id, choice->c->id) == 0 &&
           strcmp(r->hash, choice->c->hash) == 0 && strcmp(r->mode, choice->mode->name) == 0 &&
           at_record_contradiction(r) == NULL;
}

static at_status take_answer(at_supervisor *s, at_slot *w, const char *payload, size_t bytes, at_error *err) {
    at_record record = {0};
    at_error why;
    at_status st = release(s, w, err);
    if (st != AT_OK) return st;
    if (at_record_from_json(&record, payload, bytes, &why) != AT_OK || !fits(&record, w->at) ||
        w->child.frames.used > 0) {
        at_record_clear(&record);
        return lose(s, w, AT_CRASH, "the worker sent what is no answer to its request", err);
    }
    if (record.verdict == AT_HARNESS_ERROR && w->answered > 0) {
        /* It may be what an earlier attempt left behind: once more, in a worker that has seen none. */
        at_record_clear(&record);
    } else {
        st = read_log(s, w, &record, err);
        locate(s, w, &record);
        at_slot_hold(w, &record, s->options->repeat);
    }
    w->answered++;
    at_slot_enter(w, AT_READY, 0);
    return st;
}

/* ---- ends ---- */

/* Somebody may be ending the whole job, one process after the other: then the supervisor is next. */
static bool whole_job_ends(int number) {
    const struct timespec moment = {.tv_nsec = 300000000};
    if (number != SIGKILL && number != SIGTERM && number != SIGINT && number != SIGHUP) return false;
    nanosleep(&moment, NULL);
    return interrupts > 0;
}

/* An end between two attempts: in order, or the last deed of the one that was answered. */
static at_status end_between(at_supervisor *s, at_slot *w, at_verdict verdict, const char *how, at_error *err) {
    bool left = at_slot_left(w);
    at_status st = AT_OK;
    if (w->holds) {
        st = read_log(s, w, &w->held, err);
        if (st == AT_OK && left && s->options->sanitizer != NULL && !w->log.summary) {
            st = at_fail(err, AT_INFRASTRUCTURE, "compute-sanitizer ended without a summary: what it saw is not known");
        }
        if (!left) at_slot_blame_held(w, verdict, how);
        if (st == AT_OK) st = release(s, w, err);
    } else if (w->state == AT_BUSY && left && w->answered == 0) {
        char *words = at_child_words(&w->child);
        st = at_fail(err, AT_INFRASTRUCTURE, "a worker refused its request: %s", words ? words : "");
        free(words);
    } else if (w->state == AT_BUSY && !left) {
        return lose(s, w, verdict, how, err);
    }
    gone(s, w);
    return st;
}

static at_status ended(at_supervisor *s, at_slot *w, at_error *err) {
    char how[100];
    if (w->state == AT_STARTING) return bad_start(s, w, at_child_stillborn(&w->child, err));
    int number = at_child_end(&w->child, how, sizeof how);
    if (whole_job_ends(number)) {
        gone(s, w);
        return AT_OK;
    }
    return at_slot_begun(w) ? lose(s, w, AT_CRASH, how, err) : end_between(s, w, AT_CRASH, how, err);
}

static at_status corrupted(at_supervisor *s, at_slot *w, at_error *err) {
    static const char how[] = "into the worker's pipe came what the worker did not send";
    if (w->state == AT_STARTING) return bad_start(s, w, at_fail(err, AT_UNVALIDATED, "%s, before its hello", how));
    if (w->state == AT_BUSY) return lose(s, w, AT_CRASH, how, err);
    at_child_kill(&w->child);
    return end_between(s, w, AT_CRASH, how, err);
}

static at_status overdue(at_supervisor *s, at_slot *w, at_error *err) {
    char how[200], stop[AT_STOP_WORDS];
    if (w->state == AT_BUSY && at_slot_extend(w, allowance(s->options, w->at))) return AT_OK;
    at_child_stop(&w->child, stop);
    if (w->state == AT_STARTING) return bad_start(s, w, at_child_late(&w->child, at_child_patience(s->options), err));
    if (w->state == AT_BUSY) {
        snprintf(how, sizeof how, "no answer within %g s%s", allowance(s->options, w->at), stop);
        return lose(s, w, AT_TIMEOUT, how, err);
    }
    at_child_kill(&w->child);
    snprintf(how, sizeof how, "subject and device were not put away within %d s%s", LEAVE_SECONDS, stop);
    return end_between(s, w, AT_TIMEOUT, how, err);
}

/* ---- the loop ---- */

static at_status step(at_supervisor *s, at_slot *w, at_error *err) {
    if (w->at == NULL && s->next < s->selection->choices) {
        w->at = &s->selection->choice[s->next++];
        w->runs = 0;
    }
    if (w->state == AT_NOBODY && w->at != NULL) return start(s, w, err);
    if (w->state == AT_READY && w->at != NULL) {
        at_slot_ask(w, allowance(s->options, w->at));
    } else if (w->state == AT_READY) {
        at_child_dismiss(&w->child);
        at_slot_enter(w, AT_LEAVING, LEAVE_SECONDS);
    }
    return AT_OK;
}

static at_status attend_to(at_supervisor *s, at_slot *w, at_error *err) {
    size_t bytes;
    bool open, corrupt;
    at_status st = at_child_read(&w->child, &open, err);
    if (st != AT_OK) return st;
    char *payload = at_frames_next(&w->child.frames, w->state == AT_STARTING ? 0 : w->ticket, &bytes, &corrupt);
    if (corrupt || (payload != NULL && w->state == AT_LEAVING))
        st = corrupted(s, w, err);
    else if (payload != NULL)
        st = w->state == AT_STARTING ? take_hello(s, w, payload, bytes, err) : take_answer(s, w, payload, bytes, err);
    else if (!open)
        st = ended(s, w, err);
    free(payload);
    return st;
}

typedef struct {
    struct pollfd fd[MOST_WORKERS][AT_CHILD_WATCHED];
    at_slot *who[MOST_WORKERS];
    int n;
    double first; /* deadline */
} watch;

static void watch_all(watch *v, at_supervisor *s) {
    v->n = 0;
    v->first = at_seconds_now() + 1;
    for (int i = 0; i < s->slots; i++) {
        at_slot *w = &s->slot[i];
        if (w->state == AT_NOBODY && w->at == NULL) continue;
        if (w->deadline < v->first) v->first = w->deadline;
        if (w->state == AT_NOBODY) continue;
        at_child_watch(&w->child, v->fd[v->n]);
        v->who[v->n++] = w;
    }
}

static at_status wait_for_news(at_supervisor *s, at_error *err) {
    watch v;
    watch_all(&v, s);
    double left = v.first - at_seconds_now();
    int ready = poll(v.fd[0], (nfds_t)(AT_CHILD_WATCHED * v.n), left > 0 ? (int)(left * 1000) + 1 : 0);
    if (ready < 0 && errno != EINTR) return at_fail(err, AT_INFRASTRUCTURE, "waiting for workers: %s", strerror(errno));
    const double now = at_seconds_now(); /* of the news: whoever answers while another is attended to is not late */
    at_status st = AT_OK;
    for (int i = 0; i < v.n && st == AT_OK; i++) {
        at_slot *w = v.who[i];
        at_child_listen(&w->child);
        if ((ready > 0 && v.fd[i][0].revents) || at_child_is_over(&w->child))
            st = attend_to(s, w, err);
        else if (now > w->deadline)
            st = overdue(s, w, err);
        else if (at_slot_begun(w))
            st = release(s, w, err);
    }
    return st;
}

static bool at_work(const at_supervisor *s) {
    for (int i = 0; i < s->slots; i++) {
        if (s->slot[i].state != AT_NOBODY || s->slot[i].at != NULL) return true;
    }
    return s->next < s->selection->choices;
}

static at_status run_all(at_supervisor *s, at_error *err) {
    const at_listener *l = s->listener;
    at_status st = AT_OK;
    double second = at_seconds_now() + 1;
    while (st == AT_OK && !interrupts && at_work(s)) {
        for (int i = 0; i < s->slots && st == AT_OK; i++) st = step(s, &s->slot[i], err);
        if (st == AT_OK) st = wait_for_news(s, err);
        if (st != AT_OK || at_seconds_now() < second) continue;
        second = at_seconds_now() + 1;
        if (l->on_second != NULL) st = l->on_second(l->user, err);
    }
    for (int i = 0; i < s->slots && !s->deaf; i++) { /* answered is answered, whatever ended the run */
        at_error ignored;
        at_status last = release(s, &s->slot[i], &ignored);
        if (st == AT_OK && last != AT_OK) st = at_fail(err, last, "%s", ignored.text);
    }
    return st;
}

at_status at_supervisor_run(at_supervisor *s, const at_selection *selection, int jobs, const at_listener *listener,
                            bool *interrupted, at_error *err) {
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    const struct sigaction action = {.sa_handler = on_interrupt};
    struct sigaction before[3];
    s->selection = selection, s->next = 0, s->listener = listener, s->deaf = false;
    s->slots = jobs < 1 ? 1 : jobs > MOST_WORKERS ? MOST_WORKERS : jobs;
    for (int i = 0; i < s->slots; i++) s->slot[i].device = device_of(s->options, i);
    interrupts = 0;
    for (int i = 0; i < 3; i++) sigaction(numbers[i], &action, &before[i]);
    at_status st = run_all(s, err);
    *interrupted = interrupts != 0;
    for (int i = 0; i < 3; i++) sigaction(numbers[i], &before[i], NULL);
    return st;
}
