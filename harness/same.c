#include "same.h"

#include <inttypes.h>
#include <string.h>

typedef struct {
    const char *says;
    unsigned in;
    size_t offset;
    enum { TEXT, INTEGER, NATURAL } type;
} row;

#define T(field, in_, says_)                                                                                           \
    { says_, in_, offsetof(at_header, field), TEXT }
#define I(field, in_, says_)                                                                                           \
    { says_, in_, offsetof(at_header, field), INTEGER }
static const row rows[] = {
    T(subject, AT_SAME_SUBJECT, "subject"),
    T(subject_version, AT_SAME_SUBJECT, "the subject's version"),
    T(subject_digest, AT_SAME_SUBJECT, "the subject's file (it was built anew)"),
    T(device_kind, AT_SAME_DEVICE, "kind of device"),
    T(device, AT_SAME_DEVICE, "device"),
    T(arch, AT_SAME_DEVICE, "architecture"),
    T(driver, AT_SAME_DEVICE, "driver"),
    T(attest_version, AT_SAME_PLAN, "version of attest"),
    T(revision, AT_SAME_PLAN, "revision of attest"),
    {"seed", AT_SAME_PLAN, offsetof(at_header, seed), NATURAL},
    T(tier, AT_SAME_PLAN, "tier"),
    T(filter, AT_SAME_PLAN, "filter"),
    I(repeat, AT_SAME_PLAN, "--repeat"),
    T(sanitizer, AT_SAME_PLAN, "sanitizer"),
    T(waivers, AT_SAME_PLAN, "the waivers' digest"),
    T(plan, AT_SAME_PLAN, "the digest of their cases (a file of them was changed)"),
    I(shards, AT_SAME_PLAN, "number of shards"),
    I(shard, AT_SAME_PART, "shard"),
};

static void show(char out[80], const row *r, const at_header *h) {
    const char *at = (const char *)h + r->offset, *text = r->type == TEXT ? *(char *const *)(const void *)at : NULL;
    if (r->type == INTEGER)
        snprintf(out, 80, "%" PRId64, *(const int64_t *)(const void *)at);
    else if (r->type == NATURAL)
        snprintf(out, 80, "%" PRIu64, *(const uint64_t *)(const void *)at);
    else
        snprintf(out, 80, "%.70s", text && text[0] ? text : "none");
}

at_status at_same(const at_header *first, const char *a, const at_header *second, const char *b, unsigned in,
                  at_error *err) {
    char x[80], y[80];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!(rows[i].in & in)) continue;
        show(x, &rows[i], first), show(y, &rows[i], second);
        if (strcmp(x, y) != 0)
            return at_fail(err, AT_USAGE, "%s and %s differ in %s: %s, %s", a, b, rows[i].says, x, y);
    }
    return AT_OK;
}
