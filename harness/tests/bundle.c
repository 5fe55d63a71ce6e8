/* Directories, sums, archives, environments and bundles; ci/check-review.sh has the commands. */
#include "../archive.h"
#include "../bundle.h"
#include "../environment.h"
#include "../finding.h"
#include "../sums.h"
#include "../tree.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static at_temporary room;
static char *place; /* of a test, removed after it */

static void begin(void) {
    at_error err;
    cr_assert_eq(at_temporary_make(&room, &err), AT_OK, "%s", err.text);
    place = room.path;
}
static void end(void) {
    at_temporary_drop(&room);
}
TestSuite(bundle, .init = begin, .fini = end);

static char *below(const char *name) {
    static char path[4][600];
    static int turn;
    char *out = path[turn = (turn + 1) % 4];
    snprintf(out, sizeof path[0], "%s/%s", place, name);
    return out;
}
static void file(const char *name, const char *text) {
    at_error err;
    cr_assert_eq(at_file_write(below(name), text, strlen(text), &err), AT_OK, "%s", err.text);
}
static void directory(const char *name) {
    cr_assert_eq(mkdir(below(name), 0777), 0);
}

typedef struct {
    char text[1000];
} faults;
static void note(void *user, const char *what, const char *why) {
    faults *f = user;
    size_t used = strlen(f->text);
    snprintf(f->text + used, sizeof f->text - used, "%s %s;", why, what);
}

static at_status summed(char digest[AT_DIGEST_TEXT], at_error *err) {
    directory("d"), directory("d/sub");
    file("d/a", "first"), file("d/b", ""), file("d/sub/c", "third");
    return at_sums_write(digest, below("d"), err);
}

Test(bundle, sums_are_those_of_sha256sum) {
    char digest[AT_DIGEST_TEXT], command[700], *text;
    size_t bytes;
    at_error err;
    cr_assert_eq(summed(digest, &err), AT_OK, "%s", err.text);
    cr_assert_eq(at_file_read(&text, &bytes, below("d/SHA256SUMS"), 0, &err), AT_OK);
    cr_expect_eq(strncmp(text,
                         "a7937b64b8caa58f03721bb6bacf5c78cb235febe0e70b1b84cd99541461a08e  a\n"
                         "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  b\n",
                         136),
                 0, "%s", text);
    snprintf(command, sizeof command, "cd '%s' && sha256sum --quiet --check --strict SHA256SUMS", below("d"));
    cr_expect_eq(system(command), 0);
    free(text);
}

Test(bundle, every_kind_of_change_is_named) {
    char digest[AT_DIGEST_TEXT], again[AT_DIGEST_TEXT];
    size_t files;
    faults f = {0};
    at_error err;
    cr_assert_eq(summed(digest, &err), AT_OK, "%s", err.text);
    cr_assert_eq(at_sums_check(again, &files, below("d"), note, &f, &err), AT_OK, "%s", err.text);
    cr_expect(f.text[0] == 0 && files == 3 && strcmp(digest, again) == 0, "%s", f.text);
    file("d/a", "forst"), file("d/sub/new", "");
    unlink(below("d/b"));
    cr_assert_eq(symlink("/etc/passwd", below("d/b")), 0);
    unlink(below("d/sub/c"));
    cr_assert_eq(at_sums_check(again, &files, below("d"), note, &f, &err), AT_OK, "%s", err.text);
    cr_expect_str_eq(f.text, "changed a;no regular file b;missing sub/c;not listed sub/new;no regular file b;");
}

Test(bundle, a_list_that_leads_out_of_its_directory_is_refused) {
    static const char *const bad[] = {
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  ../secret\n",
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  /etc/passwd\n",
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b85g  a\n",
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855 *a\n",
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  a",
        "rubbish\n",
    };
    directory("d"), file("d/a", "");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char digest[AT_DIGEST_TEXT];
        size_t files;
        faults f = {0};
        at_error err;
        file("d/SHA256SUMS", bad[i]);
        cr_expect_eq(at_sums_check(digest, &files, below("d"), note, &f, &err), AT_USAGE, "%s", bad[i]);
        cr_expect_not_null(strstr(err.text, "SHA256SUMS:1: "), "%s", err.text);
    }
}

