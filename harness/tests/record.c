#include "../record.h"
#include "record_sample.h"

#include <criterion/criterion.h>
#include <float.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static char *line_of(const at_record *r) {
    at_error err;
    char *line = NULL;
    cr_assert_eq(at_record_to_json(&line, r, &err), AT_OK, "%s", err.text);
    return line;
}

static void read_back(at_record *out, const char *line) {
    at_error err;
    cr_assert_eq(at_record_from_json(out, line, strlen(line), &err), AT_OK, "%s", err.text);
}

/* The record that comes of one whose message is `text`. */
static char *message_after_a_round_trip(const char *text) {
    at_record r = {.id = "a", .message = (char *)text}, again;
    char *line = line_of(&r);
    cr_assert_null(strchr(line, '\n'), "a record is one line");
    json_t *tree = json_loads(line, 0, NULL);
    cr_assert_not_null(tree, "not JSON: %s", line);
    read_back(&again, line);
    cr_assert_str_eq(again.message, json_string_value(json_object_get(tree, "message")),
                     "two readers of one line agree");
    char *message = sample_text(again.message);
    json_decref(tree);
    free(line);
    at_record_clear(&again);
    return message;
}

Test(record, every_verdict_has_a_name_and_says_what_it_does_to_the_exit_status) {
    static const struct {
        at_verdict verdict;
        const char *name;
        at_status status;
    } row[] = {{AT_PASS, "PASS", AT_OK},
               {AT_MARGINAL, "MARGINAL", AT_OK},
               {AT_FAIL, "FAIL", AT_FAILED},
               {AT_FLAKY, "FLAKY", AT_FAILED},
               {AT_CRASH, "CRASH", AT_FAILED},
               {AT_TIMEOUT, "TIMEOUT", AT_FAILED},
               {AT_UNSUPPORTED, "UNSUPPORTED", AT_OK},
               {AT_WAIVED, "WAIVED", AT_OK},
               {AT_NOT_RUN, "NOT_RUN", AT_UNVALIDATED},
               {AT_HARNESS_ERROR, "HARNESS_ERROR", AT_INFRASTRUCTURE}};
    cr_assert_eq(sizeof row / sizeof *row, AT_VERDICTS);
    for (size_t i = 0; i < AT_VERDICTS; i++) {
        at_verdict back = AT_VERDICTS;
        cr_expect_str_eq(at_verdict_name(row[i].verdict), row[i].name);
        cr_expect(at_verdict_by_name(&back, row[i].name) && back == row[i].verdict, "%s", row[i].name);
        cr_expect_eq(at_verdict_status(row[i].verdict), row[i].status, "%s", row[i].name);
    }
    at_verdict untouched = AT_FLAKY;
    cr_expect_not(at_verdict_by_name(&untouched, "pass"));
    cr_expect_eq(untouched, AT_FLAKY);
    cr_expect_eq(at_verdict_status((at_verdict)99), AT_INFRASTRUCTURE, "what nobody knows is never fine");
}

/* A member that the table of fields leaves out stays zero on the way back. */
Test(record, every_member_survives_a_round_trip) {
    at_record r, again;
    sample_record(&r);
    char *line = line_of(&r);
    read_back(&again, line);
    char *second = line_of(&again);
    cr_expect_str_eq(second, line);
    uint64_t word;
    for (size_t at = 0; at + sizeof word <= sizeof again; at += sizeof word) {
        memcpy(&word, (char *)&again + at, sizeof word);
        cr_expect_neq(word, 0, "the member at offset %zu is lost", at);
    }
    static const size_t first_value[] = {offsetof(at_record, verdict), offsetof(at_record, tensor),
                                         offsetof(at_record, tensors), offsetof(at_record, seconds_oracle),
                                         offsetof(at_record, seconds), offsetof(at_record, worker)};
    for (size_t i = 0; i < sizeof first_value / sizeof *first_value; i++) {
        cr_expect_arr_eq((char *)&again + first_value[i], (char *)&r + first_value[i], 4, "offset %zu", first_value[i]);
    }
    cr_expect_arr_eq(again.tensor, r.tensor, sizeof r.tensor);
    cr_expect_arr_eq(again.finding, r.finding, sizeof r.finding);
    cr_expect_str_eq(again.id, "text a");
    cr_expect_str_eq(again.repro, "text u");
    cr_expect_str_eq(again.covers[1], "S2");
    cr_expect_null(again.covers[2]);
    cr_expect_eq(again.graph_other, 6);
    cr_expect_eq(again.replays_equal, 2);
    free(line);
    free(second);
    at_record_clear(&r);
    at_record_clear(&again);
}

