#include "judging.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

or_setting setting_of(const judging *j) {
    return (or_setting){.problem = &j->plan->problem,
                        .cache = j->cache,
                        .how = &j->question.arithmetic,
                        .rotary_rows = j->plan->call.in[OR_COS_CACHE].shape[0]};
}

void judging_open(judging *j, const plan_case *x) {
    answer right;
    *j = (judging){.plan = plan_made(x, x->c.dialect)};
    const or_problem *p = &j->plan->problem;
    answer_open(&right, j->plan);
    or_attention_free(right.attention);
    j->cache = right.cache;
    j->output = malloc((size_t)(p->tokens * p->heads * p->v_head_size + 1) * sizeof *j->output);
    j->question = (at_question){.problem = p,
                                .cache_before = j->plan->call.in[OR_KEY_CACHE].data,
                                .row = j->plan->row,
                                .rows = j->plan->rows,
                                .arithmetic = {.rope = OR_ROPE_EXACT,
                                               .dot = OR_DOT_F32,
                                               .exp = OR_EXP_LIBM,
                                               .tanh = OR_TANH_LIBM,
                                               .p = OR_F32,
                                               .partial = OR_F32,
                                               .tile = 128,
                                               .splits = 1},
                                .mode = OR_RIGOROUS,
                                .exact = x->c.expect == AT_EXPECT_EXACT};
    j->answer = (at_answer){j->output, j->cache};
    answer_rightly(j);
}

static void round_row(judging *j, int64_t row, const double *o) {
    const or_problem *p = &j->plan->problem;
    for (int64_t d = 0; d < p->v_head_size; d++) j->output[row * p->v_head_size + d] = or_round(p->dtype, o[d]);
}

void answer_rightly(judging *j) {
    const or_problem *p = &j->plan->problem;
    or_attention *a = or_attention_new(p, j->cache, &j->question.arithmetic);
    cr_assert_not_null(a);
    for (int64_t i = 0; i < p->tokens * p->heads; i++) round_row(j, i, or_attend(a, i / p->heads, i % p->heads)->o);
    or_attention_free(a);
}

void answer_as(judging *j, const or_hypothesis *h) {
    const or_problem *p = &j->plan->problem;
    const or_setting at = setting_of(j);
    double *o = calloc((size_t)p->v_head_size, sizeof *o);
    for (int64_t i = 0; i < p->tokens * p->heads; i++) {
        cr_assert(or_hypothesis_rows(o, NULL, h, &at, &(or_place){i / p->heads, i % p->heads}, 1));
        round_row(j, i, o);
    }
    free(o);
}

void judging_close(judging *j) {
    at_record_clear(&j->record);
    at_plan_free(j->plan);
    free(j->output);
    free(j->cache);
}

const at_record *judged(judging *j) {
    at_error err = {""};
    at_record_clear(&j->record);
    cr_assert_eq(at_judge(&j->record, &j->question, &j->answer, &err), AT_OK, "%s", err.text);
    return &j->record;
}

uint16_t *output_at(judging *j, int64_t token, int64_t head, int64_t channel) {
    const or_problem *p = &j->plan->problem;
    return j->output + (token * p->heads + head) * p->v_head_size + channel;
}

uint16_t *written_at(judging *j, int64_t token, int64_t channel) {
    const int64_t slot = or_write_slot(&j->plan->problem, token);
    cr_assert_geq(slot, 0);
    return j->cache + slot * j->plan->problem.head_size + channel;
}

void expect_finding(const at_record *r, const char *detector, const char *words) {
    cr_assert_eq(r->verdict, AT_FAIL);
    cr_assert_geq(r->findings, 1);
    cr_expect_str_eq(r->finding[0].detector, detector);
    cr_expect_not_null(strstr(r->finding[0].text, words), "'%s' does not say '%s'", r->finding[0].text, words);
}
