/* The CUDA device on a real GPU: guards, canaries, captures, sizes beyond 32 bits. A plain program, for machines that
 * have a driver and nothing else: two one-thread kernels travel as PTX text. What must fault does so in a process of
 * its own, since the context is lost with it.
 *
 *     gpu_device [INDEX]      exit 0: all held; 1: some did not; 2: no GPU that can be used */
#define _DEFAULT_SOURCE 1
#include "../cuda_driver.h"
#include "../device.h"

#include <dlfcn.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* poke(address, byte) writes one byte; peek(to, from) copies one. */
static const char ptx[] = ".version 7.0\n.target sm_75\n.address_size 64\n"
                          ".visible .entry poke(.param .u64 address, .param .u32 byte)\n"
                          "{\n"
                          ".reg .u64 %a;\n.reg .u32 %b;\n"
                          "ld.param.u64 %a, [address];\nld.param.u32 %b, [byte];\n"
                          "cvta.to.global.u64 %a, %a;\nst.global.u8 [%a], %b;\nret;\n"
                          "}\n"
                          ".visible .entry peek(.param .u64 to, .param .u64 from)\n"
                          "{\n"
                          ".reg .u64 %a, %b;\n.reg .u32 %c;\n"
                          "ld.param.u64 %a, [to];\nld.param.u64 %b, [from];\n"
                          "cvta.to.global.u64 %a, %a;\ncvta.to.global.u64 %b, %b;\n"
                          "ld.volatile.global.u8 %c, [%b];\nst.global.u8 [%a], %c;\nret;\n"
                          "}\n";

/* What a subject calls and the device does not. */
#define EXTRAS(F)                                                                                                      \
    F(cuModuleLoadData, , (void **module, const void *image))                                                          \
    F(cuModuleUnload, , (void *module))                                                                                \
    F(cuModuleGetFunction, , (void **function, void *module, const char *name))                                        \
    F(cuLaunchKernel, ,                                                                                                \
      (void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared,  \
       at_cu_stream stream, void **parameters, void **extra))                                                          \
    F(cuLaunchHostFunc, , (at_cu_stream stream, void (*function)(void *), void *arg))                                  \
    F(cuMemcpyDtoDAsync, _v2, (at_cu_address to, at_cu_address from, size_t bytes, at_cu_stream stream))               \
    F(cuMemAllocAsync, , (at_cu_address * out, size_t bytes, at_cu_stream stream))                                     \
    F(cuMemFreeAsync, , (at_cu_address address, at_cu_stream stream))                                                  \
    F(cuMemAlloc, _v2, (at_cu_address * out, size_t bytes))                                                            \
    F(cuMemAllocHost, _v2, (void **out, size_t bytes))                                                                 \
    F(cuMemFreeHost, , (void *address))
static struct { EXTRAS(AT_CUDA_MEMBER) } cu;
static at_cuda_driver driver;
static const at_device_ops *const ops = &at_cuda_device;
static at_device *device;
static at_cu_stream stream;
static void *module, *poke_function, *peek_function;
static at_error err;
static int failures;

enum { DATA, OTHER, ONE_BYTE, LARGE };                  /* slots */
enum { FAULTED = 10, HELD = 11, TROUBLE = 12 };         /* exits of a child */
enum { POKE = 'w', PEEK = 'r', UNTOUCHABLE = 1 << 30 }; /* how a child touches; the size that stands for no buffer */

static bool expect(bool held, const char *what, const char *more) {
    printf("%s %s%s%s\n", held ? "ok    " : "FAILED", what, more[0] ? ": " : "", more);
    fflush(stdout);
    failures += !held;
    return held;
}

static void must(at_status st, const char *what) {
    if (st != AT_OK) expect(false, what, err.text);
    if (st != AT_OK) exit(1);
}

static at_cu_address at(const at_buffer *b, int64_t offset) {
    return (at_cu_address)(uintptr_t)b->data + (at_cu_address)offset;
}

