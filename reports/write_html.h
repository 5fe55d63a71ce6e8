/* What write_html.c puts together: the page's sources, and the journal as data for them. */
#ifndef AT_WRITE_HTML_H
#define AT_WRITE_HTML_H

#include "writers.h"

typedef struct {
    const char *name, *text, *end; /* text..end as the file in page/ is */
} at_page_file;

/* By its name in page/; NULL where there is none. */
const at_page_file *at_page_file_named(const char *name, size_t bytes);
const at_page_file *at_page_scripts(size_t *count); /* in the order in which the page needs them */

/* The journal as one value of JSON that may stand inside a script element. */
AT_MUST_USE at_status at_put_page_data(FILE *, const at_report *, at_error *err);
/* mutants.json and bench.json of the directory, fit for a script element; null where there is none that can be read. */
AT_MUST_USE at_status at_put_page_mutants(FILE *, const at_report *, at_error *err);
AT_MUST_USE at_status at_put_page_bench(FILE *, const at_report *, at_error *err);

#endif
