#include "check.h"
#include "../oracle/rules.h"
#include "pages.h"

#include <inttypes.h>
#include <string.h>

static int64_t length(const at_case *c, size_t b) {
    return c->sequence[b].past + c->sequence[b].fresh;
}

/* Sums stay far from overflow: at most 4096 sequences of 2^32 tokens. */
int64_t at_case_tokens(const at_case *c) {
    int64_t tokens = 0;
    for (size_t b = 0; b < c->sequences; b++) tokens += c->sequence[b].fresh;
    return tokens;
}

bool at_case_computes(const at_case *c) {
    return c->expect != AT_EXPECT_REFUSAL && at_case_tokens(c) > 0;
}

static uint64_t times(uint64_t a, uint64_t b) {
    return b != 0 && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}
static uint64_t plus(uint64_t a, uint64_t b) {
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}
static uint64_t natural(int64_t n) {
    return n > 0 ? (uint64_t)n : 0;
}

uint64_t at_case_bytes(const at_case *c) {
    at_pages pages;
    at_pages_count(&pages, c);
    const at_attr *h = at_attribute_of(c, "num_heads", AT_INT), *v = at_attribute_of(c, "v_head_size", AT_INT);
    const uint64_t width = natural(c->head_size), value = v && v->i > 0 ? natural(v->i) : width;
    const uint64_t tokens = natural(at_case_tokens(c) + c->padded_tokens),
                   slots = times(natural(pages.blocks), natural(c->block_size));
    uint64_t longest = 0;
    for (size_t b = 0; b < c->sequences; b++)
        longest = natural(length(c, b)) > longest ? natural(length(c, b)) : longest;
    uint64_t halves = times(times(tokens, h ? natural(h->i) : 0), width + value);
    halves = plus(halves, times(plus(tokens, slots), width));
    halves = plus(halves, times(longest, natural(c->rotary_dim)));
    const uint64_t words = plus(times(c->sequences, natural(pages.columns) + 2), tokens);
    return plus(times(halves, 2), times(words, 4));
}

/* Where a key was said, else the case. */
static at_place said(const at_case *c, const at_bindings *b, const char *name) {
    const at_yaml *value = b->key[at_key_find(at_case_keys, name) - at_case_keys];
    return value ? value->place : c->place;
}

typedef at_status check(const at_reader *, const at_case *, const at_bindings *);

static at_status check_block_size(const at_reader *r, const at_case *c, const at_bindings *b) {
    bool refused = c->expect == AT_EXPECT_REFUSAL,
         good = c->block_size >= 16 && (c->block_size & (c->block_size - 1)) == 0;
    if (good || refused) return AT_OK;
    return at_place_fail(r->err, said(c, b, "block_size"),
                         "block_size %" PRId64
                         " is not a power of two >= 16; only a case that expects a refusal may say it",
                         c->block_size);
}

static at_status check_lengths(const at_reader *r, const at_case *c, const at_bindings *b) {
    for (size_t i = 0; i < c->sequences; i++) {
        if (c->sequence[i].past < 0 || c->sequence[i].fresh < 0)
            return at_place_fail(r->err, said(c, b, "sequences"),
                                 "sequence %zu has no %s; say it there, or for all beside `sequences`", i,
                                 c->sequence[i].past < 0 ? "past" : "new");
        if (length(c, i) > INT32_MAX)
            return at_place_fail(r->err, said(c, b, "sequences"),
                                 "sequence %zu is longer than 2147483647 tokens; shorten it", i);
    }
    if (at_case_tokens(c) + c->padded_tokens <= INT32_MAX) return AT_OK;
    return at_place_fail(r->err, said(c, b, "sequences"), "more than 2147483647 new tokens; take fewer");
}

/* Whose rows they are may write them in this call; a second writer would put other rows into the same slots. */
static at_status check_shared(const at_reader *r, const at_case *c, const at_bindings *b) {
    for (size_t i = 0; i < c->sequences; i++) {
        const int64_t tokens = i == 0 ? length(c, i) : c->sequence[i].past;
        if (c->shared_prefix > tokens / c->block_size)
            return at_place_fail(r->err, said(c, b, "shared_prefix"),
                                 "shared_prefix %" PRId64 " is more than the pages that sequence %zu's %" PRId64
                                 " tokens fill; share fewer, or lengthen past",
                                 c->shared_prefix, i, tokens);
    }
    return AT_OK;
}

