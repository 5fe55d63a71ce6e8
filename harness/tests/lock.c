#include "../lock.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char directory[] = "/tmp/attest-lock-XXXXXX";
static void enter(void) {
    cr_assert_not_null(mkdtemp(directory));
}
static void leave(void) {
    char path[100];
    static const char *const left[] = {"attest-GPU-1.lock", "attest-GPU-2.lock", "attest----x.lock"};
    for (size_t i = 0; i < 3; i++) snprintf(path, sizeof path, "%s/%s", directory, left[i]), unlink(path);
    rmdir(directory);
}
TestSuite(lock, .init = enter, .fini = leave);

Test(lock, a_device_is_one_runs_and_another_devices_is_free) {
    at_error err = {0};
    int one, two, other;
    cr_assert_eq(at_lock_device(&one, directory, "GPU-1", 0, &err), AT_OK, "%s", err.text);
    cr_expect_eq(at_lock_device(&two, directory, "GPU-1", 0, &err), AT_INFRASTRUCTURE);
    cr_expect_not_null(strstr(err.text, "device GPU-1 is in use by another run"), "%s", err.text);
    cr_expect_eq(at_lock_device(&other, directory, "GPU-2", 0, &err), AT_OK);
    close(one), close(other);
    cr_expect_eq(at_lock_device(&two, directory, "GPU-1", 0, &err), AT_OK, "let go with its descriptor");
    close(two);
}

Test(lock, an_owner_that_dies_lets_go) {
    at_error err = {0};
    int fd, status;
    pid_t child = fork();
    if (child == 0) {
        if (at_lock_device(&fd, directory, "GPU-1", 0, &err) != AT_OK) _exit(1);
        raise(SIGKILL);
    }
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert(WIFSIGNALED(status));
    cr_expect_eq(at_lock_device(&fd, directory, "GPU-1", 0, &err), AT_OK, "%s", err.text);
    close(fd);
}

Test(lock, a_run_waits_for_the_one_before_it) {
    at_error err = {0};
    int held, fd;
    cr_assert_eq(at_lock_device(&held, directory, "GPU-1", 0, &err), AT_OK);
    pid_t child = fork();
    if (child == 0) {
        close(held);
        _exit(at_lock_device(&fd, directory, "GPU-1", 20, &err) == AT_OK ? 0 : 1);
    }
    usleep(300000);
    close(held);
    int status;
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

Test(lock, a_name_stays_inside_the_directory_and_a_link_is_not_followed) {
    at_error err = {0};
    int fd;
    char path[100];
    cr_assert_eq(at_lock_device(&fd, directory, "../x", 0, &err), AT_OK, "%s", err.text);
    close(fd);
    snprintf(path, sizeof path, "%s/attest----x.lock", directory);
    cr_expect_eq(access(path, F_OK), 0);
    snprintf(path, sizeof path, "%s/attest-GPU-2.lock", directory);
    cr_assert_eq(symlink("/etc/hostname", path), 0);
    cr_expect_eq(at_lock_device(&fd, directory, "GPU-2", 0, &err), AT_INFRASTRUCTURE);
}

Test(lock, everybody_may_read_it_whoever_made_it) {
    at_error err = {0};
    int fd;
    struct stat facts;
    umask(077);
    cr_assert_eq(at_lock_device(&fd, directory, "GPU-1", 0, &err), AT_OK);
    cr_assert_eq(fstat(fd, &facts), 0);
    cr_expect_eq(facts.st_mode & 0777, 0644);
    close(fd);
}