static at_cu_result launch(void *function, void **parameters) {
    return cu.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, parameters, NULL);
}

static void poke(at_cu_address address, unsigned byte) {
    must(at_cuda_check(&driver, launch(poke_function, (void *[]){&address, &byte}), "poke", &err), "launch");
}

static void peek(at_cu_address to, at_cu_address from) {
    must(at_cuda_check(&driver, launch(peek_function, (void *[]){&to, &from}), "peek", &err), "launch");
}

static at_buffer place(int slot, size_t bytes, size_t alignment, at_edge edge) {
    at_buffer b;
    must(ops->place(device, &b, slot, bytes, alignment, edge, &err), "place");
    return b;
}

/* The byte at an address, read by a kernel. */
static int byte_at(at_cu_address address) {
    at_buffer one = place(ONE_BYTE, 1, 1, AT_EDGE_END);
    uint8_t byte;
    peek(at(&one, 0), address);
    must(ops->download(device, &byte, &one, &err), "download");
    return byte;
}

static void *symbol(const char *name) {
    void *address = dlsym(driver.library, name);
    if (address == NULL) printf("FAILED the driver has no %s\n", name);
    if (address == NULL) exit(1);
    return address;
}

static at_status open_all(int index) {
    at_status st = ops->open(&device, index, &err);
    if (st != AT_OK || (st = at_cuda_driver_open(&driver, &err)) != AT_OK) return st;
    void *address;
#define RESOLVE(name, suffix, parameters) address = symbol(#name #suffix), memcpy(&cu.name, &address, sizeof address);
    EXTRAS(RESOLVE)
    stream = ops->stream(device);
    must(at_cuda_check(&driver, cu.cuModuleLoadData(&module, ptx), "cuModuleLoadData", &err), "load PTX");
    must(at_cuda_check(&driver, cu.cuModuleGetFunction(&poke_function, module, "poke"), "poke", &err), "load PTX");
    must(at_cuda_check(&driver, cu.cuModuleGetFunction(&peek_function, module, "peek"), "peek", &err), "load PTX");
    return AT_OK;
}

static const struct touch {
    const char *what;
    at_edge edge;
    size_t bytes;
    int64_t offset;
    int how;
    bool faults;
} touches[] = {{"the last byte of a buffer at the end edge", AT_EDGE_END, 1024, 1023, POKE, false},
               {"a read one byte past the end", AT_EDGE_END, 1024, 1024, PEEK, true},
               {"a write one byte past the end", AT_EDGE_END, 1024, 1024, POKE, true},
               {"a write 1,000,000 bytes past the end", AT_EDGE_END, 1024, 1024 + 1000000, POKE, true},
               {"the first byte of a buffer at the start edge", AT_EDGE_START, 1024, 0, POKE, false},
               {"a read one byte before the start", AT_EDGE_START, 1024, -1, PEEK, true},
               {"a write one byte before the start", AT_EDGE_START, 1024, -1, POKE, true},
               {"a write one byte before 32 MiB that fill their mapping", AT_EDGE_END, 32 << 20, -1, POKE, true},
               {"a write one byte past 32 MiB that fill their mapping", AT_EDGE_START, 32 << 20, 32 << 20, POKE, true},
               {"a read of the untouchable address", AT_EDGE_END, UNTOUCHABLE, 0, PEEK, true},
               {"a write beside the untouchable address", AT_EDGE_END, UNTOUCHABLE, -4096, POKE, true}};

