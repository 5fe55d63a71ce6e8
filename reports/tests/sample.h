/* Journals made by hand, and reports of them as text. */
#ifndef AT_TEST_SAMPLE_H
#define AT_TEST_SAMPLE_H

#include "../report.h"
#include "../writers.h"

/* A complete journal of nothing, on the CPU, with nothing planned. Everything in it is malloc'ed: at_journal_free takes
 * it. */
at_journal *sample_journal(void);
/* Adds an attempt, planned like those before it; its case is planned too unless the last attempt had the same id. */
at_record *sample_attempt(at_journal *, const char *id, at_verdict);
at_tensor_report *sample_tensor(at_record *, const char *tensor, double excess);
void sample_finding(at_record *, const char *detector, const char *text);
char **sample_list(const char *first, ...); /* ends with NULL */
void sample_set(char **member, const char *text);
/* What makes terminals, browsers and parsers stumble. */
extern const char hostile[];

char *sample_report(const at_journal *, const char *writer); /* malloc'ed */
char *sample_slurp(const char *path, size_t *bytes);         /* malloc'ed, zero-terminated; bytes may be NULL */
int sample_count(const char *text, const char *what);

#endif
