/* Subject and device together, and the header that names them. */
#include "worker.h"
#include "blackbox.h"
#include "digest.h"
#include "finding.h"
#include "lock.h"
#include "version.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

const char *at_revision(void) {
    return AT_REVISION;
}

static void describe(at_header *header, const at_options *o, const at_subject *subject, const at_device_facts *facts) {
    char host[256] = "unknown", started[32];
    time_t now = time(NULL);
    struct tm utc;
    gethostname(host, sizeof host - 1);
    strftime(started, sizeof started, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    header->attest_version = at_text("%s", AT_VERSION), header->revision = at_text("%s", AT_REVISION);
    header->compiler = at_text("%s", AT_COMPILER);
    header->host = at_text("%s", host), header->started = at_text("%s", started);
    header->subject = at_text("%s", subject->name);
    header->subject_version = at_text("%s", subject->version ? subject->version : "");
    header->subject_file = at_text("%s", o->subject);
    header->device_kind = at_text("%s", facts->kind), header->device = at_text("%s", facts->name);
    header->arch = at_text("%s", facts->arch), header->driver = at_text("%s", facts->driver);
    if (facts->id[0] != 0) header->device_id = at_text("%s", facts->id);
    header->seed = o->seed;
}

/* A journal must know a subject that was built anew. */
static at_status digest_file(at_header *header, const char *path, at_error *err) {
    char digest[AT_DIGEST_TEXT];
    struct stat facts = {0};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool fine = fd >= 0 && fstat(fd, &facts) == 0 && facts.st_size > 0;
    void *bytes = fine ? mmap(NULL, (size_t)facts.st_size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    if (fd >= 0) close(fd);
    if (bytes == MAP_FAILED)
        return at_fail(err, AT_INFRASTRUCTURE, "%s: cannot be read again: %s", path, strerror(errno));
    at_status st = at_digest(digest, bytes, (size_t)facts.st_size, err);
    munmap(bytes, (size_t)facts.st_size);
    if (st == AT_OK) header->subject_digest = at_text("%s", digest);
    return st;
}

at_status at_host_open(at_place_of_work *work, at_header *header, const at_options *o, at_error *err) {
    at_device_facts facts;
    *work = (at_place_of_work){.host = {.device_index = o->device, .seed = o->seed}};
    at_phase(AT_LOADING);
    at_status st = at_library_open(&work->library, &work->host.subject, o->subject, err);
    if (st != AT_OK) return st;
    work->host.ops = at_device_for(work->host.subject->device);
    at_phase(AT_OPENING);
    if ((st = work->host.ops->open(&work->host.device, o->device, err)) != AT_OK) {
        at_library_close(work->library);
        return st;
    }
    work->host.ops->open_guards(work->host.device, o->open_guards);
    work->host.ops->facts(work->host.device, &facts);
    describe(header, o, work->host.subject, &facts);
    if ((st = digest_file(header, at_library_path(work->library), err)) != AT_OK) at_host_close(work);
    return st;
}

at_status at_host_open_alone(at_place_of_work *work, at_header *header, const at_options *o, at_error *err) {
    at_status st = at_host_open(work, header, o, err);
    if (st != AT_OK || header->device_id == NULL) return st; /* a CPU has no id, and room for several */
    st = at_lock_device(&work->lock, NULL, header->device_id, o->wait, err);
    work->locked = st == AT_OK;
    if (st != AT_OK) at_host_close(work);
    return st;
}

void at_host_close(at_place_of_work *work) {
    if (work->locked) close(work->lock);
    if (work->host.device != NULL) work->host.ops->close(work->host.device);
    at_library_close(work->library);
    *work = (at_place_of_work){0};
}
