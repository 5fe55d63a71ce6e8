/* The CPU's stream: at once, recorded and replayed, and its errors, which stay. */
#include "../device.h"

#include <criterion/criterion.h>
#include <string.h>

static at_error err;
static at_device *device;
static at_cpu_stream *stream;
static const at_device_ops *const cpu = &at_cpu_device;

typedef struct {
    const int *from;
    int *to;
    int add;
} args;

static at_cpu_how seen;
static int runs;

static const char *add(const at_cpu_launch *launch, const at_cpu_how *how) {
    const args *a = launch->args;
    seen = *how;
    runs++;
    *a->to = *a->from + a->add;
    return NULL;
}

static const char *fail(const at_cpu_launch *launch, const at_cpu_how *how) {
    static char words[40];
    (void)launch, (void)how;
    runs++;
    strcpy(words, "block 3 waits for ever");
    return words;
}

static void setup(void) {
    cr_assert_eq(cpu->open(&device, 0, &err), AT_OK);
    stream = cpu->stream(device);
    runs = 0;
}

static void teardown(void) {
    cpu->close(device);
}

TestSuite(device_cpu, .init = setup, .fini = teardown);

static int launch_add(args *a) {
    at_cpu_launch launch = {
        .name = "add", .grid = {1, 1, 1}, .block = {32, 1, 1}, .args = a, .args_bytes = sizeof *a, .run = add};
    return stream->launch(stream, &launch);
}

static int launch_fail(void) {
    return stream->launch(stream, &(at_cpu_launch){.name = "stuck", .run = fail});
}

Test(device_cpu, a_launch_runs_at_once_and_as_told) {
    int x = 5, y = 0;
    args a = {&x, &y, 1};
    cr_expect_eq(stream->abi, AT_SUBJECT_ABI);
    cpu->how(device, &(at_cpu_how){.order = AT_RANDOM, .seed = 9, .late = 1, .shared_limit = 1000});
    cr_expect_eq(launch_add(&a), 0);
    cr_expect_eq(y, 6);
    cr_expect(seen.order == AT_RANDOM && seen.seed == 9 && seen.late == 1 && seen.shared_limit == 1000);
    cr_expect_eq(cpu->wait(device, &err), AT_OK);
}

Test(device_cpu, shared_memory_not_said_is_that_of_a_large_device) {
    int x = 0, y = 0;
    args a = {&x, &y, 1};
    cr_expect_eq(launch_add(&a), 0);
    cr_expect_eq(seen.shared_limit, 227 * 1024);
    cpu->how(device, &(at_cpu_how){.order = AT_BACKWARD});
    cr_expect_eq(launch_add(&a), 0);
    cr_expect(seen.order == AT_BACKWARD && seen.shared_limit == 227 * 1024);
}

Test(device_cpu, a_capture_runs_nothing_and_a_replay_reads_contents_as_they_are_then) {
    int x = 1, y = 0;
    args a = {&x, &y, 10};
    at_graph *graph;
    at_graph_nodes nodes;
    cr_assert_eq(cpu->capture_begin(device, &err), AT_OK);
    cr_expect(stream->capturing);
    cr_expect_eq(launch_add(&a), 0);
    cr_expect_eq(launch_add(&a), 0);
    cr_assert_eq(cpu->capture_end(device, &graph, &err), AT_OK);
    cr_expect_not(stream->capturing);
    cr_expect_eq(runs, 0);
    cr_assert_eq(cpu->inspect(device, graph, &nodes, &err), AT_OK);
    cr_expect_eq(nodes.kernels, 2);
    cr_expect_eq(
        nodes.memsets + nodes.device_copies + nodes.host_copies + nodes.hosts + nodes.allocations + nodes.others, 0);
    x = 40;     /* read at replay */
    a.add = 99; /* frozen at capture */
    cr_assert_eq(cpu->replay(device, graph, &err), AT_OK);
    cr_expect_eq(y, 50);
    cr_expect_eq(runs, 2);
    x = 41;
    cpu->how(device, &(at_cpu_how){.order = AT_BACKWARD});
    cr_assert_eq(cpu->replay(device, graph, &err), AT_OK);
    cr_expect_eq(y, 51);
    cr_expect_eq(seen.order, AT_BACKWARD);
    cpu->graph_free(device, graph);
}

