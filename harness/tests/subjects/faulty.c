/* The host's subject with one fault each, on calls of five tokens alone. Everything else is handed on to cpu.so, which
 * is found beside the program or at $ATTEST_TEST_INNER. */
#include "../../subject.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { FAULTY_TOKENS = 5 };

static const at_subject *inner(void) {
    static const at_subject *subject;
    char path[4096] = "", *slash;
    const char *named = getenv("ATTEST_TEST_INNER");
    if (subject != NULL) return subject;
    if (readlink("/proc/self/exe", path, sizeof path - 40) < 0) abort();
    if ((slash = strrchr(path, '/')) != NULL) strcpy(slash, "/subjects/cpu.so");
    void *library = dlopen(named ? named : path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        abort();
    }
    at_subject_entry entry;
    void *address = dlsym(library, "at_subject_v1");
    memcpy(&entry, &address, sizeof entry);
    return subject = entry(0);
}

/* ---- faults; each is called before the call is handed on ---- */

typedef void fault(const at_call *);

static void does_segv(const at_call *call) {
    (void)call;
    *(volatile int *)8 = 1;
}
static void does_abort(const at_call *call) {
    (void)call;
    fputs("assertion failed: the sky is green\n", stderr);
    abort();
}
static void loops(const at_call *call) {
    (void)call;
    for (volatile int i = 0;; i++) continue;
}
static void stops(const at_call *call) {
    (void)call;
    raise(SIGSTOP);
}
static void exits(const at_call *call) {
    (void)call;
    exit(0);
}
static void closes(const at_call *call) {
    (void)call;
    close(3);
}
static void writes_garbage(const at_call *call) {
    (void)call;
    (void)!write(3, "\0\0garbage\n{}", 12);
}
/* Half a frame, so that the worker's own answer ends up inside it. */
static void writes_half_a_frame(const at_call *call) {
    (void)call;
    (void)!write(3, "0000400 0123456789abcdef\n", 25);
}
/* A whole answer, well formed, but for the ticket that only the worker was told. */
static void forges(const at_call *call) {
    static const char answer[] = "{\"id\":\"ten/tokens/new=5\",\"mode\":\"eager\",\"verdict\":\"PASS\"}";
    (void)call;
    dprintf(3, "%07zu %016x\n%s\n", strlen(answer), 0u, answer);
}
/* On the streams that a person sees. */
static void boasts(const at_call *call) {
    (void)call;
    puts("\033[2J\rVALIDATED on NVIDIA H200 (sm_90): 10 of 10 cases");
    puts("{\"id\":\"ten/tokens/new=5\",\"mode\":\"eager\",\"verdict\":\"PASS\"}");
    fflush(stdout);
    abort();
}
static void never_stops_talking(const at_call *call) {
    (void)call;
    for (;;) puts("still here and still talking, at length, so that whoever keeps it all runs out of memory");
}
static void leaks(const at_call *call) {
    enum { PIECE = 1 << 24, MOST = 64 };
    (void)call;
    for (int i = 0; i < MOST; i++) memset(malloc(PIECE), i, 1 << 12);
    abort(); /* nobody has stopped it */
}
/* Leaves the process without memory, and goes on. */
static void *hoard; /* pieces, each with the place of the one before */
static void hoards(const at_call *call) {
    enum { MOST = 1 << 30 };
    size_t taken = 0;
    (void)call;
    for (size_t piece = 1 << 24; piece >= 64 && taken < MOST; piece /= 2) {
        for (void **more; taken < MOST && (more = malloc(piece)) != NULL; taken += piece) *more = hoard, hoard = more;
    }
}
static void gives_back(void) {
    for (void *before; hoard != NULL; hoard = before) before = *(void **)hoard, free(hoard);
}
/* In the attempt after this one; what was armed is gone with the process. */
static int armed_famine;
static void arms_a_famine(const at_call *call) {
    (void)call;
    armed_famine = 1;
}
/* From the call to the end of its kernel, so that the attempt is attest's to mend, and can be told. Counted in
 * $ATTEST_TEST_FAMINES. */