static int child(int index, const struct touch *t) {
    if (open_all(index) != AT_OK) {
        printf("       %s\n", err.text);
        return TROUBLE;
    }
    at_buffer other = place(OTHER, 1, 1, AT_EDGE_END), b = {.data = ops->untouchable(device)};
    if (t->bytes != UNTOUCHABLE) b = place(DATA, t->bytes, 256, t->edge);
    must(ops->wait(device, &err), "wait");
    if (t->how == POKE)
        poke(at(&b, t->offset), 1);
    else
        peek(at(&other, 0), at(&b, t->offset));
    at_status st = ops->wait(device, &err);
    if (st == AT_OK) return HELD;
    printf("       %s\n", err.text);
    at_status again = ops->wait(device, &err); /* sticky: it says so for ever */
    return st == AT_FAILED && again == AT_FAILED && strstr(err.text, "ILLEGAL_ADDRESS") != NULL ? FAULTED : TROUBLE;
}

static void check_faults(const char *index) {
    for (size_t i = 0; i < sizeof touches / sizeof *touches; i++) {
        char row[24];
        snprintf(row, sizeof row, "%zu", i);
        char *const argv[] = {"gpu_device", (char *)index, row, NULL};
        pid_t pid;
        int status = 0;
        if (posix_spawn(&pid, "/proc/self/exe", NULL, NULL, argv, environ) != 0 || waitpid(pid, &status, 0) != pid) {
            expect(false, touches[i].what, "no child process");
            continue;
        }
        int want = touches[i].faults ? FAULTED : HELD, got = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        expect(got == want, touches[i].what, got == FAULTED ? "faults" : got == HELD ? "does not fault" : "neither");
    }
}

static void check_facts(void) {
    at_device_facts f;
    char words[400];
    ops->facts(device, &f);
    snprintf(words, sizeof words, "%s, %s, %d multiprocessors, %.1f GiB, driver %s", f.name, f.arch, f.multiprocessors,
             (double)f.memory / (1 << 30), f.driver);
    expect(f.name[0] != 0 && f.multiprocessors > 0 && f.memory > 0, "facts", words);
}

static void check_copies(void) {
    static const size_t sizes[] = {0, 1, 255, 4097, 2 << 20, (2 << 20) + 1};
    bool same = true, intact = true;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (int edge = AT_EDGE_END; edge <= AT_EDGE_START; edge++) {
            at_buffer b = place(DATA, sizes[i], 16, (at_edge)edge);
            unsigned char *sent = malloc(sizes[i] + 1), *got = malloc(sizes[i] + 1);
            bool kept;
            int64_t where;
            for (size_t k = 0; k < sizes[i]; k++) sent[k] = (unsigned char)(k * 37 + i);
            must(ops->upload(device, &b, sent, &err), "upload");
            must(ops->download(device, got, &b, &err), "download");
            must(ops->check_canaries(device, &b, &kept, &where, &err), "canaries");
            same = same && memcmp(sent, got, sizes[i]) == 0;
            intact = intact && kept;
            free(sent);
            free(got);
        }
    }
    expect(same, "what is uploaded comes back, 0 bytes to 2 MiB + 1, both edges", "");
    expect(intact, "and leaves the canaries alone", "");
}

static void check_canaries(void) {
    static const struct {
        at_edge edge;
        size_t bytes;
        int64_t at;
    } table[] = {{AT_EDGE_END, 1000, 1000},  {AT_EDGE_END, 1000, 1023},   {AT_EDGE_END, 1000, -1},
                 {AT_EDGE_END, 1000, -4096}, {AT_EDGE_START, 1000, 1000}, {AT_EDGE_START, 0, 0}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        at_buffer b = place(DATA, table[i].bytes, 256, table[i].edge);
        bool intact;
        int64_t where = 0;
        char words[80];
        poke(at(&b, table[i].at), 0);
        must(ops->check_canaries(device, &b, &intact, &where, &err), "canaries");
        snprintf(words, sizeof words, "%lld, seen at %lld", (long long)table[i].at, (long long)where);
        expect(!intact && where == table[i].at, "a kernel's write beside a buffer is found", words);
    }
}

static at_graph *end_capture(at_graph_nodes *nodes) {
    at_graph *graph;
    must(ops->capture_end(device, &graph, &err), "capture");
    must(ops->inspect(device, graph, nodes, &err), "inspect");
    return graph;
}

