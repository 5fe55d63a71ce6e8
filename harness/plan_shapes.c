/* The node and the shapes of the call that a runtime would make of the case, then the case's changes to it. */
#include "plan_parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void at_case_starts(int64_t *out, const at_case *c) {
    out[0] = 0;
    for (size_t b = 0; b < c->sequences; b++) out[b + 1] = out[b] + c->sequence[b].fresh;
}

int64_t at_case_positions(const at_case *c) {
    int64_t most = 1;
    for (size_t b = 0; b < c->sequences; b++) {
        const at_sequence *s = &c->sequence[b];
        const int64_t length = s->past + s->fresh + s->reserve;
        if ((s->fresh > 0 || s->reserve > 0) && length > most) most = length;
    }
    return most;
}

static bool multiply(size_t *product, int64_t n) {
    return n >= 0 && !__builtin_mul_overflow(*product, (size_t)n, product);
}

static bool bytes_of(size_t *out, const or_tensor *t) {
    *out = or_dtype_size(t->dtype);
    for (uint32_t i = 0; t->dtype != OR_ABSENT && i < t->rank; i++) {
        if (!multiply(out, t->shape[i])) return false;
    }
    return *out <= PTRDIFF_MAX;
}

size_t at_tensor_bytes(const or_tensor *t) {
    size_t bytes;
    return bytes_of(&bytes, t) ? bytes : SIZE_MAX;
}

at_status at_plan_node_of(at_plan *plan, or_dialect dialect, at_error *err) {
    const at_case *c = plan->c;
    or_attr *attr = calloc(c->attrs + 1, sizeof *attr);
    if (attr == NULL) return at_fail_memory(err, (c->attrs + 1) * sizeof *attr);
    for (size_t i = 0; i < c->attrs; i++) {
        const at_attr *a = &c->attr[i];
        attr[i] = (or_attr){.name = a->name, .type = (or_attr_type)a->type, .i = a->i, .f = a->f, .s = a->s};
    }
    plan->node = (or_node){.dialect = dialect, .attr = attr, .attrs = c->attrs};
    return AT_OK;
}

static int64_t attribute(const or_node *node, const char *name, int64_t least, int64_t otherwise) {
    const or_attr *a = or_attribute(node, name, OR_INT);
    return a != NULL && a->i >= least ? a->i : otherwise;
}

/* Every tensor that the schema has, in the shape that fits this case. A node without a sane num_heads gets the shapes
 * of two heads. */
static bool all_tensors(or_call *out, const at_case *c, const or_node *node) {
    const or_dtype t = (or_dtype)c->dtype;
    const int64_t hs = c->head_size, h = attribute(node, "num_heads", 1, 2),
                  vhs = attribute(node, "v_head_size", 1, hs);
    const int64_t b = (int64_t)c->sequences, pairs = c->rotary_dim > 0 ? c->rotary_dim / 2 : hs / 2,
                  positions = at_case_positions(c);
    const int64_t tokens = at_case_tokens(c) + c->padded_tokens;
    int64_t query, output;
    if (__builtin_mul_overflow(h, hs, &query) || __builtin_mul_overflow(h, vhs, &output)) return false;
    at_pages p;
    at_pages_count(&p, c);
    const or_tensor cache = {t, 4, {p.blocks, c->block_size, 1, hs}, NULL}, angles = {t, 2, {positions, pairs}, NULL};
    *out = (or_call){
        .in = {[OR_QUERY] = {t, 2, {tokens, query}, NULL},
               [OR_KEY] = {t, 2, {tokens, hs}, NULL},
               [OR_VALUE] = {t, 2, {tokens, hs}, NULL},
               [OR_KEY_CACHE] = cache,
               [OR_VALUE_CACHE] = cache,
               [OR_CUMULATIVE_SEQUENCE_LENGTH] = {OR_I32, 1, {b + 1}, NULL},
               [OR_PAST_SEQLENS] = {OR_I32, 1, {b}, NULL},
               [OR_BLOCK_TABLE] = {OR_I32, 2, {b, p.columns}, NULL},
               [OR_COS_CACHE] = angles,
               [OR_SIN_CACHE] = angles,
               [OR_SLOT_MAPPING] = {OR_I32, 1, {tokens}, NULL},
               [OR_HEAD_SINK] = {t, 1, {h}, NULL},
               [OR_Q_NORM_WEIGHT] = {t, 1, {hs}, NULL},
               [OR_K_NORM_WEIGHT] = {t, 1, {hs}, NULL},
               [OR_K_SCALE] = {OR_F32, 1, {1}, NULL},
               [OR_V_SCALE] = {OR_F32, 1, {1}, NULL},
               [OR_ATTENTION_METADATA] = {OR_I32, 1, {2}, NULL}},
        .out = {[OR_OUTPUT] = {t, 2, {tokens, output}, NULL}, [OR_KEY_CACHE_OUT] = cache, [OR_VALUE_CACHE_OUT] = cache},
    };
    return true;
}

