/* Relations: two answers that must agree, since nothing that the operator is about differs between them. Each answer is
 * judged by the oracle for itself; where the subject promises it their bits are equal too. */
#include "finding.h"
#include "modes.h"
#include "variant.h"

#include <string.h>

/* pages: the same sequences in other pages of the cache. */
at_status at_mode_pages(const at_host *host, const at_plan *plan, at_record *record, at_error *err) {
    static const struct {
        at_page_order order;
        const char *what;
    } other[] = {
        {AT_PAGES_REVERSED, "pages reversed"}, {AT_PAGES_RANDOM, "pages at random"}, {AT_PAGES_APART, "pages apart"}};
    at_traces base = {0};
    at_variant v;
    bool going;
    at_status st = at_variant_of(&v, plan->c, 0, err);
    if (st != AT_OK) return st;
    st = at_answer_to(&base, host, NULL, plan, record, &going, err);
    for (size_t i = 0; i < sizeof other / sizeof *other && st == AT_OK && going; i++) {
        at_plan *moved = NULL;
        at_traces got = {0};
        v.c.page_order = other[i].order;
        st = at_variant_plan(&moved, &v, plan->node.dialect, plan->seed, NULL, err);
        if (st == AT_OK) st = at_answer_to(&got, host, NULL, moved, record, &going, err);
        if (st == AT_OK && going && (host->subject->promises & AT_ANY_PAGE_ORDER)) {
            at_rows_equal(record, "pages", other[i].what, &plan->problem, &got, 0, &base, 0, plan->problem.tokens);
        }
        at_traces_free(&got);
        at_plan_free(moved);
    }
    at_traces_free(&base);
    at_variant_free(&v);
    return st;
}

/* batch: each sequence alone answers as it does among the others; alone it lies in other pages, so bits need both
 * promises. */
at_status at_mode_batch(const at_host *host, const at_plan *plan, at_record *record, at_error *err) {
    const at_case *c = plan->c;
    const uint32_t both = AT_ANY_BATCH | AT_ANY_PAGE_ORDER;
    at_traces base = {0};
    at_variant v;
    bool going, promised = (host->subject->promises & both) == both;
    int64_t token = 0;
    at_status st = at_variant_of(&v, c, 0, err);
    if (st != AT_OK) return st;
    st = at_answer_to(&base, host, NULL, plan, record, &going, err);
    v.c.sequences = 1;
    for (size_t b = 0; b < c->sequences && st == AT_OK && going; b++) {
        at_plan *alone = NULL;
        at_traces got = {0};
        char what[64];
        snprintf(what, sizeof what, "sequence %zu alone", b);
        v.sequence[0] = c->sequence[b];
        v.sequence[0].data = (int64_t)b + 1;
        st = at_variant_plan(&alone, &v, plan->node.dialect, plan->seed, NULL, err);
        if (st == AT_OK) st = at_answer_to(&got, host, NULL, alone, record, &going, err);
        if (st == AT_OK && going && promised) {
            at_rows_equal(record, "batch", what, &plan->problem, &got, 0, &base, token, c->sequence[b].fresh);
        }
        token += c->sequence[b].fresh;
        at_traces_free(&got);
        at_plan_free(alone);
    }
    at_traces_free(&base);
    at_variant_free(&v);
    return st;
}

static bool caches_equal(at_record *record, const char *detector, const char *what, const or_problem *p,
                         const at_traces *got, const at_traces *want) {
    for (size_t i = 0; i < want->cache_bytes / sizeof(uint16_t); i++) {
        if (got->key_cache[i] == want->key_cache[i]) continue;
        at_find(record, detector, "%s: cache slot %zu, channel %zu: 0x%04x, and 0x%04x", what, i / (size_t)p->head_size,
                i % (size_t)p->head_size, got->key_cache[i], want->key_cache[i]);
        return false;
    }
    return true;
}

