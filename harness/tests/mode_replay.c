/* replay, advance, interleave: what only a captured call can get wrong. */
#include "attempts.h"

#include <criterion/criterion.h>

static plan_case x;

static void setup(void) {
    case_of_decode(&x);
}

TestSuite(mode_replay, .init = setup);

static const char *const modes[] = {"replay", "advance", "interleave"};

Test(mode_replay, a_right_subject_passes_every_mode_of_capture) {
    static const char *const subjects[] = {"right", "modest", "foreign"};
    for (size_t s = 0; s < 3; s++) {
        for (size_t m = 0; m < 3; m++) {
            expect_verdict(AT_PASS, subjects[s], modes[m], &x);
        }
    }
}

Test(mode_replay, replays_are_counted_and_the_graph_is_inspected) {
    const int replays[] = {3, 4, 5};
    for (size_t m = 0; m < 3; m++) {
        const at_record *r = attempt("right", modes[m], &x);
        cr_expect(r->replays == replays[m] && r->replays_equal == replays[m], "%s: %d", modes[m], r->replays);
        cr_expect(r->graph_kernels == 1 && r->graph_other == 0);
        cr_expect_eq(r->tensors, 2);
    }
}

Test(mode_replay, each_fault_is_found_by_the_mode_that_is_for_it) {
    static const struct {
        const char *subject, *mode, *detector, *words;
    } expected[] = {
        {"changes_its_mind", "replay", "replay", "replay 1 and the eager run differ: token 0, head 0, channel 5"},
        {"follows_order", "replay", "replay", "replay 1 and the eager run differ"},
        {"trusts_workspace", "replay", "replay",
         "replay 1 and the eager run differ: token 0, head 0, channel 0: 0xffff"},
        {"past_end", "replay", "canary", "output: a byte was written 1 past the end of its 320 bytes"},
        {"changes_input_later", "replay", "input", "query: byte 0 changed from"},
        {"before_start", "replay", "canary", "output: a byte was written 1 past the start of its 320 bytes"},
        {"refuses_capture", "replay", "refusal",
         "execute while capturing refused with NOT_WARMED (not-warmed) what it had accepted before"},
        {"never_ready", "replay", "replay",
         "capture_ready says no after this signature ran eagerly: it is not as it has to be"},
        {"baked_length", "advance", "replay", "replay 1, longer sequences, and the eager run of those contents differ"},
        {"eager_lengths", "advance", "replay",
         "replay 1, longer sequences, and the eager run of those contents differ"},
        {"shares_arguments", "advance", "replay", "replay 2, longer sequences, and the eager run"},
        {"keeps_output", "advance", "value", "output: token"},
        {"keeps_angles", "advance", "replay", "replay 1, longer sequences, and the eager run of those contents differ"},
        {"shares_arguments", "interleave", "replay", "replay 1, of graph A, and its eager run differ: token 0"},
        {"node_last_called", "interleave", "replay",
         "replay of graph A after a call of another kernel, and its eager run differ: token 0"},
        {"node_last_made", "interleave", "value", "written row, rotated: token 0"},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        expect_found(expected[i].subject, expected[i].mode, &x, expected[i].detector, expected[i].words);
    }
}

Test(mode_replay, what_needs_other_contents_or_another_graph_passes_without_them) {
    static const struct {
        const char *subject, *mode;
    } expected[] = {{"baked_length", "eager"},  {"baked_length", "replay"},      {"shares_arguments", "replay"},
                    {"keeps_angles", "replay"}, {"node_last_called", "advance"}, {"node_last_made", "advance"},
                    {"keeps_output", "replay"}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        expect_verdict(AT_PASS, expected[i].subject, expected[i].mode, &x);
    }
}

Test(mode_replay, capture_is_asked_of_those_that_promise_it) {
    for (size_t m = 0; m < 3; m++) {
        expect_verdict(AT_UNSUPPORTED, "uncaptured", modes[m], &x);
        cr_expect_str_eq(attempt("uncaptured", modes[m], &x)->message, "uncaptured does not promise to be captured");
    }
}

Test(mode_replay, a_refusal_before_capture_ends_the_mode) {
    for (size_t m = 0; m < 3; m++) {
        expect_verdict(AT_UNSUPPORTED, "not_implemented", modes[m], &x);
        cr_expect_eq(attempt("refuses_at_supports", modes[m], &x)->findings_all, 1, "%s", modes[m]);
        cr_expect_eq(attempt("refuses_capture", modes[m], &x)->replays, 0);
    }
}

Test(mode_replay, a_device_that_fails_at_replay_or_while_recording_is_told_and_given_up) {
    static const struct {
        const char *subject, *detector, *words;
    } expected[] = {
        {"sticky_at_replay", "sticky", "the device reports: kernel attention: an address that is not mapped"},
        {"spoils_capture", "replay", "the call cannot be captured: kernel without a name: a launch needs a name"}};
    for (size_t i = 0; i < 2; i++) {
        at_status status;
        const at_record *r = attempt_on(NULL, expected[i].subject, "replay", &x, &status);
        cr_expect_eq(status, AT_FAILED, "%s", expected[i].subject);
        cr_expect(r->verdict == AT_FAIL && has_finding(r, expected[i].detector, expected[i].words), "%s",
                  findings_of(r));
        cr_expect_eq(r->findings_all, 1);
    }
}

/* A graph with a host function and a copy, as only CUDA can record them. */
static at_status inspect_more(at_device *d, const at_graph *graph, at_graph_nodes *out, at_error *err) {
    (void)d, (void)graph, (void)err;
    *out = (at_graph_nodes){
        .kernels = 2, .memsets = 1, .device_copies = 2, .host_copies = 1, .hosts = 3, .allocations = 1};
    return AT_OK;
}

static at_status inspect_allowed(at_device *d, const at_graph *graph, at_graph_nodes *out, at_error *err) {
    (void)d, (void)graph, (void)err;
    *out = (at_graph_nodes){.kernels = 2, .memsets = 1, .device_copies = 2};
    return AT_OK;
}

Test(mode_replay, nodes_that_a_captured_call_may_not_have_are_counted) {
    at_device_ops ops = at_cpu_device;
    at_status status;
    ops.inspect = inspect_more;
    const at_record *r = attempt_on(&ops, "right", "replay", &x, &status);
    cr_expect(has_finding(r, "graph", "holds 1 host copies, 3 host functions, 1 allocations and 0 other nodes"), "%s",
              findings_of(r));
    cr_expect_eq(r->replays_equal, 3);
    ops.inspect = inspect_allowed;
    r = attempt_on(&ops, "right", "replay", &x, &status);
    cr_expect_eq(r->verdict, AT_PASS, "%s", findings_of(r));
    cr_expect(r->graph_kernels == 2 && r->graph_other == 3);
}

static at_status refuse_to_begin(at_device *d, at_error *err) {
    (void)d;
    return at_fail(err, AT_FAILED, "a stream past use");
}

Test(mode_replay, a_status_without_a_finding_never_passes) {
    at_device_ops ops = at_cpu_device;
    at_status status;
    ops.capture_begin = refuse_to_begin;
    const at_record *r = attempt_on(&ops, "right", "replay", &x, &status);
    cr_expect_eq(status, AT_FAILED);
    cr_expect(r->verdict == AT_FAIL && has_finding(r, "sticky", "a stream past use"), "%s", findings_of(r));
}

Test(mode_replay, advance_keeps_the_shapes_of_an_idle_sequence_that_is_the_longest) {
    x.sequence[2].past = 500;
    expect_verdict(AT_PASS, "right", "advance", &x);
}
