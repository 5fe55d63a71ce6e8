#include "expansion.h"
#include "finding.h"

#include <inttypes.h>
#include <stdlib.h>

enum { MOST_LINES = 48, MOST_TEXT = 200 }; /* further lines are counted, longer texts cut */

static char *attribute_text(const or_attr *a) {
    if (a->type == OR_INT) return at_text("%.*s %" PRId64, MOST_TEXT, a->name, a->i);
    if (a->type == OR_FLOAT) return at_text("%.*s %.9g", MOST_TEXT, a->name, a->f);
    return at_text("%.*s \"%.*s\"", MOST_TEXT, a->name, MOST_TEXT, a->s);
}

static char *shape_text(const char *name, const or_tensor *t) {
    char text[MOST_TEXT];
    int n = snprintf(text, sizeof text, "%s %s [", name, or_dtype_name(t->dtype));
    for (uint32_t i = 0; i < t->rank && n < MOST_TEXT; i++)
        n += snprintf(text + n, (size_t)(MOST_TEXT - n), "%s%" PRId64, i > 0 ? ", " : "", t->shape[i]);
    return at_text("%s]", text);
}

static char **attributes_of(const or_node *node) {
    char **list = calloc(MOST_LINES + 2, sizeof *list);
    for (size_t i = 0; list != NULL && i < node->attrs && i < MOST_LINES; i++) list[i] = attribute_text(&node->attr[i]);
    if (list != NULL && node->attrs > MOST_LINES) list[MOST_LINES] = at_text("and %zu more", node->attrs - MOST_LINES);
    return list;
}

static char **shapes_of(const or_call *call) {
    char **list = calloc(OR_INPUTS + OR_OUTPUTS + 1, sizeof *list);
    size_t n = 0;
    for (int i = 0; list != NULL && i < OR_INPUTS + OR_OUTPUTS; i++) {
        const or_tensor *t = i < OR_INPUTS ? &call->in[i] : &call->out[i - OR_INPUTS];
        if (t->dtype == OR_ABSENT) continue;
        list[n] = shape_text(i < OR_INPUTS ? or_input_name(i) : or_output_name(i - OR_INPUTS), t);
        n += list[n] != NULL;
    }
    return list;
}

static bool alike(const at_sequence *a, const at_sequence *b) {
    return a->past == b->past && a->fresh == b->fresh;
}

static char **sequences_of(const at_case *c) {
    char **list = calloc(MOST_LINES + 2, sizeof *list), times[24];
    size_t n = 0, end = 0;
    for (size_t i = 0; list != NULL && i < c->sequences && n < MOST_LINES; i = end) {
        for (end = i + 1; end < c->sequences && alike(&c->sequence[i], &c->sequence[end]); end++) continue;
        snprintf(times, sizeof times, end - i > 1 ? "%zu x " : "", end - i);
        list[n++] = at_text("%spast %" PRId64 ", new %" PRId64, times, c->sequence[i].past, c->sequence[i].fresh);
    }
    if (list != NULL && end < c->sequences) list[n] = at_text("and %zu more", c->sequences - end);
    return list;
}

void at_expansion_add(at_record *r, const at_case *c, or_dialect dialect) {
    at_error ignored;
    at_plan *plan;
    if (at_plan_outline(&plan, c, dialect, &ignored) != AT_OK) return;
    r->attributes = attributes_of(&plan->node);
    r->shapes = shapes_of(&plan->call);
    r->sequences = sequences_of(c);
    at_plan_free(plan);
}
