/* A directory for a while: removed when it is dropped, and when this process ends by whatever signal. */
#ifndef AT_TEMPORARY_H
#define AT_TEMPORARY_H

#include "error.h"
#include <sys/types.h>

typedef struct {
    char *path;   /* NULL: none */
    pid_t keeper; /* a process that waits for the end of this one, to remove the directory */
    int alive;    /* of a pipe to it, closed by exec: its other end sees this process end */
} at_temporary;

/* Under TMPDIR or /tmp. */
AT_MUST_USE at_status at_temporary_make(at_temporary *out, at_error *err);
void at_temporary_drop(at_temporary *); /* a zeroed one is fine */

#endif
