#include "describe.h"
#include "axes.h"
#include "expansion.h"
#include "finding.h"
#include "poisons.h"

#include <stdlib.h>
#include <string.h>

static char **copy_list(char *const *list) {
    size_t n = 0;
    while (list != NULL && list[n] != NULL) n++;
    char **copy = calloc(n + 1, sizeof *copy);
    for (size_t i = 0; copy != NULL && i < n; i++) copy[i] = at_text("%s", list[i]);
    return copy;
}

static char *gates_text(unsigned gates) {
    static const char *const name[] = {"supports", "create", "execute"};
    char text[32] = "";
    for (int i = 0; i < 3; i++) {
        if (!(gates & 1U << i)) continue;
        if (text[0] != 0) strcat(text, " ");
        strcat(text, name[i]);
    }
    return at_text("%s", text);
}

void at_describe(at_record *r, const char *subject, const at_case *c, const at_mode *mode, const or_dialect *dialect) {
    static const char *const expect[] = {"budget", "exact", "refusal"};
    or_dialect counted = dialect ? *dialect : c->dialect;
    r->id = at_text("%s", c->id), r->hash = at_text("%s", c->hash);
    r->suite = at_text("%s", c->suite), r->name = at_text("%s", c->name), r->why = at_text("%s", c->why);
    r->tags = copy_list(c->tags), r->covers = copy_list(c->covers);
    r->subject = at_text("%s", subject), r->mode = at_text("%s", mode->name);
    r->dialect = at_text("%s", dialect ? or_dialect_name(*dialect) : "");
    r->dtype = at_text("%s", or_dtype_name((or_dtype)c->dtype)), r->geometry = at_text("%s", c->geometry);
    r->tier = at_text("%s", at_tier_name(c->tier)), r->design = at_text("%s", c->design ? c->design : "");
    r->expect = at_text("%s", expect[c->expect]);
    r->axes = at_axes_of(c, counted, mode->name);
    r->poisons = at_poisons_of(c);
    r->place = at_text("%s:%d", c->place.file ? c->place.file : "", c->place.line);
    at_expansion_add(r, c, counted);
    if (c->expect != AT_EXPECT_REFUSAL) return;
    r->rule = at_text("%s", c->rule);
    r->gate = gates_text(c->gates);
}
