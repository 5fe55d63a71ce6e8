#include "explanation.h"
#include "../oracle/hypotheses.h"
#include "blackbox.h"
#include "clock.h"
#include "finding.h"

#include <stdlib.h>

/* Of one attempt; and what the row that is being read then may take longer, since the clock is read between rows. */
static const double most_seconds = 5, row_seconds = 5;

static bool add(char **list, size_t *n, char *text) {
    list[*n] = text;
    *n += text != NULL;
    return text != NULL;
}

static bool put_in_words(char **list, const at_explanation *e) {
    size_t n = 0;
    bool fine = true;
    if (e->right) return add(list, &n, at_text("the right reading: the output is right for the cache that was left"));
    for (size_t i = 0; or_hypothesis_at(i) != NULL && fine; i++) {
        const or_hypothesis *h = or_hypothesis_at(i);
        if (!e->agrees[i]) continue;
        if (n == 0 && !e->numbers) fine = add(list, &n, at_text("any reading that meets a NaN: no number is wrong"));
        fine = fine && add(list, &n, at_text("%s: %s", or_hypothesis_id(h), or_hypothesis_about(h)));
    }
    return n > 0 ? fine : fine && add(list, &n, at_text("none of %zu known wrong readings", at_hypotheses()));
}

char **at_explanation_words(const at_explanation *e) {
    char **list = calloc(at_hypotheses() + 2, sizeof *list); /* NaN's line beside them, and the end */
    if (list == NULL || put_in_words(list, e)) return list;
    for (char **text = list; *text != NULL; text++) free(*text);
    free(list);
    return NULL;
}

static char **explain(const at_plan *plan, const or_arithmetic *how, const at_answer *answer, double seconds) {
    at_error ignored;
    at_explanation e = {.agrees = calloc(at_hypotheses(), sizeof *e.agrees)};
    bool found = e.agrees != NULL && at_explain(&e, plan, how, answer, seconds, &ignored) == AT_OK;
    char **list = found ? at_explanation_words(&e) : NULL;
    free(e.agrees);
    return list;
}

static bool has_mismatches(const at_record *r) {
    int64_t wrong = 0;
    for (int i = 0; i < r->tensors; i++) wrong += r->tensor[i].mismatches;
    return wrong > 0;
}

void at_explanation_seek(at_record *r, double *left, const at_plan *plan, const or_arithmetic *how,
                         const at_answer *answer) {
    if (*left <= 0 || r->explanation != NULL || !has_mismatches(r)) return;
    double most = *left < most_seconds ? *left : most_seconds, start = at_seconds_now();
    at_phase("explaining");
    at_blackbox_grant(most + row_seconds);
    r->explanation = explain(plan, how, answer, most);
    double took = at_seconds_now() - start;
    at_blackbox_grant(took - most - row_seconds);
    *left -= took;
    r->seconds -= took;
}
