/* bench --overhead: what the harness costs an attempt beyond what oracle and subject take, from request to record. */
#include "clock.h"
#include "commands.h"
#include "slot.h"
#include "supervisor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 11, RUNS = 20, WARM_UP = 20, MOST_MS = 5 };

typedef struct {
    double seconds[SAMPLES]; /* of an attempt, each the mean of RUNS */
    int runs;
    double since, useful; /* of the sample that is under way: its start, and what oracle and subject had of it */
    at_status worst;
} stopwatch;

/* Attempts follow each other without a gap, and records come a little after the answer: the time of many is what is
 * measured. */
static at_status on_record(void *user, const at_record *r, at_error *err) {
    (void)err;
    stopwatch *w = user;
    double now = at_seconds_now();
    int run = ++w->runs - WARM_UP;
    w->worst = at_worse(w->worst, at_verdict_status(r->verdict));
    if (run > 0) w->useful += r->seconds_oracle + r->seconds_subject;
    if (run > 0 && run % RUNS == 0) w->seconds[run / RUNS - 1] = (now - w->since - w->useful) / RUNS;
    if (run % RUNS == 0) w->since = now, w->useful = 0;
    return AT_OK;
}

/* The least of all that are asked for and that compute something, many times. */
static at_status choose(at_selection *out, const at_selection *all, at_error *err) {
    const at_choice *best = NULL;
    for (size_t i = 0; i < all->choices; i++) {
        const at_choice *a = &all->choice[i];
        if (at_case_computes(a->c) && (best == NULL || at_cost(a->c, a->mode) < at_cost(best->c, best->mode))) best = a;
    }
    *out = (at_selection){.choices = WARM_UP + SAMPLES * RUNS, .cases = 1};
    if (best == NULL) return at_fail(err, AT_UNVALIDATED, "no case that computes anything is selected");
    if ((out->choice = calloc(out->choices, sizeof *out->choice)) == NULL) return at_fail_memory(err, out->choices);
    for (size_t i = 0; i < out->choices; i++) out->choice[i] = *best;
    return AT_OK;
}

static void put(const stopwatch *w, const at_choice *choice, const at_header *header) {
    printf("{\"id\":\"%s\",\"mode\":\"%s\",\"device\":", choice->c->id, choice->mode->name);
    at_json_put_string(stdout, header->device);
    printf(",\"median\":%.9g,\"least\":%.9g,\"most\":%.9g,\"samples\":%d,\"attempts\":%d}\n", w->seconds[SAMPLES / 2],
           w->seconds[0], w->seconds[SAMPLES - 1], SAMPLES, RUNS);
}

static void print(const stopwatch *w, const at_choice *choice, const at_header *header) {
    printf("overhead per attempt: median %.3f ms, least %.3f ms, most %.3f ms (n = %d, each of %d attempts); at most "
           "%d ms is meant\n",
           1e3 * w->seconds[SAMPLES / 2], 1e3 * w->seconds[0], 1e3 * w->seconds[SAMPLES - 1], SAMPLES, RUNS, MOST_MS);
    printf("of %s [%s] on %s, beyond oracle and subject\n", choice->c->id, choice->mode->name, header->device);
}

static at_status measure(at_options *o, const at_selection *all, at_error *err) {
    at_selection selection = {0};
    at_supervisor *supervisor = NULL;
    at_header header = {0};
    stopwatch watch = {0};
    const at_listener listener = {.on_record = on_record, .user = &watch};
    bool interrupted = false;
    at_status st = choose(&selection, all, err);
    if (st == AT_OK) st = at_supervisor_start(&supervisor, o, &header, err);
    if (st == AT_OK) st = at_supervisor_run(supervisor, &selection, 1, &listener, &interrupted, err);
    if (st == AT_OK && !interrupted) {
        qsort(watch.seconds, SAMPLES, sizeof *watch.seconds, at_ascending);
        if (watch.worst == AT_OK)
            (o->json ? put : print)(&watch, &selection.choice[0], &header);
        else
            st = at_fail(err, watch.worst, "the case itself does not pass; attest repro '%s' says why",
                         selection.choice[0].c->id);
    }
    at_supervisor_stop(supervisor);
    at_header_clear(&header);
    at_selection_free(&selection);
    return st;
}

at_status at_command_bench(at_options *o, at_error *err) {
    at_cases *cases = NULL;
    at_selection all = {0};
    if (!o->overhead) return at_command_time(o, err);
    at_default_subject(o);
    if (o->mode == NULL) o->mode = "eager";
    at_status st = at_load_default_cases(&cases, o, err);
    if (st == AT_OK) st = at_select(&all, cases, o, err);
    if (st == AT_OK) st = measure(o, &all, err);
    at_selection_free(&all);
    at_cases_free(cases);
    return st;
}
