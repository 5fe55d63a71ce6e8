/* run: selects, supervises, keeps the journal, writes the reports, says the verdict. And report: the same reports from a journal again. */
#include "../reports/report.h"
#include "commands.h"
#include "finding.h"
#include "progress.h"
#include "supervisor.h"
#include "universe.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    const at_options *options;
    at_journal_writer *journal;
    at_progress progress;
    int64_t failed;
} run;

/* Ends a run early once there are enough failures: not a failure of its own. */
enum { ENOUGH = -1 };

static at_status on_record(void *user, const at_record *record, at_error *err)
{
    run *r = user;
    at_status st = at_journal_append(r->journal, record, err);
    at_progress_add(&r->progress, record);
    r->failed += at_verdict_status(record->verdict) == AT_FAILED;
    if (st == AT_OK && r->options->max_fail > 0 && r->failed >= r->options->max_fail) st = (at_status)ENOUGH;
    return st;
}

static bool whole_tier(const at_options *o)
{
    return o->patterns == 0 && o->tags == 0 && o->mode == NULL && o->shards == 1;
}

/* The floors that count for this run, and every suite the run was to cover. */
static at_status put_floors(at_header *header, const at_cases *cases, const at_options *o, at_error *err)
{
    size_t suites = at_cases_suites(cases), floors = 0;
    header->suites = calloc(suites + 1, sizeof *header->suites);
    header->floors = calloc(suites + 1, sizeof *header->floors);
    if (header->suites == NULL || header->floors == NULL) return at_fail_memory(err, suites);
    for (size_t i = 0; i < suites; i++) {
        const at_suite *suite = at_cases_suite(cases, i);
        header->suites[i] = at_text("%s", suite->suite);
        if (whole_tier(o) && suite->floor[o->tier] > 0) header->floors[floors++] = at_text("%s=%zu", suite->suite, suite->floor[o->tier]);
    }
    return AT_OK;
}

static char *words_of(const at_options *o)
{
    char *text = at_text("%s%s", o->mode ? "--mode " : "", o->mode ? o->mode : "");
    for (size_t i = 0; i < o->patterns + o->tags && text != NULL; i++) {
        bool tag = i >= o->patterns;
        char *longer = at_text("%s%s%s %s", text, text[0] ? " " : "", tag ? "--tag" : "-k", tag ? o->tag[i - o->patterns] : o->pattern[i]);
        free(text);
        text = longer;
    }
    return text;
}

static at_status put_plan(at_header *header, const at_cases *cases, const at_selection *selection, const at_options *o, at_error *err)
{
    header->tier = at_text("%s", o->patterns > 0 && !o->tier_given ? "any" : at_tier_name(o->tier));
    header->filter = words_of(o);
    header->command = at_text("attest run --subject %s --tier %s --seed %" PRIu64 "%s%s", o->subject, at_tier_name(o->tier), o->seed,
                              header->filter && header->filter[0] ? " " : "", header->filter ? header->filter : "");
    header->planned = (int64_t)selection->choices;
    header->planned_cases = (int64_t)selection->cases;
    header->require_gpu = o->require_gpu;
    header->universe = at_universe(cases);
    if (header->universe == NULL) return at_fail_memory(err, 0);
    return put_floors(header, cases, o, err);
}

/* The subject named, or the GPU's where there is a GPU, else the CPU's: said on stderr, since the difference matters. */
static at_status start(at_supervisor **out, at_options *o, at_header *header, at_error *err)
{
    if (o->subject != NULL) return at_supervisor_start(out, o, header, err);
    o->subject = "cuda";
    at_status st = at_supervisor_start(out, o, header, err);
    if (st != AT_UNVALIDATED || o->require_gpu) return st;
    fprintf(stderr, "attest: no GPU is used: %s\n", err->text);
    o->subject = "cpu";
    return at_supervisor_start(out, o, header, err);
}

