/* The CUDA device over a fake driver: what it says when there is none to use, what it hands to the driver, and that it
 * gives everything back whichever call fails. */
#define _DEFAULT_SOURCE 1
#include "device_test.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static at_error err;
static at_device *device;
static fake_cuda_script *script;
static void (*issue)(at_cu_stream, const fake_cuda_node *);
static void (*spoil)(void);
static const at_device_ops *const cuda = &at_cuda_device;

static void setup(void) {
    script = fake("fake_cuda");
    cr_assert_not_null(script, "subjects/fake_cuda.so is not beside the test program");
    *(void **)&issue = fake("fake_cuda_issue");
    *(void **)&spoil = fake("fake_cuda_spoil");
}

static void open_device(void) {
    cr_assert_eq(cuda->open(&device, 0, &err), AT_OK, "%s", err.text);
}

TestSuite(device_cuda, .init = setup);

static void expect_unvalidated(const char *words) {
    cr_expect_eq(cuda->open(&device, 0, &err), AT_UNVALIDATED);
    cr_expect_null(device);
    cr_expect_not_null(strstr(err.text, words), "%s", err.text);
    cr_expect_eq(script->live, 0);
}

Test(device_cuda, without_a_driver_it_says_which_is_needed) {
    at_cuda_driver_path("/nowhere/libcuda.so.1");
    expect_unvalidated("/nowhere/libcuda.so.1");
    cr_expect_not_null(strstr(err.text, "525"), "%s", err.text);
}

Test(device_cuda, without_a_library_of_its_own_it_opens_that_of_the_system) {
    at_cuda_driver cu;
    at_cuda_driver_path(NULL);
    at_status st = at_cuda_driver_open(&cu, &err);
    cr_expect(st == AT_OK || strstr(err.text, "NVIDIA driver") != NULL, "%s", err.text);
    at_cuda_driver_close(&cu);
    cr_expect_null(cu.library);
}

Test(device_cuda, a_library_that_is_no_driver_is_named_with_the_symbol_it_lacks) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s", beside("no_symbol.so"));
    at_cuda_driver_path(path);
    expect_unvalidated("has no cuDriverGetVersion");
}

Test(device_cuda, an_old_driver_is_told_what_it_has_and_what_is_needed) {
    script->version = 11080;
    expect_unvalidated("CUDA 11.8, and 12.0 (driver 525 or newer)");
    at_cuda_driver cu;
    cr_expect_eq(at_cuda_driver_open(&cu, &err), AT_UNVALIDATED);
    cr_expect_null(cu.library);
}

Test(device_cuda, a_driver_without_a_gpu_is_unvalidated) {
    script->devices = 0;
    expect_unvalidated("shows no GPU");
    script->devices = 2;
    script->fail = "cuInit", script->code = AT_CU_NO_DEVICE;
    expect_unvalidated("shows no GPU");
    script->code = AT_CU_INVALID_VALUE;
    expect_unvalidated("CUDA_ERROR_INVALID_VALUE (invalid argument)");
    script->fail = "cuDriverGetVersion";
    expect_unvalidated("error 1");
}

Test(device_cuda, a_gpu_without_virtual_memory_is_unvalidated) {
    script->virtual_memory = 0;
    cr_expect_eq(cuda->open(&device, 1, &err), AT_UNVALIDATED);
    cr_expect_not_null(strstr(err.text, "device 1 has no virtual memory management"), "%s", err.text);
    cr_expect_eq(script->live, 0);
}

Test(device_cuda, codes_are_the_subject_s_fault_or_not) {
    static const struct {
        at_cu_result code;
        at_status st;
        const char *words;
    } table[] = {{AT_CU_SUCCESS, AT_OK, ""},
                 {AT_CU_OUT_OF_MEMORY, AT_INFRASTRUCTURE, "CUDA_ERROR_OUT_OF_MEMORY"},
                 {214, AT_INFRASTRUCTURE, "error 214"},
                 {AT_CU_ILLEGAL_ADDRESS, AT_FAILED, "an illegal memory access was encountered"},
                 {719, AT_FAILED, "error 719"},
                 {AT_CU_TENSOR_MEMORY_LEAK + 1, AT_INFRASTRUCTURE, "error 722"},
                 {AT_CU_CAPTURE_INVALIDATED, AT_FAILED, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED"},
                 {999, AT_INFRASTRUCTURE, "error 999, which this driver has no name for"}};
    at_cuda_driver cu;
    cr_assert_eq(at_cuda_driver_open(&cu, &err), AT_OK);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        err.text[0] = 0;
        cr_expect_eq(at_cuda_check(&cu, table[i].code, "cuCall", &err), table[i].st);
        cr_expect_not_null(strstr(err.text, table[i].words), "%s", err.text);
    }
    at_cuda_driver_close(&cu);
}

