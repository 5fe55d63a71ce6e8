#include "strays.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_ROUNDS = 100, REAP_MS = 2000 };

bool at_strays_adopt(void) {
    siginfo_t ignored;
    if (waitid(P_ALL, 0, &ignored, WEXITED | WNOHANG | WNOWAIT) == 0 || errno != ECHILD) return false;
    return prctl(PR_SET_CHILD_SUBREAPER, 1UL) == 0;
}

/* 0 where there is no such process, or no longer. The name before it may hold any character. */
static pid_t parent_of(pid_t pid) {
    char path[40], text[512] = "";
    int parent = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *f = fopen(path, "re");
    if (f == NULL) return 0;
    size_t bytes = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    text[bytes] = 0;
    const char *name_end = strrchr(text, ')');
    return name_end != NULL && sscanf(name_end, ") %*c %d", &parent) == 1 ? parent : 0;
}

static bool is_one_of(pid_t pid, const pid_t *list, size_t entries) {
    for (size_t i = 0; i < entries; i++) {
        if (list[i] == pid) return true;
    }
    return false;
}

/* One that hangs in a driver cannot be waited for. */
static void end(pid_t pid) {
    const struct timespec moment = {.tv_nsec = 1000000};
    kill(pid, SIGKILL);
    for (int waited = 0; waited < REAP_MS && waitpid(pid, NULL, WNOHANG) == 0; waited++) nanosleep(&moment, NULL);
}

static int end_those_of_now(const pid_t *keep, size_t kept) {
    int ended = 0;
    DIR *processes = opendir("/proc");
    for (struct dirent *entry; processes != NULL && (entry = readdir(processes)) != NULL;) {
        pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
        if (pid <= 0 || parent_of(pid) != getpid() || is_one_of(pid, keep, kept)) continue;
        end(pid);
        ended++;
    }
    if (processes != NULL) closedir(processes);
    return ended;
}

int at_strays_end(const pid_t *keep, size_t kept) {
    int ended = 0, more = 1;
    for (int round = 0; round < MOST_ROUNDS && more > 0; round++) ended += more = end_those_of_now(keep, kept);
    return ended;
}
