#include "cuda_driver.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static const char library_name[] = "libcuda.so.1";
static const char *library_path = library_name;

void at_cuda_driver_path(const char *path) {
    library_path = path != NULL ? path : library_name;
}

#define ROW(name, suffix, parameters) {#name #suffix, offsetof(at_cuda_driver, name)},
static const struct {
    const char *symbol;
    size_t place;
} table[] = {AT_CUDA_FUNCTIONS(ROW)};

static at_status resolve(at_cuda_driver *cu, size_t row, at_error *err) {
    void *address = dlsym(cu->library, table[row].symbol);
    if (address == NULL) {
        return at_fail(err, AT_UNVALIDATED, "%s has no %s: a driver of CUDA %d.%d (525) or newer is needed",
                       library_path, table[row].symbol, AT_CUDA_LEAST / 1000, AT_CUDA_LEAST % 1000 / 10);
    }
    memcpy((char *)cu + table[row].place, &address, sizeof address);
    return AT_OK;
}

/* Row 0 is cuDriverGetVersion, the one call that needs no cuInit and that every driver has. */
static at_status check_version(const at_cuda_driver *cu, at_error *err) {
    int version = 0;
    at_cu_result result = cu->cuDriverGetVersion(&version);
    if (result == AT_CU_SUCCESS && version >= AT_CUDA_LEAST) return AT_OK;
    if (result != AT_CU_SUCCESS)
        return at_fail(err, AT_UNVALIDATED, "%s: cuDriverGetVersion gave error %u", library_path, result);
    return at_fail(err, AT_UNVALIDATED,
                   "the NVIDIA driver is too old: it gives CUDA %d.%d, and %d.%d (driver 525 or newer) is needed",
                   version / 1000, version % 1000 / 10, AT_CUDA_LEAST / 1000, AT_CUDA_LEAST % 1000 / 10);
}

static at_status wake(const at_cuda_driver *cu, at_error *err) {
    at_error words;
    at_cu_result result = cu->cuInit(0);
    if (result == AT_CU_NO_DEVICE) return at_fail(err, AT_UNVALIDATED, "the NVIDIA driver is here and shows no GPU");
    if (at_cuda_check(cu, result, "cuInit", &words) == AT_OK) return AT_OK;
    return at_fail(err, AT_UNVALIDATED, "the NVIDIA driver does not start: %s", words.text);
}

at_status at_cuda_driver_open(at_cuda_driver *out, at_error *err) {
    at_status st;
    /* A driver starts threads: once in, it stays. */
    *out = (at_cuda_driver){.library = dlopen(library_path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)};
    if (out->library == NULL) {
        return at_fail(err, AT_UNVALIDATED, "no NVIDIA driver: %s; driver 525 or newer is needed", dlerror());
    }
    if ((st = resolve(out, 0, err)) != AT_OK || (st = check_version(out, err)) != AT_OK) goto done;
    for (size_t i = 1; i < sizeof table / sizeof *table && st == AT_OK; i++) st = resolve(out, i, err);
    if (st == AT_OK) st = wake(out, err);
done:
    if (st != AT_OK) at_cuda_driver_close(out);
    return st;
}

void at_cuda_driver_close(at_cuda_driver *cu) {
    if (cu->library != NULL) dlclose(cu->library);
    *cu = (at_cuda_driver){0};
}

/* 700 to 721: what kernels do wrong; 900 to 908: what spoils a capture. */
static bool blames_the_subject(at_cu_result result) {
    return (result >= AT_CU_ILLEGAL_ADDRESS && result <= AT_CU_TENSOR_MEMORY_LEAK) ||
           (result >= AT_CU_CAPTURE_UNSUPPORTED && result <= AT_CU_CAPTURE_WRONG_THREAD);
}

at_status at_cuda_check(const at_cuda_driver *cu, at_cu_result result, const char *call, at_error *err) {
    const char *name = NULL, *text = NULL;
    if (result == AT_CU_SUCCESS) return AT_OK;
    at_status st = blames_the_subject(result) ? AT_FAILED : AT_INFRASTRUCTURE;
    if (cu->cuGetErrorName(result, &name) != AT_CU_SUCCESS || cu->cuGetErrorString(result, &text) != AT_CU_SUCCESS ||
        name == NULL) {
        return at_fail(err, st, "%s: error %u, which this driver has no name for", call, result);
    }
    return at_fail(err, st, "%s: %s (%s)", call, name, text);
}

/* Digits, a point, a digit: the first word that starts so is the driver's version. */
static size_t version_length(const char *word) {
    size_t n = strspn(word, "0123456789");
    return n > 0 && word[n] == '.' && isdigit((unsigned char)word[n + 1]) ? strspn(word, "0123456789.") : 0;
}

void at_cuda_driver_words(char *out, size_t bytes, const char *proc, int version) {
    size_t n = 0;
    const char *word = proc;
    for (; *word != 0 && *word != '\n'; word++) {
        if ((word == proc || isspace((unsigned char)word[-1])) && (n = version_length(word)) > 0) break;
    }
    snprintf(out, bytes, "%.*s%sCUDA %d.%d", (int)n, word, n > 0 ? ", " : "", version / 1000, version % 1000 / 10);
}
