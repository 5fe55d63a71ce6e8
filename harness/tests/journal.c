#include "../record.h"
#include "record_sample.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static char directory[] = "/tmp/attest-journal-XXXXXX", path[64];

static void enter(void) {
    cr_assert_not_null(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/journal.jsonl", directory);
}

static void leave(void) {
    unlink(path);
    rmdir(directory);
}

TestSuite(journal, .init = enter, .fini = leave);

static at_record plain(int i, at_verdict verdict) {
    static char id[32];
    snprintf(id, sizeof id, "suite/case/i=%d", i);
    return (at_record){.id = id, .verdict = verdict};
}

enum { PLANNED = 100000 };
static at_header plain_header(void) {
    return (at_header){.planned = PLANNED, .planned_cases = PLANNED, .subject = "v1"};
}

/* A journal of `records` records, with an end mark or without. */
static void write_journal(int records, bool end) {
    at_error err;
    at_journal_writer *w = NULL;
    at_header h = plain_header();
    cr_assert_eq(at_journal_create(&w, path, &h, &err), AT_OK, "%s", err.text);
    for (int i = 0; i < records; i++) {
        at_record r = plain(i, i % 2 ? AT_FAIL : AT_PASS);
        cr_assert_eq(at_journal_append(w, &r, &err), AT_OK, "%s", err.text);
    }
    if (end)
        cr_assert_eq(at_journal_end(w, &err), AT_OK, "%s", err.text);
    else
        at_journal_abandon(w);
}

static char *slurp(size_t *bytes) {
    FILE *f = fopen(path, "rb");
    cr_assert_not_null(f);
    char *text = calloc(1, 1 << 20);
    *bytes = fread(text, 1, (1 << 20) - 1, f);
    fclose(f);
    return text;
}

static void spill(const char *text, size_t bytes) {
    FILE *f = fopen(path, "wb");
    cr_assert_not_null(f);
    cr_assert_eq(fwrite(text, 1, bytes, f), bytes);
    cr_assert_eq(fclose(f), 0);
}

static at_journal *must_read(void) {
    at_error err;
    at_journal *j = NULL;
    cr_assert_eq(at_journal_read(&j, path, &err), AT_OK, "%s", err.text);
    return j;
}

static void must_refuse(at_status due, const char *place, const char *says) {
    at_error err = {""};
    at_journal *j = NULL;
    char start[100];
    snprintf(start, sizeof start, "%s%s", path, place);
    cr_expect_eq(at_journal_read(&j, path, &err), due, "%s", err.text);
    cr_expect_null(j);
    cr_expect_eq(strncmp(err.text, start, strlen(start)), 0, "\"%s\" does not start with %s", err.text, start);
    cr_expect_not_null(strstr(err.text, says), "\"%s\" does not say \"%s\"", err.text, says);
}

Test(journal, what_was_written_is_read) {
    at_error err;
    at_journal_writer *w = NULL;
    at_header h;
    at_record r;
    sample_header(&h);
    sample_record(&r);
    cr_assert_eq(at_journal_create(&w, path, &h, &err), AT_OK, "%s", err.text);
    cr_assert_eq(at_journal_append(w, &r, &err), AT_OK, "%s", err.text);
    cr_assert_eq(at_journal_sync(w, &err), AT_OK, "%s", err.text);
    cr_assert_eq(at_journal_end(w, &err), AT_OK, "%s", err.text);
    at_journal *j = must_read();
    cr_expect(j->complete);
    cr_assert_eq(j->records, 1);
    cr_expect_str_eq(j->record[0].message, r.message);
    cr_expect_str_eq(j->header.universe[0], "scenario:S1");
    cr_expect_eq(j->header.seed, UINT64_MAX);
    at_journal_free(j);
    at_record_clear(&r);
    at_header_clear(&h);
}

Test(journal, without_an_end_mark_it_is_incomplete) {
    write_journal(3, false);
    at_journal *j = must_read();
    cr_expect_not(j->complete);
    cr_expect_eq(j->records, 3);
    at_journal_free(j);
}

Test(journal, a_torn_last_line_is_dropped_wherever_it_tore) {
    write_journal(2, true);
    size_t bytes, second, end;
    char *text = slurp(&bytes);
    second = (size_t)(strstr(text, "{\"id\":\"suite/case/i=1\"") - text);
    end = (size_t)(strstr(text, "{\"end\"") - text);
    for (size_t cut = second; cut < bytes; cut++) {
        spill(text, cut);
        at_journal *j = must_read();
        cr_expect_eq(j->records, cut < end ? 1u : 2u, "cut at %zu", cut);
        cr_expect_not(j->complete);
        at_journal_free(j);
    }
    free(text);
}

Test(journal, any_other_bad_line_is_refused_with_its_number) {
    write_journal(3, true);
    size_t bytes;
    char *text = slurp(&bytes);
    char *second = strstr(text, "\"PASS\""), *third = strstr(second + 1, "\"FAIL\"");
    memcpy(third, "\"SAIL\"", 6);
    spill(text, bytes);
    must_refuse(AT_USAGE, ":3: ", "not a verdict");
    memcpy(third, "\"FAI\0\"", 6);
    spill(text, bytes);
    must_refuse(AT_USAGE, ":3: ", "control character");
    free(text);
}

Test(journal, an_end_mark_that_counts_otherwise_is_refused) {
    write_journal(3, true);
    size_t bytes;
    char *text = slurp(&bytes);
    char *line = strstr(text, "{\"id\":\"suite/case/i=1\""), *after = strchr(line, '\n') + 1;
    size_t left = bytes - (size_t)(after - text);
    char *whole = malloc(bytes);
    memcpy(whole, text, bytes);
    memmove(line, after, left);
    spill(text, bytes - (size_t)(after - line));
    must_refuse(AT_USAGE, ":4: ", "the verdicts of the 2 records do not add up to those of the journal's end mark");
    memcpy(strstr(whole, "\"FAIL\""), "\"PASS\"", 6);
    spill(whole, bytes);
    must_refuse(AT_USAGE, ":5: ", "the verdicts of the 3 records do not add up to those of the journal's end mark");
    free(text);
    free(whole);
}

Test(journal, an_attempt_that_stands_there_twice_is_refused) {
    static const char text[] = "{\"journal\":1,\"header\":{\"planned\":9,\"planned_cases\":9}}\n"
                               "{\"id\":\"a\",\"mode\":\"eager\",\"verdict\":\"PASS\"}\n"
                               "{\"id\":\"a\",\"mode\":\"replay\",\"verdict\":\"PASS\"}\n"
                               "{\"id\":\"ae\",\"mode\":\"ager\",\"verdict\":\"PASS\"}\n"
                               "{\"id\":\"a\",\"verdict\":\"PASS\"}\n";
    char twice[600];
    spill(text, strlen(text));
    at_journal *j = must_read();
    cr_expect_eq(j->records, 4);
    at_journal_free(j);
    snprintf(twice, sizeof twice, "%s{\"id\":\"a\",\"mode\":\"replay\",\"verdict\":\"FAIL\"}\n", text);
    spill(twice, strlen(twice));
    must_refuse(AT_USAGE, ":6: ", "the attempt of line 3 again");
}

Test(journal, nothing_may_follow_the_end_mark) {
    write_journal(1, true);
    FILE *f = fopen(path, "ab");
    fputs("{\"id\":\"a\",\"verdict\":\"PASS\"}\n", f);
    fclose(f);
    must_refuse(AT_USAGE, ":4: ", "after the end mark");
}

Test(journal, a_file_that_is_no_journal_is_refused) {
    static const struct {
        const char *text, *place, *says;
    } row[] = {
        {"", ":1: ", "no header"},
        {"{\"journal\":1,\"header\":{\"planned\":1,\"planned_cases\":1}}", ":1: ", "no header"},
        {"hello\n", ":1: ", "not the header"},
        {"{\"id\":\"a\",\"verdict\":\"PASS\"}\n", ":1: ", "not the header"},
        {"{\"journal\":2,\"header\":{}}\n", ":1: ", "format 2"},
        {"{\"journal\":1}\n", ":1: ", "not the header"},
        {"{\"journal\":1,\"header\":{}}\n", ":1: ", "\"planned\": a key that must be there"},
        {"{\"journal\":1,\"header\":{\"planned\":1,\"planned_cases\":1}}\n\n", ":2: ", "not a record"},
        {"{\"journal\":1,\"header\":{\"planned\":1,\"planned_cases\":1}}\n{\"end\":0}x\n", ":2: ", "bad end mark"},
        {"{\"journal\":1,\"header\":{\"planned\":1,\"planned_cases\":1}}\n{\"end\":0,\"GOOD\":0}\n",
         ":2: ", "bad end mark"},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        spill(row[i].text, strlen(row[i].text));
        must_refuse(AT_USAGE, row[i].place, row[i].says);
    }
    unlink(path);
    must_refuse(AT_USAGE, ": ", "No such file");
    cr_assert_eq(mkdir(path, 0777), 0);
    must_refuse(AT_USAGE, ": ", "directory");
    rmdir(path);
}

static const char one_planned[] = "\"planned\":1,\"planned_cases\":1";

/* A journal of one record, with these members of its header and of the record beside what must be there. */
static void spill_one(const char *header, const char *verdict, const char *members) {
    char text[1000];
    int n = snprintf(text, sizeof text, "{\"journal\":1,\"header\":{%s}}\n{\"id\":\"a\",\"verdict\":\"%s\"%s%s}\n",
                     header, verdict, members[0] ? "," : "", members);
    spill(text, (size_t)n);
}

#define TENSOR(members) "\"tensor\":[{\"tensor\":\"output\"," members "}]"
#define FOUND "\"finding\":[{\"detector\":\"value\",\"text\":\"off\"}]"

Test(journal, a_record_that_contradicts_itself_is_refused_with_its_line) {
    static const struct {
        const char *verdict, *members, *says; /* NULL: it is read */
    } row[] = {
        {"PASS", FOUND ",\"findings_all\":1", "a pass with findings"},
        {"MARGINAL", "\"findings_all\":1", "a pass with findings"},
        {"UNSUPPORTED", "\"findings_all\":1", "set aside, with findings"},
        {"NOT_RUN", TENSOR("\"elements\":2,\"mismatches\":1"), "set aside, with mismatches"},
        {"PASS", TENSOR("\"elements\":2,\"mismatches\":1"), "a pass with mismatches"},
        {"PASS", TENSOR("\"excess\":1.5"), "an excess above 1"},
        {"PASS", TENSOR("\"excess\":\"nan\""), "an excess above 1"},
        {"FAIL", TENSOR("\"elements\":2,\"mismatches\":3"), "mismatches that are not 0 to elements"},
        {"FAIL", TENSOR("\"elements\":2,\"mismatches\":-1"), "mismatches that are not 0 to elements"},
        {"PASS", TENSOR("\"elements\":-1"), "mismatches that are not 0 to elements"},
        {"PASS", TENSOR("\"ulps\":-1"), "ulps below 0"},
        {"FAIL", FOUND, "fewer findings than it shows"},
        {"FAIL", "\"findings_all\":-1", "fewer findings than it shows"},
        {"PASS", "\"replays\":3,\"replays_equal\":4", "equal replays"},
        {"PASS", "\"replays\":-1", "equal replays"},
        {"PASS", "\"graph_kernels\":-1", "graph nodes below 0"},
        {"PASS", "\"worker\":-1", "a worker below 0"},
        {"PASS", "\"seconds\":-1", "a time that is none"},
        {"PASS", "\"seconds_oracle\":\"inf\"", "a time that is none"},
        {"PASS", "", NULL},
        {"PASS", TENSOR("\"elements\":2,\"excess\":1"), NULL},
        {"FAIL", FOUND ",\"findings_all\":7," TENSOR("\"elements\":2,\"mismatches\":2,\"excess\":\"inf\""), NULL},
        {"WAIVED", FOUND ",\"findings_all\":1", NULL},
        {"HARNESS_ERROR", FOUND ",\"findings_all\":1", NULL},
        {"PASS", "\"replays\":3,\"replays_equal\":3,\"graph_kernels\":2", NULL},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        spill_one(one_planned, row[i].verdict, row[i].members);
        if (row[i].says != NULL)
            must_refuse(AT_USAGE, ":2: ", row[i].says);
        else
            at_journal_free(must_read());
    }
}

Test(journal, a_header_that_contradicts_itself_is_refused) {
    static const struct {
        const char *header, *says; /* NULL: it is read */
    } row[] = {
        {"\"planned\":-1,\"planned_cases\":-1", "planned_cases that are not 0 to planned"},
        {"\"planned\":1,\"planned_cases\":2", "planned_cases that are not 0 to planned"},
        {"\"planned\":1,\"planned_cases\":1,\"shard\":3,\"shards\":2", "a shard that is none"},
        {"\"planned\":1,\"planned_cases\":1,\"shard\":-1,\"shards\":2", "a shard that is none"},
        {"\"planned\":1,\"planned_cases\":1,\"shard\":1,\"shards\":9000000000000000000", "a shard that is none"},
        {"\"planned\":1,\"planned_cases\":1,\"whole\":1,\"whole_cases\":2", "whole_cases that are not 0 to whole"},
        {"\"planned\":2,\"planned_cases\":1,\"whole\":1,\"whole_cases\":1", "more than the whole run"},
        {"\"planned\":1,\"planned_cases\":1,\"gpus\":-1", "below 0"},
        {"\"planned\":1,\"planned_cases\":1,\"repeat\":-1", "below 0"},
        {"\"planned\":1,\"planned_cases\":1,\"shard\":2,\"shards\":2,\"whole\":2,\"whole_cases\":1,\"repeat\":4", NULL},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        spill_one(row[i].header, "PASS", "");
        if (row[i].says != NULL)
            must_refuse(AT_USAGE, ":1: ", row[i].says);
        else
            at_journal_free(must_read());
    }
    spill_one("\"planned\":0,\"planned_cases\":0", "PASS", "");
    must_refuse(AT_USAGE, ":2: ", "a record beyond the 0 that were planned");
}

Test(journal, a_line_without_end_does_not_fill_the_memory) {
    int fd = open(path, O_CREAT | O_RDWR, 0666);
    cr_assert_eq(ftruncate(fd, (off_t)1 << 33), 0);
    close(fd);
    must_refuse(AT_USAGE, ":1: ", "a line of more than");
}

Test(journal, a_full_disk_leaves_whole_lines_and_says_so) {
    at_error err;
    at_journal_writer *w = NULL;
    at_header h = plain_header();
    at_record r;
    sample_record(&r);
    signal(SIGXFSZ, SIG_IGN);
    cr_assert_eq(at_journal_create(&w, path, &h, &err), AT_OK, "%s", err.text);
    cr_assert_eq(at_journal_append(w, &r, &err), AT_OK, "%s", err.text);
    struct stat facts;
    cr_assert_eq(stat(path, &facts), 0);
    struct rlimit full = {(rlim_t)facts.st_size + 100, RLIM_INFINITY}, free_again = {RLIM_INFINITY, RLIM_INFINITY};
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &full), 0);
    cr_expect_eq(at_journal_append(w, &r, &err), AT_INFRASTRUCTURE);
    cr_expect_not_null(strstr(err.text, path));
    cr_expect_not_null(strstr(err.text, "whole line"), "%s", err.text);
    off_t before = facts.st_size;
    cr_assert_eq(stat(path, &facts), 0);
    cr_expect_eq(facts.st_size, before, "the part that fitted is taken back");
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &free_again), 0);
    r.id[0]++; /* a run has each attempt once */
    cr_expect_eq(at_journal_append(w, &r, &err), AT_OK, "space came back: %s", err.text);
    cr_expect_eq(at_journal_end(w, &err), AT_OK, "%s", err.text);
    at_journal *j = must_read();
    cr_expect_eq(j->records, 2);
    cr_expect(j->complete);
    at_journal_free(j);
    at_record_clear(&r);
}