Test(device_cuda, a_sticky_error_is_failed_with_the_driver_s_words_everywhere) {
    at_buffer b, larger;
    char byte;
    double seconds;
    open_device();
    cr_assert_eq(cuda->place(device, &b, 0, 1, 1, AT_EDGE_END, &err), AT_OK);
    cr_expect_eq(cuda->wait(device, &err), AT_OK);
    script->sticky = AT_CU_ILLEGAL_ADDRESS;
    cr_expect_eq(cuda->wait(device, &err), AT_FAILED);
    cr_expect_str_eq(err.text,
                     "cuStreamSynchronize: CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was encountered)");
    cr_expect_eq(cuda->download(device, &byte, &b, &err), AT_FAILED);
    cr_expect_eq(cuda->place(device, &larger, 0, b.mapped + 1, 1, AT_EDGE_END, &err), AT_FAILED);
    cr_expect_not(faults(b.data, true), "what the device may still use is kept");
    cr_expect_eq(cuda->time_end(device, &seconds, &err), AT_FAILED);
    cuda->close(device);
}

Test(device_cuda, memory_that_runs_out_says_how_much_was_asked_for) {
    at_buffer b;
    open_device();
    cr_expect_eq(cuda->place(device, &b, 0, (size_t)5 << 30, 16, AT_EDGE_END, &err), AT_INFRASTRUCTURE);
    cr_expect_not_null(strstr(err.text, "5368709120 bytes"), "%s", err.text);
    cr_expect_eq(cuda->place(device, &b, 0, 100, 16, AT_EDGE_END, &err), AT_OK, "and a smaller one fits afterwards");
    cuda->close(device);
    cr_expect_eq(script->live, 0);
}

Test(device_cuda, a_slot_whose_mapping_failed_can_be_placed_again) {
    at_buffer b;
    open_device();
    script->fail = "cuMemSetAccess", script->code = AT_CU_INVALID_VALUE;
    cr_expect_eq(cuda->place(device, &b, 0, 100, 16, AT_EDGE_END, &err), AT_INFRASTRUCTURE);
    script->fail = NULL;
    cr_expect_eq(cuda->place(device, &b, 0, 100, 16, AT_EDGE_END, &err), AT_OK, "%s", err.text);
    cr_expect_not(faults(b.data, true));
    cuda->close(device);
}

static int x, y;
static void copy_x(void *arg) {
    y = x + *(int *)arg;
}

Test(device_cuda, a_capture_is_global_runs_nothing_and_replays) {
    int add = 10;
    at_graph *graph;
    open_device();
    at_cu_stream stream = cuda->stream(device);
    cuda->how(device, &(at_cpu_how){.order = AT_BACKWARD});
    x = 1, y = 0, script->capture_mode = 77;
    cr_assert_eq(cuda->capture_begin(device, &err), AT_OK);
    cr_expect_eq(script->capture_mode, AT_CU_CAPTURE_GLOBAL);
    issue(stream, &(fake_cuda_node){.type = AT_CU_NODE_KERNEL, .kernel = copy_x, .arg = &add});
    cr_assert_eq(cuda->capture_end(device, &graph, &err), AT_OK);
    cr_expect_eq(y, 0);
    x = 2;
    cr_assert_eq(cuda->replay(device, graph, &err), AT_OK);
    cr_assert_eq(cuda->wait(device, &err), AT_OK);
    cr_expect_eq(y, 12);
    cuda->graph_free(device, graph);
    cuda->close(device);
    cr_expect_eq(script->live, 0);
}

static fake_cuda_node memcpy_node(at_cu_copy_end source, at_cu_copy_end target) {
    return (fake_cuda_node){.type = AT_CU_NODE_MEMCPY, .copy = {.source = source, .target = target}};
}

/* Captures these and counts them. */
static at_graph_nodes inspect(const fake_cuda_node *node, size_t nodes) {
    at_graph *graph;
    at_graph_nodes out;
    cr_assert_eq(cuda->capture_begin(device, &err), AT_OK);
    for (size_t i = 0; i < nodes; i++) issue(cuda->stream(device), &node[i]);
    cr_assert_eq(cuda->capture_end(device, &graph, &err), AT_OK);
    cr_assert_eq(cuda->inspect(device, graph, &out, &err), AT_OK, "%s", err.text);
    cuda->graph_free(device, graph);
    return out;
}

