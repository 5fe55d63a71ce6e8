/* Readers of what anybody may have written, each fed bytes and held to what it promises. Under libFuzzer (make fuzz)
 * for minutes; over corpus/ in every run of the tests. A broken promise aborts. */
#ifndef AT_FUZZ_H
#define AT_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int at_fuzz_cases(const uint8_t *data, size_t size);   /* a suite file: loaded, planned           */
int at_fuzz_journal(const uint8_t *data, size_t size); /* a journal: read, reported, written again */
int at_fuzz_wire(const uint8_t *data, size_t size);    /* what comes out of a worker's pipe       */

/* A file in memory with these bytes; its name is static. */
const char *at_fuzz_file(const char *name, const uint8_t *data, size_t size);
#define AT_FUZZ_DUE(what) ((what) ? (void)0 : at_fuzz_broken(#what, __FILE__, __LINE__))
void at_fuzz_broken(const char *what, const char *file, int line);
/* One line that a terminal may have. */
int at_fuzz_plain(const char *text);

#ifdef AT_FUZZER
#define AT_FUZZ_MAIN(target)                                                                                           \
    int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);                                                      \
    int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {                                                     \
        return target(data, size);                                                                                     \
    }
#else
#define AT_FUZZ_MAIN(target)
#endif

#endif
