/* Opens a shared object and lets nothing of it be called before abi, bytes and every field have been checked. */
#include "load.h"
#include "../oracle/op.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    GREATEST_ALIGNMENT = 256,
    MOST_SUBJECTS = 1000, /* ends the search in an entry that never says NULL */
    ALL_PROMISES = AT_CAPTURE | AT_REPEATABLE | AT_ANY_PAGE_ORDER | AT_ANY_BATCH | AT_ANY_CHUNK | AT_HARDENED
};
static const char symbol[] = "at_subject_v1";

struct at_library {
    void *handle;
    char path[PATH_MAX]; /* as it was named */
    char file[PATH_MAX]; /* absolute: the subject may go to another directory as soon as it is loaded */
};

/* Everything of a subject that may not be NULL, texts and callbacks alike. */
#define FIELD(name)                                                                                                    \
    { #name, offsetof(at_subject, name) }
static const struct {
    const char *name;
    size_t place;
} required[] = {FIELD(name),   FIELD(version), FIELD(about),   FIELD(dialects),      FIELD(supports),
                FIELD(create), FIELD(prepare), FIELD(execute), FIELD(capture_ready), FIELD(destroy)};

static bool is_null(const at_subject *subject, size_t place) {
    void *pointer;
    memcpy(&pointer, (const char *)subject + place, sizeof pointer);
    return pointer == NULL;
}

/* abi and bytes first: of another ABI, nothing else is where it seems. */
static at_status check_abi(const at_subject *s, const char *path, at_error *err) {
    if (s->abi != AT_SUBJECT_ABI) {
        return at_fail(err, AT_UNVALIDATED,
                       "%s: the subject has ABI %u and this program ABI %d: build it against this subject.h", path,
                       s->abi, AT_SUBJECT_ABI);
    }
    if (s->bytes < sizeof *s) {
        return at_fail(err, AT_UNVALIDATED,
                       "%s: the subject's at_subject has %u bytes of %zu: set bytes to sizeof(at_subject)", path,
                       s->bytes, sizeof *s);
    }
    return AT_OK;
}

static at_status check_dialects(const at_subject *s, const char *path, at_error *err) {
    or_dialect known;
    if (s->dialects[0] == NULL) return at_fail(err, AT_UNVALIDATED, "%s: subject '%s' lists no dialect", path, s->name);
    for (const char *const *dialect = s->dialects; *dialect != NULL; dialect++) {
        if (or_dialect_by_name(&known, *dialect)) continue;
        return at_fail(err, AT_UNVALIDATED, "%s: subject '%s' lists the dialect '%.80s'; known are %s and %s", path,
                       s->name, *dialect, or_dialect_name(OR_GENAI), or_dialect_name(OR_ONNXRUNTIME));
    }
    return AT_OK;
}

static at_status check_subject(const at_subject *s, const char *path, at_error *err) {
    at_status st = check_abi(s, path, err);
    if (st != AT_OK) return st;
    for (size_t i = 0; i < sizeof required / sizeof *required; i++) {
        if (!is_null(s, required[i].place)) continue;
        return at_fail(err, AT_UNVALIDATED, "%s: the subject's %s is NULL", path, required[i].name);
    }
    if (s->name[0] == 0) return at_fail(err, AT_UNVALIDATED, "%s: the subject's name is empty", path);
    if (s->device != AT_HOST && s->device != AT_CUDA) {
        return at_fail(err, AT_UNVALIDATED, "%s: subject '%s' runs on device kind %d, which ABI %d does not have", path,
                       s->name, (int)s->device, AT_SUBJECT_ABI);
    }
    if (s->alignment == 0 || s->alignment > GREATEST_ALIGNMENT || (s->alignment & (s->alignment - 1)) != 0) {
        return at_fail(err, AT_UNVALIDATED,
                       "%s: subject '%s' needs alignment %u, which is not a power of two from 1 to %d", path, s->name,
                       s->alignment, GREATEST_ALIGNMENT);
    }
    if ((s->promises & ~(uint32_t)ALL_PROMISES) != 0) {
        return at_fail(err, AT_UNVALIDATED, "%s: subject '%s' promises 0x%x; ABI %d has the bits 0x%x", path, s->name,
                       s->promises, AT_SUBJECT_ABI, (unsigned)ALL_PROMISES);
    }
    return check_dialects(s, path, err);
}

static bool ends_with(const char *text, size_t length, const char *end) {
    size_t n = strlen(end);
    return length >= n && memcmp(text + length - n, end, n) == 0;
}

static bool beside_program(char *out, size_t bytes, const char *name, int length) {
    char program[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    if (n <= 0) return false;
    program[n] = 0;
    *strrchr(program, '/') = 0;
    int written = snprintf(out, bytes, "%s/subjects/%.*s.so", program, length, name);
    return written > 0 && (size_t)written < bytes;
}

/* The file that a name means, as path and, [PATH_MAX], absolute, and what stands behind the colon: NULL where there is
 * none. */
static at_status find(char *path, size_t bytes, char *file, const char **pick, const char *name, at_error *err) {
    const char *slash = strrchr(name, '/'), *colon = strchr(slash != NULL ? slash : name, ':');
    size_t length = colon != NULL ? (size_t)(colon - name) : strlen(name);
    *pick = colon != NULL ? colon + 1 : NULL;
    if (length == 0 || length >= bytes - 2)
        return at_fail(err, AT_UNVALIDATED, "subject '%.80s': a name or a path is needed", name);
    bool fits = true;
    if (slash != NULL)
        snprintf(path, bytes, "%.*s", (int)length, name);
    else if (ends_with(name, length, ".so"))
        snprintf(path, bytes, "./%.*s", (int)length, name);
    else
        fits = beside_program(path, bytes, name, (int)length);
    if (!fits)
        return at_fail(err, AT_INFRASTRUCTURE, "subject '%.80s': the program's own directory is not to be found", name);
    if (access(path, R_OK) == 0 && realpath(path, file) != NULL) return AT_OK;
    return at_fail(err, AT_UNVALIDATED, "subject '%.80s': %s: %s", name, path, strerror(errno));
}

/* dlopen would look for a path without a slash elsewhere, and its words repeat the path. */
static at_status load(void **handle, const char *path, at_error *err) {
    if ((*handle = dlopen(path, RTLD_NOW | RTLD_LOCAL)) != NULL) return AT_OK;
    const char *words = dlerror();
    size_t n = strlen(path);
    if (strncmp(words, path, n) == 0 && words[n] == ':') words += n + 1 + (words[n + 1] == ' ');
    return at_fail(err, AT_UNVALIDATED, "%s: not a shared object that can be loaded: %s", path, words);
}

static bool as_index(uint32_t *out, const char *pick) {
    char *end;
    errno = 0;
    unsigned long value = strtoul(pick, &end, 10);
    *out = (uint32_t)value;
    return pick[0] >= '0' && pick[0] <= '9' && *end == 0 && errno == 0 && value <= UINT32_MAX;
}

static at_status by_index(const at_subject **out, at_subject_entry entry, uint32_t index, const char *path,
                          at_error *err) {
    for (uint32_t i = 0; i <= index; i++) {
        if ((*out = entry(i)) != NULL) continue;
        return at_fail(err, AT_UNVALIDATED, "%s: no subject %u: it has %u, counted from 0", path, index, i);
    }
    return check_subject(*out, path, err);
}

static at_status by_name(const at_subject **out, at_subject_entry entry, const char *name, const char *path,
                         at_error *err) {
    char names[400] = "";
    size_t used = 0;
    for (uint32_t i = 0; i < MOST_SUBJECTS && (*out = entry(i)) != NULL; i++) {
        at_status st = check_subject(*out, path, err);
        if (st != AT_OK || strcmp((*out)->name, name) == 0) return st;
        int n = snprintf(names + used, sizeof names - used, "%s%s", i > 0 ? ", " : "", (*out)->name);
        used = used + (size_t)n < sizeof names ? used + (size_t)n : sizeof names - 1;
    }
    return at_fail(err, AT_UNVALIDATED, "%s: no subject '%.80s': it has %s", path, name, used > 0 ? names : "none");
}

static at_status pick_subject(const at_subject **out, void *handle, const char *pick, const char *path, at_error *err) {
    at_subject_entry entry;
    void *address = dlsym(handle, symbol);
    uint32_t index = 0;
    if (address == NULL) {
        return at_fail(err, AT_UNVALIDATED, "%s: exports no %s, so it is no subject of ABI %d", path, symbol,
                       AT_SUBJECT_ABI);
    }
    memcpy(&entry, &address, sizeof entry);
    if (pick == NULL || as_index(&index, pick)) return by_index(out, entry, index, path, err);
    return by_name(out, entry, pick, path, err);
}

at_status at_library_open(at_library **out, const at_subject **subject, const char *name, at_error *err) {
    const char *pick;
    *out = NULL;
    *subject = NULL;
    at_library *library = calloc(1, sizeof *library);
    if (library == NULL) return at_fail_memory(err, sizeof *library);
    at_status st = find(library->path, sizeof library->path, library->file, &pick, name, err);
    if (st == AT_OK) st = load(&library->handle, library->path, err);
    if (st == AT_OK) st = pick_subject(subject, library->handle, pick, library->path, err);
    if (st == AT_OK) {
        *out = library;
    } else {
        *subject = NULL;
        at_library_close(library);
    }
    return st;
}

const char *at_library_path(const at_library *library) {
    return library->file;
}

void at_library_close(at_library *library) {
    if (library == NULL) return;
    if (library->handle != NULL) dlclose(library->handle);
    free(library);
}
