/* repro: one attempt, or one case in all its modes, told in full. In a worker as a run has it, or in this process for a
 * debugger. */
#include "blackbox.h"
#include "commands.h"
#include "finding.h"
#include "supervisor.h"
#include "worker.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FIGURE = 32 };

/* A dash where a number was never near, as beside a NaN. */
static const char *put_figure(char text[FIGURE], double x) {
    snprintf(text, FIGURE, isfinite(x) ? "%.6g" : "-", x);
    return text;
}

static void print_tensor(const at_tensor_report *t) {
    char figure[4][FIGURE], allowed[AT_ALLOWED];
    printf("  %-14s %lld elements, %lld not accepted", t->tensor, (long long)t->elements, (long long)t->mismatches);
    if (isfinite(t->excess) && t->excess >= 0)
        printf("; excess %.4g, ratio %.4g (median %.3g)", t->excess, t->ratio, t->ratio_median);
    printf("\n  %-14s worst: absolute %s, relative %s, %s ulp; fixed tolerance used up: %s (reported only)\n", "",
           put_figure(figure[0], t->absolute), put_figure(figure[1], t->relative),
           put_figure(figure[2], t->ulps == INT64_MAX ? INFINITY : (double)t->ulps), put_figure(figure[3], t->fixed));
    if (t->token < 0) return;
    printf("  %-14s at token %lld", "", (long long)t->token);
    if (t->head >= 0) printf(", head %lld", (long long)t->head);
    printf(", channel %lld: want %.9g, got %.9g, allowed %s\n", (long long)t->channel, t->want, t->got,
           at_allowed(allowed, t->low, t->high, 9));
}

static void print_record(const at_record *r) {
    printf("%s %s, mode %s, subject %s, dialect %s, %s\n", at_verdict_name(r->verdict), r->id, r->mode,
           at_shown(r->subject), r->dialect[0] ? r->dialect : "unknown", r->dtype);
    printf("  why            %s\n", at_shown(r->why));
    if (r->arithmetic) printf("  arithmetic     %s\n", r->arithmetic);
    if (r->inputs_digest) printf("  inputs         sha256 %s\n", r->inputs_digest);
    if (r->rule) printf("  rule           %s at %s\n", r->rule, r->gate);
    for (int i = 0; i < r->tensors; i++) print_tensor(&r->tensor[i]);
    if (r->replays > 0) {
        printf("  replays        %d of %d bit-equal to eager; graph: %d kernels, %d other nodes\n", r->replays_equal,
               r->replays, r->graph_kernels, r->graph_other);
    }
    for (int i = 0; i < r->findings; i++) printf("  %-14s %s\n", r->finding[i].detector, at_shown(r->finding[i].text));
    if (r->findings_all > r->findings) printf("  and %lld findings more\n", (long long)r->findings_all - r->findings);
    for (char **text = r->explanation; text != NULL && *text != NULL; text++) printf("  agrees with    %s\n", *text);
    if (r->findings == 0 && r->message) printf("  message        %s\n", at_shown(r->message));
    printf("  time           %.3g s in all, %.3g s subject, %.3g s oracle\n", r->seconds, r->seconds_subject,
           r->seconds_oracle);
}

typedef struct {
    bool json; /* the record as a journal has it, a line each */
    at_status worst;
} telling;

static at_status on_record(void *user, const at_record *r, at_error *err) {
    (void)err;
    telling *t = user;
    if (t->json)
        at_record_put(stdout, r), putchar('\n');
    else
        print_record(r);
    t->worst = at_worse(t->worst, at_verdict_status(r->verdict));
    return AT_OK;
}

/* malloc'ed */
static char *absolute(const char *path) {
    char here[PATH_MAX];
    if (path[0] == '/') return at_text("%s", path);
    return getcwd(here, sizeof here) != NULL ? at_text("%s/%s", here, path) : NULL;
}

static at_status in_process(const at_options *o, const at_selection *selection, telling *t, at_error *err) {
    at_place_of_work work;
    at_header header = {0};
    double explaining = AT_EXPLAINING_SECONDS;
    char *dump = o->dump != NULL ? absolute(o->dump) : NULL; /* wherever the subject goes */
    at_status st = o->dump != NULL && dump == NULL ? at_fail(err, AT_USAGE, "%s: %s", o->dump, strerror(errno))
                                                   : at_host_open_alone(&work, &header, o, err);
    if (st != AT_OK) goto done;
    work.host.dump = dump, work.host.explaining = &explaining;
    for (size_t i = 0; i < selection->choices && st == AT_OK; i++) {
        at_record record = {0};
        at_blackbox_tell(selection->choice[i].c->id);
        st = at_attempt(&work.host, selection->choice[i].c, selection->choice[i].mode, &record, err);
        on_record(t, &record, err);
        at_record_clear(&record);
    }
    at_host_close(&work);
done:
    free(dump);
    at_header_clear(&header);
    return st == AT_FAILED ? AT_OK : st;
}

static at_status in_worker(const at_options *o, const at_selection *selection, telling *t, at_error *err) {
    at_supervisor *supervisor = NULL;
    at_header header = {0};
    const at_listener listener = {.on_record = on_record, .user = t};
    bool interrupted;
    at_status st = at_supervisor_start(&supervisor, o, &header, err);
    if (st == AT_OK) st = at_supervisor_run(supervisor, selection, 1, &listener, &interrupted, err);
    at_supervisor_stop(supervisor);
    at_header_clear(&header);
    return st;
}

at_status at_command_repro(at_options *o, at_error *err) {
    at_cases *cases = NULL;
    const at_case *c;
    at_selection selection = {0};
    telling t = {.json = o->json};
    at_status st;
    if (o->words != 1) return at_fail(err, AT_USAGE, "repro needs one ID; attest list has them");
    at_default_subject(o);
    if ((st = at_load_default_cases(&cases, o, err)) != AT_OK) return st;
    if ((st = at_find_case(&c, cases, o->word[0], err)) != AT_OK) goto done;
    o->pattern = o->word, o->patterns = 1;
    st = at_select(&selection, cases, o, err);
    o->pattern = NULL, o->patterns = 0;
    if (st == AT_OK) st = at_selection_check(&selection, o->seed, err);
    if (st == AT_OK && selection.choices == 0)
        st = at_fail(err, AT_USAGE, "mode %s does not apply to %s", o->mode, o->word[0]);
    if (st == AT_OK)
        st = o->in_process || o->dump ? in_process(o, &selection, &t, err) : in_worker(o, &selection, &t, err);
done:
    at_selection_free(&selection);
    at_cases_free(cases);
    return st != AT_OK ? st : t.worst;
}
