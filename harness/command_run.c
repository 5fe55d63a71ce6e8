/* run: selects, supervises, keeps the journal, writes the reports, says the verdict. */
#include "../reports/report.h"
#include "commands.h"
#include "finding.h"
#include "progress.h"
#include "resume.h"
#include "run_header.h"
#include "shard.h"
#include "supervisor.h"
#include "waivers.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    at_options *options;
    at_cases *cases;
    at_selection selection;
    at_waivers *waivers;
    at_supervisor *supervisor;
    at_header header;
    char *path; /* of the journal */
    at_journal_writer *journal;
    at_progress progress;
    int64_t failed;
} run;

/* Ends a run early once there are enough failures: not a failure of its own. */
enum { ENOUGH = -1 };

static at_status on_record(void *user, const at_record *record, at_error *err) {
    run *r = user;
    at_record judged = *record; /* its texts are the supervisor's, but for the message of a waiver */
    judged.message = record->message ? at_text("%s", record->message) : NULL;
    if (r->waivers != NULL) at_waivers_apply(r->waivers, r->header.device, at_today(), &judged);
    at_status st = at_journal_append(r->journal, &judged, err);
    at_progress_add(&r->progress, &judged);
    r->failed += at_verdict_status(judged.verdict) == AT_FAILED;
    free(judged.message);
    if (st == AT_OK && r->options->max_fail > 0 && r->failed >= r->options->max_fail) st = (at_status)ENOUGH;
    return st;
}

static at_status on_second(void *user, at_error *err) {
    run *r = user;
    at_progress_show(&r->progress);
    return at_journal_sync(r->journal, err);
}

/* The subject named, or the GPU's where there is a GPU, else the CPU's: said on stderr, since the difference matters.
 */
static at_status start(run *r, at_error *err) {
    at_options *o = r->options;
    if (o->subject != NULL) return at_supervisor_start(&r->supervisor, o, &r->header, err);
    o->subject = "cuda";
    at_status st = at_supervisor_start(&r->supervisor, o, &r->header, err);
    if (st != AT_UNVALIDATED || o->require_gpu || o->sanitizer != NULL) return st;
    fprintf(stderr, "attest: no GPU is used: %s\n", err->text);
    o->subject = "cpu";
    return at_supervisor_start(&r->supervisor, o, &r->header, err);
}

static int jobs_of(const at_options *o, const at_header *header) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    if (o->jobs > 0) return o->jobs;
    if (o->devices > 0) return o->devices;
    return strcmp(header->device_kind, "cpu") == 0 && cores > 1 ? (int)cores : 1;
}

/* A file that was named must be there; the one that nobody named may be. */
static at_status load_waivers(run *r, at_error *err) {
    const char *path = r->options->waivers;
    if (path == NULL) path = access("waivers.yaml", F_OK) == 0 ? "waivers.yaml" : at_beside("waivers.yaml");
    if (r->options->waivers == NULL && access(path, F_OK) != 0) return AT_OK;
    at_status st = at_waivers_load(&r->waivers, path, err);
    return st == AT_OK ? at_waivers_check(r->waivers, r->cases, err) : st;
}

/* All that can be wrong before anything runs. */
static at_status prepare(run *r, at_error *err) {
    at_options *o = r->options;
    at_status st;
    if (o->words > 0) return at_fail(err, AT_USAGE, "run takes no words; -k '%s' filters", o->word[0]);
    if (o->out == NULL) o->out = "build/reports";
    if ((r->path = at_text("%s/results.jsonl", o->out)) == NULL) return at_fail_memory(err, strlen(o->out));
    if ((st = at_shard_from_environment(o, err)) != AT_OK) return st;
    if ((st = at_load_default_cases(&r->cases, o, err)) != AT_OK) return st;
    if ((st = load_waivers(r, err)) != AT_OK) return st;
    if ((st = at_select(&r->selection, r->cases, o, err)) != AT_OK) return st;
    if ((st = at_selection_check(&r->selection, o->seed, err)) != AT_OK) return st;
    if ((st = at_report_directory(o->out, err)) != AT_OK) return st;
    if (r->selection.whole > 0) return AT_OK;
    return at_fail(err, AT_UNVALIDATED, "no case of %zu is selected", at_cases_count(r->cases));
}

static at_status judge_all(run *r, at_error *err) {
    const at_listener listener = {.on_record = on_record, .on_second = on_second, .user = r};
    bool interrupted = false;
    at_error ignored;
    size_t done;
    at_status st = at_resume(&r->journal, &done, &r->selection, r->path, r->options->resume, &r->header, err);
    if (st != AT_OK) return st;
    if (done > 0)
        fprintf(stderr, "attest: %zu of %" PRId64 " attempts stand in %s already\n", done, r->header.planned, r->path);
    at_progress_start(&r->progress, r->selection.choices, r->options->no_progress);
    st = at_supervisor_run(r->supervisor, &r->selection, jobs_of(r->options, &r->header), &listener, &interrupted, err);
    at_progress_end(&r->progress);
    if (st == AT_OK && !interrupted) return at_journal_end(r->journal, err);
    if (at_journal_sync(r->journal, &ignored) != AT_OK) fprintf(stderr, "attest: %s\n", ignored.text);
    at_journal_abandon(r->journal);
    if (interrupted) fprintf(stderr, "attest: interrupted; what was judged is kept, and --resume goes on from there\n");
    if (st == (at_status)ENOUGH) {
        fprintf(stderr, "attest: stopped after %" PRId64 " failed attempts\n", r->failed);
        st = AT_OK;
    }
    return st;
}

/* Whatever ended it, what was judged is reported. */
static at_status judge_and_tell(run *r, at_error *err) {
    at_error why = {0};
    bool begun = false;
    at_status st = judge_all(r, &why);
    begun = r->journal != NULL;
    if (why.text[0] != 0 && begun) fprintf(stderr, "attest: %s\n", why.text);
    if (begun) return at_worse(st, at_tell(r->path, r->options, err));
    return st == AT_OK ? st : at_fail(err, st, "%s", why.text);
}

at_status at_command_run(at_options *o, at_error *err) {
    run r = {.options = o};
    at_status st = prepare(&r, err);
    signal(SIGXFSZ, SIG_IGN); /* a full quota is an error of the write, as a full disk is */
    if (st == AT_OK) {
        st = start(&r, err);
        if (st == AT_OK && o->devices > 0 && strcmp(r.header.device_kind, "cpu") == 0) {
            st = at_fail(err, AT_USAGE,
                         "--devices names GPUs; %s runs on the CPU, where -j says how many workers there are",
                         o->subject);
        }
        if (st == AT_OK)
            st = at_run_header(&r.header, r.cases, &r.selection, o, r.waivers ? at_waivers_digest(r.waivers) : NULL,
                               err);
        if (st == AT_OK) st = judge_and_tell(&r, err);
    }
    if (st == AT_UNVALIDATED && err->text[0] != 0) {
        printf("UNVALIDATED: nothing was judged: %s\n", err->text);
        err->text[0] = 0;
    }
    at_supervisor_stop(r.supervisor);
    at_header_clear(&r.header);
    at_waivers_free(r.waivers);
    at_selection_free(&r.selection);
    at_cases_free(r.cases);
    free(r.path);
    return st;
}
