#include "shard.h"
#include "record.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Greedy: the dearest first, each to the shard that has the least so far. */
typedef struct {
    size_t at;
    double cost;
} weight;

static int dearest_first(const void *a, const void *b) {
    const weight *x = a, *y = b;
    if (x->cost != y->cost) return x->cost > y->cost ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

at_status at_shard_keep(at_selection *s, int64_t shard, int64_t shards, at_error *err) {
    weight *order = calloc(s->choices + 1, sizeof *order);
    double *load = calloc((size_t)shards, sizeof *load);
    bool *mine = calloc(s->choices + 1, sizeof *mine);
    at_status st = AT_OK;
    if (order == NULL || load == NULL || mine == NULL) {
        st = at_fail_memory(err, s->choices);
        goto done;
    }
    for (size_t i = 0; i < s->choices; i++) order[i] = (weight){i, at_cost(s->choice[i].c, s->choice[i].mode)};
    qsort(order, s->choices, sizeof *order, dearest_first);
    for (size_t i = 0; i < s->choices; i++) {
        int64_t least = 0;
        for (int64_t n = 1; n < shards; n++) least = load[n] < load[least] ? n : least;
        load[least] += order[i].cost;
        mine[order[i].at] = least == shard - 1;
    }
    size_t kept = 0;
    for (size_t i = 0; i < s->choices; i++) {
        if (mine[i]) s->choice[kept++] = s->choice[i];
    }
    s->choices = kept;
done:
    free(mine);
    free(load);
    free(order);
    return st;
}

/* A variable that is set must be a number; `missing` where it is not set. */
static at_status number(int64_t *out, const char *name, int64_t missing, at_error *err) {
    const char *text = getenv(name);
    char *end;
    *out = missing;
    if (text == NULL || text[0] == 0) return AT_OK;
    errno = 0;
    long long n = strtoll(text, &end, 10);
    if (errno != 0 || *end != 0 || n < 0) return at_fail(err, AT_USAGE, "%s is '%s', which is no number", name, text);
    *out = n;
    return AT_OK;
}

/* index from 0 */
static at_status take(at_options *o, int64_t index, int64_t count, const char *source, at_error *err) {
    if (count < 1 || count > AT_MOST_SHARDS || index < 0 || index >= count) {
        return at_fail(err, AT_USAGE,
                       "%s name part %" PRId64 " of %" PRId64 ", counted from 0; --shard I/N overrules them", source,
                       index, count);
    }
    o->shard = index + 1, o->shards = count;
    return AT_OK;
}

static at_status from_gtest(at_options *o, bool *found, at_error *err) {
    int64_t total, index;
    at_status st = number(&total, "GTEST_TOTAL_SHARDS", -1, err);
    if (st == AT_OK) st = number(&index, "GTEST_SHARD_INDEX", -1, err);
    if (st != AT_OK || (total < 0 && index < 0)) return st;
    *found = true;
    if (total < 0 || index < 0)
        return at_fail(err, AT_USAGE, "of GTEST_TOTAL_SHARDS and GTEST_SHARD_INDEX one alone is set");
    return take(o, index, total, "GTEST_SHARD_INDEX and GTEST_TOTAL_SHARDS", err);
}

/* An array of 1-7, 0-6 or 0-12:2; of one with gaps no task knows which part it is. */
static at_status from_slurm(at_options *o, at_error *err) {
    int64_t id, count, first, step;
    at_status st = number(&id, "SLURM_ARRAY_TASK_ID", -1, err);
    if (st == AT_OK) st = number(&count, "SLURM_ARRAY_TASK_COUNT", -1, err);
    if (st == AT_OK) st = number(&first, "SLURM_ARRAY_TASK_MIN", 0, err);
    if (st == AT_OK) st = number(&step, "SLURM_ARRAY_TASK_STEP", 1, err);
    if (st != AT_OK || id < 0 || count < 0) return st;
    if (step < 1 || (id - first) % step != 0) {
        return at_fail(err, AT_USAGE,
                       "SLURM_ARRAY_TASK_ID %" PRId64 " is none of %" PRId64 ", %" PRId64 ", ...; give --shard I/N", id,
                       first, first + step);
    }
    return take(o, (id - first) / step, count, "SLURM_ARRAY_TASK_ID, _MIN and _COUNT", err);
}

at_status at_shard_from_environment(at_options *o, at_error *err) {
    bool found = false;
    at_status st = AT_OK;
    if (!o->shard_given) st = from_gtest(o, &found, err);
    if (!o->shard_given && st == AT_OK && !found) st = from_slurm(o, err);
    if (st == AT_OK && o->shards > 1) {
        fprintf(stderr, "attest: shard %" PRId64 " of %" PRId64 " alone; attest merge joins them\n", o->shard,
                o->shards);
    }
    return st;
}
