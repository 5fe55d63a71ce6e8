#include "../compare.h"
#include "sample.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static at_record *attempt(at_journal *j, const char *id, at_verdict v, const char *hash, const char *digest,
                          double excess) {
    at_record *r = sample_attempt(j, id, v);
    sample_set(&r->hash, hash), sample_set(&r->inputs_digest, digest);
    if (excess >= 0 || isnan(excess)) sample_tensor(r, "output", excess);
    return r;
}

static at_comparison compared(const at_journal *a, const at_journal *b) {
    at_comparison c;
    at_error err;
    cr_assert_eq(at_comparison_make(&c, a, b, &err), AT_OK, "%s", err.text);
    return c;
}

static char *text_of(const at_comparison *c, void put(FILE *, const at_comparison *)) {
    char *text = NULL;
    size_t bytes = 0;
    FILE *f = open_memstream(&text, &bytes);
    put(f, c);
    fclose(f);
    return text;
}

static void shows(const char *text, const char *part) {
    cr_expect_not_null(strstr(text, part), "no \"%s\" in\n%s", part, text);
}

Test(compare, a_verdict_regresses_when_right_becomes_not_judged_or_wrong) {
    static const struct {
        at_verdict a, b;
        at_change change;
    } table[] = {
        {AT_PASS, AT_PASS, AT_SAME},
        {AT_PASS, AT_MARGINAL, AT_WORSE},
        {AT_MARGINAL, AT_PASS, AT_BETTER},
        {AT_PASS, AT_FAIL, AT_REGRESSED},
        {AT_MARGINAL, AT_CRASH, AT_REGRESSED},
        {AT_PASS, AT_UNSUPPORTED, AT_REGRESSED},
        {AT_PASS, AT_NOT_RUN, AT_REGRESSED},
        {AT_PASS, AT_WAIVED, AT_REGRESSED},
        {AT_UNSUPPORTED, AT_FAIL, AT_REGRESSED},
        {AT_FAIL, AT_PASS, AT_BETTER},
        {AT_FAIL, AT_MARGINAL, AT_BETTER},
        {AT_CRASH, AT_FAIL, AT_BETTER},
        {AT_FAIL, AT_CRASH, AT_WORSE},
        {AT_FAIL, AT_NOT_RUN, AT_WORSE},
        {AT_FAIL, AT_WAIVED, AT_WORSE},
        {AT_UNSUPPORTED, AT_PASS, AT_BETTER},
        {AT_NOT_RUN, AT_UNSUPPORTED, AT_BETTER},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        at_change got = at_change_of(table[i].a, table[i].b);
        cr_expect_eq(got, table[i].change, "%s to %s is %s", at_verdict_name(table[i].a), at_verdict_name(table[i].b),
                     at_change_name(got));
    }
}

Test(compare, the_same_answers_are_the_same_whatever_their_order) {
    at_journal *a = sample_journal(), *b = sample_journal();
    attempt(a, "w/1", AT_PASS, "h1", "d1", 0.25), attempt(a, "w/2", AT_PASS, "h2", "d2", 0.5);
    attempt(b, "w/2", AT_PASS, "h2", "d2", 0.5), attempt(b, "w/1", AT_PASS, "h1", "d1", 0.25);
    at_comparison c = compared(a, b);
    cr_expect_eq(at_comparison_status(&c), AT_OK);
    cr_expect(c.common == 2 && c.same_inputs == 2 && c.change[AT_SAME] == 2 && c.other_content == 0 && c.farther == 0);
    cr_expect(c.excess.pairs == 2 && c.excess.median == 1 && c.excess.most == 1);
    char *text = text_of(&c, at_put_comparison_text);
    shows(text,
          "attempts  2 in both, 0 new, 0 gone\ncontents  the same behind every id\ninputs    bit-identical in 2\n");
    shows(text, "\nSAME: 0 of 2 verdicts changed\n");
    free(text);
    at_comparison_free(&c);
    at_journal_free(a), at_journal_free(b);
}