Test(journal, no_room_for_the_end_mark_leaves_it_incomplete) {
    at_error err;
    at_journal_writer *w = NULL;
    at_header h = plain_header();
    signal(SIGXFSZ, SIG_IGN);
    cr_assert_eq(at_journal_create(&w, path, &h, &err), AT_OK, "%s", err.text);
    struct stat facts;
    cr_assert_eq(stat(path, &facts), 0);
    struct rlimit full = {(rlim_t)facts.st_size, RLIM_INFINITY};
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &full), 0);
    cr_expect_eq(at_journal_end(w, &err), AT_INFRASTRUCTURE);
    at_journal *j = must_read();
    cr_expect_not(j->complete);
    at_journal_free(j);
}

Test(journal, a_place_that_cannot_hold_one_is_refused_with_its_name) {
    static const char *const place[] = {"/nowhere/at/all/journal", "/dev/null", "/"};
    at_header h = plain_header();
    for (size_t i = 0; i < sizeof place / sizeof *place; i++) {
        at_error err = {""};
        at_journal_writer *w = NULL;
        cr_expect_eq(at_journal_create(&w, place[i], &h, &err), AT_USAGE, "%s", place[i]);
        cr_expect_eq(strncmp(err.text, place[i], strlen(place[i])), 0, "%s", err.text);
        cr_expect_null(w);
    }
}

