/* A bundle's directory as one .tar.gz file, by the tar of the machine. */
#ifndef AT_ARCHIVE_H
#define AT_ARCHIVE_H

#include "error.h"
#include "temporary.h"
#include <stdbool.h>

bool at_is_archive(const char *path); /* by its name: .tar.gz or .tgz */

/* DIRECTORY/NAME into the archive, the same bytes for the same files. */
AT_MUST_USE at_status at_archive_write(const char *archive, const char *directory, const char *name, at_error *err);

enum { AT_UNPACKED_MIB = 1024 };
/* A directory, wherever it lies: given as it is, or unpacked from an archive that holds one directory. */
typedef struct {
    char *directory;
    at_temporary temporary;
} at_unpacked;
/* AT_USAGE where the path is neither, and, before anything is unpacked, where the archive holds more than
 * AT_UNPACKED_MIB in all, more files or levels than tree.h has, or what is no plain file or directory. */
AT_MUST_USE at_status at_unpack(at_unpacked *out, const char *path, at_error *err);
void at_unpacked_free(at_unpacked *); /* and removes what was unpacked */

#endif