Test(bundle, an_archive_gives_back_its_directory_and_is_the_same_each_time) {
    char digest[AT_DIGEST_TEXT], first[AT_DIGEST_TEXT], second[AT_DIGEST_TEXT];
    at_unpacked u;
    at_error err;
    char *text;
    size_t bytes;
    cr_assert_eq(summed(digest, &err), AT_OK, "%s", err.text);
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(at_archive_write(below("x:y.tar.gz"), place, "d", &err), AT_OK, "%s", err.text);
        cr_assert_eq(at_file_read(&text, &bytes, below("x:y.tar.gz"), 0, &err), AT_OK);
        cr_assert_eq(at_digest(i ? second : first, text, bytes, &err), AT_OK);
        free(text);
        file("d/a", "first");
    }
    cr_expect_str_eq(first, second);
    cr_assert_eq(at_unpack(&u, below("x:y.tar.gz"), &err), AT_OK, "%s", err.text);
    faults f = {0};
    cr_assert_eq(at_sums_check(second, &bytes, u.directory, note, &f, &err), AT_OK);
    cr_expect(f.text[0] == 0 && strcmp(digest, second) == 0, "%s", f.text);
    char *gone = strdup(u.temporary.path);
    at_unpacked_free(&u);
    cr_expect_neq(access(gone, F_OK), 0);
    free(gone);
    file("not.tar.gz", "rubbish");
    cr_expect_eq(at_unpack(&u, below("not.tar.gz"), &err), AT_USAGE);
    cr_expect_eq(at_unpack(&u, below("d/a"), &err), AT_USAGE);
    cr_expect_not_null(strstr(err.text, "neither a directory nor a .tar.gz"), "%s", err.text);
}

Test(bundle, a_removed_tree_takes_nothing_along_that_it_links_to) {
    directory("d"), directory("kept"), file("kept/a", "text"), file("d/b", "");
    cr_assert_eq(symlink(below("kept"), below("d/link")), 0);
    at_tree_remove(below("d"));
    cr_expect_neq(access(below("d"), F_OK), 0);
    cr_expect_eq(access(below("kept/a"), F_OK), 0);
}

Test(bundle, a_file_beyond_its_limit_and_a_pipe_are_not_read) {
    char *text;
    size_t bytes;
    at_error err;
    file("a", "12345");
    cr_expect_eq(at_file_read(&text, &bytes, below("a"), 4, &err), AT_USAGE);
    cr_assert_eq(at_file_read(&text, &bytes, below("a"), 5, &err), AT_OK);
    cr_expect(bytes == 5 && strcmp(text, "12345") == 0);
    free(text);
    cr_assert_eq(mkfifo(below("pipe"), 0600), 0);
    cr_expect_eq(at_file_read(&text, &bytes, below("pipe"), 0, &err), AT_USAGE);
}

static const char suite[] = "schema: 1\nsuite: s\nabout: A suite.\ncases:\n  - {name: one, why: A fault., data: "
                            "normal, geometry: {head_size: 16, v_head_size: "
                            "16, num_heads: 1}, past: %d, new: 1}\n";

static at_journal *journal_of(const at_cases *cases, const char *id, const char *hash) {
    at_journal *j = calloc(1, sizeof *j);
    j->record = calloc(1, sizeof *j->record);
    j->records = 1, j->header.seed = 1;
    const at_case *c = at_cases_find(cases, id);
    j->record[0].id = strdup(id), j->record[0].dialect = strdup("onnx-genai");
    j->record[0].hash = strdup(hash != NULL ? hash : c->hash);
    return j;
}

Test(bundle, cases_that_are_others_than_the_judged_ones_are_named) {
    at_cases *cases = NULL;
    at_error err;
    faults f = {0};
    char text[600];
    directory("cases");
    snprintf(text, sizeof text, suite, 3);
    file("cases/s.yaml", text);
    cr_assert_eq(at_cases_load(&cases, below("cases"), NULL, &err), AT_OK, "%s", err.text);
    static const char *const table[][3] = {{"s/one", NULL, ""},
                                           {"s/one", "0123456789abcdef", "another content than was judged s/one;"},
                                           {"s/two", "0123456789abcdef", "no such case s/two;"}};
    for (int i = 0; i < 3; i++) {
        at_journal *j = journal_of(cases, table[i][0], table[i][1]);
        f.text[0] = 0;
        cr_assert_eq(at_bundle_check_cases(j, cases, note, &f, &err), AT_OK);
        cr_expect_str_eq(f.text, table[i][2]);
        at_journal_free(j);
    }
    at_cases_free(cases);
}