Test(journal, an_old_one_is_replaced_but_not_while_a_run_is_writing_it) {
    at_error err;
    at_journal_writer *w = NULL, *second = NULL;
    at_journal *so_far = NULL;
    at_header h = plain_header();
    write_journal(5, true);
    cr_assert_eq(at_journal_create(&w, path, &h, &err), AT_OK, "%s", err.text);
    at_record r = plain(0, AT_PASS);
    cr_assert_eq(at_journal_append(w, &r, &err), AT_OK);
    cr_expect_eq(at_journal_create(&second, path, &h, &err), AT_USAGE);
    cr_expect_not_null(strstr(err.text, "another run"), "%s", err.text);
    cr_expect_eq(at_journal_resume(&second, &so_far, path, &err), AT_USAGE);
    at_journal_abandon(w);
    at_journal *j = must_read();
    cr_expect_eq(j->records, 1, "the first run's record is still there, the old five are not");
    at_journal_free(j);
}

Test(journal, a_run_goes_on_where_it_was_cut_short) {
    for (int torn = 0; torn < 3; torn++) {
        at_error err;
        at_journal_writer *w = NULL;
        at_journal *so_far = NULL;
        write_journal(2, torn == 2); /* whole, torn, ended */
        FILE *f = fopen(path, "ab");
        if (torn == 1) fputs("{\"id\":\"suite/ca", f);
        fclose(f);
        cr_assert_eq(at_journal_resume(&w, &so_far, path, &err), AT_OK, "%s", err.text);
        cr_expect_eq(so_far->records, 2);
        cr_expect_not(so_far->complete);
        cr_expect_str_eq(so_far->header.subject, "v1");
        at_record r = plain(2, AT_CRASH);
        cr_assert_eq(at_journal_append(w, &r, &err), AT_OK, "%s", err.text);
        cr_assert_eq(at_journal_end(w, &err), AT_OK, "%s", err.text);
        at_journal *j = must_read();
        cr_expect(j->complete, "its counts are those of all three");
        cr_assert_eq(j->records, 3);
        cr_expect_eq(j->record[2].verdict, AT_CRASH);
        at_journal_free(j);
        at_journal_free(so_far);
    }
}