Test(device_cuda, copies_are_told_apart_by_where_both_ends_are) {
    at_buffer b;
    int host = 0, pinned = 0;
    open_device();
    cr_assert_eq(cuda->place(device, &b, 0, 64, 16, AT_EDGE_END, &err), AT_OK);
    script->pinned = &pinned;
    const at_cu_copy_end on_device = {.type = AT_CU_DEVICE}, on_host = {.type = AT_CU_HOST},
                         array = {.type = AT_CU_ARRAY};
    const at_cu_copy_end unified[] = {{.type = AT_CU_UNIFIED, .device = (uintptr_t)b.data},
                                      {.type = AT_CU_UNIFIED, .device = (uintptr_t)&pinned},
                                      {.type = AT_CU_UNIFIED, .device = (uintptr_t)&host}};
    const fake_cuda_node nodes[] = {memcpy_node(on_device, on_device),  memcpy_node(on_host, on_device),
                                    memcpy_node(on_device, on_host),    memcpy_node(array, on_device),
                                    memcpy_node(unified[0], on_device), memcpy_node(unified[0], unified[0]),
                                    memcpy_node(unified[1], on_device), memcpy_node(on_device, unified[2])};
    at_graph_nodes out = inspect(nodes, sizeof nodes / sizeof *nodes);
    cr_expect_eq(out.device_copies, 4);
    cr_expect_eq(out.host_copies, 4);
    cr_expect_eq(out.kernels + out.memsets + out.hosts + out.allocations + out.others, 0);
    cuda->close(device);
}

Test(device_cuda, nodes_are_counted_by_type_and_in_child_graphs_too) {
    at_cuda_driver cu;
    at_cu_graph child;
    open_device();
    at_cu_stream stream = cuda->stream(device);
    cr_assert_eq(at_cuda_driver_open(&cu, &err), AT_OK);
    cr_assert_eq(cu.cuStreamBeginCapture(stream, AT_CU_CAPTURE_GLOBAL), AT_CU_SUCCESS);
    issue(stream, &(fake_cuda_node){.type = AT_CU_NODE_KERNEL});
    issue(stream, &(fake_cuda_node){.type = AT_CU_NODE_HOST});
    cr_assert_eq(cu.cuStreamEndCapture(stream, &child), AT_CU_SUCCESS);
    const fake_cuda_node nodes[] = {{.type = AT_CU_NODE_KERNEL},
                                    {.type = AT_CU_NODE_KERNEL},
                                    {.type = AT_CU_NODE_MEMSET},
                                    {.type = AT_CU_NODE_HOST},
                                    {.type = AT_CU_NODE_ALLOC},
                                    {.type = AT_CU_NODE_FREE},
                                    {.type = AT_CU_NODE_EMPTY},
                                    {.type = 13},
                                    {.type = AT_CU_NODE_GRAPH, .child = child}};
    at_graph_nodes out = inspect(nodes, sizeof nodes / sizeof *nodes);
    cr_expect_eq(out.kernels, 3);
    cr_expect_eq(out.memsets, 1);
    cr_expect_eq(out.hosts, 2);
    cr_expect_eq(out.allocations, 2);
    cr_expect_eq(out.others, 1);
    cr_expect_eq(out.device_copies + out.host_copies, 0);
    cr_expect_eq(inspect(NULL, 0).kernels, 0);
    cu.cuGraphDestroy(child);
    at_cuda_driver_close(&cu);
    cuda->close(device);
    cr_expect_eq(script->live, 0);
}

