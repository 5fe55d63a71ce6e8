#include "record_sample.h"

#include <stdlib.h>
#include <string.h>

char *sample_text(const char *text) {
    return strdup(text);
}

static char **list(const char *a, const char *b) {
    char **l = calloc(3, sizeof *l);
    l[0] = sample_text(a);
    l[1] = sample_text(b);
    return l;
}

static void fill(char *out, size_t size, char c) {
    memset(out, c, size - 1);
    out[size - 1] = 0;
}

static void sample_tensor(at_tensor_report *t, int i) {
    fill(t->tensor, sizeof t->tensor, (char)('a' + i));
    t->elements = 4096 + i, t->mismatches = 3 + i, t->excess = 0.1 + i, t->ratio = 1.0 / 3 + i,
    t->ratio_median = 0.25 + i;
    t->absolute = 1e-5 + i, t->relative = 5e-324 + i, t->ulps = 7 + i, t->absolute_median = 1e300 + i,
    t->ulps_median = 0.5 + i;
    t->fixed = 0.3 + i, t->token = 11 + i, t->head = 12 + i, t->channel = 13 + i;
    t->want = -1.5 - i, t->got = 2.5 + i, t->low = 3.7 + i, t->high = 1.7976931348623157e308;
}

void sample_record(at_record *r) {
    *r = (at_record){.verdict = AT_FAIL,
                     .tensors = AT_RECORD_TENSORS,
                     .findings = AT_RECORD_FINDINGS,
                     .findings_all = 1234567890123};
    char **text[] = {&r->id,     &r->hash,    &r->suite, &r->name,          &r->why,           &r->subject,
                     &r->mode,   &r->dialect, &r->dtype, &r->geometry,      &r->tier,          &r->design,
                     &r->expect, &r->gate,    &r->rule,  &r->inputs_digest, &r->output_digest, &r->arithmetic,
                     &r->device, &r->message, &r->repro, &r->place};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        char value[] = "text a";
        value[5] = (char)('a' + i);
        *text[i] = sample_text(value);
    }
    r->tags = list("window", "S1"), r->covers = list("read.window", "S2"),
    r->axes = list("dtype=float16", "mode=eager");
    r->poisons = list("nan@tail", "nan@written");
    r->explanation = list("window-wider: the window keeps one key more", "zeros: nothing but zeros"),
    r->attributes = list("num_heads 2", "scale 0.125"),
    r->shapes = list("query float16 [3, 64]", "key float16 [3, 32]"),
    r->sequences = list("past 40, new 1", "2 x past 0, new 1");
    for (int i = 0; i < AT_RECORD_TENSORS; i++) sample_tensor(&r->tensor[i], i);
    for (int i = 0; i < AT_RECORD_FINDINGS; i++) {
        fill(r->finding[i].detector, sizeof r->finding[i].detector, (char)('k' + i));
        fill(r->finding[i].text, sizeof r->finding[i].text, (char)('p' + i));
    }
    r->replays = 3, r->replays_equal = 2, r->graph_kernels = 5, r->graph_other = 6, r->worker = 9;
    r->held_before = 17, r->held_after = 18;
    r->seconds_oracle = 0.001, r->seconds_subject = 0.002, r->seconds = 0.004;
}

void sample_header(at_header *h) {
    *h = (at_header){.seed = UINT64_MAX,
                     .planned = 3,
                     .planned_cases = 2,
                     .gpus = 4,
                     .require_gpu = true,
                     .shard = 2,
                     .shards = 7,
                     .whole = 21,
                     .whole_cases = 14,
                     .repeat = 5};
    char **text[] = {&h->attest_version,  &h->revision,     &h->command,     &h->started,   &h->subject,
                     &h->subject_version, &h->subject_file, &h->device_kind, &h->device,    &h->arch,
                     &h->driver,          &h->host,         &h->compiler,    &h->tier,      &h->filter,
                     &h->subject_digest,  &h->device_id,    &h->plan,        &h->sanitizer, &h->waivers};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        char value[] = "text a";
        value[5] = (char)('a' + i);
        *text[i] = sample_text(value);
    }
    h->suites = list("window", "decode"), h->floors = list("window=3", "decode=4"),
    h->whole_floors = list("window=9", "decode=8"), h->universe = list("scenario:S1", "mode:eager");
}
