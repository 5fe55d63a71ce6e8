#include "supervisor.h"
#include "child.h"
#include "describe.h"
#include "finding.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_WORKERS = 256, START_SECONDS = 120 };

struct at_supervisor {
    const at_options *options;
    at_child child[MOST_WORKERS];
    const at_choice *at[MOST_WORKERS]; /* what each is at; NULL: idle */
    double deadline[MOST_WORKERS];
    int children;
};

static volatile sig_atomic_t interrupts;

static void on_interrupt(int number)
{
    (void)number;
    if (interrupts++ > 0) _Exit(130);
}

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A floor for what is small, and about ten times the slowest machine seen for what is not. */
static double allowance(const at_options *o, const at_choice *choice)
{
    return o->timeout > 0 ? o->timeout : 60 + at_cost(choice->c, choice->mode) * 1e-7;
}

at_status at_supervisor_start(at_supervisor **out, const at_options *o, at_header *header, at_error *err)
{
    at_supervisor *s = calloc(1, sizeof *s);
    if (s == NULL) return at_fail_memory(err, sizeof *s);
    s->options = o;
    at_status st = at_child_start(&s->child[0], o, START_SECONDS, header, err);
    s->children = 1;
    *out = s;
    if (st != AT_OK) {
        at_supervisor_stop(s);
        *out = NULL;
    }
    return st;
}

void at_supervisor_stop(at_supervisor *s)
{
    if (s == NULL) return;
    for (int i = 0; i < s->children; i++) at_child_stop(&s->child[i]);
    free(s);
}

/* An attempt whose worker is gone: the record that the worker could not send. */
static void record_of_loss(at_record *r, const at_supervisor *s, int worker, at_verdict verdict, const char *how)
{
    const at_choice *choice = s->at[worker];
    const at_case *c = choice->c;
    const at_child *child = &s->child[worker];
    at_describe(r, s->options->subject, c, choice->mode, c->any_dialect ? NULL : &c->dialect);
    r->verdict = verdict;
    char *words = at_child_words(child);
    r->message = at_text("%s in phase '%s'%s%s%s%s", how, child->box ? child->box->phase : "?",
                         child->box && child->box->detail[0] ? ": " : "", child->box ? child->box->detail : "",
                         words && words[0] ? "; its last words: " : "", words ? words : "");
    free(words);
}

static at_status hand_over(at_supervisor *s, int worker, at_record *r, at_on_record on_record, void *user, at_error *err)
{
    const at_choice *choice = s->at[worker];
    r->worker = worker;
    r->repro = at_text("build/attest repro '%s' --mode %s --subject %s --seed %" PRIu64, choice->c->id, choice->mode->name,
                       s->options->subject, s->options->seed);
    s->at[worker] = NULL;
    at_status st = on_record(user, r, err);
    at_record_clear(r);
    return st;
}

/* The worker is given up: its attempt becomes `verdict`, and a new worker takes its place. */
static at_status lose(at_supervisor *s, int worker, at_verdict verdict, const char *how, at_on_record on_record, void *user, at_error *err)
{
    at_record record = {0};
    at_status st = AT_OK;
    at_child_kill(&s->child[worker]);
    if (s->at[worker] != NULL) {
        record_of_loss(&record, s, worker, verdict, how);
        st = hand_over(s, worker, &record, on_record, user, err);
    }
    at_child_stop(&s->child[worker]);
    return st;
}

static at_status give(at_supervisor *s, int worker, const at_choice *choice, at_error *err)
{
    at_status st = AT_OK;
    if (!at_child_alive(&s->child[worker])) {
        at_header ignored = {0};
        st = at_child_start(&s->child[worker], s->options, START_SECONDS, &ignored, err);
        at_header_clear(&ignored);
    }
    if (st != AT_OK) return st;
    s->at[worker] = choice;
    s->deadline[worker] = seconds_now() + allowance(s->options, choice);
    at_child_ask(&s->child[worker], choice->index, choice->mode->name); /* a failure shows as the end of its stream */
    return AT_OK;
}

