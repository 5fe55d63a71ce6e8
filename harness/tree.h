/* Directories of files: listed, copied, removed. Links are never followed. */
#ifndef AT_TREE_H
#define AT_TREE_H

#include "error.h"

typedef struct {
    char **path; /* [paths] regular files, relative to the directory, sorted by bytes */
    size_t paths;
    char *odd; /* the first that is neither a regular file nor a directory, or NULL */
} at_tree;

enum { AT_TREE_LEVELS = 8, AT_TREE_FILES = 100000 };
/* More levels or files than that: AT_USAGE. */
AT_MUST_USE at_status at_tree_list(at_tree *out, const char *directory, at_error *err);
void at_tree_free(at_tree *);

/* `to` is replaced. */
AT_MUST_USE at_status at_file_copy(const char *to, const char *from, at_error *err);
AT_MUST_USE at_status at_file_write(const char *path, const void *data, size_t bytes, at_error *err);
/* The whole file, zero-terminated, malloc'ed. `most`: AT_USAGE beyond; 0: no limit. */
AT_MUST_USE at_status at_file_read(char **out, size_t *bytes, const char *path, size_t most, at_error *err);

/* With all that is in it; what resists is left. NULL is fine. */
void at_tree_remove(const char *directory);

#endif