static int jobs_of(const at_options *o, const at_header *header)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    if (o->jobs > 0) return o->jobs;
    return strcmp(header->device_kind, "cpu") == 0 && cores > 1 ? (int)cores : 1;
}

/* Reports and the last word, from the journal as it lies on the disk. */
static at_status report(const char *journal_path, const char *directory, const at_options *o, at_error *err)
{
    at_journal *journal = NULL;
    at_outcome *outcome = malloc(sizeof *outcome);
    at_status st = outcome ? at_journal_read(&journal, journal_path, err) : at_fail_memory(err, sizeof *outcome);
    if (st == AT_OK) st = at_report_write_all(journal, directory, err);
    if (st == AT_OK) st = at_report_text(journal, stdout, at_colour(o, STDOUT_FILENO), err);
    if (st == AT_OK) st = at_verdict_of(outcome, journal, o->require_gpu, err);
    if (st == AT_OK) {
        puts(outcome->line);
        st = outcome->status;
    }
    at_journal_free(journal);
    free(outcome);
    return st;
}

static at_status judge_all(run *r, at_supervisor *supervisor, const at_selection *selection, const at_header *header, const char *path,
                           at_error *err)
{
    bool interrupted = false;
    at_status st = at_journal_create(&r->journal, path, header, err);
    if (st != AT_OK) return st;
    at_progress_start(&r->progress, selection->choices, r->options->no_progress);
    st = at_supervisor_run(supervisor, selection, jobs_of(r->options, header), on_record, r, &interrupted, err);
    at_progress_end(&r->progress);
    if (st == AT_OK && !interrupted) return at_journal_end(r->journal, err);
    at_journal_abandon(r->journal);
    if (st == (at_status)ENOUGH) {
        fprintf(stderr, "attest: stopped after %" PRId64 " failed attempts\n", r->failed);
        return AT_OK;
    }
    if (interrupted) fprintf(stderr, "attest: interrupted; what was judged is kept\n");
    return st;
}

at_status at_command_run(at_options *o, at_error *err)
{
    run r = {.options = o};
    at_cases *cases = NULL;
    at_selection selection = {0};
    at_supervisor *supervisor = NULL;
    at_header header = {0};
    char *path = NULL;
    at_status st;
    if (o->words > 0) return at_fail(err, AT_USAGE, "run takes no words; -k '%s' filters", o->word[0]);
    if (o->out == NULL) o->out = "build/reports";
    if ((path = at_text("%s/results.jsonl", o->out)) == NULL) return at_fail_memory(err, strlen(o->out));
    if ((st = at_load_default_cases(&cases, o, err)) != AT_OK) goto done;
    if ((st = at_select(&selection, cases, o, err)) != AT_OK) goto done;
    if ((st = at_report_directory(o->out, err)) != AT_OK) goto done;
    if (selection.choices == 0) {
        st = at_fail(err, AT_UNVALIDATED, "UNVALIDATED: no case of %zu is selected", at_cases_count(cases));
        goto done;
    }
    if ((st = start(&supervisor, o, &header, err)) != AT_OK) {
        if (st == AT_UNVALIDATED) printf("UNVALIDATED: nothing was judged: %s\n", err->text), err->text[0] = 0;
        goto done;
    }
    if ((st = put_plan(&header, cases, &selection, o, err)) != AT_OK) goto done;
    if ((st = judge_all(&r, supervisor, &selection, &header, path, err)) != AT_OK) goto done;
    st = report(path, o->out, o, err);
done:
    at_supervisor_stop(supervisor);
    at_header_clear(&header);
    at_selection_free(&selection);
    at_cases_free(cases);
    free(path);
    return st;
}

at_status at_command_report(at_options *o, at_error *err)
{
    at_status st;
    if (o->words != 1) return at_fail(err, AT_USAGE, "report needs one JOURNAL, a run's results.jsonl");
    if (o->out == NULL) o->out = "build/reports";
    if ((st = at_report_directory(o->out, err)) != AT_OK) return st;
    return report(o->word[0], o->out, o, err);
}
