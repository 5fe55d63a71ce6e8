#include "tree.h"
#include "finding.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- walking ---- */

typedef at_status visit(void *user, const char *directory, const char *relative, mode_t mode, at_error *err);

static at_status walk(const char *top, const char *below, int level, visit *each, void *user, at_error *err);

static at_status walk_entry(const char *top, const char *below, const char *name, int level, visit *each, void *user,
                            at_error *err) {
    struct stat facts;
    char *relative = at_text("%s%s%s", below, below[0] ? "/" : "", name), *path = NULL;
    at_status st = AT_OK;
    if (relative == NULL || (path = at_text("%s/%s", top, relative)) == NULL) {
        st = at_fail_memory(err, strlen(top) + strlen(name));
    } else if (lstat(path, &facts) != 0) {
        st = at_fail(err, AT_USAGE, "%s: %s", path, strerror(errno));
    } else {
        if (S_ISDIR(facts.st_mode)) st = walk(top, relative, level + 1, each, user, err);
        if (st == AT_OK) st = each(user, top, relative, facts.st_mode, err);
    }
    free(path);
    free(relative);
    return st;
}

/* A directory is visited after what is in it. */
static at_status walk(const char *top, const char *below, int level, visit *each, void *user, at_error *err) {
    at_status st = AT_OK;
    char *path = at_text("%s%s%s", top, below[0] ? "/" : "", below);
    if (path == NULL) return at_fail_memory(err, strlen(top));
    DIR *directory = opendir(path);
    if (directory == NULL) {
        st = at_fail(err, AT_USAGE, "%s: %s", path, strerror(errno));
    } else if (level > AT_TREE_LEVELS) {
        st = at_fail(err, AT_USAGE, "%s: more than %d levels of directories", path, AT_TREE_LEVELS);
    }
    for (struct dirent *entry; st == AT_OK && (entry = readdir(directory)) != NULL;) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        st = walk_entry(top, below, entry->d_name, level, each, user, err);
    }
    if (directory != NULL) closedir(directory);
    free(path);
    return st;
}

static at_status keep(void *user, const char *directory, const char *relative, mode_t mode, at_error *err) {
    at_tree *tree = user;
    if (S_ISDIR(mode)) return AT_OK;
    if (tree->paths == AT_TREE_FILES) return at_fail(err, AT_USAGE, "%s: more than %d files", directory, AT_TREE_FILES);
    char *copy = strdup(relative);
    char **grown = realloc(tree->path, (tree->paths + 1) * sizeof *grown);
    if (grown != NULL) tree->path = grown;
    if (copy == NULL || grown == NULL) {
        free(copy);
        return at_fail_memory(err, strlen(relative));
    }
    if (S_ISREG(mode)) {
        tree->path[tree->paths++] = copy;
    } else if (tree->odd == NULL) {
        tree->odd = copy;
    } else {
        free(copy);
    }
    return AT_OK;
}

static int by_bytes(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

at_status at_tree_list(at_tree *out, const char *directory, at_error *err) {
    *out = (at_tree){0};
    at_status st = walk(directory, "", 0, keep, out, err);
    if (st == AT_OK && out->paths > 0) qsort(out->path, out->paths, sizeof *out->path, by_bytes);
    if (st != AT_OK) at_tree_free(out);
    return st;
}

void at_tree_free(at_tree *t) {
    for (size_t i = 0; i < t->paths; i++) free(t->path[i]);
    free(t->path);
    free(t->odd);
    *t = (at_tree){0};
}

static at_status forget(void *user, const char *directory, const char *relative, mode_t mode, at_error *err) {
    (void)user, (void)mode, (void)err;
    char *path = at_text("%s/%s", directory, relative);
    if (path != NULL) remove(path);
    free(path);
    return AT_OK;
}

void at_tree_remove(const char *directory) {
    if (directory == NULL) return;
    if (walk(directory, "", 0, forget, NULL, NULL) == AT_OK) rmdir(directory);
}

/* ---- files ---- */

at_status at_file_write(const char *path, const void *data, size_t bytes, at_error *err) {
    FILE *f = fopen(path, "wbe");
    if (f == NULL) return at_fail(err, AT_USAGE, "%s: cannot be written: %s", path, strerror(errno));
    bool failed = bytes > 0 && fwrite(data, 1, bytes, f) != bytes;
    failed |= fclose(f) != 0;
    return failed ? at_fail(err, AT_INFRASTRUCTURE, "%s: cannot be written: %s; make room", path, strerror(errno))
                  : AT_OK;
}

/* No link, no pipe, no directory. */
static at_status open_regular(FILE **out, const char *path, at_error *err) {
    struct stat facts = {0};
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    const char *why = fd < 0 || fstat(fd, &facts) != 0 ? strerror(errno) : "not a regular file";
    *out = fd >= 0 && S_ISREG(facts.st_mode) ? fdopen(fd, "rb") : NULL;
    if (*out != NULL) return AT_OK;
    if (fd >= 0) close(fd);
    return at_fail(err, AT_USAGE, "%s: cannot be read: %s", path, why);
}

/* In steps, since what the size says of a file that grows is not what comes. *text has a byte more than is used. */
static at_status read_steps(char **text, size_t *used, FILE *f, size_t most, at_error *err) {
    size_t room = 1 << 16, got;
    do {
        char *grown = realloc(*text, room + 1);
        if (grown == NULL) return at_fail_memory(err, room);
        *text = grown;
        got = fread(*text + *used, 1, room - *used, f);
        *used += got;
        if (*used == room) room *= 2;
    } while (got > 0 && (most == 0 || *used <= most));
    return AT_OK;
}

at_status at_file_read(char **out, size_t *bytes, const char *path, size_t most, at_error *err) {
    char *text = NULL;
    size_t used = 0;
    FILE *f;
    at_status st = open_regular(&f, path, err);
    if (st != AT_OK) return st;
    st = read_steps(&text, &used, f, most, err);
    if (st == AT_OK && ferror(f))
        st = at_fail(err, AT_INFRASTRUCTURE, "%s: cannot be read: %s", path, strerror(errno));
    else if (st == AT_OK && most > 0 && used > most)
        st = at_fail(err, AT_USAGE, "%s: more than %zu bytes", path, most);
    fclose(f);
    if (st != AT_OK) {
        free(text);
        return st;
    }
    text[used] = 0;
    *out = text;
    *bytes = used;
    return AT_OK;
}

at_status at_file_copy(const char *to, const char *from, at_error *err) {
    char *text;
    size_t bytes;
    at_status st = at_file_read(&text, &bytes, from, 0, err);
    if (st != AT_OK) return st;
    st = at_file_write(to, text, bytes, err);
    free(text);
    return st;
}
