#include "universe.h"
#include "../oracle/rules.h"
#include "axes.h"
#include "finding.h"
#include "modes.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    char **list;
    size_t count, room;
    bool failed;
} strings;

static void add(strings *s, char *text)
{
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

static void add_rules(strings *s)
{
    static const char *const gate[] = {"supports", "create", "execute"};
    size_t rules;
    const or_rule *rule = or_rules(&rules);
    for (size_t i = 0; i < rules; i++) {
        for (int g = 0; g < 3; g++) {
            if (rule[i].gates & 1U << g) add(s, at_text("rule:%s@%s", rule[i].id, gate[g]));
        }
    }
}

static bool is_scenario(const char *id) { return id[0] == 'S' && isdigit((unsigned char)id[1]); }

char **at_universe(const at_cases *cases)
{
    strings s = {0};
    size_t modes, axes;
    const at_mode *mode = at_modes(&modes);
    const char *const *axis = at_axes_universe(&axes);
    add_rules(&s);
    for (size_t i = 0; i < axes; i++) add(&s, at_text("%s", axis[i]));
    for (size_t i = 0; i < at_cases_clauses(cases); i++) {
        const char *id = at_cases_clause(cases, i)->id;
        add(&s, at_text("%s:%s", is_scenario(id) ? "scenario" : "clause", id));
    }
    for (size_t i = 0; i < modes; i++) add(&s, at_text("mode:%s", mode[i].name));
    if (!s.failed) return s.list;
    for (size_t i = 0; i < s.count; i++) free(s.list[i]);
    free(s.list);
    return NULL;
}
