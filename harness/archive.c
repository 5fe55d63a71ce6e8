#include "archive.h"
#include "finding.h"
#include "tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { TAR_BYTES = 1 << 28 };

bool at_is_archive(const char *path) {
    static const char *const ends[] = {".tar.gz", ".tgz"};
    size_t bytes = strlen(path);
    for (int i = 0; i < 2; i++) {
        size_t n = strlen(ends[i]);
        if (bytes > n && strcmp(path + bytes - n, ends[i]) == 0) return true;
    }
    return false;
}

/* ---- tar ---- */

typedef struct {
    pid_t pid;
    int output; /* of a pipe from it, or -1 */
} tar;

static at_status start_tar(tar *t, char *const arguments[], bool listens, at_error *err) {
    int ends[2] = {-1, -1};
    posix_spawn_file_actions_t actions;
    if (listens && pipe2(ends, O_CLOEXEC) != 0) return at_fail(err, AT_INFRASTRUCTURE, "a pipe: %s", strerror(errno));
    posix_spawn_file_actions_init(&actions);
    if (listens) posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    int failed = posix_spawnp(&t->pid, "tar", &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    t->output = ends[0];
    if (listens) close(ends[1]);
    if (failed == 0) {
        prlimit(t->pid, RLIMIT_AS, &(struct rlimit){TAR_BYTES, TAR_BYTES}, NULL); /* a header can be a bomb as well */
        return AT_OK;
    }
    if (listens) close(ends[0]);
    return at_fail(err, AT_INFRASTRUCTURE, "tar could not be started: %s", strerror(failed));
}

/* What tar has to say goes to stderr, where it is read. */
static at_status end_tar(const tar *t, const char *archive, at_error *err) {
    int how;
    while (waitpid(t->pid, &how, 0) < 0) {
        if (errno != EINTR) return at_fail(err, AT_INFRASTRUCTURE, "tar was lost: %s", strerror(errno));
    }
    if (WIFEXITED(how) && WEXITSTATUS(how) == 0) return AT_OK;
    return at_fail(err, AT_USAGE, "%s: tar could not read or write it, as it says above", archive);
}

static at_status run_tar(char *const arguments[], const char *archive, at_error *err) {
    tar t;
    at_status st = start_tar(&t, arguments, false, err);
    return st == AT_OK ? end_tar(&t, archive, err) : st;
}

/* --force-local: a colon in a name names no other machine. */
at_status at_archive_write(const char *archive, const char *directory, const char *name, at_error *err) {
    char *arguments[] = {"tar",       "--force-local",   "--sort=name", "--owner=0",
                         "--group=0", "--numeric-owner", "--mtime=@0",  "--mode=u=rwX,go=rX",
                         "-C",        (char *)directory, "-czf",        (char *)archive,
                         "--",        (char *)name,      NULL};
    return run_tar(arguments, archive, err);
}

/* ---- before unpacking ---- */

typedef struct {
    const char *archive;
    size_t files;
    uint64_t bytes;
} contents;

/* "-rw-r--r-- 0/0 123 1970-01-01 00:00 NAME", where NAME has no line's end. */
static at_status add_line(contents *c, const char *line, at_error *err) {
    char mode[16], size[24];
    int name = 0, levels = 0;
    if (sscanf(line, "%15s %*s %23s %*s %*s %n", mode, size, &name) != 2 || name == 0)
        return at_fail(err, AT_USAGE, "%s: tar lists what cannot be read: %.200s", c->archive, line);
    uint64_t bytes = strtoull(size, NULL, 10), most = (uint64_t)AT_UNPACKED_MIB << 20;
    line += name;
    for (const char *slash = line; (slash = strchr(slash, '/')) != NULL; slash++) levels++;
    if (strncmp(mode, "-r", 2) != 0 && strncmp(mode, "drwx", 4) != 0)
        return at_fail(err, AT_USAGE, "%s: %.300s is no plain file or directory (%s); not unpacked", c->archive, line,
                       mode);
    if (levels > AT_TREE_LEVELS)
        return at_fail(err, AT_USAGE, "%s: %.300s: more than %d levels of directories; not unpacked", c->archive, line,
                       AT_TREE_LEVELS);
    if (++c->files > AT_TREE_FILES)
        return at_fail(err, AT_USAGE, "%s: more than %d files; not unpacked", c->archive, AT_TREE_FILES);
    if (bytes > most - c->bytes)
        return at_fail(err, AT_USAGE, "%s: with %.300s of %" PRIu64 " bytes it holds more than %d MiB; not unpacked",
                       c->archive, line, bytes, AT_UNPACKED_MIB);
    c->bytes += bytes;
    return AT_OK;
}

/* tar lists as it reads, so that of a bomb no more is read than its limit. */
static at_status check_contents(const char *archive, at_error *err) {
    char *arguments[] = {"tar", "--force-local", "--list", "--verbose", "--numeric-owner", "--quoting-style=escape",
                         "-zf", (char *)archive, NULL};
    contents c = {.archive = archive};
    char *line = NULL;
    size_t room = 0;
    tar t;
    at_status st = start_tar(&t, arguments, true, err);
    if (st != AT_OK) return st;
    FILE *f = fdopen(t.output, "r");
    if (f == NULL) st = at_fail_memory(err, room);
    for (ssize_t n; st == AT_OK && (n = getline(&line, &room, f)) > 0;) {
        line[strcspn(line, "\n")] = 0;
        st = add_line(&c, line, err);
    }
    if (st != AT_OK) kill(t.pid, SIGKILL);
    at_status ended = end_tar(&t, archive, st == AT_OK ? err : NULL);
    if (f != NULL) fclose(f);
    free(line);
    return st == AT_OK ? ended : st;
}

/* ---- unpacking ---- */

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
    at_status st = check_contents(path, err);
    if (st == AT_OK) st = at_temporary_make(&out->temporary, err);
    if (st != AT_OK) return st;
    char *arguments[] = {"tar",
                         "--force-local",
                         "--no-same-owner",
                         "--no-same-permissions",
                         "-C",
                         out->temporary.path,
                         "-xzf",
                         (char *)path,
                         NULL};
    st = run_tar(arguments, path, err);
    if (st == AT_OK) st = find_directory(&out->directory, out->temporary.path, path, err);
    if (st != AT_OK) at_unpacked_free(out);
    return st;
}

void at_unpacked_free(at_unpacked *u) {
    at_temporary_drop(&u->temporary);
    free(u->directory);
    *u = (at_unpacked){0};
}
