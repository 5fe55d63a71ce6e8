/* A log reads
 *
 *   ========= COMPUTE-SANITIZER
 *   ========= Invalid __global__ read of size 4 bytes
 *   =========     at kernel(float*)+0x80
 *   =========     by thread (0,0,0) in block (1,0,0)
 *   =========
 *   ========= ERROR SUMMARY: 1 error
 *
 * A finding starts at the margin; what is indented belongs to it. */
#include "sanitizer.h"
#include "finding.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MARGIN = 10, SETTLE_MS = 40, MOST_LOG = 1 << 22 };
static const char margin[] = "========= ";

bool at_sanitizer_known(const char *tool) {
    static const char *const tools[] = {"memcheck", "racecheck", "initcheck", "synccheck"};
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++) {
        if (strcmp(tools[i], tool) == 0) return true;
    }
    return false;
}

static bool program_in(char path[AT_SANITIZER_PATH], const char *directory, size_t length) {
    int n = snprintf(path, AT_SANITIZER_PATH, "%.*s/compute-sanitizer", (int)length, directory);
    return length > 0 && n < AT_SANITIZER_PATH && access(path, X_OK) == 0;
}

at_status at_sanitizer_find(char path[AT_SANITIZER_PATH], at_error *err) {
    static const char *const elsewhere[] = {"/usr/local/cuda/bin", "/usr/local/cuda/compute-sanitizer",
                                            "/opt/cuda/bin"};
    const char *search = getenv("PATH");
    for (const char *at = search; at != NULL && *at != 0;) {
        size_t length = strcspn(at, ":");
        if (program_in(path, at, length)) return AT_OK;
        at += length + (at[length] == ':');
    }
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++) {
        if (program_in(path, elsewhere[i], strlen(elsewhere[i]))) return AT_OK;
    }
    return at_fail(err, AT_INFRASTRUCTURE,
                   "no compute-sanitizer on the PATH nor under /usr/local/cuda: it comes with the CUDA toolkit");
}

size_t at_sanitizer_arguments(const char **out, const char *tool, const char *log_name) {
    /* calls that fail are the harness's to judge: it makes some that must */
    const char *const words[] = {"compute-sanitizer",
                                 "--tool",
                                 tool,
                                 "--log-file",
                                 log_name,
                                 "--print-limit",
                                 "0",
                                 "--check-exit-code",
                                 "no",
                                 "--report-api-errors",
                                 "no",
                                 "--target-processes",
                                 "application-only"};
    size_t n = sizeof words / sizeof *words, used = 0;
    for (size_t i = 0; i < n; i++) {
        bool only_memcheck = strcmp(words[i], "--report-api-errors") == 0;
        if (only_memcheck && strcmp(tool, "memcheck") != 0)
            i++;
        else
            out[used++] = words[i];
    }
    return used;
}

const char *at_sanitizer_log_name(char *out, size_t size, int log_fd) {
    snprintf(out, size, "/proc/%d/fd/%d", (int)getpid(), log_fd);
    return out;
}

/* One finding of up to `end`, its indented lines joined to the first. */
static const char *take_finding(const char *at, char *out, size_t size) {
    size_t used = 0;
    out[0] = 0;
    for (bool first = true; *at != 0; first = false) {
        size_t length = strcspn(at, "\n"), skip = length < MARGIN ? length : MARGIN;
        bool indented = strncmp(at, margin, MARGIN) == 0 && at[MARGIN] == ' ';
        if (!first && !indented) break;
        while (skip < length && at[skip] == ' ') skip++;
        bool frame = !first && (strncmp(at + skip, "Saved host", 10) == 0 || strncmp(at + skip, "Host Frame", 10) == 0);
        int n =
            frame ? 0 : snprintf(out + used, size - used, "%s%.*s", first ? "" : "; ", (int)(length - skip), at + skip);
        used = used + (size_t)n < size ? used + (size_t)n : size - 1;
        at += length + (at[length] == '\n');
    }
    return at;
}

static bool starts(const char *line, const char *words) {
    return strncmp(line + MARGIN, words, strlen(words)) == 0;
}

/* The tool's words about itself; racecheck's findings begin with "Error:" too. */
static bool tool_failed(const char *line) {
    static const char *const words[] = {"Error: Target application",      "Target application terminated",
                                        "Error: couldn't find exit code", "Error: No attachable process",
                                        "Error: Device not supported",    "Error: Failed to",
                                        "Internal Sanitizer Error"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (starts(line, words[i])) return true;
    }
    return false;
}

at_status at_sanitizer_findings(at_sanitizer_log *log, const char *text, const char *tool, at_record *record,
                                at_error *err) {
    char finding[400];
    for (const char *at = text, *next; *at != 0; at = next) {
        next = strchr(at, '\n');
        next = next != NULL ? next + 1 : at + strlen(at);
        if (strncmp(at, margin, MARGIN) != 0 || at[MARGIN] == 0 || at[MARGIN] == '\n' || at[MARGIN] == ' ') continue;
        if (starts(at, "COMPUTE-SANITIZER")) continue;
        if (starts(at, "ERROR SUMMARY") || starts(at, "RACECHECK SUMMARY")) {
            log->summary = true;
            continue;
        }
        next = take_finding(at, finding, sizeof finding);
        if (tool_failed(at)) {
            return at_fail(err, AT_INFRASTRUCTURE, "compute-sanitizer (%s) failed: %s", tool, finding);
        }
        if (!starts(at, "Warning:")) at_find_besides(record, tool, finding); /* racecheck's: may be meant */
    }
    return AT_OK;
}

/* The tool prints from a process of its own, a little after the kernel has ended. */
static off_t settled_size(int fd) {
    const struct timespec moment = {.tv_nsec = SETTLE_MS * 1000000L};
    struct stat facts = {0};
    for (off_t before = -1; fstat(fd, &facts) == 0 && facts.st_size != before;) {
        before = facts.st_size;
        nanosleep(&moment, NULL);
    }
    return facts.st_size;
}

at_status at_sanitizer_read(at_sanitizer_log *log, int log_fd, const char *tool, at_record *record, at_error *err) {
    off_t size = settled_size(log_fd);
    if (size <= log->read) return AT_OK;
    size_t bytes = size - log->read < MOST_LOG ? (size_t)(size - log->read) : MOST_LOG;
    char *text = malloc(bytes + 1);
    if (text == NULL) return at_fail_memory(err, bytes + 1);
    ssize_t got = pread(log_fd, text, bytes, log->read);
    text[got > 0 ? got : 0] = 0;
    log->read = size;
    at_status st = at_sanitizer_findings(log, text, tool, record, err);
    free(text);
    return st;
}