Test(device_cpu, a_name_and_arguments_may_be_gone_before_the_replay) {
    int x = 1, y = 0;
    at_graph *graph;
    cr_assert_eq(cpu->capture_begin(device, &err), AT_OK);
    {
        char name[] = "gone";
        args a = {&x, &y, 1};
        at_cpu_launch launch = {.name = name, .args = &a, .args_bytes = sizeof a, .run = add};
        cr_expect_eq(stream->launch(stream, &launch), 0);
        memset(name, 'x', sizeof name);
        memset(&a, 0xFF, sizeof a);
        memset(&launch, 0xFF, sizeof launch);
    }
    cr_assert_eq(cpu->capture_end(device, &graph, &err), AT_OK);
    cr_assert_eq(cpu->replay(device, graph, &err), AT_OK);
    cr_expect_eq(y, 2);
    cpu->graph_free(device, graph);
}

Test(device_cpu, an_error_of_a_kernel_stays_and_stops_what_follows) {
    int x = 1, y = 0;
    args a = {&x, &y, 1};
    at_graph *graph;
    cr_expect_neq(launch_fail(), 0);
    cr_expect_eq(cpu->wait(device, &err), AT_FAILED);
    cr_expect_str_eq(err.text, "kernel stuck: block 3 waits for ever");
    cr_expect_neq(launch_add(&a), 0);
    cr_expect_eq(y, 0);
    cr_expect_eq(cpu->wait(device, &err), AT_FAILED);
    cr_expect_eq(cpu->capture_begin(device, &err), AT_FAILED);
    cr_expect_eq(cpu->capture_end(device, &graph, &err), AT_INFRASTRUCTURE);
}

Test(device_cpu, a_kernel_that_fails_at_replay_stops_it_there) {
    int x = 1, y = 0;
    args a = {&x, &y, 1};
    at_graph *graph;
    cr_assert_eq(cpu->capture_begin(device, &err), AT_OK);
    cr_expect_eq(launch_fail(), 0);
    cr_expect_eq(launch_add(&a), 0);
    cr_assert_eq(cpu->capture_end(device, &graph, &err), AT_OK);
    cr_expect_eq(cpu->replay(device, graph, &err), AT_FAILED);
    cr_expect_not_null(strstr(err.text, "stuck"));
    cr_expect_eq(runs, 1);
    cr_expect_eq(y, 0);
    cpu->graph_free(device, graph);
}

Test(device_cpu, a_launch_that_is_none_spoils_the_capture) {
    static const at_cpu_launch broken[] = {
        {.name = "no run"}, {.run = add}, {.name = "no args", .run = add, .args_bytes = 8}};
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        at_device *d;
        at_graph *graph;
        cr_assert_eq(cpu->open(&d, 0, &err), AT_OK);
        at_cpu_stream *s = cpu->stream(d);
        cr_assert_eq(cpu->capture_begin(d, &err), AT_OK);
        cr_expect_neq(s->launch(s, &broken[i]), 0);
        cr_expect_eq(cpu->capture_end(d, &graph, &err), AT_FAILED);
        cr_expect_null(graph);
        cr_expect_not_null(strstr(err.text, broken[i].name != NULL ? broken[i].name : "name"), "%s", err.text);
        cpu->close(d);
    }
}

Test(device_cpu, captures_do_not_nest_and_an_open_one_is_closed_with_the_device) {
    int x = 1, y = 0;
    args a = {&x, &y, 1};
    cr_assert_eq(cpu->capture_begin(device, &err), AT_OK);
    cr_expect_eq(cpu->capture_begin(device, &err), AT_INFRASTRUCTURE);
    cr_expect_eq(launch_add(&a), 0);
}
