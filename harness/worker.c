#include "worker.h"
#include "blackbox.h"
#include "confine.h"
#include "finding.h"
#include "wire.h"

#include <inttypes.h>
#include <jansson.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

at_status at_hello_to_json(char **out, at_status st, const at_header *header, const at_error *why, at_error *err) {
    if (st == AT_OK) return at_header_to_json(out, header, err);
    json_t *object = json_pack("{s:i, s:s}", "status", (int)st, "error", why->text);
    *out = object ? json_dumps(object, JSON_COMPACT) : NULL;
    json_decref(object);
    return *out ? AT_OK : at_fail_memory(err, sizeof why->text);
}

at_status at_hello_from_json(at_header *out, const char *text, size_t bytes, at_error *err) {
    json_error_t where;
    json_t *object = json_loadb(text, bytes, 0, &where);
    json_t *status = json_object_get(object, "status"), *sentence = json_object_get(object, "error");
    at_status st = AT_OK;
    if (object == NULL) {
        st = at_fail(err, AT_INFRASTRUCTURE, "the worker's first message is not JSON: %s", where.text);
    } else if (status != NULL) {
        st = at_fail(err, (at_status)json_integer_value(status), "%s",
                     json_is_string(sentence) ? json_string_value(sentence) : "");
        if (st == AT_OK) st = AT_INFRASTRUCTURE;
    } else {
        st = at_header_from_json(out, text, bytes, err);
    }
    json_decref(object);
    return st;
}

static at_status say_hello(at_status st, const at_header *header, const at_error *why, at_error *err) {
    char *text = NULL;
    at_status said = at_hello_to_json(&text, st, header, why, err);
    if (said == AT_OK) said = at_frame_write(AT_WORKER_REPLY, 0, text, strlen(text), err);
    free(text);
    return said;
}

typedef struct {
    const at_case *c;
    const at_mode *mode;
    uint64_t ticket;
} request;

/* "INDEX HASH MODE TICKET". The hash says that both sides have read the same files. */
static at_status parse_request(request *out, const char *line, const at_cases *cases, at_error *err) {
    uint64_t index;
    char hash[17], name[32];
    if (sscanf(line, "%" SCNu64 " %16s %31s %" SCNx64, &index, hash, name, &out->ticket) != 4) {
        return at_fail(err, AT_INFRASTRUCTURE, "a request that is no request: %.60s", line);
    }
    out->c = index < at_cases_count(cases) ? at_cases_at(cases, (size_t)index) : NULL;
    if (out->c == NULL || strcmp(out->c->hash, hash) != 0) {
        return at_fail(err, AT_INFRASTRUCTURE, "the case files have changed since the run began; run it again");
    }
    out->mode = at_mode_by_name(name);
    return out->mode != NULL ? AT_OK
                             : at_fail(err, AT_INFRASTRUCTURE, "a request for the mode '%s', which there is not", name);
}

/* A subject may see the device's error first and return without it: it is this attempt's all the same, and the
 * process's last. */
static bool device_is_spoilt(const at_host *host, at_record *record) {
    at_error words;
    if (host->ops->wait(host->device, &words) != AT_FAILED) return false;
    at_find(record, "sticky", "the device reports: %.300s", words.text);
    return true;
}

/* 0 where the device no longer says. */
static int64_t held_by(const at_host *host) {
    uint64_t bytes = 0;
    at_error ignored;
    return host->ops->held_memory(host->device, &bytes, &ignored) == AT_OK ? (int64_t)bytes : 0;
}

/* *done where nothing more can be run in this process, or should be: a fault of ours may be what an earlier attempt
 * left behind. */
static at_status answer(const at_host *host, const request *q, int64_t *held, bool *done, at_error *err) {
    at_record record = {0};
    char *text = NULL;
    at_error why = {0};
    record.held_before = *held;
    *done = at_attempt(host, q->c, q->mode, &record, &why) == AT_FAILED || record.verdict == AT_HARNESS_ERROR;
    if (!*done) *done = device_is_spoilt(host, &record);
    record.held_after = *held = held_by(host);
    record.device = at_text("%s %d", host->ops->kind, host->device_index);
    at_status st = at_record_to_json(&text, &record, err);
    fflush(NULL); /* what the subject has printed belongs to this attempt */
    if (st == AT_OK) st = at_frame_write(AT_WORKER_REPLY, q->ticket, text, strlen(text), err);
    free(text);
    at_record_clear(&record);
    return st;
}

/* Until the supervisor asks no more. */
static at_status serve(const at_host *host, const at_cases *cases, bool *done, at_error *err) {
    char line[160];
    int64_t held = 0; /* before the first attempt: what is made once, and kept, would count as its own */
    at_status st = AT_OK;
    while (st == AT_OK && !*done && fgets(line, sizeof line, stdin) != NULL) {
        request q = {0};
        if ((st = parse_request(&q, line, cases, err)) != AT_OK) break;
        at_phase("planning");
        at_blackbox_begin(q.ticket);
        st = answer(host, &q, &held, done, err);
        at_phase("idle");
    }
    return st;
}

/* Signals that end a job reach all its processes: the supervisor decides, and its end is the worker's. */
static void settle_in(void) {
    static const int sent_to_all[] = {SIGINT, SIGTERM, SIGHUP};
    sigset_t all;
    for (size_t i = 0; i < sizeof sent_to_all / sizeof *sent_to_all; i++) signal(sent_to_all[i], SIG_IGN);
    sigemptyset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setvbuf(stdout, NULL, _IOLBF, 0); /* last words come before a crash */
    at_blackbox_carry(at_blackbox_map(AT_WORKER_BLACKBOX));
    at_blackbox_catch_signals();
    at_confine();
}

int at_worker_main(const at_options *o) {
    at_place_of_work work = {0};
    at_header header = {0};
    at_cases *cases = NULL;
    at_error err = {0}, pipe_error = {0};
    bool done = false;
    double explaining = AT_EXPLAINING_SECONDS;
    settle_in();
    at_phase("reading the cases");
    at_status st = at_cases_load(&cases, o->cases, NULL, &err);
    if (st == AT_OK) st = at_host_open(&work, &header, o, &err);
    work.host.explaining = &explaining;
    if (st == AT_OK && (o->memory > 0 || work.host.subject->device == AT_HOST)) at_confine_data(o->memory);
    at_status said = say_hello(st, &header, &err, &pipe_error);
    if (st == AT_OK) st = said;
    at_phase("idle");
    if (st == AT_OK) st = serve(&work.host, cases, &done, &err);
    if (st != AT_OK) fprintf(stderr, "%s\n", err.text);
    if (done) { /* a poisoned context cannot be closed in order, not even by exit's handlers */
        at_blackbox_leave();
        _exit((int)st);
    }
    at_phase("putting subject and device away");
    at_host_close(&work);
    at_blackbox_leave();
    at_header_clear(&header);
    at_cases_free(cases);
    return (int)st;
}
