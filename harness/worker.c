#include "worker.h"
#include "blackbox.h"
#include "finding.h"
#include "wire.h"

#include <inttypes.h>
#include <jansson.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

at_status at_hello_to_json(char **out, at_status st, const at_header *header, const at_error *why, at_error *err)
{
    if (st == AT_OK) return at_header_to_json(out, header, err);
    json_t *object = json_pack("{s:i, s:s}", "status", (int)st, "error", why->text);
    *out = object ? json_dumps(object, JSON_COMPACT) : NULL;
    json_decref(object);
    return *out ? AT_OK : at_fail_memory(err, sizeof why->text);
}

at_status at_hello_from_json(at_header *out, const char *text, size_t bytes, at_error *err)
{
    json_error_t where;
    json_t *object = json_loadb(text, bytes, 0, &where);
    json_t *status = json_object_get(object, "status"), *sentence = json_object_get(object, "error");
    at_status st = AT_OK;
    if (object == NULL) {
        st = at_fail(err, AT_INFRASTRUCTURE, "the worker's first message is not JSON: %s", where.text);
    } else if (status != NULL) {
        st = at_fail(err, (at_status)json_integer_value(status), "%s", json_is_string(sentence) ? json_string_value(sentence) : "");
        if (st == AT_OK) st = AT_INFRASTRUCTURE;
    } else {
        st = at_header_from_json(out, text, bytes, err);
    }
    json_decref(object);
    return st;
}

static at_status say_hello(at_status st, const at_header *header, const at_error *why, at_error *err)
{
    char *text = NULL;
    at_status said = at_hello_to_json(&text, st, header, why, err);
    if (said == AT_OK) said = at_frame_write(AT_WORKER_REPLY, text, strlen(text), err);
    free(text);
    return said;
}

/* "INDEX MODE" of a request line. */
static at_status parse_request(const char *line, const at_cases *cases, const at_case **c, const at_mode **mode, at_error *err)
{
    uint64_t index;
    char name[32];
    if (sscanf(line, "%" SCNu64 " %31s", &index, name) != 2 || index >= at_cases_count(cases)) {
        return at_fail(err, AT_INFRASTRUCTURE, "a request that is no request: %.60s", line);
    }
    *c = at_cases_at(cases, (size_t)index);
    *mode = at_mode_by_name(name);
    return *mode != NULL ? AT_OK : at_fail(err, AT_INFRASTRUCTURE, "a request for the mode '%s', which there is not", name);
}

/* Sets *poisoned where nothing more can be run in this process. */
static at_status answer(const at_host *host, const at_case *c, const at_mode *mode, bool *poisoned, at_error *err)
{
    at_record record = {0};
    char *text = NULL;
    at_error why = {0};
    *poisoned = at_attempt(host, c, mode, &record, &why) == AT_FAILED;
    record.device = at_text("%s %d", host->ops->kind, host->device_index);
    at_status st = at_record_to_json(&text, &record, err);
    if (st == AT_OK) st = at_frame_write(AT_WORKER_REPLY, text, strlen(text), err);
    free(text);
    at_record_clear(&record);
    return st;
}

int at_worker_main(const at_options *o)
{
    at_place_of_work work = {0};
    at_header header = {0};
    at_cases *cases = NULL;
    at_error err = {0}, pipe_error = {0};
    char line[128];
    bool poisoned = false;
    signal(SIGINT, SIG_IGN); /* a terminal sends it to both; the supervisor decides */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    at_blackbox_carry(at_blackbox_map(AT_WORKER_BLACKBOX));
    at_blackbox_catch_signals();
    at_status st = at_cases_load(&cases, o->cases, NULL, &err);
    at_phase("opening subject and device");
    if (st == AT_OK) st = at_host_open(&work, &header, o, &err);
    at_status said = say_hello(st, &header, &err, &pipe_error);
    if (st == AT_OK) st = said;
    while (st == AT_OK && !poisoned && fgets(line, sizeof line, stdin) != NULL) {
        const at_case *c = NULL;
        const at_mode *mode = NULL;
        at_phase("planning");
        if ((st = parse_request(line, cases, &c, &mode, &err)) == AT_OK) st = answer(&work.host, c, mode, &poisoned, &err);
        at_phase("idle");
    }
    if (!poisoned) at_host_close(&work);
    at_header_clear(&header);
    at_cases_free(cases);
    return (int)st;
}
