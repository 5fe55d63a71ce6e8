/* bench without --overhead, which is in command_bench.c: how long a subject takes, by the device's own events: after a
 * warm-up, median with least and most. Judged first, since the time of a wrong answer means nothing; never a gate, and
 * on tiny shapes no claim about performance. */
#include "blackbox.h"
#include "commands.h"
#include "modes.h"
#include "pages.h"
#include "select.h"
#include "worker.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WARM_UP = 3, RUNS = 9, SMALL_US = 50 };

typedef struct {
    double median, least, most; /* seconds */
    int64_t bytes, pages;       /* that any kernel has to move through memory at least; of the cache in use */
} timing;

/* Each input once and each output once; of the cache the rows that some token sees, once however many heads look, and
 * those written. */
static void account(timing *t, const at_plan *plan) {
    const or_problem *p = &plan->problem;
    t->bytes = 0, t->pages = 0;
    for (int i = 0; i < OR_INPUTS; i++) {
        if (i != OR_KEY_CACHE) t->bytes += (int64_t)at_tensor_bytes(&plan->call.in[i]);
    }
    t->bytes += (int64_t)at_tensor_bytes(&plan->call.out[OR_OUTPUT]);
    for (int64_t b = 0; b < p->sequences; b++) {
        int64_t fresh = p->cumulative_sequence_length[b + 1] - p->cumulative_sequence_length[b],
                end = p->past_seqlens[b] + fresh;
        int64_t first =
            p->window_before < 0 || p->past_seqlens[b] < p->window_before ? 0 : p->past_seqlens[b] - p->window_before;
        if (fresh == 0) continue;
        t->bytes += (end - first + fresh) * p->head_size * (int64_t)sizeof(uint16_t);
        t->pages += (end - 1) / p->block_size - first / p->block_size + 1;
    }
}

static at_status time_once(at_session *s, double *seconds, bool *going, at_error *err) {
    const at_device_ops *ops = s->host->ops;
    at_status st = at_session_restore(s, 0xFF, err);
    if (st == AT_OK) st = ops->wait(s->host->device, err);
    if (st == AT_OK) st = ops->time_begin(s->host->device, err);
    if (st == AT_OK) st = at_session_execute(s, false, going, err);
    return st == AT_OK && *going ? ops->time_end(s->host->device, seconds, err) : st;
}

static at_status time_session(timing *t, at_session *s, bool *going, at_error *err) {
    double seconds[RUNS], ignored;
    at_traces traces = {0};
    at_status st = at_eager_once(s, AT_EDGE_END, 0xFF, &(at_cpu_how){.late = 1}, &traces, going, err);
    if (st == AT_OK && *going) st = at_session_judge(s, &traces, err);
    at_traces_free(&traces);
    for (int i = 0; i < WARM_UP && st == AT_OK && *going; i++) st = time_once(s, &ignored, going, err);
    for (int i = 0; i < RUNS && st == AT_OK && *going; i++) st = time_once(s, &seconds[i], going, err);
    if (st != AT_OK || !*going) return st;
    qsort(seconds, RUNS, sizeof *seconds, at_ascending);
    t->median = seconds[RUNS / 2], t->least = seconds[0], t->most = seconds[RUNS - 1];
    return AT_OK;
}

/* t NULL: it was not timed. */
typedef void at_put_time(const at_case *, const timing *t, at_verdict);

static void print_row(const at_case *c, const timing *t, at_verdict verdict) {
    if (t == NULL) {
        printf("| %s | | | | | | | %s |\n", c->id, at_verdict_name(verdict));
        return;
    }
    printf("| %s | %.1f | %.1f | %.1f | %" PRId64 " | %" PRId64 " | %.3g | %s |\n", c->id, 1e6 * t->median,
           1e6 * t->least, 1e6 * t->most, t->pages, t->bytes, (double)t->bytes / t->median * 1e-9,
           at_verdict_name(verdict));
}

static void put_row(const at_case *c, const timing *t, at_verdict verdict) {
    printf("{\"id\":\"%s\",\"hash\":\"%s\",\"verdict\":\"%s\"", c->id, c->hash, at_verdict_name(verdict));
    if (t != NULL) {
        printf(",\"median\":%.9g,\"least\":%.9g,\"most\":%.9g,\"pages\":%" PRId64 ",\"bytes\":%" PRId64, t->median,
               t->least, t->most, t->pages, t->bytes);
    }
    putchar('}');
}

