#include "../baseline.h"
#include "../compare.h"
#include "sample.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static at_journal *run_of_two(void) {
    static const char digest[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
    at_journal *j = sample_journal();
    at_record *r = sample_attempt(j, "w/2", AT_PASS);
    sample_set(&r->hash, "h2"), sample_set(&r->inputs_digest, digest);
    sample_tensor(r, "key_cache_out", 0), sample_tensor(r, "output", 0.123456);
    r = sample_attempt(j, "w/1", AT_MARGINAL);
    sample_set(&r->hash, "h1"), sample_set(&r->message, "close");
    r->seconds_subject = 3;
    return j;
}

static at_status written(const at_journal *j, char path[], at_error *err) {
    FILE *f = fdopen(mkstemp(path), "w");
    cr_assert_not_null(f);
    at_status st = at_baseline_write(f, j, err);
    fclose(f);
    return st;
}

Test(baseline, it_reads_as_the_journal_of_its_run_without_what_no_comparison_needs) {
    at_journal *run = run_of_two(), *read = NULL;
    at_error err;
    at_comparison c;
    char path[] = "/tmp/attest-baseline-XXXXXX";
    cr_assert_eq(written(run, path, &err), AT_OK, "%s", err.text);
    char *text = sample_slurp(path, NULL);
    cr_expect_not_null(
        strstr(text, "\n{\"id\":\"w/1\",\"mode\":\"eager\",\"hash\":\"h1\",\"verdict\":\"MARGINAL\"}\n"
                     "{\"id\":\"w/"
                     "2\",\"mode\":\"eager\",\"hash\":\"h2\",\"inputs_digest\":\"0123456789ab\",\"verdict\":\"PASS\","
                     "\"tensor\":[{\"tensor\":\"output\",\"excess\":0.123}]}\n"),
        "%s", text);
    cr_assert_eq(at_journal_read(&read, path, &err), AT_OK, "%s", err.text);
    cr_expect(read->complete);
    cr_assert_eq(at_comparison_make(&c, read, run, &err), AT_OK, "%s", err.text);
    cr_expect(c.common == 2 && c.change[AT_SAME] == 2 && c.same_inputs == 1 && c.farther == 0 && c.seconds.pairs == 0);
    at_comparison_free(&c);
    at_journal_free(read), at_journal_free(run);
    free(text);
    unlink(path);
}

Test(baseline, a_run_that_validated_nothing_makes_none) {
    at_journal *run = run_of_two();
    at_error err;
    char path[] = "/tmp/attest-baseline-XXXXXX";
    sample_attempt(run, "w/3", AT_FAIL);
    cr_expect_eq(written(run, path, &err), AT_UNVALIDATED);
    cr_expect_not_null(strstr(err.text, "FAILED on"), "%s", err.text);
    at_journal_free(run);
    unlink(path);
}

Test(baseline, its_place_is_the_cards_and_the_subjects_name_as_files_may_have_it) {
    static const struct {
        const char *device, *subject, *path;
    } table[] = {{"NVIDIA H200", "v1", "b/nvidia-h200/v1.jsonl"},
                 {"NVIDIA A100-SXM4-80GB", "v1.2", "b/nvidia-a100-sxm4-80gb/v1.2.jsonl"},
                 {"../../etc", "a/b", "b/etc/a-b.jsonl"},
                 {"..", NULL, "b/unknown/unknown.jsonl"},
                 {" (GPU) ", "x\ny", "b/gpu/x-y.jsonl"}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        at_header h = {.device = (char *)table[i].device, .subject = (char *)table[i].subject};
        char *path = at_baseline_path("b", &h);
        cr_expect_str_eq(path, table[i].path);
        free(path);
    }
}