/* Those that a plain LATENT call has. */
static void keep_plain(or_call *call, const at_case *c, const or_node *node) {
    static const int optional[] = {OR_VALUE,         OR_VALUE_CACHE, OR_HEAD_SINK, OR_Q_NORM_WEIGHT,
                                   OR_K_NORM_WEIGHT, OR_K_SCALE,     OR_V_SCALE,   OR_ATTENTION_METADATA};
    for (size_t i = 0; i < sizeof optional / sizeof *optional; i++) call->in[optional[i]].dtype = OR_ABSENT;
    call->out[OR_VALUE_CACHE_OUT].dtype = OR_ABSENT;
    if (c->rotary_dim > 0 && attribute(node, "do_rotary", INT64_MIN, 0) != 0) return;
    call->in[OR_COS_CACHE].dtype = call->in[OR_SIN_CACHE].dtype = OR_ABSENT;
}

static at_status change(or_tensor *t, const or_tensor *fitting, const at_override *o, const at_case *c, at_error *err) {
    if (o->how == AT_LEAVE_OUT) {
        t->dtype = OR_ABSENT;
        return AT_OK;
    }
    if (o->shaped && o->rank > OR_MAX_RANK)
        return at_case_wrong(c, err, "a tensor of rank %u; give at most %d", o->rank, OR_MAX_RANK);
    if (t->dtype == OR_ABSENT) *t = *fitting;
    if (o->dtype != AT_ABSENT) t->dtype = (or_dtype)o->dtype;
    if (!o->shaped) return AT_OK;
    t->rank = o->rank;
    memcpy(t->shape, o->shape, sizeof t->shape);
    return AT_OK;
}

static at_status apply_overrides(at_plan *plan, const or_call *all, at_error *err) {
    const at_case *c = plan->c;
    for (size_t i = 0; i < c->overrides; i++) {
        const at_override *o = &c->override_[i];
        if (o->index < 0 || o->index >= (o->output ? OR_OUTPUTS : OR_INPUTS))
            return at_case_wrong(c, err, "no tensor %d", o->index);
        or_tensor *t = o->output ? &plan->call.out[o->index] : &plan->call.in[o->index];
        const at_status st = change(t, o->output ? &all->out[o->index] : &all->in[o->index], o, c, err);
        if (st != AT_OK) return st;
        if (o->how == AT_SEPARATE && o->output && o->index == OR_KEY_CACHE_OUT) plan->cache_aliased = false;
    }
    return AT_OK;
}

static bool same_shape(const or_tensor *a, const or_tensor *b) {
    return a->rank == b->rank && memcmp(a->shape, b->shape, a->rank * sizeof *a->shape) == 0;
}

/* What at_plan_fill can fill: other shapes than the case's own for tables of angles, which may be longer, and for
 * block_table, whose missing columns hide positions. */
static at_status fillable(const at_plan *plan, const or_call *all, at_error *err) {
    const at_case *c = plan->c;
    const or_tensor *in = plan->call.in;
    for (int i = 0; i < OR_INPUTS; i++) {
        const bool angles = i == OR_COS_CACHE || i == OR_SIN_CACHE, table = i == OR_BLOCK_TABLE;
        if (in[i].dtype == OR_ABSENT || i == OR_ATTENTION_METADATA || (table && in[i].rank == 2)) continue;
        if (angles && in[i].rank == 2 && in[i].shape[0] >= all->in[i].shape[0]) continue;
        if (same_shape(&in[i], &all->in[i])) continue;
        return at_case_wrong(c, err, "%s has a shape that its sequences do not fill; change them, or expect a refusal",
                             or_input_name(i));
    }
    if (in[OR_SLOT_MAPPING].dtype == OR_ABSENT && c->skips + c->beyonds > 0) {
        return at_case_wrong(c, err, "skip and beyond are entries of slot_mapping, which is left out");
    }
    return AT_OK;
}

static at_status countable(const at_plan *plan, at_error *err) {
    size_t bytes;
    for (int i = 0; i < OR_INPUTS + OR_OUTPUTS; i++) {
        const or_tensor *t = i < OR_INPUTS ? &plan->call.in[i] : &plan->call.out[i - OR_INPUTS];
        if (bytes_of(&bytes, t)) continue;
        return at_case_wrong(plan->c, err,
                             "the bytes of %s cannot be counted: a dimension is negative or all are too large",
                             i < OR_INPUTS ? or_input_name(i) : or_output_name(i - OR_INPUTS));
    }
    return AT_OK;
}

at_status at_plan_shapes(at_plan *plan, at_error *err) {
    or_call all;
    plan->cache_aliased = true;
    if (!all_tensors(&all, plan->c, &plan->node))
        return at_case_wrong(plan->c, err, "num_heads times head_size is beyond int64");
    plan->call = all;
    keep_plain(&plan->call, plan->c, &plan->node);
    at_status st = apply_overrides(plan, &all, err);
    if (st == AT_OK) st = countable(plan, err);
    if (st == AT_OK && plan->c->expect != AT_EXPECT_REFUSAL) st = fillable(plan, &all, err);
    return st;
}
