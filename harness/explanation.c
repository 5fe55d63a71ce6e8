#include "explanation.h"
#include "../oracle/hypotheses.h"
#include "blackbox.h"
#include "clock.h"
#include "finding.h"
#include "power.h"

#include <stdlib.h>

static const double most_seconds = 5, a_row_seconds = 5; /* for one attempt; a row that was begun is ended */

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

static void forget(char **list) {
    for (size_t i = 0; list != NULL && list[i] != NULL; i++) free(list[i]);
    free(list);
}

at_status at_explain_in_words(char ***out, const at_plan *plan, const or_arithmetic *how, const at_answer *answer,
                              double seconds, at_error *err) {
    size_t n = at_hypotheses();
    at_explanation e = {.agrees = calloc(n + 1, sizeof *e.agrees)};
    char **list = calloc(n + 3, sizeof *list);
    at_status st = e.agrees != NULL && list != NULL ? AT_OK : at_fail_memory(err, n * sizeof *list);
    if (st == AT_OK) st = at_explain(&e, plan, how, answer, seconds, err);
    if (st == AT_OK && !put_in_words(list, &e)) st = at_fail_memory(err, n * sizeof *list);
    free(e.agrees);
    if (st != AT_OK) forget(list), list = NULL;
    *out = list;
    return st;
}

static bool has_mismatches(const at_record *r) {
    int64_t wrong = 0;
    for (int i = 0; i < r->tensors; i++) wrong += r->tensor[i].mismatches;
    return wrong > 0;
}

void at_explanation_seek(at_record *r, double *left, const at_plan *plan, const or_arithmetic *how,
                         const at_answer *answer) {
    at_error ignored;
    if (*left <= 0 || r->explanation != NULL || !has_mismatches(r)) return;
    double most = *left < most_seconds ? *left : most_seconds, start = at_seconds_now();
    at_phase("explaining");
    at_blackbox_grant(most + a_row_seconds);
    if (at_explain_in_words(&r->explanation, plan, how, answer, most, &ignored) != AT_OK) r->explanation = NULL;
    double took = at_seconds_now() - start;
    at_blackbox_grant(took - most - a_row_seconds);
    *left -= took;
    r->seconds -= took;
}
