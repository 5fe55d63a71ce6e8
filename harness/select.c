#include "select.h"

#include <stdlib.h>
#include <string.h>

static bool listed(char *const *list, const char *word)
{
    for (; *list != NULL; list++) {
        if (strcmp(*list, word) == 0) return true;
    }
    return false;
}

bool at_selected(const at_case *c, const at_options *o)
{
    bool any = o->patterns == 0, tagged = o->tags == 0;
    if ((o->patterns == 0 || o->tier_given) && c->tier > o->tier) return false;
    for (size_t i = 0; i < o->patterns && !any; i++) any = at_case_matches(c, o->pattern[i]);
    for (size_t i = 0; i < o->tags && !tagged; i++) tagged = listed(c->tags, o->tag[i]) || listed(c->covers, o->tag[i]);
    return any && tagged;
}

double at_cost(const at_case *c, const at_mode *mode)
{
    double keys = 0, heads = 1;
    if (c->expect == AT_EXPECT_REFUSAL) return 1e4;
    for (size_t i = 0; i < c->sequences; i++) {
        keys += (double)c->sequence[i].fresh * (double)(c->sequence[i].past + c->sequence[i].fresh);
    }
    for (size_t i = 0; i < c->attrs; i++) {
        if (strcmp(c->attr[i].name, "num_heads") == 0) heads = (double)c->attr[i].i;
    }
    return 1e4 + keys * heads * 2 * (double)c->head_size * (strcmp(mode->name, "eager") == 0 ? 2 : 4);
}

/* Greedy: the dearest first, each to the shard that has the least so far. */
typedef struct {
    size_t at;
    double cost;
} weight;

static int dearest_first(const void *a, const void *b)
{
    const weight *x = a, *y = b;
    if (x->cost != y->cost) return x->cost > y->cost ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

static at_status keep_shard(at_selection *s, int64_t shard, int64_t shards, at_error *err)
{
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

static at_status check_words(const at_cases *cases, const at_options *o, at_error *err)
{
    size_t n = at_cases_count(cases);
    for (size_t k = 0; k < o->patterns; k++) {
        size_t i = 0;
        while (i < n && !at_case_matches(at_cases_at(cases, i), o->pattern[k])) i++;
        if (i == n) return at_fail(err, AT_USAGE, "-k '%s' matches none of %zu cases; see attest list", o->pattern[k], n);
    }
    for (size_t k = 0; k < o->tags; k++) {
        size_t i = 0;
        while (i < n && !listed(at_cases_at(cases, i)->tags, o->tag[k]) && !listed(at_cases_at(cases, i)->covers, o->tag[k])) i++;
        if (i == n) return at_fail(err, AT_USAGE, "--tag '%s' is on none of %zu cases", o->tag[k], n);
    }
    if (o->mode != NULL && at_mode_by_name(o->mode) == NULL) {
        return at_fail(err, AT_USAGE, "--mode '%s' is no mode; see attest help", o->mode);
    }
    return AT_OK;
}

static size_t distinct(const at_selection *s)
{
    size_t count = 0;
    for (size_t i = 0; i < s->choices; i++) count += i == 0 || s->choice[i].c != s->choice[i - 1].c;
    return count;
}

at_status at_select(at_selection *out, const at_cases *cases, const at_options *o, at_error *err)
{
    size_t modes, n = at_cases_count(cases);
    const at_mode *mode = at_modes(&modes);
    *out = (at_selection){0};
    at_status st = check_words(cases, o, err);
    if (st != AT_OK) return st;
    if ((out->choice = calloc(n * modes + 1, sizeof *out->choice)) == NULL) return at_fail_memory(err, n * modes * sizeof *out->choice);
    for (size_t i = 0; i < n; i++) {
        const at_case *c = at_cases_at(cases, i);
        for (size_t m = 0; m < modes && at_selected(c, o); m++) {
            if (!at_mode_wanted(&mode[m], c) || (o->mode != NULL && strcmp(o->mode, mode[m].name) != 0)) continue;
            out->choice[out->choices++] = (at_choice){i, c, &mode[m]};
        }
    }
    if (o->shards > 1) st = keep_shard(out, o->shard, o->shards, err);
    out->cases = distinct(out);
    if (st != AT_OK) at_selection_free(out);
    return st;
}

void at_selection_free(at_selection *s)
{
    free(s->choice);
    *s = (at_selection){0};
}
