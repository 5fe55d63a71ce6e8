#include "good_call.h"
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>
#include <sys/mman.h>

static char *forbidden; /* faults when touched */

static void *faulting(void) {
    if (forbidden == NULL) forbidden = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert(forbidden != MAP_FAILED);
    return forbidden;
}

static at_tensor tensor(at_dtype dtype, uint32_t rank, int64_t a, int64_t b, int64_t c, int64_t d) {
    return (at_tensor){.dtype = dtype, .rank = rank, .shape = {a, b, c, d}, .data = faulting()};
}

void good_call(given *g, pa_dialect dialect, at_dtype dtype) {
    static const at_attr plain[] = {
        INT("num_heads", H),   INT("kv_num_heads", 1), STRING("kv_cache_layout", "LATENT"),    INT("v_head_size", VHS),
        FLOAT("scale", 0.25f), INT("do_rotary", 1),    INT("rotary_offset", HS - 2 * COLUMNS),
    };
    *g = (given){.node = {pa_dialect_names[dialect], g->attr, sizeof plain / sizeof *plain}};
    memcpy(g->attr, plain, sizeof plain);
    at_tensor *in = g->call.in, *out = g->call.out;
    in[AT_QUERY] = tensor(dtype, 2, T, H * HS, 0, 0);
    in[AT_KEY] = tensor(dtype, 2, T, HS, 0, 0);
    in[AT_KEY_CACHE] = tensor(dtype, 4, BLOCKS, BS, 1, HS);
    in[AT_CUMULATIVE_SEQUENCE_LENGTH] = tensor(AT_I32, 1, B + 1, 0, 0, 0);
    in[AT_PAST_SEQLENS] = tensor(AT_I32, 1, B, 0, 0, 0);
    in[AT_BLOCK_TABLE] = tensor(AT_I32, 2, B, MAX_BLOCKS, 0, 0);
    in[AT_COS_CACHE] = in[AT_SIN_CACHE] = tensor(dtype, 2, 64, COLUMNS, 0, 0);
    in[AT_SLOT_MAPPING] = tensor(AT_I32, 1, T, 0, 0, 0);
    in[AT_ATTENTION_METADATA] = tensor(AT_I32, 1, 2, 0, 0, 0);
    in[AT_ATTENTION_METADATA].data = g->metadata;
    out[AT_OUTPUT] = tensor(dtype, 2, T, H * VHS, 0, 0);
    out[AT_KEY_CACHE_OUT] = in[AT_KEY_CACHE];
}

static size_t place_of(const given *g, const char *name) {
    size_t i = 0;
    while (i < g->node.attrs && strcmp(g->attr[i].name, name) != 0) ++i;
    return i;
}

static void put(given *g, size_t i, const at_attr *attr) {
    cr_assert(i < MOST_ATTRS);
    g->attr[i] = *attr;
    if (i == g->node.attrs) ++g->node.attrs;
}

void apply_change(given *g, const change *c) {
    if (c->set.name) put(g, place_of(g, c->set.name), &c->set);
    if (c->add.name) put(g, g->node.attrs, &c->add);
    if (c->drop) g->attr[place_of(g, c->drop)] = g->attr[--g->node.attrs];
    at_tensor *t = c->tensor < AT_INPUTS ? &g->call.in[c->tensor] : &g->call.out[c->tensor - AT_INPUTS];
    switch (c->verb) {
    case NOTHING: break;
    case LEAVE_OUT: t->dtype = AT_ABSENT; break;
    case GIVE: *t = tensor(AT_F16, 1, H, 0, 0, 0); break;
    case DTYPE: t->dtype = (at_dtype)c->value; break;
    case RANK: t->rank = (uint32_t)c->value; break;
    case DIM: t->shape[c->axis] = c->value; break;
    case ELSEWHERE: t->data = forbidden + 2048; break;
    case CAPTURE: g->call.capturing = 1; break;
    }
}

at_code ask_gate(unsigned gate, const given *g, at_refusal *why) {
    pa_warmed warmed = {0};
    pa_node node;
    at_dtype in[AT_INPUTS];
    for (int i = 0; i < AT_INPUTS; ++i) in[i] = g->call.in[i].dtype;
    cr_assert(pa_node_read(&node, &g->node));
    if (gate == PA_SUPPORTS) return pa_gate_supports(&g->node, in, why);
    if (gate == PA_CREATE) return pa_gate_create(&g->node, why);
    return pa_gate_execute(&node, &warmed, &g->call, why);
}

void expect_answer(unsigned gate, const given *g, at_code code, const char *id) {
    at_refusal why;
    memset(&why, 'x', sizeof why);
    cr_assert(eq(int, (int)ask_gate(gate, g, &why), (int)code), "gate %u, %s: %s", gate, id, why.text);
    if (code == AT_ACCEPTED)
        cr_assert(why.rule == NULL && why.text[0] == '\0', "%s", id);
    else
        cr_assert(why.rule && strcmp(why.rule, id) == 0 && why.text[0], "gate %u: %s, not %s", gate, why.rule, id);
}
