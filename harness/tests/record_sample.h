#ifndef AT_TEST_RECORD_SAMPLE_H
#define AT_TEST_RECORD_SAMPLE_H

#include "../record.h"

/* No byte of it but padding is left to chance: every member is set, every list has entries, every array of characters
 * is full. */
void sample_record(at_record *);
void sample_header(at_header *);
char *sample_text(const char *); /* malloc'ed */

#endif