static void check_replay(void) {
    at_buffer from = place(DATA, 64, 16, AT_EDGE_END), to = place(OTHER, 64, 16, AT_EDGE_END);
    at_graph_nodes n;
    bool frozen = true;
    poke(at(&from, 0), 1); /* warm */
    peek(at(&to, 0), at(&from, 0));
    must(ops->wait(device, &err), "wait");
    must(ops->capture_begin(device, &err), "capture");
    peek(at(&to, 0), at(&from, 0));
    cu.cuMemcpyDtoDAsync(at(&to, 16), at(&from, 16), 16, stream);
    must(ops->fill(device, &(at_buffer){.data = (char *)to.data + 32, .bytes = 32}, 0x33, &err), "memset");
    at_graph *graph = end_capture(&n);
    char words[120];
    snprintf(words, sizeof words, "%d kernels, %d memsets, %d device copies, %d not allowed", n.kernels, n.memsets,
             n.device_copies, n.host_copies + n.hosts + n.allocations + n.others);
    expect(n.kernels == 1 && n.memsets == 1 && n.device_copies == 1 &&
               n.host_copies + n.hosts + n.allocations + n.others == 0,
           "kernel, memset and device copy are captured and counted", words);
    for (unsigned i = 1; i <= 3; i++) {
        must(ops->fill(device, &from, (uint8_t)(i * 5), &err), "fill");
        must(ops->fill(device, &to, 0, &err), "fill");
        must(ops->replay(device, graph, &err), "replay");
        must(ops->wait(device, &err), "wait");
        frozen = frozen && byte_at(at(&to, 0)) == (int)i * 5 && byte_at(at(&to, 31)) == (int)i * 5 &&
                 byte_at(at(&to, 63)) == 0x33;
    }
    expect(frozen, "three replays read the contents of then", "");
    ops->graph_free(device, graph);
}

static void nothing(void *arg) {
    (void)arg;
}

static void check_forbidden(void) {
    static char pageable[16];
    at_buffer b = place(DATA, 64, 16, AT_EDGE_END);
    at_graph_nodes n;
    at_graph *graph;
    at_cu_address memory = 0;
    void *pinned = NULL;
    must(at_cuda_check(&driver, cu.cuMemAllocHost(&pinned, 16), "cuMemAllocHost", &err), "pinned memory");

    must(ops->capture_begin(device, &err), "capture");
    cu.cuLaunchHostFunc(stream, nothing, NULL);
    driver.cuMemcpyDtoHAsync(pinned, at(&b, 0), 16, stream);
    driver.cuMemcpyHtoDAsync(at(&b, 0), pinned, 16, stream);
    ops->graph_free(device, end_capture(&n));
    expect(n.hosts == 1 && n.host_copies == 2 && n.kernels == 0,
           "a host function and copies from and to pinned memory are seen", "");

    must(ops->capture_begin(device, &err), "capture");
    at_cu_result result = driver.cuMemcpyDtoHAsync(pageable, at(&b, 0), 16, stream);
    at_status st = ops->capture_end(device, &graph, &err);
    n = (at_graph_nodes){0};
    if (st == AT_OK) must(ops->inspect(device, graph, &n, &err), "inspect");
    ops->graph_free(device, graph);
    expect(st == AT_OK ? n.host_copies == 1 : result != AT_CU_SUCCESS, "a copy to pageable memory is seen or refused",
           st == AT_OK ? "seen" : err.text);

    must(ops->capture_begin(device, &err), "capture");
    cu.cuMemAllocAsync(&memory, 1 << 20, stream);
    cu.cuMemFreeAsync(memory, stream);
    ops->graph_free(device, end_capture(&n));
    expect(n.allocations == 2, "an allocation on the stream and its release are seen", "");

    must(ops->capture_begin(device, &err), "capture");
    result = cu.cuMemAlloc(&memory, 1 << 20);
    st = ops->capture_end(device, &graph, &err);
    expect(result != AT_CU_SUCCESS && st == AT_FAILED && graph == NULL, "an allocation spoils the capture", err.text);
    must(ops->capture_begin(device, &err), "capture");
    poke(at(&b, 0), 1);
    ops->graph_free(device, end_capture(&n));
    expect(n.kernels == 1, "and the next capture works", "");
    cu.cuMemFreeHost(pinned);
}