Test(record, every_member_of_a_header_survives_a_round_trip) {
    at_header h, again;
    at_error err;
    char *line = NULL;
    sample_header(&h);
    cr_assert_eq(at_header_to_json(&line, &h, &err), AT_OK, "%s", err.text);
    cr_assert_eq(at_header_from_json(&again, line, strlen(line), &err), AT_OK, "%s", err.text);
    uint64_t word;
    for (size_t at = 0; at + sizeof word <= sizeof again; at += sizeof word) {
        memcpy(&word, (char *)&again + at, sizeof word);
        cr_expect_neq(word, 0, "the member at offset %zu is lost", at);
    }
    cr_expect_eq(again.seed, UINT64_MAX);
    cr_expect_eq(again.planned_cases, 2);
    cr_expect_eq(again.gpus, 4);
    cr_expect(again.require_gpu);
    cr_expect_str_eq(again.filter, "text o");
    cr_expect_str_eq(again.universe[1], "mode:eager");
    free(line);
    at_header_clear(&h);
    at_header_clear(&again);
}

Test(record, what_is_absent_stays_absent_and_an_empty_list_stays_empty) {
    char *none[] = {NULL};
    at_record r = {.id = "a", .tags = none}, again;
    char *line = line_of(&r);
    read_back(&again, line);
    cr_expect_null(again.message);
    cr_expect_null(again.covers);
    cr_assert_not_null(again.tags);
    cr_expect_null(again.tags[0]);
    cr_expect_eq(again.tensors, 0);
    cr_expect_eq(again.verdict, AT_PASS);
    free(line);
    at_record_clear(&again);
    cr_expect_null(again.id);
}

Test(record, doubles_come_back_bit_for_bit_and_so_do_nan_and_the_infinities) {
    static const double value[] = {0.0,
                                   -0.0,
                                   0.1,
                                   1.0 / 3,
                                   DBL_MAX,
                                   DBL_MIN,
                                   4.9406564584124654e-324,
                                   DBL_EPSILON,
                                   1e22,
                                   123456789012345678.0,
                                   -1.0,
                                   NAN,
                                   INFINITY,
                                   -INFINITY};
    for (size_t i = 0; i < sizeof value / sizeof *value; i++) {
        at_record r = {.id = "a", .tensors = 1, .tensor[0] = {.excess = value[i]}, .seconds = value[i]}, again;
        char *line = line_of(&r);
        json_t *tree = json_loads(line, 0, NULL);
        cr_expect_not_null(tree, "not JSON: %s", line);
        read_back(&again, line);
        double got[] = {again.tensor[0].excess, again.seconds};
        for (int k = 0; k < 2; k++) {
            if (isnan(value[i]))
                cr_expect(isnan(got[k]));
            else
                cr_expect_arr_eq(&got[k], &value[i], sizeof *value, "%.17g came back as %.17g", value[i], got[k]);
        }
        json_decref(tree);
        free(line);
        at_record_clear(&again);
    }
}

Test(record, hostile_text_comes_back_as_it_was) {
    static const char *const text[] = {
        "<script>alert(1)</script>|&\"'`",
        "a\nb\tc\rd\be\f",
        "\x1b[2J\x1b]0;title\x07",
        "\x01\x1f\x7f",
        "back\\slash \\u0041",
        "",
        ("\xC2\x80\xC2\x9B"
         "31m"),
        "\xE2\x80\xAE reversed",
        "\xF0\x9F\x98\x80 beyond the first plane",
        "\"},{\"verdict\":\"PASS\"",
    };
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        char *message = message_after_a_round_trip(text[i]);
        cr_expect_str_eq(message, text[i]);
        free(message);
    }
}

