#include "environment.h"

#include <gnu/libc-version.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

bool at_is_clean(const char *revision) {
    static const char dirty[] = "-dirty";
    if (revision == NULL || strcmp(revision, "unknown") == 0) return false;
    size_t bytes = strlen(revision), end = sizeof dirty - 1;
    return bytes < end || strcmp(revision + bytes - end, dirty) != 0;
}

/* ---- GPUs, as nvidia-smi has them; names that old and new drivers know ---- */

/* Clocks as found, which move from moment to moment: where there is a GPU, a run packed twice may differ in them. */
static const char *const fields[] = {
    "name",          "driver_version", "compute_cap",    "pstate",      "persistence_mode", "clocks.sm",
    "clocks.max.sm", "clocks.mem",     "clocks.max.mem", "power.limit", "ecc.mode.current", "mig.mode.current",
};
enum { FIELDS = sizeof fields / sizeof *fields };

static json_t *gpu_of(char *line) {
    json_t *gpu = json_object();
    char *rest = line;
    for (size_t i = 0; i < FIELDS && rest != NULL; i++) {
        char *value = strsep(&rest, ",");
        value += strspn(value, " ");
        value[strcspn(value, "\r\n")] = 0;
        json_object_set_new(gpu, fields[i], json_string(value));
    }
    return gpu;
}

/* A driver that is stuck must not hold the bundle up. */
static json_t *gpus(void) {
    char command[512] = "timeout 20 nvidia-smi --format=csv,noheader --query-gpu=", line[1024];
    for (size_t i = 0; i < FIELDS; i++) {
        strcat(command, fields[i]);
        strcat(command, i + 1 < FIELDS ? "," : " 2>/dev/null");
    }
    json_t *list = json_array();
    FILE *f = popen(command, "re");
    if (f == NULL) return list;
    while (fgets(line, sizeof line, f) != NULL) json_array_append_new(list, gpu_of(line));
    if (pclose(f) != 0) json_array_clear(list); /* what it printed was no table */
    return list;
}

/* ---- the host ---- */

static json_t *cpu_model(void) {
    char line[512];
    json_t *model = json_null();
    FILE *f = fopen("/proc/cpuinfo", "re");
    while (f != NULL && json_is_null(model) && fgets(line, sizeof line, f) != NULL) {
        char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || colon == NULL) continue;
        line[strcspn(line, "\n")] = 0;
        model = json_string(colon + 1 + (colon[1] == ' '));
    }
    if (f != NULL) fclose(f);
    return model;
}

static json_t *host(const char *name) {
    struct utsname u = {0};
    uname(&u);
    return json_pack("{s:s, s:o, s:I, s:s, s:s, s:s}", "name", name, "cpu", cpu_model(), "cores",
                     (json_int_t)sysconf(_SC_NPROCESSORS_ONLN), "system", u.sysname, "kernel", u.release, "libc",
                     gnu_get_libc_version());
}

/* ---- what was judged ---- */

/* sha256: of the file that was judged, not of what stands there since. */
static json_t *subject(const at_header *h) {
    return json_pack("{s:s?, s:s?, s:s?, s:s?}", "name", h->subject, "version", h->subject_version, "file",
                     h->subject_file, "sha256", h->subject_digest);
}

static json_t *run(const at_header *h) {
    return json_pack("{s:s?, s:s?, s:s?, s:s?, s:s?, s:I}", "command", h->command, "started", h->started, "host",
                     h->host, "tier", h->tier, "filter", h->filter, "seed", (json_int_t)h->seed);
}

static json_t *program(const at_header *h) {
    return json_pack("{s:s?, s:s?, s:b, s:s?}", "version", h->attest_version, "revision", h->revision, "clean",
                     at_is_clean(h->revision), "compiler", h->compiler);
}

at_status at_environment(char **json, const at_header *h, at_error *err) {
    char here[256] = "";
    gethostname(here, sizeof here - 1);
    bool same = h->host != NULL && strcmp(h->host, here) == 0;
    json_t *object = json_pack("{s:o, s:o, s:o, s:{s:s?, s:s?, s:s?, s:s?}, s:b}", "attest", program(h), "run", run(h),
                               "subject", subject(h), "device", "kind", h->device_kind, "name", h->device, "arch",
                               h->arch, "driver", h->driver, "same_machine", same);
    if (object != NULL && same) json_object_set_new(object, "gpus", gpus());
    if (object != NULL && same) json_object_set_new(object, "host", host(here));
    *json = object != NULL ? json_dumps(object, JSON_INDENT(1)) : NULL;
    json_decref(object);
    return *json != NULL ? AT_OK : at_fail_memory(err, 4096);
}
