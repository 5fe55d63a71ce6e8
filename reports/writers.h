/* The writers, one a report. A stream's own failure is seen by ferror, by whoever opened it. */
#ifndef AT_WRITERS_H
#define AT_WRITERS_H

#include "../harness/screen.h"
#include "explained.h"
#include "tensors.h"
#include "verdict.h"

/* A journal and what all writers want to know of it. */
typedef struct {
    const at_journal *journal;
    const char *directory; /* where the files go; NULL: nowhere */
    at_outcome outcome;
    at_groups bad, not_run; /* bad: those explained by one reading first */
    at_readings readings;
    at_tensors tensors;
} at_report;

typedef struct {
    const char *name, *file;
    at_status (*write)(FILE *, const at_report *, at_error *err);
} at_writer;

const at_writer *at_writers(size_t *count);

at_status at_write_text(FILE *, const at_report *, at_error *);
at_status at_write_json(FILE *, const at_report *, at_error *);
at_status at_write_tolerance(FILE *, const at_report *, at_error *);
at_status at_write_coverage(FILE *, const at_report *, at_error *);
at_status at_write_coverage_json(FILE *, const at_report *, at_error *);
at_status at_write_summary(FILE *, const at_report *, at_error *);
at_status at_write_junit(FILE *, const at_report *, at_error *);
at_status at_write_html(FILE *, const at_report *, at_error *);

/* at_write_text in colour, with as many faults as the screen has room for; NULL: no screen. */
AT_MUST_USE at_status at_put_summary(FILE *, const at_report *, const at_screen *, bool colour, at_error *err);

#endif