Test(bundle, inputs_are_made_again_and_others_are_named) {
    at_cases *cases = NULL;
    at_error err;
    int64_t made;
    char text[600];
    directory("cases");
    snprintf(text, sizeof text, suite, 3);
    file("cases/s.yaml", text);
    cr_assert_eq(at_cases_load(&cases, below("cases"), NULL, &err), AT_OK, "%s", err.text);
    at_journal *j = journal_of(cases, "s/one", NULL);
    j->record[0].inputs_digest = strdup("0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef");
    faults f = {0};
    cr_assert_eq(at_bundle_check_inputs(j, cases, &made, note, &f, &err), AT_OK, "%s", err.text);
    cr_expect(made == 1 && strcmp(f.text, "other inputs than were judged s/one;") == 0, "%s", f.text);
    at_journal_free(j);
    at_cases_free(cases);
}

Test(bundle, a_clean_revision_is_a_commit_and_nothing_more) {
    cr_expect(at_is_clean("b37400ef7be6"));
    cr_expect(at_is_clean("dirty"));
    cr_expect_not(at_is_clean("b37400ef7be6-dirty"));
    cr_expect_not(at_is_clean("unknown"));
    cr_expect_not(at_is_clean(NULL));
}

/* A program of that name stands first on the path. */
static void fake_nvidia_smi(const char *script) {
    char path[4096];
    directory("bin");
    file("bin/nvidia-smi", script);
    cr_assert_eq(chmod(below("bin/nvidia-smi"), 0755), 0);
    snprintf(path, sizeof path, "%s:%s", below("bin"), getenv("PATH"));
    setenv("PATH", path, 1);
}

static json_t *environment_on(const char *host) {
    char here[256] = "", *text;
    at_error err;
    gethostname(here, sizeof here - 1);
    at_header h = {.host = (char *)(host != NULL ? host : here),
                   .device = "NVIDIA H200",
                   .revision = "abc-dirty",
                   .subject_digest = "5ab",
                   .seed = 7};
    cr_assert_eq(at_environment(&text, &h, &err), AT_OK, "%s", err.text);
    json_t *object = json_loads(text, 0, NULL);
    cr_assert_not_null(object, "%s", text);
    free(text);
    return object;
}

Test(bundle, clocks_are_those_that_nvidia_smi_finds) {
    fake_nvidia_smi("#!/bin/sh\necho 'NVIDIA H200, 580.1, 9.0, P0, Enabled, 1755 MHz, 1980 MHz, 3201 MHz, 3201 MHz, "
                    "700.00 W, Enabled, Disabled'\n");
    json_t *e = environment_on(NULL), *gpu = json_array_get(json_object_get(e, "gpus"), 0);
    cr_expect_str_eq(json_string_value(json_object_get(gpu, "clocks.sm")), "1755 MHz");
    cr_expect_str_eq(json_string_value(json_object_get(gpu, "clocks.max.sm")), "1980 MHz");
    cr_expect_str_eq(json_string_value(json_object_get(gpu, "mig.mode.current")), "Disabled");
    cr_expect(json_is_false(json_object_get(json_object_get(e, "attest"), "clean")));
    cr_expect_str_eq(json_string_value(json_object_get(json_object_get(e, "subject"), "sha256")), "5ab");
    json_decref(e);
}

Test(bundle, what_a_failing_nvidia_smi_prints_is_no_gpu) {
    fake_nvidia_smi("#!/bin/sh\necho 'Failed to initialize NVML'\nexit 9\n");
    json_t *e = environment_on(NULL);
    cr_expect_eq(json_array_size(json_object_get(e, "gpus")), 0);
    json_decref(e);
}

Test(bundle, of_another_machine_no_gpu_and_no_host_is_told) {
    fake_nvidia_smi("#!/bin/sh\necho 'NVIDIA A100'\n");
    json_t *e = environment_on("somewhere-else");
    cr_expect(json_is_false(json_object_get(e, "same_machine")));
    cr_expect_null(json_object_get(e, "gpus"));
    cr_expect_null(json_object_get(e, "host"));
    json_decref(e);
}