Test(compare, a_regression_is_named_and_fails) {
    at_journal *a = sample_journal(), *b = sample_journal();
    attempt(a, "w/1", AT_PASS, "h1", "d1", 0.25), attempt(a, "w/2", AT_FAIL, "h2", "d2", 5);
    attempt(a, "w/3", AT_PASS, "h3", "d3", 0);
    sample_finding(attempt(b, "w/1", AT_FAIL, "h1", "d1", 8), "value", "token 3 is off");
    attempt(b, "w/2", AT_PASS, "h2", "d2", 0), attempt(b, "w/4", AT_PASS, "h4", "d4", 0);
    at_comparison c = compared(a, b);
    cr_expect_eq(at_comparison_status(&c), AT_FAILED);
    cr_expect(c.change[AT_REGRESSED] == 1 && c.change[AT_BETTER] == 1 && c.change[AT_NEW] == 1 &&
              c.change[AT_GONE] == 1);
    char *text = text_of(&c, at_put_comparison_text), *markdown = text_of(&c, at_put_comparison_markdown);
    shows(text, "\nregressed: PASS to FAIL: w/1 [eager]\n          token 3 is off\n");
    shows(text, "\nbetter: FAIL to PASS: w/2 [eager]\n");
    shows(text, "\ngone: w/3 [eager]\nnew: w/4 [eager]\n");
    shows(text, "\nREGRESSED: 2 of 2 verdicts changed (1 better, 0 worse, 1 regressed); 1 new; 1 gone; warning: ");
    shows(markdown, "## REGRESSED: 2 of 2 verdicts changed");
    shows(markdown, "| regressed | <code>w/1</code> eager | PASS | FAIL | 0.25 | 8 | token 3 is off |\n");
    shows(markdown, "| w | 2 PASS, 1 FAIL | 2 PASS, 1 FAIL | 5 | 8 |\n");
    free(text), free(markdown);
    at_comparison_free(&c);
    at_journal_free(a), at_journal_free(b);
}

/* The threshold from both sides: twice what A used, and an eighth of the budget. */
Test(compare, more_than_twice_the_budget_is_a_warning_from_an_eighth_on) {
    static const struct {
        double a, b;
        bool farther;
    } table[] = {{0.1, 0.2, false},           {0.1, 0.201, true}, {0, 0.125, false}, {0, 0.126, true},
                 {0.01, 0.1, false},          {-1, 0.2, true},    {0.2, 0.1, false}, {0.3, INFINITY, true},
                 {INFINITY, INFINITY, false}, {0.3, NAN, true}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        at_journal *a = sample_journal(), *b = sample_journal();
        attempt(a, "w/1", AT_PASS, "h", "d", table[i].a), attempt(b, "w/1", AT_PASS, "h", "d", table[i].b);
        at_comparison c = compared(a, b);
        char *text = text_of(&c, at_put_comparison_text);
        cr_expect_eq(c.farther, table[i].farther, "%g, then %g", table[i].a, table[i].b);
        cr_expect_eq(strstr(text, "farther off: ") != NULL &&
                         strstr(text, "; warning: 1 attempt uses more than 2 times") != NULL,
                     table[i].farther, "%s", text);
        cr_expect_eq(at_comparison_status(&c), AT_OK);
        free(text);
        at_comparison_free(&c);
        at_journal_free(a), at_journal_free(b);
    }
}

Test(compare, verdicts_and_errors_of_other_cases_or_inputs_are_not_compared) {
    at_journal *a = sample_journal(), *b = sample_journal();
    attempt(a, "w/1", AT_PASS, "h1", "d1", 0.1), attempt(a, "w/2", AT_PASS, "h2", "d2", 0.1),
        attempt(a, "w/3", AT_PASS, "h3", NULL, 0.1);
    attempt(b, "w/1", AT_FAIL, "other", "d1", 0.9), attempt(b, "w/2", AT_FAIL, "h2", "other", 0.9),
        attempt(b, "w/3", AT_PASS, "h3", "d3", 0.15);
    at_comparison c = compared(a, b);
    cr_expect(c.other_content == 1 && c.other_inputs == 1 && c.same_inputs == 1 && c.farther == 0);
    cr_expect(c.excess.pairs == 1 && fabs(c.excess.most - 1.5) < 1e-12);
    char *text = text_of(&c, at_put_comparison_text);
    shows(text, "contents  changed behind the ids of 1 attempt\ninputs    bit-identical in 1, other ones in 1, "
                "without a digest in 1\n");
    cr_expect(c.compared == 1 && c.change[AT_OTHER] == 2 && c.change[AT_REGRESSED] == 0);
    shows(text, "another case behind: w/1 [eager]\nother inputs behind: w/2 [eager]\n");
    char *json = text_of(&c, at_put_comparison_json);
    shows(json,
          "\"attempts\":{\"common\":3,\"compared\":1,\"same\":1,\"better\":0,\"worse\":0,\"regressed\":0,\"other\":2,");
    shows(json, "{\"change\":\"other\",\"id\":\"w/2\",\"mode\":\"eager\",\"a\":\"PASS\",\"b\":\"FAIL\",");
    free(json);
    shows(text, "0 of 1 verdicts changed; 2 not compared, since inputs or cases behind their ids differ");
    free(text);
    at_comparison_free(&c);
    at_journal_free(a), at_journal_free(b);
}

