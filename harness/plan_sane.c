/* Numbers of a case from which a call can be made at all. What a legal call is, is for the rules to say. */
#include "plan_parts.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

at_status at_case_wrong(const at_case *c, at_error *err, const char *format, ...) {
    char what[900];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return at_fail(err, AT_USAGE, "%s:%d:%d: %s: %s", c->place.file, c->place.line, c->place.column, c->id, what);
}

static bool within(int64_t n, int64_t least, int64_t most) {
    return n >= least && n <= most;
}

static at_status sane_sizes(const at_case *c, at_error *err) {
    const struct {
        const char *name;
        int64_t value, least, most;
    } size[] = {
        {"head_size", c->head_size, 1, 1 << 20},           {"rotary_dim", c->rotary_dim, 0, 1 << 20},
        {"block_size", c->block_size, 1, 1 << 20},         {"shared_prefix", c->shared_prefix, 0, INT32_MAX},
        {"spare_pages", c->spare_pages, 0, INT32_MAX},     {"spare_columns", c->spare_columns, 0, INT32_MAX},
        {"padded_tokens", c->padded_tokens, 0, INT32_MAX}, {"sample_rows", c->sample_rows, 0, INT32_MAX},
    };
    for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
        if (within(size[i].value, size[i].least, size[i].most)) continue;
        return at_case_wrong(c, err, "%s %" PRId64 " is not within %" PRId64 " to %" PRId64, size[i].name,
                             size[i].value, size[i].least, size[i].most);
    }
    return AT_OK;
}

/* Shared pages hold old tokens only, but for the first sequence, whose rows they are. */
static at_status sane_sequences(const at_case *c, at_error *err) {
    int64_t tokens = c->padded_tokens;
    for (size_t b = 0; b < c->sequences; b++) {
        const int64_t past = c->sequence[b].past, fresh = c->sequence[b].fresh;
        if (!within(past, 0, INT32_MAX) || !within(fresh, 0, INT32_MAX) || past + fresh > INT32_MAX) {
            return at_case_wrong(c, err,
                                 "sequence %zu: past %" PRId64 " and new %" PRId64 " are not lengths that int32 holds",
                                 b, past, fresh);
        }
        const int64_t old = b == 0 ? past + fresh : past;
        if (c->shared_prefix > old / c->block_size) {
            return at_case_wrong(c, err,
                                 "sequence %zu: its %" PRId64 " tokens do not fill %" PRId64 " shared pages of %" PRId64
                                 "; make past longer or shared_prefix less",
                                 b, old, c->shared_prefix, c->block_size);
        }
        tokens += fresh;
    }
    return tokens <= INT32_MAX ? AT_OK : at_case_wrong(c, err, "%" PRId64 " tokens are more than int32 counts", tokens);
}

static at_status sane_tokens(const at_case *c, const char *name, const int64_t *token, size_t count, at_error *err) {
    const int64_t tokens = at_case_tokens(c);
    for (size_t i = 0; i < count; i++) {
        if (within(token[i], 0, tokens - 1)) continue;
        return at_case_wrong(c, err, "%s: there is no token %" PRId64 " among %" PRId64 " new ones", name, token[i],
                             tokens);
    }
    return AT_OK;
}

static at_status sane_pages(const at_case *c, at_error *err) {
    at_pages p;
    at_pages_count(&p, c);
    if (p.blocks > INT32_MAX / c->block_size || p.columns > INT32_MAX) {
        return at_case_wrong(c, err, "%" PRId64 " pages of %" PRId64 " have slots that int32 does not hold", p.blocks,
                             c->block_size);
    }
    for (size_t i = 0; i < c->unmappeds; i++) {
        const at_unmapped *u = &c->unmapped[i];
        if (!within(u->sequence, 0, (int64_t)c->sequences - 1) ||
            !within(u->page, 0, at_pages_of(c, u->sequence) - 1)) {
            return at_case_wrong(c, err, "unmapped: there is no page %" PRId64 " of sequence %" PRId64, u->page,
                                 u->sequence);
        }
        if (!within(u->entry, INT32_MIN, INT32_MAX) || within(u->entry, 0, p.blocks - 1)) {
            return at_case_wrong(c, err,
                                 "unmapped: entry %" PRId64 " is a page of the cache's %" PRId64
                                 "; give -1, or %" PRId64 " or more",
                                 u->entry, p.blocks, p.blocks);
        }
    }
    return AT_OK;
}

at_status at_plan_sane(const at_case *c, at_error *err) {
    at_status st = sane_sizes(c, err);
    if (st == AT_OK) st = sane_sequences(c, err);
    if (st == AT_OK) st = sane_tokens(c, "skip", c->skip, c->skips, err);
    if (st == AT_OK) st = sane_tokens(c, "beyond", c->beyond, c->beyonds, err);
    if (st == AT_OK) st = sane_pages(c, err);
    return st;
}