Test(record, bytes_that_are_not_utf8_become_the_replacement_character) {
    static const struct {
        const char *text, *after;
    } row[] = {{"a\xff"
                "b",
                "a\uFFFDb"},
               {"\xC0\x80", "\uFFFD\uFFFD"},
               {"\xED\xA0\x80", "\uFFFD\uFFFD\uFFFD"},
               {"\xF4\x90\x80\x80", "\uFFFD\uFFFD\uFFFD\uFFFD"},
               {"cut \xE2\x82", "cut \uFFFD\uFFFD"}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char *message = message_after_a_round_trip(row[i].text);
        cr_expect_str_eq(message, row[i].after, "row %zu", i);
        free(message);
    }
}

Test(record, escapes_that_others_write_are_understood) {
    at_record r;
    read_back(&r, " { \"id\" : \"\\u00e9\\ud83d\\ude00\\/\" , \"verdict\" : \"FLAKY\" } ");
    cr_expect_str_eq(r.id, "\u00e9\U0001F600/");
    cr_expect_eq(r.verdict, AT_FLAKY);
    at_record_clear(&r);
}

Test(record, keys_of_a_later_version_are_passed_over) {
    at_record r;
    read_back(&r, "{\"id\":\"a\",\"later\":{\"x\":[1,-2.5e3,true,false,null,\"\\u0041\",{}],\"y\":[]},\"verdict\":"
                  "\"PASS\",\"replays\":3}");
    cr_expect_eq(r.replays, 3);
    at_record_clear(&r);
}

Test(record, a_bad_line_is_refused_and_says_where_and_why) {
    static const struct {
        const char *line, *says;
    } row[] = {
        {"", "an object is due"},
        {"[]", "column 1"},
        {"{\"id\":\"a\"}", "\"verdict\": a key that must be there is missing"},
        {"{\"verdict\":\"PASS\"}", "\"id\": a key that must be there is missing"},
        {"{\"id\":\"a\",\"verdict\":\"GOOD\"}", "not a verdict"},
        {"{\"id\":7,\"verdict\":\"PASS\"}", "column 7, at \"id\": a string is due"},
        {"{\"id\":\"a\",\"id\":\"b\",\"verdict\":\"PASS\"}", "there before"},
        {"{\"id\":\"a\",\"verdict\":\"PASS\"} x", "nothing more is due"},
        {"{\"id\":\"a\",\"verdict\":\"PASS\",}", "a string is due"},
        {"{\"id\":\"a\" \"verdict\":\"PASS\"}", "a comma"},
        {"{\"id\" \"a\"}", "a colon is due"},
        {"{\"id\":\"a", "does not end"},
        {"{\"id\":\"a\\", "does not end"},
        {"{\"id\":\"a\tb\"}", "control character"},
        {"{\"id\":\"\\x41\"}", "not an escape"},
        {"{\"id\":\"\\u0000\"}", "not an escape"},
        {"{\"id\":\"\\ud800\"}", "not an escape"},
        {"{\"id\":\"\\udc00\\ud800\"}", "not an escape"},
        {"{\"id\":\"\\ud800\\u0041\"}", "not an escape"},
        {"{\"id\":\"\xff\"}", "not UTF-8"},
        {"{\"\\u0069d\":\"a\"}", "plain ASCII"},
        {"{\"replays\":1.5}", "an integer is due"},
        {"{\"replays\":2147483648}", "beyond 32 bits"},
        {"{\"findings_all\":9223372036854775808}", "beyond 64 bits"},
        {"{\"findings_all\":01}", "a number is due"},
        {"{\"findings_all\":-}", "a number is due"},
        {"{\"seconds\":1.}", "after the point"},
        {"{\"seconds\":1e}", "in the exponent"},
        {"{\"seconds\":1e999}", "beyond double"},
        {"{\"seconds\":\"1\"}", "\"nan\""},
        {"{\"seconds\":1.0000000000000000000000000000000000000000000000000000000000000000001}", "63 characters"},
        {"{\"tags\":\"a\"}", "an array is due"},
        {"{\"tags\":[\"a\",null]}", "a string is due"},
        {"{\"tensor\":[{}]}", "\"tensor\": a key that must be there"},
        {"{\"finding\":[{\"detector\":\"a\"}]}", "\"text\": a key that must be there"},
        {"{\"later\":[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", "too deep"},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        at_record r;
        at_error err = {""};
        cr_expect_eq(at_record_from_json(&r, row[i].line, strlen(row[i].line), &err), AT_USAGE, "%s", row[i].line);
        cr_expect_not_null(strstr(err.text, row[i].says), "%s: %s", row[i].line, err.text);
        cr_expect_null(r.id, "nothing of it is kept");
    }
}

