/* Which attempts a command line asks for: cases by tier, pattern and tag, each in every mode that applies. */
#ifndef AT_SELECT_H
#define AT_SELECT_H

#include "digest.h"
#include "modes.h"
#include "options.h"

typedef struct {
    size_t index; /* of the case */
    const at_case *c;
    const at_mode *mode;
} at_choice;

typedef struct {
    at_choice *choice; /* [choices] in the cases' order */
    size_t choices;
    size_t cases;              /* distinct ones among them */
    size_t whole, whole_cases; /* the same before a shard was cut */
    char plan[AT_DIGEST_TEXT]; /* of the whole: id, content hash and mode of each attempt */
} at_selection;

/* AT_USAGE where a pattern, tag or mode matches nothing: a typing error must not look like a green run. */
AT_MUST_USE at_status at_select(at_selection *out, const at_cases *, const at_options *, at_error *err);
/* That check by itself. */
AT_MUST_USE at_status at_check_words(const at_cases *, const at_options *, at_error *err);
/* AT_USAGE at the first case of it that at_plan_check refuses, with how many more there are. */
AT_MUST_USE at_status at_selection_check(const at_selection *, uint64_t seed, at_error *err);
void at_selection_free(at_selection *);
bool at_selected(const at_case *, const at_options *);

/* What an attempt costs on the CPU, in units of about a multiply-add; the same on every machine, so that shards are
 * stable. */
double at_cost(const at_case *, const at_mode *);

#endif
