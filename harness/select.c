#include "select.h"
#include "mode_names.h"
#include "plan.h"
#include "shard.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool listed(char *const *list, const char *word) {
    for (; *list != NULL; list++) {
        if (strcmp(*list, word) == 0) return true;
    }
    return false;
}

bool at_selected(const at_case *c, const at_options *o) {
    bool any = o->patterns == 0, tagged = o->tags == 0;
    if ((o->patterns == 0 || o->tier_given) && c->tier > o->tier) return false;
    for (size_t i = 0; i < o->patterns && !any; i++) any = at_case_matches(c, o->pattern[i]);
    for (size_t i = 0; i < o->tags && !tagged; i++) tagged = listed(c->tags, o->tag[i]) || listed(c->covers, o->tag[i]);
    return any && tagged;
}

double at_cost(const at_case *c, const at_mode *mode) {
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

at_status at_check_words(const at_cases *cases, const at_options *o, at_error *err) {
    size_t n = at_cases_count(cases);
    for (size_t k = 0; k < o->patterns; k++) {
        size_t i = 0;
        while (i < n && !at_case_matches(at_cases_at(cases, i), o->pattern[k])) i++;
        if (i == n)
            return at_fail(err, AT_USAGE, "-k '%s' matches none of %zu cases; see attest list", o->pattern[k], n);
    }
    for (size_t k = 0; k < o->tags; k++) {
        size_t i = 0;
        while (i < n && !listed(at_cases_at(cases, i)->tags, o->tag[k]) &&
               !listed(at_cases_at(cases, i)->covers, o->tag[k]))
            i++;
        if (i == n) return at_fail(err, AT_USAGE, "--tag '%s' is on none of %zu cases", o->tag[k], n);
    }
    if (o->mode != NULL && at_mode_by_name(o->mode) == NULL) {
        char names[200] = "";
        for (const char *const *name = at_mode_names; *name != NULL; name++)
            snprintf(names + strlen(names), sizeof names - strlen(names), " %s", *name);
        return at_fail(err, AT_USAGE, "--mode '%s' is none of%s", o->mode, names);
    }
    return AT_OK;
}

static size_t distinct(const at_selection *s) {
    size_t count = 0;
    for (size_t i = 0; i < s->choices; i++) count += i == 0 || s->choice[i].c != s->choice[i - 1].c;
    return count;
}

/* Of all that the attempts are: a journal whose plan has the same digest was made of the same ones. */
static at_status digest_plan(at_selection *s, at_error *err) {
    char *text = NULL;
    size_t bytes = 0;
    FILE *f = open_memstream(&text, &bytes);
    if (f == NULL) return at_fail_memory(err, s->choices);
    for (size_t i = 0; i < s->choices; i++)
        fprintf(f, "%s %s %s\n", s->choice[i].c->id, s->choice[i].c->hash, s->choice[i].mode->name);
    bool failed = fclose(f) != 0;
    at_status st = failed ? at_fail_memory(err, bytes) : at_digest(s->plan, text, bytes, err);
    free(text);
    return st;
}

at_status at_select(at_selection *out, const at_cases *cases, const at_options *o, at_error *err) {
    size_t modes, n = at_cases_count(cases);
    const at_mode *mode = at_modes(&modes);
    *out = (at_selection){0};
    at_status st = at_check_words(cases, o, err);
    if (st != AT_OK) return st;
    if ((out->choice = calloc(n * modes + 1, sizeof *out->choice)) == NULL)
        return at_fail_memory(err, n * modes * sizeof *out->choice);
    for (size_t i = 0; i < n; i++) {
        const at_case *c = at_cases_at(cases, i);
        for (size_t m = 0; m < modes && at_selected(c, o); m++) {
            if (!at_mode_wanted(&mode[m], c) || (o->mode != NULL && strcmp(o->mode, mode[m].name) != 0)) continue;
            out->choice[out->choices++] = (at_choice){i, c, &mode[m]};
        }
    }
    out->whole = out->choices;
    out->whole_cases = distinct(out);
    st = digest_plan(out, err);
    if (st == AT_OK && o->shards > 1) st = at_shard_keep(out, o->shard, o->shards, err);
    out->cases = distinct(out);
    if (st != AT_OK) at_selection_free(out);
    return st;
}

at_status at_selection_check(const at_selection *s, uint64_t seed, at_error *err) {
    at_error first, ignored;
    size_t bad = 0;
    for (size_t i = 0; i < s->choices; i++) {
        const at_case *c = s->choice[i].c;
        if (i > 0 && c == s->choice[i - 1].c) continue;
        at_status st = at_plan_check(c, c->dialect, seed, bad == 0 ? &first : &ignored);
        if (st == AT_USAGE)
            bad++;
        else if (st != AT_OK)
            return at_fail(err, st, "%s", bad == 0 ? first.text : ignored.text);
    }
    if (bad > 1) return at_fail(err, AT_USAGE, "%s (and %zu more; attest check lists them)", first.text, bad - 1);
    return bad == 0 ? AT_OK : at_fail(err, AT_USAGE, "%s", first.text);
}

void at_selection_free(at_selection *s) {
    free(s->choice);
    *s = (at_selection){0};
}