Test(record, more_findings_than_a_record_holds_are_refused) {
    char line[1000] = "{\"id\":\"a\",\"verdict\":\"FAIL\",\"finding\":[";
    for (int i = 0; i <= AT_RECORD_FINDINGS; i++)
        strcat(line, i ? ",{\"detector\":\"d\",\"text\":\"t\"}" : "{\"detector\":\"d\",\"text\":\"t\"}");
    strcat(line, "]}");
    at_record r;
    at_error err;
    cr_assert_eq(at_record_from_json(&r, line, strlen(line), &err), AT_USAGE);
    cr_expect_not_null(strstr(err.text, "more entries"), "%s", err.text);
}

Test(record, a_text_too_long_for_its_place_is_cut_before_a_character) {
    at_record r;
    read_back(&r, "{\"id\":\"a\",\"verdict\":\"FAIL\",\"finding\":[{\"detector\":"
                  "\"123456789012345678901234567890\u00e9\",\"text\":\"\"}]}");
    cr_expect_str_eq(r.finding[0].detector, "123456789012345678901234567890");
    at_record_clear(&r);
}

Test(record, a_line_cut_anywhere_is_never_taken_for_a_record) {
    at_record r;
    sample_record(&r);
    char *line = line_of(&r);
    at_record_clear(&r);
    size_t bytes = strlen(line);
    for (size_t cut = 0; cut < bytes; cut++) {
        char *exact = malloc(cut); /* so that a sanitizer sees a read past it */
        memcpy(exact, line, cut);
        cr_assert_eq(at_record_from_json(&r, exact, cut, NULL), AT_USAGE, "cut at %zu", cut);
        free(exact);
    }
    free(line);
}

/* jansson is the other opinion. */
Test(record, a_changed_byte_is_never_taken_where_another_reader_sees_no_json) {
    at_record r;
    sample_record(&r);
    char *line = line_of(&r);
    at_record_clear(&r);
    size_t bytes = strlen(line);
    int taken = 0;
    uint32_t draw = 1;
    for (int i = 0; i < 20000; i++) {
        draw = draw * 1664525u + 1013904223u;
        size_t at = (draw >> 8) % bytes;
        char kept = line[at];
        line[at] = (char)(draw >> 4);
        if (at_record_from_json(&r, line, bytes, NULL) == AT_OK) {
            json_t *tree = json_loadb(line, bytes, JSON_REJECT_DUPLICATES, NULL);
            cr_assert_not_null(tree, "byte %zu as 0x%02x", at, (unsigned char)line[at]);
            json_decref(tree);
            at_record_clear(&r);
            taken++;
        }
        line[at] = kept;
    }
    cr_expect(taken > 1000 && taken < 19000, "%d of 20000 were taken", taken);
    free(line);
}

Test(record, clearing_twice_does_no_harm) {
    at_record r;
    sample_record(&r);
    at_record_clear(&r);
    at_record_clear(&r);
    cr_expect_null(r.axes);
}