Test(journal, one_that_is_broken_is_not_resumed) {
    at_error err;
    at_journal_writer *w = NULL;
    at_journal *so_far = NULL;
    spill("hello\n", 6);
    cr_expect_eq(at_journal_resume(&w, &so_far, path, &err), AT_USAGE);
    size_t bytes;
    char *text = slurp(&bytes);
    cr_expect_str_eq(text, "hello\n", "a file that is not ours stays as it was");
    free(text);
}

#if defined(__has_feature)
#define SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

/* A build that is slow on purpose says nothing about speed. */
#if defined(__OPTIMIZE__) && !SANITIZED
static void write_many(const at_record *r, int records) {
    at_error err;
    char *line = NULL;
    write_journal(0, false);
    cr_assert_eq(at_record_to_json(&line, r, &err), AT_OK, "%s", err.text);
    FILE *f = fopen(path, "ab");
    const char *rest = strchr(line, ',');
    for (int i = 0; i < records; i++) fprintf(f, "{\"id\":\"suite/of-a-usual-length/dtype=float16,i=%d\"%s\n", i, rest);
    cr_assert_eq(fclose(f), 0);
    free(line);
}

Test(journal, a_hundred_thousand_records_are_read_in_under_a_second) {
    at_record r;
    sample_record(&r);
    for (int i = 0; i < AT_RECORD_TENSORS; i++)
        snprintf(r.tensor[i].tensor, sizeof r.tensor[i].tensor, "key_cache_out");
    r.tensors = 2;
    r.findings = 0;
    write_many(&r, PLANNED);
    double best = 1e9;
    for (int i = 0; i < 3; i++) {
        clock_t start = clock();
        at_journal *j = must_read();
        double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
        best = seconds < best ? seconds : best;
        cr_assert_eq(j->records, PLANNED);
        at_journal_free(j);
    }
    at_record_clear(&r);
    cr_log_info("100,000 records in %.2f s", best);
    cr_expect(best < 1, "%.2f s", best);
}
#endif
