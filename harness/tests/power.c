/* Which reading a subject follows: answers made from a reading, and bent. */
#include "../power.h"

#include "../../oracle/rope.h"
#include "judging.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static plan_case x;
static judging j;
static at_explanation e;

static void begin(void) {
    judging_open(&j, &x);
    e = (at_explanation){.agrees = calloc(at_hypotheses(), sizeof *e.agrees),
                         .written.as = calloc(at_hypotheses(), sizeof *e.written.as)};
}

static void start(const char *design) {
    plan_case_start(&x, tiny, design);
    x.attr[WINDOW].i = 17;
    begin();
}

static void finish(void) {
    free(e.written.as);
    free(e.agrees);
    judging_close(&j);
}

static void follow(const char *id) {
    answer_as(&j, or_hypothesis_by_id(id));
}

/* "window-off rope-none", or "right: ..." */
static const char *explained(void) {
    static char text[1024];
    at_error err = {""};
    cr_assert_eq(at_explain(&e, j.plan, &j.question.arithmetic, &j.answer, INFINITY, &err), AT_OK, "%s", err.text);
    strcpy(text, e.right ? "right:" : "");
    for (size_t h = 0; h < at_hypotheses(); h++) {
        if (!e.agrees[h]) continue;
        if (text[0]) strcat(text, " ");
        strcat(text, or_hypothesis_id(or_hypothesis_at(h)));
    }
    return text;
}

Test(power, an_answer_is_given_the_name_of_the_reading_that_it_follows) {
    static const char *const ids[] = {"window-wider",      "window-narrower", "window-off", "rope-none",
                                      "rope-twice",        "scale-ignored",   "value-late", "head-next",
                                      "own-token-dropped", "value-mean"};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        start("normal");
        follow(ids[i]);
        cr_expect_str_eq(explained(), ids[i]);
        finish();
    }
}

Test(power, an_answer_of_nothing_but_nan_tells_little) {
    plan_case_start(&x, tiny, "normal");
    x.c.poison = AT_POISON_NAN;
    begin();
    follow("page-tail");
    cr_expect_not_null(strstr(explained(), "page-tail"));
    cr_expect_not(e.numbers);
    *output_at(&j, 0, 0, 0) = 0;
    (void)explained();
    cr_expect(e.numbers);
    finish();
}

Test(power, a_right_answer_has_no_name) {
    start("normal");
    cr_expect_str_eq(explained(), "right:");
    finish();
}

Test(power, an_answer_of_no_reading_has_no_name) {
    start("normal");
    follow("window-wider");
    *output_at(&j, 1, 1, 3) ^= 0x0200;
    cr_expect_str_eq(explained(), "");
    finish();
}

Test(power, a_reading_that_the_judge_would_pass_explains_nothing) {
    start("one_hot"); /* each query finds its key however the others are weighed */
    follow("window-wider");
    const bool passes = judged(&j)->verdict == AT_PASS;
    *output_at(&j, 0, 0, 0) ^= 1;
    cr_expect(passes);
    cr_expect_str_eq(explained(), "");
    finish();
}

/* Rows turned the other way, as one mistake in a program turns them and the queries. */
static void turn_rows(void) {
    const or_problem *p = &j.plan->problem;
    for (int64_t t = 0; t < p->tokens; t++) {
        const uint16_t *key = p->key + t * p->head_size;
        for (int64_t i = 0; i < p->rotary_dim / 2; i++) {
            or_pair pair = or_pair_of(p, or_position_of(p, t), i);
            pair.sin = -pair.sin;
            const double a = or_decode(p->dtype, key[pair.first]), b = or_decode(p->dtype, key[pair.second]);
            *written_at(&j, t, pair.first) = or_round_sum(p->dtype, or_first(pair, a, b));
            *written_at(&j, t, pair.second) = or_round_sum(p->dtype, or_second(pair, a, b));
        }
    }
}

Test(power, wrong_rows_do_not_hide_a_wrong_reading_of_them) {
    start("normal");
    turn_rows();
    follow("rope-sign");
    cr_expect_str_eq(explained(), "rope-sign");
    finish();
}

Test(power, a_row_written_where_a_reading_writes_it_has_its_name) {
    int64_t skip[] = {1};
    plan_case_start(&x, tiny, "normal");
    x.c.skip = skip, x.c.skips = 1;
    begin();
    follow("slot-minus-one");
    memcpy(j.cache, j.plan->problem.key + j.plan->problem.head_size, 32 * sizeof *j.cache); /* NaN, in its other bits */
    cr_expect_not_null(strstr(explained(), "slot-minus-one"));
    cr_expect_not(e.right);
    finish();
}

Test(power, wrong_rows_that_are_read_rightly_are_no_wrong_reading) {
    start("normal");
    turn_rows();
    answer_rightly(&j);
    cr_expect_eq(judged(&j)->verdict, AT_FAIL);
    cr_expect_str_eq(explained(), "right:");
    finish();
}
