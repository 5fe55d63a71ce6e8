/* Parts of a run as one: what is missing, what stands there twice, and what contradicts. */
#include "../merge.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WHOLE = 6 };

static char *text(const char *t) {
    return strdup(t);
}

static at_journal *part(int64_t shard, int64_t shards, bool complete) {
    at_journal *j = calloc(1, sizeof *j);
    at_header *h = &j->header;
    static char *floors[] = {"suite=6", NULL};
    h->subject = text("v1"), h->subject_digest = text("d"), h->device_kind = text("cuda"),
    h->device = text("NVIDIA H200"), h->arch = text("sm_90");
    h->plan = text("p"), h->seed = 1, h->shard = shard, h->shards = shards, h->whole = WHOLE, h->whole_cases = WHOLE,
    h->repeat = 1;
    if (shards > 1) {
        h->whole_floors = calloc(2, sizeof *floors);
        h->whole_floors[0] = text(floors[0]);
    }
    j->record = calloc(WHOLE, sizeof *j->record);
    j->complete = complete;
    return j;
}

static void add(at_journal *j, int n, at_verdict verdict) {
    char id[32];
    snprintf(id, sizeof id, "suite/c/n=%d", n);
    j->record[j->records++] = (at_record){
        .id = text(id), .mode = text("eager"), .hash = text("h"), .inputs_digest = text("i"), .verdict = verdict};
    j->header.planned++, j->header.planned_cases++;
}

/* Shards of the six attempts, dealt round. */
static void deal(at_part *out, int shards) {
    for (int s = 0; s < shards; s++) {
        out[s] = (at_part){s == 0 ? "a" : s == 1 ? "b" : "c", part(s + 1, shards, true)};
        for (int n = s; n < WHOLE; n += shards) add(out[s].journal, n, AT_PASS);
    }
}

static void drop(at_part *p, int parts) {
    for (int i = 0; i < parts; i++) at_journal_free(p[i].journal);
}

static at_merged must_merge(const at_part *p, size_t parts) {
    at_merged m;
    at_error err = {0};
    cr_assert_eq(at_merge(&m, p, parts, &err), AT_OK, "%s", err.text);
    return m;
}

Test(merge, all_parts_make_the_whole_run) {
    at_part p[3];
    deal(p, 3);
    at_merged m = must_merge(p, 3);
    cr_expect_null(m.gap);
    cr_expect_null(m.contradiction);
    cr_expect_eq(m.duplicates, 0);
    cr_expect(m.whole.complete);
    cr_expect_eq(m.whole.records, WHOLE);
    cr_expect_eq(m.whole.header.planned, WHOLE);
    cr_expect_eq(m.whole.header.planned_cases, WHOLE);
    cr_expect_eq(m.whole.header.shards, 1);
    cr_expect_str_eq(m.whole.header.floors[0], "suite=6", "the floors of the whole count now");
    for (size_t i = 1; i < m.whole.records; i++)
        cr_expect_lt(strcmp(m.whole.record[i - 1].id, m.whole.record[i].id), 0);
    at_merged_free(&m);
    drop(p, 3);
}

Test(merge, a_missing_part_is_a_gap_by_name) {
    at_part p[3];
    deal(p, 3);
    const at_part two[] = {p[0], p[2]};
    at_merged m = must_merge(two, 2);
    cr_assert_not_null(m.gap);
    cr_expect_str_eq(m.gap[0], "shard 2 of 3: no journal of it is here");
    cr_expect_null(m.gap[1]);
    cr_expect_not(m.whole.complete);
    at_merged_free(&m);
    drop(p, 3);
}

Test(merge, a_part_that_was_cut_short_is_a_gap_unless_another_journal_of_it_is_whole) {
    at_part p[4];
    deal(p, 3);
    p[3] = (at_part){"again", part(2, 3, false)};
    add(p[3].journal, 1, AT_PASS);
    at_merged m = must_merge(p, 4);
    cr_expect_null(m.gap);
    cr_expect_eq(m.duplicates, 1);
    at_merged_free(&m);
    const at_part cut[] = {p[0], p[3], p[2]};
    m = must_merge(cut, 3);
    cr_assert_not_null(m.gap);
    cr_expect_str_eq(m.gap[0], "shard 2 of 3: again was cut short after 1 of 1 attempts; --resume goes on there");
    cr_expect_not(m.whole.complete);
    at_merged_free(&m);
    drop(p, 4);
}

