#include "progress.h"

#include <time.h>
#include <unistd.h>

static double seconds_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void at_progress_start(at_progress *p, size_t total, bool off) {
    *p = (at_progress){.total = total, .started = seconds_now(), .off = off, .terminal = isatty(STDERR_FILENO)};
    p->shown = p->started;
}

static void show(at_progress *p, double now) {
    double took = now - p->started, rate = took > 0 ? (double)p->done / took : 0;
    fprintf(stderr, "%s%zu of %zu attempts, %zu failed", p->terminal ? "\r\033[K" : "attest: ", p->done, p->total,
            p->failed);
    if (rate > 0)
        fprintf(stderr, rate < 10 ? ", %.1f a second, %.0f s left" : ", %.0f a second, %.0f s left", rate,
                (double)(p->total - p->done) / rate);
    if (!p->terminal) putc('\n', stderr);
    p->shown = now;
}

void at_progress_show(at_progress *p) {
    double now = seconds_now();
    if (!p->off && now - p->shown > (p->terminal ? 0.1 : 10)) show(p, now);
}

void at_progress_add(at_progress *p, const at_record *record) {
    p->done++;
    p->failed += at_verdict_status(record->verdict) == AT_FAILED;
    at_progress_show(p);
}

void at_progress_end(at_progress *p) {
    if (!p->off && p->terminal && p->shown > p->started) fputs("\r\033[K", stderr);
}
