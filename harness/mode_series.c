/* Series of calls on one kernel and one cache, as a server makes them: each call finds what the ones before it left,
 * and each is judged. */
#include "modes.h"
#include "variant.h"

#include <stdlib.h>
#include <string.h>

/* The series so far: the kernel lives in the first call's session; the cache goes from call to call. */
typedef struct {
    const at_host *host;
    const at_plan *plan;
    at_record *record;
    at_session first;
    at_variant v;
    at_traces cache;
    bool going;
} series;

/* The next call, of the lengths that stand in s->v. */
static at_status call(series *s, at_error *err) {
    at_plan *plan = NULL;
    at_traces left = {0};
    at_status st = at_variant_plan(&plan, &s->v, s->plan->node.dialect, s->plan->seed, s->cache.key_cache, err);
    if (st == AT_OK) st = at_answer_to(&left, s->host, s->first.kernel, plan, s->record, &s->going, err);
    at_plan_free(plan);
    at_traces_free(&s->cache);
    s->cache = left;
    return st;
}

static at_status begin(series *s, const at_host *host, const at_plan *plan, at_record *record, at_error *err) {
    *s = (series){.host = host, .plan = plan, .record = record};
    at_status st = at_variant_of(&s->v, plan->c, 0, err);
    return st == AT_OK ? at_session_open(&s->first, host, plan, NULL, record, &s->going, err) : st;
}

static void end(series *s) {
    at_traces_free(&s->cache);
    at_session_close(&s->first);
    at_variant_free(&s->v);
}

/* `fresh` tokens after what the sequence has; its pages and tables keep their size. */
static void take_step(at_sequence *s, int64_t fresh) {
    s->past += s->fresh;
    s->reserve -= fresh;
    s->fresh = fresh;
}

/* The sequence ends and a new one starts in its pages, with data of its own. */
static void succeed(at_sequence *s, int64_t fresh, int64_t data) {
    int64_t room = s->past + s->fresh + s->reserve;
    *s = (at_sequence){.past = 0, .fresh = fresh, .reserve = room - fresh, .data = data};
}

/* life: prefill; decode token by token across page edges; one sequence idles; one ends, and a new one starts in the
 * pages it leaves. */
at_status at_mode_life(const at_host *host, const at_plan *plan, at_record *record, at_error *err) {
    series s;
    at_status st = begin(&s, host, plan, record, err);
    int64_t steps = plan->c->block_size + 4;
    size_t sequences = s.v.c.sequences;
    for (size_t b = 0; b < sequences && st == AT_OK; b++) s.v.sequence[b].reserve += steps;
    if (st == AT_OK && s.going) st = call(&s, err);
    for (int64_t i = 0; i < steps && st == AT_OK && s.going; i++) {
        for (size_t b = 0; b < sequences; b++) {
            bool idle = b == 1 && i % 4 == 3;
            if (b == 0 && i == steps / 2)
                succeed(&s.v.sequence[b], 3, (int64_t)sequences + 1);
            else
                take_step(&s.v.sequence[b], idle ? 0 : 1);
        }
        st = call(&s, err);
    }
    end(&s);
    return st;
}

/* The last `rejected` tokens of each sequence get slot -1. */
static void reject(at_variant *v, int64_t *skip, int64_t rejected) {
    int64_t token = 0;
    v->c.skip = skip, v->c.skips = 0;
    for (size_t b = 0; b < v->c.sequences; b++) {
        token += v->sequence[b].fresh;
        for (int64_t i = rejected; i > 0; i--) skip[v->c.skips++] = token - i;
    }
}

/* speculate: 2 to 8 new tokens a step; some are rejected (slot -1), and their positions written again by the next call.
 */
at_status at_mode_speculate(const at_host *host, const at_plan *plan, at_record *record, at_error *err) {
    static const struct { int64_t drafted, rejected; } step[] = {{2, 1}, {8, 3}, {4, 0}, {3, 2}, {5, 4}, {2, 0}};
    enum { STEPS = sizeof step / sizeof *step, MOST_REJECTED = 4, ROOM = 32 };
    series s;
    at_status st = begin(&s, host, plan, record, err);
    size_t sequences = s.v.c.sequences;
    int64_t *skip = calloc(sequences * MOST_REJECTED + 1, sizeof *skip);
    if (st == AT_OK && skip == NULL) st = at_fail_memory(err, sequences * MOST_REJECTED * sizeof *skip);
    for (size_t b = 0; b < sequences && st == AT_OK; b++) s.v.sequence[b].reserve += ROOM;
    if (st == AT_OK && s.going) st = call(&s, err);
    for (int i = 0; i < STEPS && st == AT_OK && s.going; i++) {
        for (size_t b = 0; b < sequences; b++) {
            at_sequence *q = &s.v.sequence[b];
            int64_t kept = q->fresh - (i > 0 ? step[i - 1].rejected : 0);
            q->reserve += q->fresh - kept; /* rejected positions are free again */
            q->fresh = kept;
            take_step(q, step[i].drafted);
        }
        reject(&s.v, skip, step[i].rejected);
        st = call(&s, err);
    }
    end(&s);
    free(skip);
    return st;
}