Test(merge, attempts_that_are_missing_from_whole_parts_are_a_gap) {
    at_part p[2];
    deal(p, 2);
    at_record_clear(&p[0].journal->record[--p[0].journal->records]);
    at_merged m = must_merge(p, 2);
    cr_assert_not_null(m.gap);
    cr_expect_str_eq(m.gap[0], "5 of 6 attempts stand in the journals of all shards");
    at_merged_free(&m);
    drop(p, 2);
}

Test(merge, verdicts_that_contradict_are_flaky_and_named) {
    at_part p[3];
    deal(p, 2);
    p[2] = (at_part){"again", part(2, 2, true)};
    add(p[2].journal, 1, AT_FAIL);
    add(p[2].journal, 3, AT_PASS);
    at_merged m = must_merge(p, 3);
    cr_assert_not_null(m.contradiction);
    cr_expect_str_eq(m.contradiction[0], "suite/c/n=1 [eager]: PASS in b, FAIL in again");
    cr_expect_null(m.contradiction[1]);
    cr_expect_eq(m.duplicates, 1);
    cr_expect_eq(m.whole.record[1].verdict, AT_FLAKY);
    cr_expect_eq(m.whole.record[3].verdict, AT_PASS);
    at_merged_free(&m);
    drop(p, 3);
}

Test(merge, other_inputs_behind_one_id_contradict_too) {
    at_part p[3];
    deal(p, 2);
    p[2] = (at_part){"again", part(1, 2, true)};
    add(p[2].journal, 0, AT_PASS);
    free(p[2].journal->record[0].inputs_digest);
    p[2].journal->record[0].inputs_digest = text("other");
    at_merged m = must_merge(p, 3);
    cr_assert_not_null(m.contradiction);
    cr_expect_str_eq(m.contradiction[0], "suite/c/n=0 [eager]: PASS in a, PASS in again, of other content or digests");
    at_merged_free(&m);
    drop(p, 3);
}

static void refuses(at_part *p, const char *says) {
    at_merged m;
    at_error err = {0};
    cr_expect_eq(at_merge(&m, p, 2, &err), AT_USAGE);
    cr_expect_not_null(strstr(err.text, says), "%s", err.text);
    drop(p, 2);
}

static void set(char **field, const char *value) {
    free(*field);
    *field = text(value);
}

Test(merge, parts_of_other_runs_are_refused_by_what_differs) {
    at_part p[2];
    deal(p, 2), p[1].journal->header.seed = 2;
    refuses(p, "a and b differ in seed: 1, 2");
    deal(p, 2), set(&p[1].journal->header.plan, "q");
    refuses(p, "a and b differ in the digest of their cases");
    deal(p, 2), set(&p[1].journal->header.subject_digest, "e");
    refuses(p, "a and b differ in the subject's file (it was built anew): d, e");
    deal(p, 2), p[1].journal->header.shards = 3;
    refuses(p, "a and b differ in number of shards: 2, 3");
    deal(p, 2), set(&p[1].journal->header.device_kind, "cpu");
    refuses(p, "a CPU's answer does not stand in for a GPU's");
    deal(p, 2), p[1].journal->header.shard = 0;
    refuses(p, "b does not say which part of which run it is");
}

Test(merge, devices_may_differ_and_are_all_named) {
    at_part p[2];
    deal(p, 2);
    set(&p[1].journal->header.device, "NVIDIA A100");
    set(&p[1].journal->header.arch, "sm_80");
    at_merged m = must_merge(p, 2);
    cr_expect_str_eq(m.whole.header.device, "NVIDIA H200 and NVIDIA A100");
    cr_expect_str_eq(m.whole.header.arch, "sm_90 and sm_80");
    at_merged_free(&m);
    drop(p, 2);
}

Test(merge, what_is_written_reads_back_and_is_complete_only_without_a_gap) {
    char path[] = "/tmp/attest-merge-XXXXXX";
    at_part p[2];
    at_journal *j = NULL;
    at_error err = {0};
    close(mkstemp(path));
    deal(p, 2);
    for (size_t parts = 1; parts <= 2; parts++) {
        at_merged m = must_merge(p, parts);
        cr_assert_eq(at_merged_write(&m, path, &err), AT_OK, "%s", err.text);
        cr_assert_eq(at_journal_read(&j, path, &err), AT_OK, "%s", err.text);
        cr_expect_eq(j->complete, parts == 2);
        cr_expect_eq(j->records, parts * WHOLE / 2);
        at_journal_free(j);
        at_merged_free(&m);
    }
    drop(p, 2);
    unlink(path);
}
