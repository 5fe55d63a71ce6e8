/* SHA256SUMS: the digest of every file of a directory, in the format of sha256sum, which can check it too. */
#ifndef AT_SUMS_H
#define AT_SUMS_H

#include "digest.h"

extern const char at_sums_name[]; /* "SHA256SUMS" */

/* Writes the file. `digest`: of the file itself, which names the whole directory. AT_USAGE where a name holds what the
 * format would have to escape, or an entry is no regular file. */
AT_MUST_USE at_status at_sums_write(char digest[AT_DIGEST_TEXT], const char *directory, at_error *err);

/* What is wrong with one file: changed, missing, not listed, no regular file. */
typedef void at_sums_fault(void *user, const char *path, const char *what);
/* Calls `fault` for every file that is not as listed. *files: how many are listed. AT_USAGE where the list is missing
 * or is no such list. */
AT_MUST_USE at_status at_sums_check(char digest[AT_DIGEST_TEXT], size_t *files, const char *directory,
                                    at_sums_fault *fault, void *user, at_error *err);

#endif