Test(compare, modes_and_repeats_of_an_id_are_paired_one_by_one) {
    at_journal *a = sample_journal(), *b = sample_journal();
    sample_set(&attempt(a, "w/1", AT_PASS, "h", "d", 0)->mode, "replay"), attempt(a, "w/1", AT_FAIL, "h", "d", 0);
    attempt(b, "w/1", AT_FAIL, "h", "d", 0), sample_set(&attempt(b, "w/1", AT_PASS, "h", "d", 0)->mode, "replay");
    attempt(b, "w/1", AT_PASS, "h", "d", 0);
    at_comparison c = compared(a, b);
    cr_expect(c.common == 2 && c.change[AT_SAME] == 2 && c.change[AT_NEW] == 1);
    at_comparison_free(&c);
    at_journal_free(a), at_journal_free(b);
}

Test(compare, nothing_in_common_validates_nothing) {
    at_journal *a = sample_journal(), *b = sample_journal();
    attempt(a, "w/1", AT_PASS, "h", "d", 0), attempt(b, "w/2", AT_PASS, "h", "d", 0);
    at_comparison c = compared(a, b);
    cr_expect_eq(at_comparison_status(&c), AT_UNVALIDATED);
    char *text = text_of(&c, at_put_comparison_text);
    shows(text, "\nUNVALIDATED: no attempt is in both\n");
    free(text);
    at_comparison_free(&c);
    at_journal_free(a), at_journal_free(b);
}

Test(compare, times_are_ratios_of_the_subjects_seconds) {
    at_journal *a = sample_journal(), *b = sample_journal();
    static const double times[][2] = {{1, 2}, {1, 4}, {1, 3}, {0, 5}};
    for (int i = 0; i < 4; i++) {
        char id[8];
        snprintf(id, sizeof id, "w/%d", i);
        attempt(a, id, AT_PASS, "h", "d", 0)->seconds_subject = times[i][0];
        attempt(b, id, AT_PASS, "h", "d", 0)->seconds_subject = times[i][1];
    }
    at_comparison c = compared(a, b);
    cr_expect(c.seconds.pairs == 3 && c.seconds.median == 3 && c.seconds.most == 4 && c.seconds.total[0] == 3 &&
              c.seconds.total[1] == 9);
    cr_expect_str_eq(c.seconds.where->b->id, "w/1");
    at_comparison_free(&c);
    at_journal_free(a), at_journal_free(b);
}

Test(compare, hostile_words_reach_no_terminal_and_no_page) {
    at_journal *a = sample_journal(), *b = sample_journal();
    char id[300];
    snprintf(id, sizeof id, "w/%s", hostile);
    attempt(a, id, AT_PASS, "h", "d", 0.1);
    sample_finding(attempt(b, id, AT_FAIL, "h", "d", 9), "value", hostile);
    sample_set(&b->header.device, hostile), sample_set(&b->header.driver, hostile),
        sample_set(&b->header.subject, hostile);
    at_comparison c = compared(a, b);
    c.name[1] = hostile;
    void (*const put[])(FILE *, const at_comparison *) = {at_put_comparison_text, at_put_comparison_markdown,
                                                          at_put_comparison_json};
    for (int i = 0; i < 3; i++) {
        char *text = text_of(&c, put[i]);
        cr_expect_null(strpbrk(text, "\x1b\x07\r"), "%s", text);
        if (i < 2) cr_expect_null(strstr(text, "\xE2\x80\xAE"), "%s", text); /* JSON keeps what it may */
        if (i == 1) cr_expect_null(strstr(text, "<script>"), "%s", text);
        free(text);
    }
    at_comparison_free(&c);
    at_journal_free(a), at_journal_free(b);
}

Test(compare, a_list_of_many_changes_is_cut_on_a_terminal_and_whole_as_json) {
    at_journal *a = sample_journal(), *b = sample_journal();
    for (int i = 0; i < 100; i++) {
        char id[16];
        snprintf(id, sizeof id, "w/%03d", i);
        attempt(a, id, AT_PASS, "h", "d", 0), attempt(b, id, AT_CRASH, "h", "d", -1);
    }
    at_comparison c = compared(a, b);
    char *text = text_of(&c, at_put_comparison_text), *json = text_of(&c, at_put_comparison_json);
    cr_expect_eq(sample_count(text, "regressed: PASS to CRASH"), 12);
    shows(text, "... and 88 more regressed: --json has all\n");
    cr_expect_eq(sample_count(json, "{\"change\":\"regressed\""), 100);
    shows(json, "{\"exit\":1,\"word\":\"REGRESSED\",\"run\":\"regressed\",\"line\":\"REGRESSED: the run's verdict, ");
    free(text), free(json);
    at_comparison_free(&c);
    at_journal_free(a), at_journal_free(b);
}

