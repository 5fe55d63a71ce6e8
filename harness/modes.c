#include "modes.h"
#include "clock.h"
#include "describe.h"
#include "finding.h"

#include <fenv.h>
#include <string.h>

static bool for_values(const at_case *c) {
    return c->expect != AT_EXPECT_REFUSAL;
}
static bool for_refusals(const at_case *c) {
    return c->expect == AT_EXPECT_REFUSAL;
}
static bool for_rotations(const at_case *c) {
    return for_values(c) && c->rotary_dim > 0;
}
/* What names a token or a page of this call does not carry over to calls of other lengths, nor shared rows to a
 * sequence alone. */
static bool for_series(const at_case *c) {
    return for_values(c) && c->skips + c->beyonds + c->unmappeds + (size_t)c->padded_tokens == 0;
}
static bool for_prefills(const at_case *c) {
    return for_series(c) && c->sequences == 1;
}
static bool for_batches(const at_case *c) {
    return for_series(c) && c->sequences > 1 && c->shared_prefix == 0;
}

static const at_mode modes[] = {
    {"eager", "a call from a fresh state, twice, judged by the oracle", true, for_values, at_mode_eager},
    {"replay", "captured once, replayed three times from restored state, bit-equal to eager", true, for_values,
     at_mode_replay},
    {"refuse", "each gate that owns the rule refuses, touches nothing, and goes on working", true, for_refusals,
     at_mode_refuse},
    {"advance", "captured once, replayed with the contents of other calls: longer, shorter, another table", false,
     for_values, at_mode_advance},
    {"interleave", "two captured graphs of different shapes, replayed in turns, and after a kernel of another node",
     false, for_values, at_mode_interleave},
    {"pages", "the same sequences in other pages", false, for_values, at_mode_pages},
    {"batch", "each sequence alone and among the others", false, for_batches, at_mode_batch},
    {"chunk", "a prefill whole and in pieces", false, for_prefills, at_mode_chunk},
    {"identity", "no RoPE, no turn, quarter turns beforehand: one cache", false, for_rotations, at_mode_identity},
    {"busy", "a hundred repeats beside other work", false, for_values, at_mode_busy},
    {"life", "prefill, then decode; sequences idle, end, and start in freed pages", false, for_series, at_mode_life},
    {"speculate", "several drafts a step, some rejected and written again", false, for_series, at_mode_speculate},
};

const at_mode *at_modes(size_t *count) {
    *count = sizeof modes / sizeof *modes;
    return modes;
}

const at_mode *at_mode_by_name(const char *name) {
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        if (strcmp(modes[i].name, name) == 0) return &modes[i];
    }
    return NULL;
}

bool at_mode_wanted(const at_mode *mode, const at_case *c) {
    if (!mode->applies(c)) return false;
    if (c->modes == NULL || c->modes[0] == NULL) return mode->by_default;
    for (char **name = c->modes; *name != NULL; name++) {
        if (strcmp(*name, mode->name) == 0) return true;
    }
    return false;
}

bool at_dialect_for(or_dialect *out, const at_subject *subject, const at_case *c) {
    if (c->any_dialect) return or_dialect_by_name(out, subject->dialects[0]);
    *out = c->dialect;
    for (const char *const *name = subject->dialects; *name != NULL; name++) {
        if (strcmp(*name, or_dialect_name(c->dialect)) == 0) return true;
    }
    return false;
}

static bool has_tag(const at_case *c, const char *tag) {
    for (char **t = c->tags; *t != NULL; t++) {
        if (strcmp(*t, tag) == 0) return true;
    }
    return false;
}

static at_status run_planned(const at_host *host, const at_case *c, const at_mode *mode, or_dialect dialect,
                             at_record *record, at_error *err) {
    at_plan *plan = NULL;
    at_status st = at_plan_make(&plan, c, dialect, host->seed, err);
    if (st == AT_OK) {
        record->inputs_digest = at_text("%s", plan->inputs_digest);
        st = mode->run(host, plan, record, err);
    }
    at_plan_free(plan);
    return st;
}

at_status at_attempt(const at_host *host, const at_case *c, const at_mode *mode, at_record *record, at_error *err) {
    or_dialect dialect = OR_GENAI;
    fesetenv(FE_DFL_ENV); /* an earlier subject call may have changed it */
    double start = at_seconds_now();
    at_status st = AT_OK;
    bool listed = at_dialect_for(&dialect, host->subject, c);
    at_describe(record, host->subject->name, c, mode, &dialect);
    record->verdict = AT_PASS;
    if (!listed) {
        at_set_aside(record, AT_UNSUPPORTED, "%s does not list the dialect %s", host->subject->name,
                     or_dialect_name(dialect));
    } else if (has_tag(c, "hardening") && !(host->subject->promises & AT_HARDENED)) {
        at_set_aside(record, AT_UNSUPPORTED, "asked of subjects that promise AT_HARDENED alone");
    } else {
        st = run_planned(host, c, mode, dialect, record, err);
    }
    if (st == AT_FAILED && record->findings_all == 0)
        at_find(record, "sticky", "the device reports: %.300s", err->text);
    if (st == AT_USAGE) { /* the case file's to mend: seen this late where its data are what is wrong */
        at_set_aside(record, AT_NOT_RUN, "%s", err->text);
    } else if (st != AT_OK && st != AT_FAILED) {
        record->verdict = AT_HARNESS_ERROR;
        if (record->message == NULL) record->message = at_text("%s", err->text);
    }
    record->seconds += at_seconds_now() - start; /* is below 0 so far by what an explanation took */
    return st == AT_FAILED ? AT_FAILED : AT_OK;
}
