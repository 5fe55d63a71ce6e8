/* Faults on the CPU, told as a GPU's would have to be: by what has to be mapped for them to go away. */
#define _DEFAULT_SOURCE 1
#include "../locate.h"
#include "device_test.h"
#include "../finding.h"

#include <criterion/criterion.h>

/* Of the ten calls the one whose buffers end where their mappings do, whatever the alignment; in eager mode. */
enum { EIGHT_TOKENS = 7 };

static char *located(const char *subject) {
    char suites[PATH_MAX], file[PATH_MAX + 64];
    const char *slash = strrchr(__FILE__, '/');
    snprintf(suites, sizeof suites, "%.*ssuites", slash ? (int)(slash - __FILE__) + 1 : 0, __FILE__);
    snprintf(file, sizeof file, "%s", beside(subject));
    const at_options o = {
        .subject = file, .cases = suites, .mode = "eager", .tier = AT_QUICK, .seed = 1, .shard = 1, .shards = 1};
    at_cases *cases = NULL;
    at_selection selection = {0};
    at_error err;
    cr_assert_eq(at_cases_load(&cases, suites, NULL, &err), AT_OK, "%s", err.text);
    cr_assert_eq(at_select(&selection, cases, &o, &err), AT_OK, "%s", err.text);
    char *text = at_locate_fault(&o, 0, &selection.choice[EIGHT_TOKENS], 20);
    at_selection_free(&selection);
    at_cases_free(cases);
    return text;
}

static void expect_located(const char *subject, const char *wanted) {
    char *text = located(subject);
    cr_expect(text != NULL && strcmp(text, wanted) == 0, "%s: '%s', wanted '%s'", subject, text, wanted);
    free(text);
}

Test(locate, a_read_names_the_buffer_and_the_side) {
    expect_located("faults.so:reads_past_key", "key: read past its end, where nothing is mapped");
}

Test(locate, a_write_names_the_byte_as_well) {
    expect_located("faults.so:before_start", "output: a byte was written 1 past the start of its 1024 bytes");
}

Test(locate, an_address_of_nobody_is_told_as_such) {
    expect_located("faults.so:reads_anywhere", "the address lies beside no buffer of the call");
}

Test(locate, what_does_not_fault_is_beside_nothing) {
    char *text = located("faults.so:right");
    cr_expect_null(text, "'%s'", text);
    free(text);
}

Test(locate, a_subject_that_does_not_open_is_beside_nothing) {
    char *text = located("no_such.so");
    cr_expect_null(text, "'%s'", text);
    free(text);
}

Test(locate, only_an_address_is_searched_for) {
    at_record r = {0};
    at_find(&r, "sticky", "the device reports: cuStreamSynchronize: CUDA_ERROR_ASSERT (device-side assert triggered)");
    cr_expect_not(at_is_illegal_access(&r));
    at_find(&r, "sticky", "the device reports: cuStreamSynchronize: CUDA_ERROR_ILLEGAL_ADDRESS (700)");
    cr_expect(at_is_illegal_access(&r));
    at_record_clear(&r);
}
