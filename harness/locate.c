#include "locate.h"
#include "child.h"
#include "finding.h"
#include "session.h"

#include <stdlib.h>
#include <string.h>

/* Two sessions lie side by side at most; a buffer has two ranges: 2i is before slot i, 2i + 1 after it. */
enum { RANGES = 2 * 2 * AT_SLOTS };
_Static_assert(2 * AT_SLOTS <= AT_DEVICE_SLOTS, "a bit of at_guards for each slot");

typedef enum { FAULTS, RUNS, UNKNOWN } outcome;

typedef struct {
    const at_options *options;
    int device;
    const at_choice *choice;
    double seconds;
} attempt;

bool at_is_illegal_access(const at_record *r) {
    for (int i = 0; i < r->findings; i++) {
        if (strcmp(r->finding[i].detector, "sticky") == 0 && strstr(r->finding[i].text, "ILLEGAL_ADDRESS") != NULL)
            return true;
    }
    return false;
}

/* All ranges open but [low, high). */
static at_guards all_but(int low, int high) {
    at_guards guards = {0};
    for (int i = 0; i < RANGES; i++) {
        if (i >= low && i < high) continue;
        *(i % 2 == 0 ? &guards.before : &guards.after) |= (uint64_t)1 << (i / 2);
    }
    return guards;
}

/* A worker that is gone without an answer has faulted on the host: that is how a CPU subject does it. */
static outcome ask(at_child *child, const attempt *a, at_record *record) {
    const at_choice *c = a->choice;
    const uint64_t ticket = at_ticket();
    char *payload = NULL, how[100];
    size_t bytes;
    at_error ignored;
    at_child_ask(child, c->index, c->c->hash, c->mode->name, ticket);
    if (at_child_await(child, ticket, a->seconds, &payload, &bytes, &ignored) != AT_OK) return UNKNOWN;
    if (payload == NULL) return at_child_end(child, how, sizeof how) != 0 ? FAULTS : UNKNOWN;
    at_status st = at_record_from_json(record, payload, bytes, &ignored);
    free(payload);
    return st != AT_OK ? UNKNOWN : at_is_illegal_access(record) ? FAULTS : RUNS;
}

static outcome try_with(const attempt *a, at_guards open, at_record *record) {
    at_options options = *a->options;
    at_child child;
    at_header header = {0};
    at_error ignored;
    options.open_guards = open;
    if (at_child_start(&child, &options, a->device, &header, &ignored) != AT_OK) return UNKNOWN;
    outcome seen = ask(&child, a, record);
    at_child_close(&child);
    at_header_clear(&header);
    return seen;
}

static outcome try_without(const attempt *a, int low, int high) {
    at_record record = {0};
    outcome seen = try_with(a, all_but(low, high), &record);
    at_record_clear(&record);
    return seen;
}

/* The first range in [low, high) that is touched: where the lower half is not, the upper one is. -1: not known. */
static int search(const attempt *a) {
    int low = 0, high = RANGES;
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        switch (try_without(a, low, middle)) {
        case FAULTS: high = middle; break;
        case RUNS: low = middle; break;
        case UNKNOWN: return -1;
        }
    }
    return try_without(a, low, high) == FAULTS ? low : -1;
}

/* With this range alone open nothing faults there any more, and a write leaves its mark in the canaries. */
static char *describe(const attempt *a, int range) {
    const int slot = range / 2;
    const bool after = range % 2 != 0;
    at_record record = {0};
    at_guards open = {.before = after ? 0 : (uint64_t)1 << slot, .after = after ? (uint64_t)1 << slot : 0};
    char *text = NULL;
    if (try_with(a, open, &record) == RUNS) {
        for (int i = 0; i < record.findings && text == NULL; i++) {
            if (strcmp(record.finding[i].detector, "canary") == 0) text = at_text("%s", record.finding[i].text);
        }
    }
    at_record_clear(&record);
    return text ? text
                : at_text("%s: read %s, where nothing is mapped", at_session_slot_name(slot),
                          after ? "past its end" : "before its start");
}

char *at_locate_fault(const at_options *o, int device, const at_choice *choice, double seconds) {
    const attempt a = {.options = o, .device = device, .choice = choice, .seconds = seconds};
    switch (try_without(&a, 0, 0)) {
    case UNKNOWN: return NULL;
    case FAULTS: return at_text("the address lies beside no buffer of the call");
    case RUNS: break;
    }
    const int range = search(&a);
    return range < 0 ? NULL : describe(&a, range);
}