Test(device_cuda, a_spoiled_capture_ends_and_the_next_one_works) {
    at_graph *graph;
    open_device();
    cr_assert_eq(cuda->capture_begin(device, &err), AT_OK);
    spoil();
    cr_expect_eq(cuda->capture_end(device, &graph, &err), AT_FAILED);
    cr_expect_null(graph);
    cr_expect_not_null(strstr(err.text, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED"), "%s", err.text);
    cr_assert_eq(cuda->capture_begin(device, &err), AT_OK);
    cr_expect_eq(cuda->capture_end(device, &graph, &err), AT_OK);
    cuda->graph_free(device, graph);
    cuda->close(device);
    cr_expect_eq(script->live, 0);
}

/* One pass over every operation; the first status that is not AT_OK, with its words. */
static at_status pass(void) {
    at_graph *graph = NULL;
    at_graph_nodes nodes;
    at_buffer b;
    double seconds;
    uint64_t unused;
    bool intact;
    int64_t where;
    char bytes[64] = {0};
    at_status st = cuda->open(&device, 0, &err);
    if (st == AT_OK) st = cuda->place(device, &b, 0, sizeof bytes, 16, AT_EDGE_END, &err);
    if (st == AT_OK) st = cuda->upload(device, &b, bytes, &err);
    if (st == AT_OK) st = cuda->download(device, bytes, &b, &err);
    if (st == AT_OK) st = cuda->check_canaries(device, &b, &intact, &where, &err);
    if (st == AT_OK) st = cuda->place(device, &b, 0, b.mapped + 1, 16, AT_EDGE_START, &err);
    if (st == AT_OK) st = cuda->check_canaries(device, &b, &intact, &where, &err);
    if (st == AT_OK) st = cuda->free_memory(device, &unused, &err);
    if (st == AT_OK) st = cuda->time_begin(device, &err);
    if (st == AT_OK && (st = cuda->capture_begin(device, &err)) == AT_OK) {
        at_cu_copy_end end = {.type = AT_CU_UNIFIED, .device = (uintptr_t)b.data};
        fake_cuda_node copy = memcpy_node(end, end);
        issue(cuda->stream(device), &copy);
        issue(cuda->stream(device), &(fake_cuda_node){.type = AT_CU_NODE_GRAPH, .child = NULL});
        st = cuda->capture_end(device, &graph, &err);
        if (st == AT_OK) st = cuda->inspect(device, graph, &nodes, &err);
    }
    if (st == AT_OK) st = cuda->replay(device, graph, &err);
    if (st == AT_OK) st = cuda->wait(device, &err);
    if (st == AT_OK) st = cuda->time_end(device, &seconds, &err);
    script->fail = NULL; /* closing has nobody to tell */
    if (device != NULL) {
        cuda->graph_free(device, graph);
        cuda->close(device);
    }
    return st;
}

#define NAME(name, suffix, parameters) #name #suffix,
static const char *const functions[] = {AT_CUDA_FUNCTIONS(NAME)};

Test(device_cuda, whichever_call_fails_is_named_and_nothing_is_left_behind) {
    int failed = 0;
    cr_assert_eq(pass(), AT_OK, "%s", err.text);
    cr_assert_eq(script->live, 0);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        script->code = AT_CU_INVALID_VALUE;
        for (script->good = 0;; script->good++) {
            script->fail = functions[i], script->calls = 0;
            at_status st = pass();
            cr_expect_eq(script->live, 0, "%s, call %d: %d left", functions[i], script->good, script->live);
            if (script->calls <= script->good) {
                cr_expect_eq(st, AT_OK, "%s", err.text);
                break;
            }
            /* A pointer that the driver does not know is host memory. */
            if (strcmp(functions[i], "cuPointerGetAttribute") == 0) continue;
            failed++;
            cr_expect(st == AT_INFRASTRUCTURE || st == AT_UNVALIDATED, "%s, call %d: %d", functions[i], script->good,
                      (int)st);
            size_t stem = strcspn(functions[i], "_");
            char name[64];
            snprintf(name, sizeof name, "%.*s", (int)stem, functions[i]);
            if (strcmp(name, "cuGraphInstantiateWithFlags") == 0) strcpy(name, "cuGraphInstantiate");
            cr_expect_not_null(strstr(err.text, name), "%s: %s", name, err.text);
        }
    }
    cr_expect_gt(failed, 40);
}

Test(device_cuda, an_unknown_error_about_a_pointer_is_passed_on) {
    script->fail = "cuPointerGetAttribute", script->code = 999;
    cr_expect_eq(pass(), AT_INFRASTRUCTURE);
    cr_expect_not_null(strstr(err.text, "cuPointerGetAttribute"), "%s", err.text);
    cr_expect_eq(script->live, 0);
}

Test(device_cuda, the_driver_s_version_is_read_from_the_module_s_line) {
    static const struct {
        const char *proc, *want;
    } table[] = {
        {"NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.82.07  Release Build\n", "580.82.07, CUDA 12.4"},
        {"NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19 01:15:15 UTC 2023\nGCC 12.2.0\n",
         "535.104.05, CUDA 12.4"},
        {"550.54\n", "550.54, CUDA 12.4"},
        {"", "CUDA 12.4"},
        {"no version here\n1.2", "CUDA 12.4"}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char out[64];
        at_cuda_driver_words(out, sizeof out, table[i].proc, 12040);
        cr_expect_str_eq(out, table[i].want, "%s", out);
    }
}
