/* A status says whose fault it is and is the exit code of the program; the words come last in a parameter list. */
#ifndef AT_ERROR_H
#define AT_ERROR_H

#include <stdarg.h>
#include <stddef.h>

#define AT_MUST_USE __attribute__((warn_unused_result))

typedef enum {
    AT_OK = 0,
    AT_FAILED = 1,         /* the subject's: something was judged and is wrong            */
    AT_UNVALIDATED = 2,    /* nothing could be judged: no GPU, no subject, a floor missed */
    AT_INFRASTRUCTURE = 3, /* the machine's or ours: disk, memory, a worker               */
    AT_USAGE = 64          /* the user's: arguments, case files                           */
} at_status;

typedef struct {
    char text[1200]; /* one line: place, what happened, the values, what to do */
} at_error;

/* Writes the sentence and returns `st`. err may be NULL. What does not print, or would move the cursor, is escaped. */
at_status at_fail(at_error *err, at_status st, const char *format, ...) __attribute__((format(printf, 3, 4)));
at_status at_vfail(at_error *err, at_status st, const char *format, va_list) __attribute__((format(printf, 3, 0)));
at_status at_fail_memory(at_error *err, size_t bytes);
/* The worse of two, in the order 64 > 3 > 1 > 2 > 0. */
at_status at_worse(at_status a, at_status b);

#endif
