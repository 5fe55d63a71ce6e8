/* Subjects from shared objects: how a name finds one, and one clear line for each that cannot be used. The objects
 * stand in subjects/ beside the test program, where names are looked up. */
#define _DEFAULT_SOURCE 1
#include "../load.h"

#include <criterion/criterion.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static at_error err;
static at_library *library;
static const at_subject *subject;

static void expect_opens(const char *name, const char *subject_name) {
    cr_assert_eq(at_library_open(&library, &subject, name, &err), AT_OK, "%s: %s", name, err.text);
    cr_expect_str_eq(subject->name, subject_name);
    at_library_close(library);
}

static void expect_refused(const char *name, const char *words) {
    err.text[0] = 0;
    cr_expect_eq(at_library_open(&library, &subject, name, &err), AT_UNVALIDATED, "%s", name);
    cr_expect_null(library);
    cr_expect_null(subject);
    cr_expect_not_null(strstr(err.text, words), "%s: '%s' does not say '%s'", name, err.text, words);
    cr_expect_null(strchr(err.text, '\n'));
}

static const char *directory(void) {
    static char path[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    path[n > 0 ? n : 0] = 0;
    *strrchr(path, '/') = 0;
    return path;
}

Test(load, a_name_is_looked_up_beside_the_program_and_picks_by_name_or_index) {
    expect_opens("good", "first");
    expect_opens("good:first", "first");
    expect_opens("good:second", "second");
    expect_opens("good:0", "first");
    expect_opens("good:1", "second");
}

Test(load, a_path_is_taken_as_it_is) {
    char path[PATH_MAX + 100];
    snprintf(path, sizeof path, "%s/subjects/good.so:second", directory());
    expect_opens(path, "second");
    cr_assert_eq(chdir(directory()), 0);
    expect_opens("subjects/good.so", "first");
    expect_opens("./subjects/good.so:1", "second");
    cr_assert_eq(chdir("subjects"), 0);
    expect_opens("good.so", "first");
    expect_opens("good.so:second", "second");
}

Test(load, a_file_that_is_not_there_is_named) {
    expect_refused("nobody", "/subjects/nobody.so: No such file");
    expect_refused("./nobody.so", "./nobody.so: No such file");
    expect_refused("nobody.so", "./nobody.so: No such file");
    expect_refused("", "a name or a path is needed");
    expect_refused(":first", "a name or a path is needed");
}

Test(load, a_name_that_is_longer_than_a_path_is_refused) {
    static char name[2 * PATH_MAX];
    memset(name, 'x', sizeof name - 1);
    expect_refused(name, "a name or a path is needed");
}

Test(load, a_file_that_is_no_shared_object_is_refused) {
    char path[] = "/tmp/at_load_XXXXXX";
    int file = mkstemp(path);
    cr_assert_geq(file, 0);
    cr_assert_eq(write(file, "not a shared object, but long enough for its header to be read; text, in short\n", 79),
                 79);
    close(file);
    expect_refused(path, "not a shared object that can be loaded: ");
    cr_expect_null(strstr(strstr(err.text, path) + 1, path), "the path is there twice: %s", err.text);
    unlink(path);
    expect_refused("/tmp/", "not a shared object that can be loaded");
    expect_refused("unresolved", "at_defined_nowhere");
}

Test(load, an_object_without_the_symbol_is_told_which) {
    expect_refused("no_symbol", "exports no at_subject_v1");
}

Test(load, a_subject_that_is_not_in_the_file_is_answered_with_those_that_are) {
    expect_refused("good:third", "no subject 'third': it has first, second");
    expect_refused("good:2", "no subject 2: it has 2");
    expect_refused("good:", "no subject ''");
    expect_refused("good:first:0", "no subject 'first:0'");
    expect_refused("good:99999999999999999999", "no subject '99999999999999999999'");
}

Test(load, a_malformed_subject_is_refused_before_anything_of_it_is_used) {
    static const char *const words[] = {
        NULL, /* 0: sound */
        "ABI 7 and this program ABI 1",
        "24 bytes of",
        "name is NULL",
        "name is empty",
        "version is NULL",
        "dialects is NULL",
        "lists no dialect",
        "the dialect 'tensorflow'; known are onnx-genai and onnxruntime",
        "execute is NULL",
        "destroy is NULL",
        "alignment 0",
        "alignment 24",
        "alignment 512",
        "device kind 5",
        "promises 0x40",
    };
    expect_opens("broken:0", "first");
    expect_opens("broken:16", "first");
    for (unsigned i = 1; i < sizeof words / sizeof *words; i++) {
        char name[32];
        snprintf(name, sizeof name, "broken:%u", i);
        expect_refused(name, words[i]);
    }
}

Test(load, looking_for_a_name_stops_at_a_malformed_subject) {
    expect_refused("broken:second", "ABI 7");
}

Test(load, closing_nothing_is_fine) {
    at_library_close(NULL);
    cr_expect_null(library);
}
