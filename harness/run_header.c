#include "run_header.h"
#include "finding.h"
#include "universe.h"

#include <inttypes.h>
#include <stdlib.h>

static bool whole_tier(const at_options *o) {
    return o->patterns == 0 && o->tags == 0 && o->mode == NULL;
}

static size_t missing_suites(const at_cases *cases) {
    size_t missing = 0;
    for (char *const *name = at_cases_index(cases); *name != NULL; name++) missing += !at_cases_has_suite(cases, *name);
    return missing;
}

/* Every suite the run was to cover, those that the index misses too, and, where it was to cover all of a tier, their
 * floors. Those of a part of a run count for the whole alone. */
static at_status put_suites(at_header *header, const at_cases *cases, const at_options *o, at_error *err) {
    size_t suites = at_cases_suites(cases), missing = missing_suites(cases), n = 0;
    char **floors = calloc(suites + missing + 1, sizeof *floors);
    header->suites = calloc(suites + missing + 1, sizeof *header->suites);
    if (header->suites == NULL || floors == NULL) {
        free(floors);
        return at_fail_memory(err, suites);
    }
    for (size_t i = 0, loaded = suites; i < loaded; i++) {
        const at_suite *suite = at_cases_suite(cases, i);
        header->suites[i] = at_text("%s", suite->suite);
        if (whole_tier(o) && suite->floor[o->tier] > 0)
            floors[n++] = at_text("%s=%zu", suite->suite, suite->floor[o->tier]);
    }
    for (char *const *name = at_cases_index(cases); *name != NULL; name++) {
        if (at_cases_has_suite(cases, *name)) continue;
        fprintf(stderr, "attest: the index asks for a suite '%s', which is not there\n", *name);
        header->suites[suites++] = at_text("%s", *name);
        if (whole_tier(o)) floors[n++] = at_text("%s=1", *name);
    }
    *(o->shards > 1 ? &header->whole_floors : &header->floors) = floors;
    return AT_OK;
}

/* "--mode replay -k window", or "". */
static char *filter_of(const at_options *o) {
    char *text = at_text("%s%s", o->mode ? "--mode " : "", o->mode ? o->mode : "");
    for (size_t i = 0; i < o->patterns + o->tags && text != NULL; i++) {
        bool tag = i >= o->patterns;
        const char *word = tag ? o->tag[i - o->patterns] : o->pattern[i];
        char *longer = at_text("%s%s%s %s", text, text[0] ? " " : "", tag ? "--tag" : "-k", word);
        free(text);
        text = longer;
    }
    return text;
}

/* The whole run's: a part of it differs in `shard` alone. */
static char *command_of(const at_options *o, const char *filter) {
    char repeat[32] = "", sanitizer[40] = "";
    if (o->repeat > 1) snprintf(repeat, sizeof repeat, " --repeat %" PRId64, o->repeat);
    if (o->sanitizer != NULL) snprintf(sanitizer, sizeof sanitizer, " --sanitizer %s", o->sanitizer);
    return at_text("attest run --subject %s --tier %s --seed %" PRIu64 "%s%s%s%s", o->subject, at_tier_name(o->tier),
                   o->seed, repeat, sanitizer, filter && filter[0] ? " " : "", filter ? filter : "");
}

at_status at_run_header(at_header *header, const at_cases *cases, const at_selection *selection, const at_options *o,
                        const char *waivers, at_error *err) {
    header->tier = at_text("%s", o->patterns > 0 && !o->tier_given ? "any" : at_tier_name(o->tier));
    header->filter = filter_of(o);
    header->command = command_of(o, header->filter);
    header->plan = at_text("%s", selection->plan);
    header->planned = (int64_t)selection->choices, header->planned_cases = (int64_t)selection->cases;
    header->whole = (int64_t)selection->whole, header->whole_cases = (int64_t)selection->whole_cases;
    header->shard = o->shard, header->shards = o->shards;
    header->repeat = o->repeat;
    header->sanitizer = o->sanitizer ? at_text("%s", o->sanitizer) : NULL;
    header->waivers = waivers ? at_text("%s", waivers) : NULL;
    header->require_gpu = o->require_gpu;
    header->universe = at_universe(cases);
    if (header->universe == NULL) return at_fail_memory(err, 0);
    return put_suites(header, cases, o, err);
}