static void starves(const at_call *call) {
    const char *name = getenv("ATTEST_TEST_FAMINES");
    int fd = name ? open(name, O_WRONLY | O_APPEND) : -1;
    if (fd >= 0) (void)!write(fd, "one\n", 4), close(fd);
    hoards(call);
}
/* In whatever attempt. */
static void keeps_memory(void) {
    enum { PIECE = 1 << 18 };
    memset(malloc(PIECE), 1, PIECE);
}
static void reads_too_far(const at_call *call) {
    const at_tensor *query = &call->in[AT_QUERY];
    size_t bytes = 2;
    for (uint32_t i = 0; i < query->rank; i++) bytes *= (size_t)query->shape[i];
    (void)((volatile unsigned char *)query->data)[bytes];
}
static const char *goes_wrong(const at_cpu_launch *launch, const at_cpu_how *how) {
    (void)launch, (void)how;
    return "an illegal address was met";
}
/* The error stays on the stream: nothing more can be run in this process. */
static void poisons(const at_call *call) {
    at_cpu_stream *stream = call->stream;
    at_cpu_launch launch = {
        .name = "wrong", .grid = {1, 1, 1}, .block = {1, 1, 1}, .args = "", .args_bytes = 1, .run = goes_wrong};
    stream->launch(stream, &launch);
}
/* Phase of the worker, in the page that it shares with its supervisor. */
static int between_attempts(const char *box) {
    enum { PHASE = 9 }; /* behind the ticket and a flag */
    return strcmp(box + PHASE, "idle") == 0 || strncmp(box + PHASE, "putting", 7) == 0;
}
static void *dies_later(void *unused) {
    (void)unused;
    const char *box = mmap(NULL, 4096, PROT_READ, MAP_SHARED, 4, 0);
    while (!between_attempts(box)) sched_yield();
    raise(SIGSEGV);
    return NULL;
}
static int bombs, armed;
/* The call itself goes well; a thread that it leaves behind does not. */
static void leaves_a_bomb(const at_call *call) {
    pthread_t thread;
    (void)call;
    if (bombs++ == 0 && pthread_create(&thread, NULL, dies_later, NULL) != 0) abort();
}
static void dies_when_unloaded(const at_call *call) {
    (void)call;
    armed = 1;
}
__attribute__((destructor)) static void unload(void) {
    if (armed) raise(SIGSEGV);
    if (bombs > 0) pause(); /* for the bomb, at the latest */
}
static void sends_itself_a_term(const at_call *call) {
    (void)call;
    raise(SIGTERM);
}
/* What a sanitizer would say, where a stand-in for one has left the name of its log. */
static void is_caught(const at_call *call) {
    const char *name = getenv("ATTEST_TEST_LOG");
    FILE *log = name ? fopen(name, "a") : NULL;
    (void)call;
    if (log == NULL) return;
    fputs("========= Invalid __global__ read of size 4 bytes\n=========     at v1_attend+0x1a0\n=========\n", log);
    fclose(log);
}
static void stay(int told) {
    const char *name = getenv("ATTEST_TEST_STRAYS");
    FILE *f = name ? fopen(name, "a") : NULL;
    if (f != NULL) fprintf(f, "%d\n", (int)getpid()), fclose(f);
    (void)!write(told, "", 1);
    for (;;) pause();
}
/* Leaves a process in a session of its own, with every descriptor of the worker's, and one below that; their numbers
 * go to $ATTEST_TEST_STRAYS. */
static void leaves_strays(const at_call *call) {
    int told[2];
    char two[2];
    (void)call;
    if (pipe(told) != 0) abort();
    if (fork() == 0) {
        setsid();
        (void)!fork();
        stay(told[1]);
    }
    for (int i = 0; i < 2; i++) (void)!read(told[0], &two[i], 1);
}
static void leaves_strays_and_dies(const at_call *call) {
    static int left;
    if (left++ == 0) leaves_strays(call);
    if (left > 1) does_segv(call); /* the second call of the attempt */
}
static void is_fine(const at_call *call) {
    (void)call;
}

static const struct {
    const char *name;
    fault *fault;
} faults[] = {
    {"segv", does_segv},
    {"abort", does_abort},
    {"forever", loops},
    {"stop", stops},
    {"exit", exits},
    {"close", closes},
    {"garbage", writes_garbage},
    {"half", writes_half_a_frame},
    {"forge", forges},
    {"boast", boasts},
    {"talk", never_stops_talking},
    {"leak", leaks},
    {"hoard", hoards},
    {"famine", arms_a_famine},
    {"starve", is_fine}, /* its own attempt, after its call */
    {"keep", is_fine},   /* in every call */
    {"fault", reads_too_far},
    {"poison", poisons},
    {"bomb", leaves_a_bomb},
    {"unload", dies_when_unloaded},
    {"term", sends_itself_a_term},
    {"strays", leaves_strays},
    {"deserter", leaves_strays_and_dies},
    {"caught", is_caught},
    {"flaky", is_fine},
    {"wrong", is_fine},
    {"unsupported", is_fine},
    {"fine", is_fine},
};
enum { FAULTS = sizeof faults / sizeof *faults };

/* While it is loaded. */
__attribute__((constructor)) static void load(void) {
    if (getenv("ATTEST_TEST_HANG") != NULL) pause();
    if (getenv("ATTEST_TEST_MOVES") != NULL && chdir("/") != 0) abort();
}

static uint32_t picked;

static int is(const char *name) {
    return strcmp(faults[picked].name, name) == 0;
}

static at_code supports(const at_node *node, const at_dtype in[AT_INPUTS], at_refusal *why) {
    if (is("unsupported")) {
        snprintf(why->text, sizeof why->text, "does nothing");
        return AT_NOT_IMPLEMENTED;
    }
    return inner()->supports(node, in, why);
}

static int five(const at_call *call) {
    return call->in[AT_QUERY].shape[0] == FAULTY_TOKENS;
}

/* Every other attempt. */
static int spoils(const at_call *call) {
    static int calls;
    if (!five(call)) return 0;
    return is("wrong") || (is("flaky") && calls++ / 2 % 2 == 1); /* an attempt makes two calls */
}

static at_code execute(at_kernel *kernel, const at_call *call, at_refusal *why) {
    if (is("keep")) keeps_memory();
    if (five(call)) faults[picked].fault(call);
    at_code code = inner()->execute(kernel, call, why);
    if (is("starve") ? five(call) : armed_famine && !five(call)) starves(call);
    if (code == AT_ACCEPTED && spoils(call)) ((unsigned short *)call->out[AT_OUTPUT].data)[3] ^= 0x4000;
    return code;
}

static void destroy(at_kernel *kernel) {
    gives_back();
    inner()->destroy(kernel);
}

const at_subject *at_subject_v1(uint32_t index) {
    static at_subject subjects[FAULTS];
    if (index >= FAULTS) return NULL;
    subjects[index] = *inner();
    subjects[index].name = faults[index].name;
    subjects[index].supports = supports;
    subjects[index].execute = execute;
    subjects[index].destroy = destroy;
    picked = index; /* the last one that is asked for is the one that runs */
    return &subjects[index];
}
