/* What a detector saw, put into the record of the attempt. */
#ifndef AT_FINDING_H
#define AT_FINDING_H

#include "record.h"

/* The attempt fails. The first AT_RECORD_FINDINGS sentences are kept, the others counted; the first becomes the
 * record's message. */
void at_find(at_record *, const char *detector, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The same, but where the attempt has failed already its verdict and message stay. */
void at_find_besides(at_record *, const char *detector, const char *text);

/* UNSUPPORTED, or NOT_RUN: what was not judged; why becomes the message. What has failed before stays failed. */
void at_set_aside(at_record *, at_verdict, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* A heap copy in the printf manner, or NULL when memory is short. */
char *at_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* "-103 to -102.5", or "only -103" where the two read alike: the least and the greatest answer that pass, of so many
 * digits, 9 at most. Returns the text. */
enum { AT_ALLOWED = 64 };
const char *at_allowed(char text[AT_ALLOWED], double low, double high, int digits);

#endif