/* What a worker sent, or that it is gone. */
static at_status attend_to(at_supervisor *s, int worker, at_on_record on_record, void *user, at_error *err)
{
    at_child *child = &s->child[worker];
    at_record record = {0};
    at_error why = {0};
    char *payload, how[100];
    size_t bytes;
    bool open, corrupt;
    at_status st = at_frames_feed(&child->frames, child->reply, &open, err);
    if (st != AT_OK) return st;
    payload = at_frames_next(&child->frames, &bytes, &corrupt);
    if (payload != NULL && s->at[worker] != NULL) {
        bool whole = at_record_from_json(&record, payload, bytes, &why) == AT_OK && record.id != NULL &&
                     strcmp(record.id, s->at[worker]->c->id) == 0 && record.mode != NULL &&
                     strcmp(record.mode, s->at[worker]->mode->name) == 0;
        free(payload);
        if (whole) return hand_over(s, worker, &record, on_record, user, err);
        at_record_clear(&record);
        return lose(s, worker, AT_CRASH, "the worker sent what is no record of this attempt", on_record, user, err);
    }
    if (corrupt || payload != NULL) {
        free(payload);
        return lose(s, worker, AT_CRASH, "the worker sent a corrupt message", on_record, user, err);
    }
    if (open) return AT_OK;
    at_child_end(child, how, sizeof how);
    return lose(s, worker, AT_CRASH, how, on_record, user, err);
}

static at_status wait_for_news(at_supervisor *s, at_on_record on_record, void *user, at_error *err)
{
    struct pollfd fd[MOST_WORKERS];
    int who[MOST_WORKERS], n = 0;
    double now = seconds_now(), first = now + 1;
    for (int i = 0; i < s->children; i++) {
        if (s->at[i] == NULL) continue;
        fd[n] = (struct pollfd){.fd = s->child[i].reply, .events = POLLIN};
        who[n++] = i;
        first = s->deadline[i] < first ? s->deadline[i] : first;
    }
    int ready = poll(fd, (nfds_t)n, first > now ? (int)((first - now) * 1000) + 1 : 0);
    if (ready < 0 && errno != EINTR) return at_fail(err, AT_INFRASTRUCTURE, "waiting for workers: %s", strerror(errno));
    at_status st = AT_OK;
    for (int i = 0; i < n && st == AT_OK; i++) {
        if (ready > 0 && fd[i].revents) {
            st = attend_to(s, who[i], on_record, user, err);
        } else if (seconds_now() > s->deadline[who[i]]) {
            char how[100];
            snprintf(how, sizeof how, "no answer within %.0f s", allowance(s->options, s->at[who[i]]));
            st = lose(s, who[i], AT_TIMEOUT, how, on_record, user, err);
        }
    }
    return st;
}

static int busy(const at_supervisor *s)
{
    int n = 0;
    for (int i = 0; i < s->children; i++) n += s->at[i] != NULL;
    return n;
}

at_status at_supervisor_run(at_supervisor *s, const at_selection *selection, int jobs, at_on_record on_record, void *user,
                            bool *interrupted, at_error *err)
{
    const struct sigaction action = {.sa_handler = on_interrupt};
    struct sigaction before[2];
    at_status st = AT_OK;
    size_t next = 0;
    s->children = jobs < 1 ? 1 : jobs > MOST_WORKERS ? MOST_WORKERS : jobs;
    interrupts = 0;
    sigaction(SIGINT, &action, &before[0]);
    sigaction(SIGTERM, &action, &before[1]);
    while (st == AT_OK && !interrupts && (next < selection->choices || busy(s) > 0)) {
        for (int i = 0; i < s->children && next < selection->choices && st == AT_OK; i++) {
            if (s->at[i] == NULL) st = give(s, i, &selection->choice[next++], err);
        }
        if (st == AT_OK) st = wait_for_news(s, on_record, user, err);
    }
    *interrupted = interrupts != 0;
    sigaction(SIGINT, &before[0], NULL);
    sigaction(SIGTERM, &before[1], NULL);
    return st;
}
