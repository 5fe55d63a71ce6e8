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

static char *words_of(const at_explanation *e, size_t i) {
    const char *id = or_hypothesis_id(or_hypothesis_at(i)), *about = or_hypothesis_about(or_hypothesis_at(i));
    if (!e->written.as[i]) return at_text("%s: %s", id, about);
    if (e->agrees[i]) return at_text("%s: the key was written as it would, and the query read: %s", id, about);
    return at_text("%s: the key was written as it would: %s", id, about);
}

static bool put_in_words(char **list, const at_explanation *e) {
    size_t n = 0;
    bool fine = true;
    for (size_t i = 0; or_hypothesis_at(i) != NULL && fine; i++) {
        if (!e->agrees[i] && !e->written.as[i]) continue;
        if (n == 0 && !e->numbers) fine = add(list, &n, at_text("any reading that meets a NaN: no number is wrong"));
        fine = fine && add(list, &n, words_of(e, i));
    }
    if (n > 0 || !fine) return fine;
    return add(list, &n,
               e->right ? at_text("none of %zu known wrong readings of the written key: the output is right for the "
                                  "cache that was left",
                                  at_hypotheses())
                        : at_text("none of %zu known wrong readings", at_hypotheses()));
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
    at_explanation e = {.agrees = calloc(at_hypotheses(), sizeof *e.agrees),
                        .written.as = calloc(at_hypotheses(), sizeof *e.written.as)};
    bool found =
        e.agrees != NULL && e.written.as != NULL && at_explain(&e, plan, how, answer, seconds, &ignored) == AT_OK;
    char **list = found ? at_explanation_words(&e) : NULL;
    free(e.agrees), free(e.written.as);
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
