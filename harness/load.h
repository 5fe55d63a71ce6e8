/* Subjects from shared objects. */
#ifndef AT_LOAD_H
#define AT_LOAD_H

#include "error.h"
#include "subject.h"

typedef struct at_library at_library;

/* `name`: a path with a slash or ending in .so, or a name looked up as subjects/NAME.so beside the program;
 * NAME:SUBJECT or NAME:INDEX picks one of several subjects of a file, else its first is meant. AT_UNVALIDATED with one
 * line: missing, not a shared object, without the symbol, of another ABI, or not what subject.h asks of a subject. */
AT_MUST_USE at_status at_library_open(at_library **out, const at_subject **subject, const char *name, at_error *err);
const char *at_library_path(const at_library *); /* of its file, absolute */
void at_library_close(at_library *);

#endif
