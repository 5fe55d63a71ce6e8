/* How far a run is, on stderr: one line that rewrites itself on a terminal, a plain line now and then elsewhere. */
#ifndef AT_PROGRESS_H
#define AT_PROGRESS_H

#include "record.h"

typedef struct {
    size_t total, done, failed;
    double started, shown;
    bool off, terminal;
} at_progress;

void at_progress_start(at_progress *, size_t total, bool off);
void at_progress_add(at_progress *, const at_record *);
/* Now and then, also when nothing has ended. */
void at_progress_show(at_progress *);
void at_progress_end(at_progress *);

#endif
