#include "slot.h"
#include "clock.h"
#include "describe.h"
#include "finding.h"
#include "worker.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool at_slot_shares_device(const at_slot *w, const at_slot *all, int slots) {
    for (int i = 0; i < slots; i++) {
        if (&all[i] != w && all[i].device == w->device) return true;
    }
    return false;
}

void at_slot_enter(at_slot *w, at_slot_state state, double seconds) {
    w->state = state;
    w->since = at_seconds_now();
    w->deadline = w->since + seconds;
}

void at_slot_ask(at_slot *w, double seconds) {
    w->ticket = at_ticket();
    at_slot_enter(w, AT_BUSY, seconds);
    at_child_ask(&w->child, w->at->index, w->at->c->hash, w->at->mode->name, w->ticket);
}

bool at_slot_begun(const at_slot *w) {
    return w->state == AT_BUSY && (w->child.box == NULL || w->child.box->begun == w->ticket);
}

bool at_slot_extend(at_slot *w, double seconds) {
    double granted = w->child.box != NULL && at_slot_begun(w) ? w->child.box->granted : 0;
    if (!(granted > 0)) return false;
    w->deadline = w->since + seconds + fmin(granted, AT_EXPLAINING_SECONDS);
    return at_seconds_now() < w->deadline;
}

bool at_slot_left(const at_slot *w) {
    return w->child.box != NULL && w->child.box->left;
}

void at_slot_hold(at_slot *w, at_record *record, int64_t runs) {
    w->held = *record;
    *record = (at_record){0};
    w->holds = true;
    if (++w->runs >= runs) w->at = NULL;
}

/* "killed by SIGSEGV (Segmentation fault) in phase 'execute': byte 2 past the end of query; its last words: ..." */
static char *story(at_slot *w, const char *how) {
    const at_blackbox *box = w->child.box;
    char *words = at_child_words(&w->child);
    bool spoke = words != NULL && words[0] != 0, detailed = box != NULL && box->detail[0] != 0;
    char *text = at_text("%s in phase '%.63s'%s%.299s%s%s", how, box ? box->phase : "?", detailed ? ": " : "",
                         detailed ? box->detail : "", spoke ? "; its last words: " : "", spoke ? words : "");
    free(words);
    return text;
}

void at_slot_loss(at_slot *w, at_record *out, const char *subject, const char *kind, at_verdict verdict,
                  const char *how) {
    const at_case *c = w->at->c;
    at_describe(out, subject, c, w->at->mode, c->any_dialect ? NULL : &c->dialect);
    out->verdict = verdict;
    out->message = story(w, how);
    out->device = at_text("%s %d", kind, w->device);
    out->seconds = at_seconds_now() - w->since;
}

void at_slot_blame_held(at_slot *w, at_verdict verdict, const char *how) {
    char *told = story(w, how);
    free(w->held.message);
    w->held.message =
        at_text("after its answer, which was %s: %s", at_verdict_name(w->held.verdict), told ? told : how);
    w->held.verdict = verdict;
    free(told);
}