/* One prefill of a single sequence in pieces of `size` tokens, each on the cache that the piece before it left. */
static at_status prefill_in_pieces(const at_host *host, const at_plan *plan, int64_t size, const at_traces *whole,
                                   at_record *record, bool *going, at_error *err) {
    const at_sequence all = plan->c->sequence[0];
    at_traces carried = {0};
    at_variant v;
    char what[64];
    bool same = host->subject->promises & AT_ANY_CHUNK;
    at_status st = at_variant_of(&v, plan->c, 0, err);
    if (st != AT_OK) return st;
    snprintf(what, sizeof what, "in pieces of %lld", (long long)size);
    for (int64_t done = 0; done < all.fresh && st == AT_OK && *going; done += size) {
        int64_t fresh = all.fresh - done < size ? all.fresh - done : size;
        at_plan *piece = NULL;
        at_traces got = {0};
        v.sequence[0] =
            (at_sequence){.past = all.past + done, .fresh = fresh, .reserve = all.reserve + all.fresh - done - fresh};
        st = at_variant_plan(&piece, &v, plan->node.dialect, plan->seed,
                             done > 0 ? carried.key_cache : plan->call.in[OR_KEY_CACHE].data, err);
        if (st == AT_OK) st = at_answer_to(&got, host, NULL, piece, record, going, err);
        if (st == AT_OK && *going && same)
            same = at_rows_equal(record, "chunk", what, &plan->problem, &got, 0, whole, done, fresh);
        at_traces_free(&carried);
        carried = got;
        at_plan_free(piece);
    }
    if (st == AT_OK && *going && (host->subject->promises & AT_ANY_CHUNK))
        caches_equal(record, "chunk", what, &plan->problem, &carried, whole);
    at_traces_free(&carried);
    at_variant_free(&v);
    return st;
}

/* chunk: a prefill whole and in pieces answers alike and, where it is promised, with the same bits, the cache's
 * included. */
at_status at_mode_chunk(const at_host *host, const at_plan *plan, at_record *record, at_error *err) {
    static const int64_t size[] = {33, 16, 1};
    at_traces whole = {0};
    bool going;
    at_status st = at_answer_to(&whole, host, NULL, plan, record, &going, err);
    for (size_t i = 0; i < sizeof size / sizeof *size && st == AT_OK && going; i++) {
        st = prefill_in_pieces(host, plan, size[i], &whole, record, &going, err);
    }
    at_traces_free(&whole);
    return st;
}

/* Quarter turns leave the cache of no turns only where the design turns its rows back beforehand; then both begin with
 * one cache. */
static at_status same_start(const at_plan *a, const at_plan *b, at_error *err) {
    const or_tensor *x = &a->call.in[OR_KEY_CACHE], *y = &b->call.in[OR_KEY_CACHE];
    if (memcmp(x->data, y->data, at_tensor_bytes(x)) == 0) return AT_OK;
    return at_fail(err, AT_INFRASTRUCTURE,
                   "%s: mode identity needs data whose rows are turned back, such as uniform_codes", a->c->id);
}

/* identity: no RoPE, RoPE by no turn, and RoPE by quarter turns on rows turned back beforehand leave the same cache. */
at_status at_mode_identity(const at_host *host, const at_plan *plan, at_record *record, at_error *err) {
    static const struct {
        int64_t rotate;
        double angle;
        const char *what;
    } way[] = {{0, 2, "without RoPE"}, {1, 1, "by quarter turns"}};
    at_traces still = {0};
    at_plan *base = NULL;
    at_variant v;
    bool going = false;
    at_status st = at_variant_of(&v, plan->c, 0, err);
    if (st != AT_OK) return st;
    at_variant_set_parameter(&v, "angle", 2);
    st = at_variant_plan(&base, &v, plan->node.dialect, plan->seed, NULL, err);
    if (st == AT_OK) st = at_answer_to(&still, host, NULL, base, record, &going, err);
    for (size_t i = 0; i < sizeof way / sizeof *way && st == AT_OK && going; i++) {
        at_plan *turned = NULL;
        at_traces got = {0};
        at_variant_set_integer(&v, "do_rotary", way[i].rotate);
        at_variant_set_parameter(&v, "angle", way[i].angle);
        st = at_variant_plan(&turned, &v, plan->node.dialect, plan->seed, NULL, err);
        if (st == AT_OK) st = same_start(base, turned, err);
        if (st == AT_OK) st = at_answer_to(&got, host, NULL, turned, record, &going, err);
        if (st == AT_OK && going) caches_equal(record, "identity", way[i].what, &plan->problem, &got, &still);
        at_traces_free(&got);
        at_plan_free(turned);
    }
    at_traces_free(&still);
    at_plan_free(base);
    at_variant_free(&v);
    return st;
}
