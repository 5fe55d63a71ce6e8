/* The fuzzers' targets over their seeds: what libFuzzer starts from, and whatever it has found. */
#include "../fuzz/cases.c"
#include "../fuzz/file.c"
#include "../fuzz/journal.c"
#include "../fuzz/wire.c"

#include <criterion/criterion.h>
#include <dirent.h>
#include <signal.h>

static int run_corpus(const char *name, int target(const uint8_t *, size_t)) {
    char directory_[500], file[800];
    const char *slash = strrchr(__FILE__, '/');
    snprintf(directory_, sizeof directory_, "%.*s../fuzz/corpus/%s", slash ? (int)(slash - __FILE__) + 1 : 0, __FILE__,
             name);
    DIR *d = opendir(directory_);
    cr_assert_not_null(d, "%s", directory_);
    static uint8_t data[1 << 20];
    int files = 0;
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        if (e->d_name[0] == '.') continue;
        snprintf(file, sizeof file, "%s/%s", directory_, e->d_name);
        FILE *f = fopen(file, "rb");
        cr_assert_not_null(f, "%s", file);
        size_t size = fread(data, 1, sizeof data, f);
        fclose(f);
        cr_expect_eq(target(data, size), 0, "%s", file);
        files++;
    }
    closedir(d);
    return files;
}

Test(fuzz, seeds_of_suite_files_load_or_are_refused_in_words) {
    cr_expect_geq(run_corpus("cases", at_fuzz_cases), 6);
}

Test(fuzz, seeds_of_journals_are_read_and_reported_or_refused_in_words) {
    cr_expect_geq(run_corpus("journal", at_fuzz_journal), 5);
}

Test(fuzz, seeds_of_messages_are_taken_or_refused_in_words) {
    cr_expect_geq(run_corpus("wire", at_fuzz_wire), 5);
}

Test(fuzz, a_seed_reaches_a_plan) {
    static const char suite[] =
        "schema: 1\nsuite: fuzz\nabout: A seed.\ngeometries: {g: {head_size: 8, v_head_size: 8, num_heads: 1}}\n"
        "cases: [{name: c, why: A reason., geometry: g, past: 1, new: 1}]\n";
    at_cases *cases = NULL;
    at_error err;
    const char *path_ = at_fuzz_file("fuzz.yaml", (const uint8_t *)suite, sizeof suite - 1);
    cr_assert_eq(at_cases_load(&cases, path_, NULL, &err), AT_OK, "%s", err.text);
    check_plan(at_cases_at(cases, 0));
    at_cases_free(cases);
}

Test(fuzz, a_broken_promise_aborts, .signal = SIGABRT) {
    at_fuzz_broken("nothing", __FILE__, __LINE__);
}
