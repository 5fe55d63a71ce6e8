#include "sums.h"
#include "finding.h"
#include "tree.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char at_sums_name[] = "SHA256SUMS";
enum { HEX = AT_DIGEST_TEXT - 1, MOST_BYTES = 1 << 26 };

static at_status digest_file(char out[AT_DIGEST_TEXT], const char *directory, const char *name, at_error *err) {
    char *text = NULL, *path = at_text("%s/%s", directory, name);
    size_t bytes = 0;
    at_status st = path != NULL ? at_file_read(&text, &bytes, path, 0, err) : at_fail_memory(err, strlen(name));
    if (st == AT_OK) st = at_digest(out, text, bytes, err);
    free(text);
    free(path);
    return st;
}

/* ---- writing ---- */

static at_status put_sums(FILE *f, const at_tree *tree, const char *directory, at_error *err) {
    char digest[AT_DIGEST_TEXT];
    if (tree->odd != NULL) return at_fail(err, AT_USAGE, "%s/%s: not a regular file", directory, tree->odd);
    for (size_t i = 0; i < tree->paths; i++) {
        const char *path = tree->path[i];
        if (strcmp(path, at_sums_name) == 0) continue;
        if (strpbrk(path, "\\\n\r") != NULL)
            return at_fail(err, AT_USAGE, "%s/%s: a name with a backslash or a line's end", directory, path);
        at_status st = digest_file(digest, directory, path, err);
        if (st != AT_OK) return st;
        fprintf(f, "%s  %s\n", digest, path);
    }
    return AT_OK;
}

at_status at_sums_write(char digest[AT_DIGEST_TEXT], const char *directory, at_error *err) {
    at_tree tree = {0};
    char *text = NULL, *path = at_text("%s/%s", directory, at_sums_name);
    size_t bytes = 0;
    FILE *f = NULL;
    at_status st = path != NULL ? at_tree_list(&tree, directory, err) : at_fail_memory(err, strlen(directory));
    if (st != AT_OK) goto done;
    if ((f = open_memstream(&text, &bytes)) == NULL) {
        st = at_fail_memory(err, 4096);
        goto done;
    }
    st = put_sums(f, &tree, directory, err);
    bool failed = ferror(f) != 0;
    failed |= fclose(f) != 0;
    if (st == AT_OK && failed) st = at_fail_memory(err, bytes);
    if (st == AT_OK) st = at_file_write(path, text, bytes, err);
    if (st == AT_OK) st = at_digest(digest, text, bytes, err);
done:
    at_tree_free(&tree);
    free(text);
    free(path);
    return st;
}

/* ---- checking ---- */

typedef struct {
    const at_tree *tree;
    bool *listed; /* [tree->paths] */
    const char *directory;
    at_sums_fault *fault;
    void *user;
} check;

/* Cuts "DIGEST  PATH" in two; false where it is no such line, or the path leaves the directory. */
static bool cut(char *line, char **path) {
    if (strlen(line) < HEX + 3 || strspn(line, "0123456789abcdef") != HEX || memcmp(line + HEX, "  ", 2) != 0)
        return false;
    line[HEX] = 0;
    *path = line + HEX + 2;
    return (*path)[0] != '/' && strstr(*path, "..") == NULL;
}

static int by_name(const void *name, const void *path) {
    return strcmp(name, *(char *const *)path);
}

/* Only what the walk found as a regular file is opened: a link that the list names leads nowhere. */
static at_status check_line(check *c, const char *digest, const char *path, at_error *err) {
    char found[AT_DIGEST_TEXT];
    const at_tree *t = c->tree;
    char **at = t->paths > 0 ? bsearch(path, t->path, t->paths, sizeof *t->path, by_name) : NULL;
    if (at == NULL) {
        c->fault(c->user, path, t->odd != NULL && strcmp(t->odd, path) == 0 ? "no regular file" : "missing");
        return AT_OK;
    }
    c->listed[at - t->path] = true;
    at_status st = digest_file(found, c->directory, path, err);
    if (st == AT_OK && strcmp(found, digest) != 0) c->fault(c->user, path, "changed");
    return st;
}

static at_status check_lines(check *c, char *text, size_t *files, at_error *err) {
    size_t number = 1;
    at_status st = AT_OK;
    for (char *line = text, *end, *path; st == AT_OK && *line != 0; line = end + 1, number++) {
        if ((end = strchr(line, '\n')) == NULL || (*end = 0, !cut(line, &path))) {
            return at_fail(err, AT_USAGE, "%s/%s:%zu: not a digest, two spaces and a path within the directory",
                           c->directory, at_sums_name, number);
        }
        st = check_line(c, line, path, err);
        ++*files;
    }
    return st;
}

at_status at_sums_check(char digest[AT_DIGEST_TEXT], size_t *files, const char *directory, at_sums_fault *fault,
                        void *user, at_error *err) {
    at_tree tree = {0};
    char *text = NULL, *path = at_text("%s/%s", directory, at_sums_name);
    size_t bytes = 0;
    check c = {.tree = &tree, .directory = directory, .fault = fault, .user = user};
    *files = 0;
    at_status st =
        path != NULL ? at_file_read(&text, &bytes, path, MOST_BYTES, err) : at_fail_memory(err, strlen(directory));
    if (st == AT_OK) st = at_digest(digest, text, bytes, err);
    if (st == AT_OK) st = at_tree_list(&tree, directory, err);
    if (st == AT_OK && (c.listed = calloc(tree.paths + 1, sizeof *c.listed)) == NULL)
        st = at_fail_memory(err, tree.paths);
    if (st == AT_OK) st = check_lines(&c, text, files, err);
    for (size_t i = 0; st == AT_OK && i < tree.paths; i++) {
        if (!c.listed[i] && strcmp(tree.path[i], at_sums_name) != 0) fault(user, tree.path[i], "not listed");
    }
    if (st == AT_OK && tree.odd != NULL) fault(user, tree.odd, "no regular file");
    free(c.listed);
    at_tree_free(&tree);
    free(text);
    free(path);
    return st;
}
