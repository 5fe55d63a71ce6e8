#include "archive.h"
#include "finding.h"
#include "tree.h"

#include <dirent.h>
#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

extern char **environ;

bool at_is_archive(const char *path) {
    static const char *const ends[] = {".tar.gz", ".tgz"};
    size_t bytes = strlen(path);
    for (int i = 0; i < 2; i++) {
        size_t n = strlen(ends[i]);
        if (bytes > n && strcmp(path + bytes - n, ends[i]) == 0) return true;
    }
    return false;
}

/* What tar has to say goes to stderr, where it is read. */
static at_status run_tar(char *const arguments[], const char *archive, at_error *err) {
    pid_t pid;
    int how;
    int failed = posix_spawnp(&pid, "tar", NULL, NULL, arguments, environ);
    if (failed != 0) return at_fail(err, AT_INFRASTRUCTURE, "tar could not be started: %s", strerror(failed));
    while (waitpid(pid, &how, 0) < 0) {
        if (errno != EINTR) return at_fail(err, AT_INFRASTRUCTURE, "tar was lost: %s", strerror(errno));
    }
    if (WIFEXITED(how) && WEXITSTATUS(how) == 0) return AT_OK;
    return at_fail(err, AT_USAGE, "%s: tar could not read or write it, as it says above", archive);
}

/* --force-local: a colon in a name names no other machine. */
at_status at_archive_write(const char *archive, const char *directory, const char *name, at_error *err) {
    char *arguments[] = {"tar",       "--force-local",   "--sort=name", "--owner=0",
                         "--group=0", "--numeric-owner", "--mtime=@0",  "--mode=u=rwX,go=rX",
                         "-C",        (char *)directory, "-czf",        (char *)archive,
                         "--",        (char *)name,      NULL};
    return run_tar(arguments, archive, err);
}

/* The one directory in it. */
static at_status find_directory(char **out, const char *temporary, const char *archive, at_error *err) {
    size_t entries = 0;
    DIR *d = opendir(temporary);
    for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL;) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
        if (entries++ > 0) break;
        *out = at_text("%s/%s", temporary, e->d_name);
    }
    if (d != NULL) closedir(d);
    struct stat facts;
    if (entries == 1 && *out != NULL && lstat(*out, &facts) == 0 && S_ISDIR(facts.st_mode)) return AT_OK;
    return at_fail(err, AT_USAGE, "%s: does not hold one directory; it is no bundle", archive);
}

at_status at_unpack(at_unpacked *out, const char *path, at_error *err) {
    struct stat facts;
    *out = (at_unpacked){0};
    if (stat(path, &facts) != 0) return at_fail(err, AT_USAGE, "%s: %s", path, strerror(errno));
    if (S_ISDIR(facts.st_mode)) {
        out->directory = strdup(path);
        return out->directory != NULL ? AT_OK : at_fail_memory(err, strlen(path));
    }
    if (!at_is_archive(path)) return at_fail(err, AT_USAGE, "%s: neither a directory nor a .tar.gz", path);
    at_status st = at_temporary(&out->temporary, err);
    if (st != AT_OK) return st;
    char *arguments[] = {
        "tar", "--force-local", "--no-same-owner", "--no-same-permissions", "-C", out->temporary, "-xzf", (char *)path,
        NULL};
    st = run_tar(arguments, path, err);
    if (st == AT_OK) st = find_directory(&out->directory, out->temporary, path, err);
    if (st != AT_OK) at_unpacked_free(out);
    return st;
}

void at_unpacked_free(at_unpacked *u) {
    at_tree_remove(u->temporary);
    free(u->temporary);
    free(u->directory);
    *u = (at_unpacked){0};
}