/* What two runs were asked decides what their headline may say, in each of the three forms. */
Test(compare, the_headline_says_what_was_compared) {
    static const struct {
        const char *hash, *digest; /* of the second attempt in B; NULL: it is gone */
        at_verdict verdict;
        bool whole; /* B's journal has its end mark */
        at_status status;
        const char *line;
    } table[] = {
        {"h2", "d2", AT_PASS, true, AT_OK, "SAME: 0 of 2 verdicts changed"},
        {NULL, NULL, AT_PASS, true, AT_OK, "PARTIAL: 0 of 1 verdicts changed; 1 gone"},
        {"h2", "x", AT_PASS, true, AT_UNVALIDATED,
         "DIFFERENT INPUTS: 0 of 1 verdicts changed; 1 not compared, since inputs or cases behind their ids differ"},
        {"x", "d2", AT_PASS, true, AT_UNVALIDATED,
         "DIFFERENT CASES: 0 of 1 verdicts changed; 1 not compared, since inputs or cases behind their ids differ"},
        {"h2", "d2", AT_PASS, false, AT_FAILED,
         "REGRESSED: the run's verdict, VALIDATED to UNVALIDATED; 0 of 2 verdicts changed"},
        {"h2", "x", AT_FAIL, true, AT_FAILED,
         "REGRESSED: the run's verdict, VALIDATED to FAILED; 0 of 1 verdicts changed; 1 not compared, since inputs or "
         "cases behind their ids differ"},
        {"h2", "d2", AT_MARGINAL, true, AT_OK, "CHANGED: 1 of 2 verdicts changed (0 better, 1 worse, 0 regressed)"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        at_journal *a = sample_journal(), *b = sample_journal();
        attempt(a, "w/1", AT_PASS, "h1", "d1", 0), attempt(a, "w/2", AT_PASS, "h2", "d2", 0);
        attempt(b, "w/1", AT_PASS, "h1", "d1", 0), b->complete = table[i].whole;
        if (table[i].hash != NULL) attempt(b, "w/2", table[i].verdict, table[i].hash, table[i].digest, 0);
        at_comparison c = compared(a, b);
        cr_expect_eq(at_comparison_status(&c), table[i].status, "%s", table[i].line);
        void (*const put[])(FILE *, const at_comparison *) = {at_put_comparison_text, at_put_comparison_markdown,
                                                              at_put_comparison_json};
        static const char *const around[][2] = {{"\n", "\n"}, {"## ", "\n"}, {"\"line\":\"", "\",\n"}};
        for (int p = 0; p < 3; p++) {
            char *text = text_of(&c, put[p]), line[400];
            snprintf(line, sizeof line, "%s%s%s", around[p][0], table[i].line, around[p][1]);
            shows(text, line);
            free(text);
        }
        at_comparison_free(&c);
        at_journal_free(a), at_journal_free(b);
    }
}

Test(compare, a_run_that_had_failed_before_does_not_regress_by_being_cut_short) {
    at_journal *a = sample_journal(), *b = sample_journal();
    attempt(a, "w/1", AT_FAIL, "h", "d", 2), attempt(b, "w/1", AT_FAIL, "h", "d", 2);
    b->complete = false;
    at_comparison c = compared(a, b);
    cr_expect_eq(c.run, AT_SAME); /* FAILED, both */
    cr_expect_eq(at_comparison_status(&c), AT_OK);
    at_comparison_free(&c);
    at_journal_free(a), at_journal_free(b);
}

Test(compare, many_that_are_not_judged_any_more_do_not_hide_the_one_that_is_wrong) {
    at_journal *a = sample_journal(), *b = sample_journal();
    for (int i = 0; i < 100; i++) {
        char id[16];
        snprintf(id, sizeof id, "w/%03d", i);
        attempt(a, id, AT_PASS, "h", "d", 0), attempt(b, id, i == 80 ? AT_CRASH : AT_UNSUPPORTED, "h", "d", -1);
    }
    at_comparison c = compared(a, b);
    char *text = text_of(&c, at_put_comparison_text), *markdown = text_of(&c, at_put_comparison_markdown);
    shows(text, "\nregressed: PASS to CRASH: w/080 [eager]\nregressed: PASS to UNSUPPORTED: 99 attempts, the first of "
                "them:\n          w/000 [eager]\n          w/001 [eager]\n          w/002 [eager]\nREGRESSED: ");
    shows(markdown, "|---|---|---|---|--:|--:|---|\n| regressed | <code>w/080</code> eager | PASS | CRASH |");
    shows(markdown, "\n| regressed | 99 attempts, the first <code>w/000</code> eager | PASS | UNSUPPORTED | | | |\n\n");
    free(text), free(markdown);
    at_comparison_free(&c);
    at_journal_free(a), at_journal_free(b);
}
