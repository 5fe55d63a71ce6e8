#include "universe.h"
#include "../oracle/rules.h"
#include "axes.h"
#include "finding.h"
#include "modes.h"
#include "pairs.h"
#include "poisons.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    char **list;
    size_t count, room;
    bool failed;
} strings;

static void add(strings *s, char *text) {
    if (s->count + 2 > s->room) {
        char **list = realloc(s->list, (s->room * 2 + 64) * sizeof *list);
        if (list != NULL) s->list = list, s->room = s->room * 2 + 64;
    }
    if (text == NULL || s->count + 2 > s->room) {
        s->failed = true;
        free(text);
        return;
    }
    s->list[s->count++] = text;
    s->list[s->count] = NULL;
}

static const char *const gate_name[] = {"supports", "create", "execute"};

static void add_rules(strings *s) {
    size_t rules;
    const or_rule *rule = or_rules(&rules);
    for (size_t i = 0; i < rules; i++) {
        for (int g = 0; g < 3; g++) {
            if (rule[i].gates & 1U << g) add(s, at_text("rule:%s@%s", rule[i].id, gate_name[g]));
        }
    }
}

/* A call that is good passes each gate in each dialect. */
static void add_gates(strings *s) {
    for (or_dialect d = 0; d < OR_DIALECTS; d++) {
        for (int g = 0; g < 3; g++) add(s, at_text("gate:%s@%s", or_dialect_name(d), gate_name[g]));
    }
}

/* Clauses that one dialect refuses to go along with: they need a case that is refused beside one that is not. */
static const char *const refusing[] = {"dialect.scale", "dialect.slots", "dialect.granularity", "dialect.angles"};

static void add_clause(strings *s, const char *id) {
    add(s, at_text("clause:%s", id));
    for (size_t i = 0; i < sizeof refusing / sizeof *refusing; i++) {
        if (strcmp(refusing[i], id) == 0) add(s, at_text("refused:%s", id));
    }
}

static void add_impossible(strings *s) {
    size_t rules;
    const at_impossible *rule = at_impossible_pairs(&rules);
    for (size_t i = 0; i < rules; i++) {
        add(s, at_text("impossible:%s*%s=%s: %s", rule[i].value, rule[i].axes, rule[i].others, rule[i].why));
    }
}

static bool is_scenario(const char *id) {
    return id[0] == 'S' && isdigit((unsigned char)id[1]);
}

char **at_universe(const at_cases *cases) {
    strings s = {0};
    size_t modes, axes;
    const at_mode *mode = at_modes(&modes);
    const char *const *axis = at_axes_universe(&axes);
    add_rules(&s);
    add_gates(&s);
    for (size_t i = 0; i < axes; i++) add(&s, at_text("%s", axis[i]));
    for (const char *const *poison = at_poisons_universe(); *poison != NULL; poison++) add(&s, at_text("%s", *poison));
    add_impossible(&s);
    for (size_t i = 0; i < at_cases_clauses(cases); i++) {
        const char *id = at_cases_clause(cases, i)->id;
        if (is_scenario(id))
            add(&s, at_text("scenario:%s", id));
        else
            add_clause(&s, id);
    }
    for (size_t i = 0; i < modes; i++) add(&s, at_text("mode:%s", mode[i].name));
    if (!s.failed) return s.list;
    for (size_t i = 0; i < s.count; i++) free(s.list[i]);
    free(s.list);
    return NULL;
}