static void print_head(const at_header *h) {
    printf("%s %s on %s (%s), n = %d after %d warm-ups, cold caches are not arranged for\n\n", at_shown(h->subject),
           at_shown(h->subject_version), at_shown(h->device), at_shown(h->arch), RUNS, WARM_UP);
    puts("| case | median us | least | most | pages | bytes at least | GB/s at that | verdict "
         "|\n|---|--:|--:|--:|--:|--:|--:|---|");
}

static void put_head(const at_header *h) {
    const char *const member[][2] = {{"subject", h->subject}, {"version", h->subject_version},
                                     {"device", h->device},   {"arch", h->arch},
                                     {"driver", h->driver},   {"revision", h->revision}};
    putchar('{');
    for (size_t i = 0; i < sizeof member / sizeof *member; i++) {
        printf("\"%s\":", member[i][0]);
        at_json_put_string(stdout, member[i][1] ? member[i][1] : "");
        putchar(',');
    }
    printf("\"seed\":\"%" PRIu64 "\",\"runs\":%d,\"warm_up\":%d,\"cases\":[\n", h->seed, RUNS, WARM_UP);
}

static at_status time_case(const at_host *host, const at_case *c, at_put_time *put, at_status *worst, at_error *err) {
    timing t;
    at_record record = {.verdict = AT_PASS};
    at_plan *plan = NULL;
    at_session s = {0};
    or_dialect dialect;
    bool going = false;
    if (!at_dialect_for(&dialect, host->subject, c)) {
        put(c, NULL, AT_UNSUPPORTED);
        return AT_OK;
    }
    at_blackbox_tell(c->id);
    at_status st = at_plan_make(&plan, c, dialect, host->seed, err);
    if (st == AT_OK) st = at_session_open(&s, host, plan, NULL, &record, &going, err);
    if (st == AT_OK && going) st = time_session(&t, &s, &going, err);
    if (st == AT_OK && going) account(&t, plan);
    if (st == AT_OK) put(c, going ? &t : NULL, record.verdict);
    *worst = at_worse(*worst, at_verdict_status(record.verdict));
    at_session_close(&s);
    at_plan_free(plan);
    at_record_clear(&record);
    return st;
}

static at_status time_all(const at_place_of_work *work, const at_header *header, const at_selection *all, bool json,
                          at_status *worst, at_error *err) {
    at_status st = AT_OK;
    (json ? put_head : print_head)(header);
    for (size_t i = 0; i < all->choices && st == AT_OK; i++) {
        if (json && i > 0) puts(",");
        st = time_case(&work->host, all->choice[i].c, json ? put_row : print_row, worst, err);
    }
    if (json)
        puts("\n]}");
    else
        printf("\nShapes that take less than %d us are for correctness: their times say what a launch costs, and "
               "nothing about performance.\n",
               SMALL_US);
    return st;
}

at_status at_command_time(at_options *o, at_error *err) {
    at_cases *cases = NULL;
    at_selection all = {0};
    at_place_of_work work = {0};
    at_header header = {0};
    at_status worst = AT_OK;
    const char *timing_tag = "timing";
    at_default_subject(o);
    o->mode = "eager";
    if (o->patterns + o->tags == 0 && (o->tag = calloc(1, sizeof *o->tag)) != NULL) o->tag[0] = timing_tag, o->tags = 1;
    at_status st = at_load_default_cases(&cases, o, err);
    if (!o->tier_given) o->tier = AT_STRESS;
    if (st == AT_OK) st = at_select(&all, cases, o, err);
    if (st == AT_OK && all.choices == 0)
        st = at_fail(err, AT_USAGE,
                     "none of these cases can be timed: the %s tier has none with the tag '%s'; name some by -k",
                     at_tier_name(o->tier), timing_tag);
    if (st == AT_OK) st = at_host_open_alone(&work, &header, o, err);
    if (st == AT_OK) {
        st = time_all(&work, &header, &all, o->json, &worst, err);
        at_host_close(&work);
    }
    at_header_clear(&header);
    at_selection_free(&all);
    at_cases_free(cases);
    return st != AT_OK ? st : worst;
}
