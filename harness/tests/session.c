/* The session's own edges: what the modes' tests do not reach. */
#include "../session.h"

#include "../load.h"
#include "attempts.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static plan_case x;
static at_library *library;
static at_host host;
static at_error err;
static at_record record;

static void open(void) {
    case_of_decode(&x);
    host = (at_host){.ops = &at_cpu_device, .seed = 1};
    cr_assert_eq(at_library_open(&library, &host.subject, "faults:right", &err), AT_OK, "%s", err.text);
    cr_assert_eq(host.ops->open(&host.device, 0, &err), AT_OK);
}

static void close_host(void) {
    at_record_clear(&record);
    host.ops->close(host.device);
    at_library_close(library);
}

TestSuite(session, .init = open, .fini = close_host);

Test(session, codes_have_names_and_other_numbers_are_none) {
    cr_expect_str_eq(at_code_name(AT_ACCEPTED), "ACCEPTED");
    cr_expect_str_eq(at_code_name(AT_NOT_WARMED), "NOT_WARMED");
    cr_expect_str_eq(at_code_name(AT_DEVICE_ERROR), "DEVICE_ERROR");
    cr_expect_str_eq(at_code_name((at_code)7), "a code that the ABI does not have");
    cr_expect_str_eq(at_code_name((at_code)-1), "a code that the ABI does not have");
}

Test(session, contents_of_other_shapes_do_not_go_into_its_buffers) {
    at_session s;
    bool going;
    at_plan *plan = plan_made(&x, OR_GENAI), *larger;
    x.sequence[0].past += 16;
    larger = plan_made(&x, OR_GENAI);
    cr_assert_eq(at_session_open(&s, &host, plan, NULL, &record, &going, &err), AT_OK);
    cr_assert(going);
    cr_assert_eq(at_session_place(&s, AT_EDGE_END, &err), AT_OK);
    cr_expect_eq(at_session_restore(&s, 0xFF, &err), AT_OK);
    s.plan = larger;
    cr_expect_eq(at_session_restore(&s, 0xFF, &err), AT_INFRASTRUCTURE);
    cr_expect_not_null(strstr(err.text, "key_cache: "), "%s", err.text);
    at_session_close(&s);
    at_plan_free(plan);
    at_plan_free(larger);
}

Test(session, traces_that_differ_are_told_by_output_or_slot) {
    at_plan *plan = plan_made(&x, OR_GENAI);
    uint16_t output[2][160] = {{0}}, cache[2][64] = {{0}};
    at_traces a = {output[0], cache[0], sizeof output[0], sizeof cache[0]},
              b = {output[1], cache[1], sizeof output[1], sizeof cache[1]};
    cr_expect(at_traces_equal(&record, "repeat", "b and a", plan, &b, &a));
    cr_expect_eq(record.findings_all, 0);
    cache[1][33] = 7;
    cr_expect_not(at_traces_equal(&record, "repeat", "b and a", plan, &b, &a));
    cr_expect_str_eq(record.finding[0].text, "b and a differ: cache slot 1, channel 1: 0x0007, 0x0000");
    output[1][3 * 32 + 16 + 2] = 9;
    cr_expect_not(at_traces_equal(&record, "repeat", "b and a", plan, &b, &a));
    cr_expect_str_eq(record.finding[1].text, "b and a differ: token 3, head 1, channel 2: 0x0009, 0x0000");
    at_plan_free(plan);
}

Test(session, a_dump_is_made_of_each_judged_answer) {
    char directory[] = "/tmp/attest-session-XXXXXX", output[64], cache[64];
    cr_assert_not_null(mkdtemp(directory));
    snprintf(output, sizeof output, "%s/output.tsv", directory),
        snprintf(cache, sizeof cache, "%s/key_cache.tsv", directory);
    host.dump = directory;
    cr_assert_eq(at_attempt(&host, &x.c, at_mode_by_name("eager"), &record, &err), AT_OK);
    cr_expect_eq(record.verdict, AT_PASS);
    cr_expect_eq(unlink(output), 0);
    cr_expect_eq(unlink(cache), 0);
    rmdir(directory);
}
