/* The test program as its own worker: a supervisor starts /proc/self/exe with the word "worker", and that is this
 * program. */
#include "../worker.h"

#include <stdlib.h>
#include <string.h>

static int am_worker;

/* What a subject under test leaks, some of them for ever, is no leak of the tests: asked by LeakSanitizer where it is
 * linked in. */
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void) {
    return am_worker;
}

__attribute__((constructor)) static void become_a_worker(int argc, char **argv) {
    at_options options = {0};
    at_error err;
    if (argc < 2 || strcmp(argv[1], "worker") != 0) return;
    am_worker = 1;
    at_status st = at_options_parse(&options, argc, argv, &err);
    if (st == AT_OK) st = (at_status)at_worker_main(&options);
    at_options_free(&options);
    exit((int)st);
}
