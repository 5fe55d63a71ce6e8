/* A worker under compute-sanitizer: how it is started, and what stands in the tool's log since it was last read. */
#ifndef AT_SANITIZER_H
#define AT_SANITIZER_H

#include "record.h"
#include <sys/types.h>

enum { AT_SANITIZER_PATH = 4096, AT_SANITIZER_ARGUMENTS = 16 };

/* memcheck, racecheck, initcheck, synccheck */
bool at_sanitizer_known(const char *tool);
/* On the PATH, else where toolkits stand. AT_INFRASTRUCTURE where there is none: a check that was asked for is not left
 * out. */
AT_MUST_USE at_status at_sanitizer_find(char path[AT_SANITIZER_PATH], at_error *err);
/* What stands before the worker's own words; returns how many. The strings must stay. */
size_t at_sanitizer_arguments(const char **out, const char *tool, const char *log_name);
/* A name of this process's descriptor that another process can open. Returns `out`. */
const char *at_sanitizer_log_name(char *out, size_t size, int log_fd);

/* A position in a log. */
typedef struct {
    off_t read;
    bool summary; /* the tool's last line was seen: it has come to its end */
} at_sanitizer_log;
/* What came into the log since is a finding each of the attempt that was at work. Waits until nothing more comes.
 * AT_INFRASTRUCTURE where the tool itself says that it failed. */
AT_MUST_USE at_status at_sanitizer_read(at_sanitizer_log *, int log_fd, const char *tool, at_record *, at_error *err);
/* The same for a text. */
AT_MUST_USE at_status at_sanitizer_findings(at_sanitizer_log *, const char *text, const char *tool, at_record *,
                                            at_error *err);

#endif