static at_status check_tokens(const at_reader *r, const at_case *c, const at_bindings *b, const char *name,
                              const int64_t *list, size_t count) {
    int64_t tokens = at_case_tokens(c);
    if (count == 0 || list[count - 1] < tokens) return AT_OK;
    return at_place_fail(r->err, said(c, b, name),
                         "%s names token %" PRId64 ", but there are %" PRId64 " new ones; they count from 0", name,
                         list[count - 1], tokens);
}

static at_status check_slots(const at_reader *r, const at_case *c, const at_bindings *b) {
    at_status st = check_tokens(r, c, b, "skip", c->skip, c->skips);
    if (st == AT_OK) st = check_tokens(r, c, b, "beyond", c->beyond, c->beyonds);
    for (size_t i = 0, k = 0; st == AT_OK && i < c->skips && k < c->beyonds;) {
        if (c->skip[i] == c->beyond[k])
            return at_place_fail(r->err, said(c, b, "beyond"),
                                 "token %" PRId64 " is both in skip and in beyond; keep one", c->skip[i]);
        if (c->skip[i] < c->beyond[k])
            i++;
        else
            k++;
    }
    return st;
}

static at_status check_unmapped(const at_reader *r, const at_case *c, const at_bindings *b) {
    at_pages pages;
    at_pages_count(&pages, c);
    for (size_t i = 0; i < c->unmappeds; i++) {
        const at_unmapped *u = &c->unmapped[i];
        const at_place place = said(c, b, "unmapped");
        if (u->sequence >= (int64_t)c->sequences)
            return at_place_fail(r->err, place, "unmapped names sequence %" PRId64 " of %zu; they count from 0",
                                 u->sequence, c->sequences);
        const int64_t have = at_pages_of(c, u->sequence);
        if (u->page >= have)
            return at_place_fail(r->err, place, "unmapped names page %" PRId64 " of %" PRId64 "; they count from 0",
                                 u->page, have);
        if (u->entry >= 0 && u->entry < pages.blocks)
            return at_place_fail(r->err, place,
                                 "entry %" PRId64 " is a page of the cache, which has %" PRId64
                                 "; give a negative one, or one past it",
                                 u->entry, pages.blocks);
    }
    return AT_OK;
}

static at_status check_refusal(const at_reader *r, const at_case *c, const at_bindings *b) {
    const or_rule *rule = c->rule ? or_rule_by_id(c->rule) : NULL;
    bool warmth = rule != NULL && strcmp(rule->id, "not-warmed") == 0;
    if (rule != NULL && !c->any_dialect && rule->duty[c->dialect] == OR_NO_RULE)
        return at_place_fail(r->err, said(c, b, "expect"), "rule %s is none of dialect %s; take another dialect",
                             rule->id, or_dialect_name(c->dialect));
    if (c->cold_capture == warmth) return AT_OK;
    return at_place_fail(r->err, said(c, b, warmth ? "expect" : "capture"),
                         "capture: cold and {refuse: not-warmed} need each other; say both or neither");
}

static at_status check_memory(const at_reader *r, const at_case *c, const at_bindings *b) {
    (void)b;
    uint64_t bytes = at_case_bytes(c);
    if (c->expect == AT_EXPECT_REFUSAL || bytes <= r->limits->case_bytes) return AT_OK;
    return at_place_fail(r->err, c->place,
                         "%s needs %" PRIu64 " bytes of tensors, the limit is %" PRIu64 "; shorten its sequences",
                         c->id, bytes, r->limits->case_bytes);
}

at_status at_case_check(const at_reader *r, const at_case *c, const at_bindings *b) {
    static check *const checks[] = {check_lengths,  check_block_size, check_shared, check_slots,
                                    check_unmapped, check_refusal,    check_memory};
    at_status st = AT_OK;
    for (size_t i = 0; i < sizeof checks / sizeof *checks && st == AT_OK; i++) st = checks[i](r, c, b);
    return st;
}