static void check_time(void) {
    at_buffer b = place(DATA, 64, 16, AT_EDGE_END);
    double seconds = 0;
    char words[80];
    must(ops->time_begin(device, &err), "time");
    for (unsigned i = 0; i < 1000; i++) poke(at(&b, 0), i);
    must(ops->time_end(device, &seconds, &err), "time");
    snprintf(words, sizeof words, "%.2f us each", seconds * 1e3);
    expect(seconds > 0 && seconds < 10, "1000 launches are timed", words);
}

/* 4 GiB and a little: no size, offset or place may pass through 32 bits. */
static void check_large(void) {
    const size_t bytes = ((size_t)4 << 30) + 12345;
    uint64_t before = 0, after = 0, held = 0, held_still = 0;
    bool intact;
    int64_t where = 0;
    must(ops->free_memory(device, &before, &err), "free memory");
    unsigned char *host = before > bytes + (1 << 30) ? malloc(bytes) : NULL;
    if (host == NULL) {
        printf("       no room for %zu bytes: sizes beyond 32 bits were not checked\n", bytes);
        return;
    }
    must(ops->held_memory(device, &held, &err), "held memory");
    at_buffer b = place(LARGE, bytes, 16, AT_EDGE_END);
    must(ops->free_memory(device, &after, &err), "free memory");
    must(ops->held_memory(device, &held_still, &err), "held memory");
    expect(before - after >= bytes, "free memory shows a buffer of 4 GiB", "");
    expect(held_still < held + ((uint64_t)256 << 20), "and held memory does not: it is the arena's", "");
    memset(host, 0x11, bytes);
    host[bytes - 1] = 0x22, host[(size_t)4 << 30] = 0x44;
    must(ops->upload(device, &b, host, &err), "upload");
    expect(byte_at(at(&b, (int64_t)bytes - 1)) == 0x22 && byte_at(at(&b, (int64_t)4 << 30)) == 0x44,
           "upload beyond 4 GiB", "");
    must(ops->fill(device, &b, 0x5A, &err), "fill");
    poke(at(&b, (int64_t)bytes - 2), 0x66);
    must(ops->download(device, host, &b, &err), "download");
    expect(host[0] == 0x5A && host[bytes - 1] == 0x5A && host[bytes - 2] == 0x66, "fill and download beyond 4 GiB", "");
    must(ops->check_canaries(device, &b, &intact, &where, &err), "canaries");
    expect(intact, "its canaries are intact", "");
    poke(at(&b, (int64_t)bytes), 0);
    must(ops->check_canaries(device, &b, &intact, &where, &err), "canaries");
    expect(!intact && where == (int64_t)bytes, "and lost after a write past its end", "");
    free(host);
}

int main(int argc, char **argv) {
    static void (*const checks[])(void) = {check_facts,     check_copies, check_canaries, check_replay,
                                           check_forbidden, check_time,   check_large};
    const char *index = argc > 1 ? argv[1] : "0";
    size_t row = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
    if (argc > 2) return row < sizeof touches / sizeof *touches ? child(atoi(index), &touches[row]) : TROUBLE;
    if (open_all(atoi(index)) != AT_OK) {
        printf("UNVALIDATED %s\n", err.text);
        return 2;
    }
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) checks[i]();
    cu.cuModuleUnload(module);
    at_cuda_driver_close(&driver);
    ops->close(device);
    check_faults(index);
    printf("%s\n", failures == 0 ? "all held" : "some did not hold");
    return failures != 0;
}
