/* Every rule of the refusal table: broken by an edit of a good node and call, left whole by another; and which of two
 * is the answer. */
#include "../rules.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

enum { T = 5, B = 2, H = 4, HS = 96, VHS = 64, COLUMNS = 16 };

typedef struct {
    or_attr attr[24];
    or_node node;
    or_call call;
    or_moment moment;
    int32_t metadata[3];
} scene;

typedef enum {
    END,
    INT,
    FLOAT,
    STRING,
    DROP,
    AGAIN,
    TYPE,
    TAKE,
    RANK,
    DIM,
    MOVED,
    GRID,
    CAPTURING,
    COLD,
    METADATA
} verb;
typedef struct {
    verb verb;
    const char *name; /* an attribute   */
    int tensor, axis; /* OUT + i: output i */
    int64_t i;
    double f;
    const char *s;
} edit;
enum { OUT = OR_INPUTS, GENAI = 1 << OR_GENAI, ORT = 1 << OR_ONNXRUNTIME, BOTH = GENAI | ORT };

static or_tensor *tensor_of(scene *s, int tensor) {
    return tensor < OUT ? &s->call.in[tensor] : &s->call.out[tensor - OUT];
}

static or_tensor shaped(or_dtype type, uint32_t rank, int64_t a, int64_t b, int64_t c, int64_t d) {
    return (or_tensor){type, rank, {a, b, c, d}, (void *)16}; /* an address that faults when it is read */
}

static void good(scene *s, or_dialect dialect) {
    static const or_attr attributes[] = {
        {"num_heads", OR_INT, H, 0, NULL},
        {"kv_num_heads", OR_INT, 1, 0, NULL},
        {"scale", OR_FLOAT, 0, 0.125, NULL},
        {"kv_cache_layout", OR_STRING, 0, 0, "LATENT"},
        {"v_head_size", OR_INT, VHS, 0, NULL},
        {"do_rotary", OR_INT, 1, 0, NULL},
        {"rotary_offset", OR_INT, VHS, 0, NULL},
        {"local_window_size", OR_INT, -1, 0, NULL},
        {"qk_norm_epsilon", OR_FLOAT, 0, 1e-6, NULL},
    };
    memset(s, 0, sizeof *s);
    memcpy(s->attr, attributes, sizeof attributes);
    s->node = (or_node){dialect, s->attr, sizeof attributes / sizeof attributes[0]};
    or_tensor *in = s->call.in;
    in[OR_QUERY] = shaped(OR_F16, 2, T, H * HS, 0, 0);
    in[OR_KEY] = shaped(OR_F16, 2, T, HS, 0, 0);
    in[OR_KEY_CACHE] = shaped(OR_F16, 4, 7, 16, 1, HS);
    in[OR_CUMULATIVE_SEQUENCE_LENGTH] = shaped(OR_I32, 1, B + 1, 0, 0, 0);
    in[OR_PAST_SEQLENS] = shaped(OR_I32, 1, B, 0, 0, 0);
    in[OR_BLOCK_TABLE] = shaped(OR_I32, 2, B, 3, 0, 0);
    in[OR_COS_CACHE] = in[OR_SIN_CACHE] = shaped(OR_F16, 2, 40, COLUMNS, 0, 0);
    in[OR_SLOT_MAPPING] = shaped(OR_I32, 1, T, 0, 0, 0);
    s->call.out[OR_OUTPUT] = shaped(OR_F16, 2, T, H * VHS, 0, 0);
    s->call.out[OR_KEY_CACHE_OUT] = in[OR_KEY_CACHE];
    s->moment = (or_moment){.cache_aliased = true, .warmed = true, .grid_limit = T * H};
}

static or_attr *attribute(scene *s, const char *name) {
    for (size_t i = 0; i < s->node.attrs; i++)
        if (strcmp(s->attr[i].name, name) == 0) return &s->attr[i];
    or_attr *a = &s->attr[s->node.attrs++];
    a->name = name;
    return a;
}

static void drop(scene *s, const char *name) {
    or_attr *a = attribute(s, name);
    *a = s->attr[--s->node.attrs];
}

static void set_metadata(scene *s, const edit *e) {
    for (int i = 0; i < 3; i++) s->metadata[i] = (int32_t)e->i;
    s->call.in[OR_ATTENTION_METADATA] = (or_tensor){OR_I32, (uint32_t)e->axis, {(int64_t)e->f, 1}, s->metadata};
}

static void apply(scene *s, const edit *e) {
    switch (e->verb) {
    case END: break;
    case INT: *attribute(s, e->name) = (or_attr){e->name, OR_INT, e->i, 0, NULL}; break;
    case FLOAT: *attribute(s, e->name) = (or_attr){e->name, OR_FLOAT, 0, e->f, NULL}; break;
    case STRING: *attribute(s, e->name) = (or_attr){e->name, OR_STRING, 0, 0, e->s}; break;
    case DROP: drop(s, e->name); break;
    case AGAIN: s->attr[s->node.attrs++] = *attribute(s, e->name); break;
    case TYPE: /* gives the tensor where it is absent */
        if (tensor_of(s, e->tensor)->dtype == OR_ABSENT) *tensor_of(s, e->tensor) = shaped(OR_F16, 1, 1, 0, 0, 0);
        tensor_of(s, e->tensor)->dtype = (or_dtype)e->i;
        break;
    case TAKE: memset(tensor_of(s, e->tensor), 0, sizeof(or_tensor)); break;
    case RANK: tensor_of(s, e->tensor)->rank = (uint32_t)e->i; break;
    case DIM: tensor_of(s, e->tensor)->shape[e->axis] = e->i; break;
    case MOVED: s->moment.cache_aliased = false; break;
    case GRID: s->moment.grid_limit = e->i; break;
    case CAPTURING: s->moment.capturing = true; break;
    case COLD: s->moment.warmed = false; break;
    case METADATA: set_metadata(s, e); break;
    }
}

#define INT(n, v)                                                                                                      \
    { .verb = INT, .name = n, .i = v }
#define FLOAT(n, v)                                                                                                    \
    { .verb = FLOAT, .name = n, .f = v }
#define STRING(n, v)                                                                                                   \
    { .verb = STRING, .name = n, .s = v }
#define DROP(n)                                                                                                        \
    { .verb = DROP, .name = n }
#define AGAIN(n)                                                                                                       \
    { .verb = AGAIN, .name = n }
#define TYPE(t, v)                                                                                                     \
    { .verb = TYPE, .tensor = t, .i = v }
#define TAKE(t)                                                                                                        \
    { .verb = TAKE, .tensor = t }
#define RANK(t, v)                                                                                                     \
    { .verb = RANK, .tensor = t, .i = v }
#define DIM(t, a, v)                                                                                                   \
    { .verb = DIM, .tensor = t, .axis = a, .i = v }
#define METADATA(rank, length, entries)                                                                                \
    { .verb = METADATA, .axis = rank, .f = length, .i = entries }

enum { N = OR_SUPPORTS | OR_CREATE, C = OR_SUPPORTS | OR_EXECUTE, X = OR_EXECUTE };
enum { NO, MUST, MAY, OURS };
enum { LEFT_OUT = OR_CODE_NOT_IMPLEMENTED, NODE = OR_CODE_INVALID_NODE, CALL = OR_CODE_INVALID_CALL };

typedef struct {
    const char *id;
    unsigned gates, duty[OR_DIALECTS], code[OR_DIALECTS];
    unsigned broken_in; /* the dialects where these edits break it; legal at its gates in the others */
    edit edit[5];
} broken;

static const broken rows[] = {
    {"layout-value", N, {MUST, MUST}, {NODE, NODE}, BOTH, {STRING("kv_cache_layout", "latent")}},
    {"layout", N, {MAY, MAY}, {LEFT_OUT, LEFT_OUT}, BOTH, {STRING("kv_cache_layout", "SEPARATE")}},
    {"layout", N, {MAY, MAY}, {LEFT_OUT, LEFT_OUT}, BOTH, {DROP("kv_cache_layout")}},
    {"layout", N, {MAY, MAY}, {LEFT_OUT, LEFT_OUT}, BOTH, {INT("kv_cache_layout", 1)}},
    {"attribute.unknown", N, {OURS, MUST}, {NODE, NODE}, BOTH, {INT("num_head", 4)}},
    {"attribute.type", N, {OURS, MUST}, {NODE, NODE}, BOTH, {INT("scale", 1)}},
    {"attribute.type", N, {OURS, MUST}, {NODE, NODE}, BOTH, {FLOAT("num_heads", 4)}},
    {"attribute.twice", N, {OURS, MUST}, {NODE, NODE}, BOTH, {AGAIN("do_rotary")}},
    {"num-heads", N, {MUST, MUST}, {NODE, NODE}, BOTH, {INT("num_heads", 0)}},
    {"num-heads", N, {MUST, MUST}, {NODE, NODE}, BOTH, {INT("num_heads", -4)}},
    {"num-heads", N, {MUST, MUST}, {NODE, NODE}, BOTH, {DROP("num_heads")}},
    {"kv-heads", N, {MUST, MUST}, {NODE, NODE}, BOTH, {INT("kv_num_heads", 4)}},
    {"kv-heads", N, {MUST, MUST}, {NODE, NODE}, BOTH, {DROP("kv_num_heads")}},
    {"quant.k_quant_type", N, {MAY, MAY}, {LEFT_OUT, LEFT_OUT}, BOTH, {STRING("k_quant_type", "PER_TENSOR")}},
    {"quant.v_quant_type", N, {MAY, MAY}, {LEFT_OUT, LEFT_OUT}, BOTH, {STRING("v_quant_type", "nonesuch")}},
    {"quant.k_cache_dtype", N, {MAY, MAY}, {LEFT_OUT, LEFT_OUT}, BOTH, {STRING("k_cache_dtype", "int8")}},
    {"quant.v_cache_dtype", N, {MAY, MAY}, {LEFT_OUT, LEFT_OUT}, BOTH, {STRING("v_cache_dtype", "00")}},
    {"v-head-size-negative", N, {OURS, MUST}, {NODE, NODE}, BOTH, {INT("v_head_size", -64)}},
    {"rotary-offset", N, {OURS, MUST}, {NODE, NODE}, BOTH, {INT("rotary_offset", -8)}},
    {"rotary-offset", N, {OURS, MUST}, {NODE, NODE}, ORT, {INT("rotary_offset", 60)}},
    {"scale-range", N, {OURS, OURS}, {NODE, NODE}, BOTH, {FLOAT("scale", NAN)}},
    {"softcap-range", N, {OURS, OURS}, {NODE, NODE}, BOTH, {FLOAT("softcap", INFINITY)}},
    {"not-causal", N, {MAY, MUST}, {LEFT_OUT, NODE}, BOTH, {INT("is_causal", 0)}},

    {"dtype.query", C, {MUST, MUST}, {NODE, NODE}, BOTH, {TYPE(OR_QUERY, OR_F32)}},
    {"present.value", C, {MUST, MUST}, {NODE, NODE}, BOTH, {TYPE(OR_VALUE, OR_F16)}},
    {"present.value_cache", C, {MUST, MUST}, {NODE, NODE}, BOTH, {TYPE(OR_VALUE_CACHE, OR_F16)}},
    {"present.value_cache_out", X, {MUST, MUST}, {NODE, NODE}, BOTH, {TYPE(OUT + OR_VALUE_CACHE_OUT, OR_F16)}},
    {"present.head_sink", C, {MAY, MUST}, {LEFT_OUT, NODE}, BOTH, {TYPE(OR_HEAD_SINK, OR_F16)}},
    {"present.q_norm_weight", C, {MAY, MUST}, {LEFT_OUT, NODE}, BOTH, {TYPE(OR_Q_NORM_WEIGHT, OR_F16)}},
    {"present.k_norm_weight", C, {MAY, MUST}, {LEFT_OUT, NODE}, BOTH, {TYPE(OR_K_NORM_WEIGHT, OR_F16)}},
    {"present.k_scale", C, {MAY, MUST}, {LEFT_OUT, NODE}, BOTH, {TYPE(OR_K_SCALE, OR_F32)}},
    {"present.v_scale", C, {MAY, MUST}, {LEFT_OUT, NODE}, BOTH, {TYPE(OR_V_SCALE, OR_F32)}},

    {"required.query", X, {MUST, MUST}, {NODE, NODE}, BOTH, {TAKE(OR_QUERY)}},
    {"required.key", X, {MUST, MUST}, {NODE, NODE}, BOTH, {TAKE(OR_KEY)}},
    {"required.key_cache", X, {MUST, MUST}, {NODE, NODE}, BOTH, {TAKE(OR_KEY_CACHE)}},
    {"required.cumulative_sequence_length", X, {MUST, MUST}, {NODE, NODE}, BOTH, {TAKE(OR_CUMULATIVE_SEQUENCE_LENGTH)}},
    {"required.past_seqlens", X, {MUST, MUST}, {NODE, NODE}, BOTH, {TAKE(OR_PAST_SEQLENS)}},
    {"required.block_table", X, {MUST, MUST}, {NODE, NODE}, BOTH, {TAKE(OR_BLOCK_TABLE)}},
    {"required.output", X, {MUST, MUST}, {NODE, NODE}, BOTH, {TAKE(OUT + OR_OUTPUT)}},
    {"required.slot_mapping", X, {MUST, NO}, {NODE, NODE}, GENAI, {TAKE(OR_SLOT_MAPPING)}},
    {"required.cos_cache", X, {MUST, MUST}, {NODE, NODE}, BOTH, {TAKE(OR_COS_CACHE)}},
    {"required.sin_cache", X, {MUST, MUST}, {NODE, NODE}, BOTH, {TAKE(OR_SIN_CACHE)}},
    {"required.cos_cache", X, {MUST, MUST}, {NODE, NODE}, ORT, {INT("do_rotary", 0), TAKE(OR_COS_CACHE)}},
    {"required.sin_cache", X, {MUST, MUST}, {NODE, NODE}, ORT, {DROP("do_rotary"), TAKE(OR_SIN_CACHE)}},
    {"required.cos_cache",
     X,
     {MUST, MUST},
     {NODE, NODE},
     GENAI,
     {INT("do_rotary", 2), TAKE(OR_COS_CACHE), TAKE(OR_SIN_CACHE)}},

    {"dtype.key", X, {MUST, MUST}, {CALL, CALL}, BOTH, {TYPE(OR_KEY, OR_BF16)}},
    {"dtype.key_cache", X, {MUST, MUST}, {CALL, CALL}, BOTH, {TYPE(OR_KEY_CACHE, OR_I8)}},
    {"dtype.cos_cache", X, {MUST, MUST}, {CALL, CALL}, BOTH, {TYPE(OR_COS_CACHE, OR_F32)}},
    {"dtype.sin_cache", X, {MUST, MUST}, {CALL, CALL}, BOTH, {TYPE(OR_SIN_CACHE, OR_BF16)}},
    {"dtype.sin_cache", X, {MUST, MUST}, {CALL, CALL}, ORT, {INT("do_rotary", 0), TYPE(OR_SIN_CACHE, OR_BF16)}},
    {"dtype.output", X, {MUST, MUST}, {CALL, CALL}, BOTH, {TYPE(OUT + OR_OUTPUT, OR_F32)}},
    {"dtype.cumulative_sequence_length",
     X,
     {MUST, MUST},
     {CALL, CALL},
     BOTH,
     {TYPE(OR_CUMULATIVE_SEQUENCE_LENGTH, OR_I64)}},
    {"dtype.past_seqlens", X, {MUST, MUST}, {CALL, CALL}, BOTH, {TYPE(OR_PAST_SEQLENS, OR_I64)}},
    {"dtype.block_table", X, {MUST, MUST}, {CALL, CALL}, BOTH, {TYPE(OR_BLOCK_TABLE, OR_I64)}},
    {"dtype.slot_mapping", X, {MUST, MUST}, {CALL, CALL}, BOTH, {TYPE(OR_SLOT_MAPPING, OR_I64)}},
    {"dtype.attention_metadata", X, {NO, MUST}, {CALL, CALL}, ORT, {TYPE(OR_ATTENTION_METADATA, OR_I64)}},

    {"rank.key_cache", X, {MUST, MUST}, {CALL, CALL}, BOTH, {RANK(OR_KEY_CACHE, 3)}},
    {"rank.query", X, {MUST, MUST}, {CALL, CALL}, BOTH, {RANK(OR_QUERY, 3)}},
    {"rank.key", X, {MUST, MUST}, {CALL, CALL}, BOTH, {RANK(OR_KEY, 1)}},
    {"rank.block_table", X, {MUST, MUST}, {CALL, CALL}, BOTH, {RANK(OR_BLOCK_TABLE, 1)}},
    {"rank.cos_cache", X, {MUST, MUST}, {CALL, CALL}, BOTH, {RANK(OR_COS_CACHE, 3)}},
    {"rank.sin_cache", X, {MUST, MUST}, {CALL, CALL}, BOTH, {RANK(OR_SIN_CACHE, 1)}},
    {"rank.output", X, {MUST, MUST}, {CALL, CALL}, BOTH, {RANK(OUT + OR_OUTPUT, 3)}},
    {"rank.cumulative_sequence_length", X, {MUST, MUST}, {CALL, CALL}, BOTH, {RANK(OR_CUMULATIVE_SEQUENCE_LENGTH, 2)}},
    {"rank.past_seqlens", X, {MUST, MUST}, {CALL, CALL}, BOTH, {RANK(OR_PAST_SEQLENS, 0)}},
    {"rank.slot_mapping", X, {MUST, MUST}, {CALL, CALL}, BOTH, {RANK(OR_SLOT_MAPPING, 2)}},

    {"block-size", X, {MUST, MUST}, {CALL, CALL}, BOTH, {DIM(OR_KEY_CACHE, 1, 8)}},
    {"block-size", X, {MUST, MUST}, {CALL, CALL}, BOTH, {DIM(OR_KEY_CACHE, 1, 48)}},
    {"block-size", X, {MUST, MUST}, {CALL, CALL}, BOTH, {DIM(OR_KEY_CACHE, 1, 0)}},
    {"cache-heads", X, {MUST, MUST}, {CALL, CALL}, BOTH, {DIM(OR_KEY_CACHE, 2, 2)}},
    {"query-hidden", X, {MUST, MUST}, {CALL, CALL}, BOTH, {DIM(OR_QUERY, 1, H *HS + HS)}},
    {"query-hidden", X, {MUST, MUST}, {CALL, CALL}, BOTH, {DIM(OR_QUERY, 1, H *HS + 1)}},
    {"query-hidden", X, {MUST, MUST}, {CALL, CALL}, BOTH, {INT("num_heads", INT64_MAX)}},
    {"key-hidden", X, {MUST, MUST}, {CALL, CALL}, BOTH, {DIM(OR_KEY, 1, HS - 1)}},
    {"key-rows", X, {MUST, MUST}, {CALL, CALL}, BOTH, {DIM(OR_KEY, 0, T + 1)}},
    {"batch.cumulative_sequence_length",
     X,
     {MUST, MUST},
     {CALL, CALL},
     BOTH,
     {DIM(OR_CUMULATIVE_SEQUENCE_LENGTH, 0, B)}},
    {"batch.block_table", X, {MUST, MUST}, {CALL, CALL}, BOTH, {DIM(OR_BLOCK_TABLE, 0, B + 1)}},
    {"batch.slot_mapping", X, {MUST, MUST}, {CALL, CALL}, BOTH, {DIM(OR_SLOT_MAPPING, 0, T - 1)}},
    {"v-head-size", X, {MUST, MUST}, {CALL, CALL}, BOTH, {INT("v_head_size", HS + 1)}},
    {"scale-required", X, {MUST, MUST}, {CALL, CALL}, BOTH, {DROP("scale")}},
    {"scale-required", X, {MUST, MUST}, {CALL, CALL}, ORT, {FLOAT("scale", 0)}},
    {"cos-sin-shape", X, {MUST, MUST}, {CALL, CALL}, BOTH, {DIM(OR_SIN_CACHE, 0, 41)}},
    {"cos-sin-shape", X, {MUST, MUST}, {CALL, CALL}, BOTH, {DIM(OR_SIN_CACHE, 1, 8)}},
    {"cos-sin-shape", X, {MUST, MUST}, {CALL, CALL}, ORT, {INT("do_rotary", 0), DIM(OR_SIN_CACHE, 0, 41)}},
    {"rotary-span", X, {MUST, MUST}, {CALL, CALL}, BOTH, {INT("rotary_offset", VHS + 8)}},
    {"rotary-span", X, {MUST, MUST}, {CALL, CALL}, BOTH, {DIM(OR_COS_CACHE, 1, 24), DIM(OR_SIN_CACHE, 1, 24)}},
    {"rotary-span",
     X,
     {MUST, MUST},
     {CALL, CALL},
     BOTH,
     {DIM(OR_COS_CACHE, 1, INT64_MAX), DIM(OR_SIN_CACHE, 1, INT64_MAX)}},
    {"rotary-span", X, {MUST, MUST}, {CALL, CALL}, ORT, {INT("do_rotary", 0), INT("rotary_offset", VHS + 8)}},
    {"granularity.head_size",
     X,
     {NO, MUST},
     {CALL, CALL},
     ORT,
     {DIM(OR_KEY_CACHE, 3, 104), DIM(OR_KEY, 1, 104), DIM(OR_QUERY, 1, H * 104)}},
    {"granularity.head_size",
     X,
     {NO, MUST},
     {CALL, CALL},
     ORT,
     {INT("do_rotary", 0), DIM(OR_KEY_CACHE, 3, 104), DIM(OR_KEY, 1, 104), DIM(OR_QUERY, 1, H * 104)}},
    {"granularity.cos_cache", X, {NO, MUST}, {CALL, CALL}, ORT, {DIM(OR_COS_CACHE, 1, 12), DIM(OR_SIN_CACHE, 1, 12)}},
    {"output-shape", X, {MUST, MUST}, {CALL, CALL}, BOTH, {DIM(OUT + OR_OUTPUT, 1, H *HS)}},
    {"output-shape", X, {MUST, MUST}, {CALL, CALL}, BOTH, {DIM(OUT + OR_OUTPUT, 0, T + 1)}},
    {"output-shape", X, {MUST, MUST}, {CALL, CALL}, BOTH, {INT("v_head_size", 0)}},
    {"cache-alias", X, {MUST, MUST}, {CALL, CALL}, BOTH, {{.verb = MOVED}}},
    {"metadata-shape", X, {NO, MUST}, {CALL, CALL}, ORT, {METADATA(1, 4, 0)}},
    {"metadata-shape", X, {NO, MUST}, {CALL, CALL}, ORT, {METADATA(2, 3, 0)}},
    {"metadata-negative", X, {NO, MUST}, {CALL, CALL}, ORT, {METADATA(1, 3, -1)}},
    {"grid-limit", X, {OURS, NO}, {CALL, CALL}, GENAI, {{.verb = GRID, .i = T * H - 1}}},
    {"not-warmed",
     X,
     {MUST, NO},
     {OR_CODE_NOT_WARMED, OR_CODE_NOT_WARMED},
     GENAI,
     {{.verb = CAPTURING}, {.verb = COLD}}},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static const or_gate gates[] = {OR_SUPPORTS, OR_CREATE, OR_EXECUTE};

/* A gate is shown what it is told in practice. */
static const or_rule *ask(const scene *s, or_gate gate) {
    return or_refusal(gate, &s->node, gate == OR_CREATE ? NULL : &s->call, gate == OR_EXECUTE ? &s->moment : NULL);
}

static void edited(scene *s, or_dialect dialect, const edit *edits) {
    good(s, dialect);
    for (const edit *e = edits; e->verb != END; e++) apply(s, e);
}

Test(rules, a_plain_good_node_and_call_is_legal_at_each_gate_in_each_dialect) {
    scene s;
    for (int d = 0; d < OR_DIALECTS; d++)
        for (int g = 0; g < 3; g++) {
            good(&s, (or_dialect)d);
            const or_rule *r = ask(&s, gates[g]);
            cr_expect_null(r, "%s, gate %d: %s", or_dialect_name((or_dialect)d), gates[g], r ? r->id : "");
        }
}

Test(rules, a_plain_good_call_breaks_no_rule_wherever_it_stands) {
    scene s;
    size_t count;
    const or_rule *rule = or_rules(&count);
    good(&s, OR_ONNXRUNTIME);
    for (size_t i = 0; i < count; i++)
        cr_expect_not(or_is_broken(&rule[i], &s.node, &s.call, &s.moment), "%s", rule[i].id);
}

Test(rules, what_another_dialect_would_refuse_is_broken_all_the_same) {
    scene s;
    good(&s, OR_GENAI);
    s.call.in[OR_COS_CACHE].shape[1] = s.call.in[OR_SIN_CACHE].shape[1] = 12;
    cr_expect_null(ask(&s, OR_EXECUTE));
    cr_expect(or_is_broken(or_rule_by_id("granularity.cos_cache"), &s.node, &s.call, &s.moment));
}

static void check_broken(const broken *row, or_dialect dialect, or_gate gate) {
    scene s;
    edited(&s, dialect, row->edit);
    const or_rule *r = ask(&s, gate);
    const char *got = r ? r->id : "legal";
    if (!(row->gates & (unsigned)gate)) {
        cr_expect(!r || strcmp(r->id, row->id) != 0, "%s is not the business of gate %d", row->id, gate);
    } else if (!(row->broken_in & 1u << dialect)) {
        cr_expect_null(r, "%s should be legal in %s, got %s", row->id, or_dialect_name(dialect), got);
    } else {
        cr_expect_str_eq(got, row->id, "%s, gate %d: %s for %s", or_dialect_name(dialect), gate, got, row->id);
        cr_expect(r && r->duty[dialect] == (or_duty)row->duty[dialect], "duty of %s", row->id);
        cr_expect(r && r->code[dialect] == (or_code)row->code[dialect], "code of %s", row->id);
    }
}

Test(rules, each_rule_is_the_answer_at_its_gates_and_dialects_alone) {
    for (size_t i = 0; i < ROWS; i++)
        for (int d = 0; d < OR_DIALECTS; d++)
            for (int g = 0; g < 3; g++) check_broken(&rows[i], (or_dialect)d, gates[g]);
}

Test(rules, each_row_of_the_table_is_tested_and_stands_in_the_contracts_order) {
    size_t count, next = 0;
    const or_rule *rule = or_rules(&count);
    for (size_t i = 0; i < ROWS; i++) {
        bool seen = false;
        for (size_t j = 0; j < i; j++) seen = seen || strcmp(rows[j].id, rows[i].id) == 0;
        if (seen) continue;
        cr_assert_lt(next, count);
        cr_expect_str_eq(rule[next].id, rows[i].id);
        cr_expect_eq(or_rule_by_id(rows[i].id), &rule[next]);
        cr_expect_eq(rule[next].gates, rows[i].gates);
        for (int d = 0; d < OR_DIALECTS; d++) cr_expect_eq(rule[next].duty[d], (or_duty)rows[i].duty[d]);
        next++;
    }
    cr_expect_eq(next, count);
    cr_expect_null(or_rule_by_id("layouts"));
}

static const struct {
    const char *why;
    unsigned dialects;
    edit edit[8];
} legal[] = {
    {"quantisation is turned off in words",
     BOTH,
     {STRING("k_quant_type", "NONE"), STRING("v_quant_type", "nOnE"), STRING("k_cache_dtype", ""),
      STRING("v_cache_dtype", "0")}},
    {"a softcap that is off", BOTH, {FLOAT("softcap", -5)}},
    {"any window", BOTH, {INT("local_window_size", -5)}},
    {"causality in words", BOTH, {INT("is_causal", 1)}},
    {"bfloat16 throughout",
     BOTH,
     {TYPE(OR_QUERY, OR_BF16), TYPE(OR_KEY, OR_BF16), TYPE(OR_KEY_CACHE, OR_BF16), TYPE(OR_COS_CACHE, OR_BF16),
      TYPE(OR_SIN_CACHE, OR_BF16), TYPE(OUT + OR_OUTPUT, OR_BF16)}},
    {"no alias is given", BOTH, {TAKE(OUT + OR_KEY_CACHE_OUT), {.verb = MOVED}}},
    {"large pages", BOTH, {DIM(OR_KEY_CACHE, 1, 512)}},
    {"a table without columns", BOTH, {DIM(OR_BLOCK_TABLE, 1, 0)}},
    {"no sequence and no token",
     BOTH,
     {DIM(OR_PAST_SEQLENS, 0, 0), DIM(OR_CUMULATIVE_SEQUENCE_LENGTH, 0, 1), DIM(OR_BLOCK_TABLE, 0, 0),
      DIM(OR_QUERY, 0, 0), DIM(OR_KEY, 0, 0), DIM(OR_SLOT_MAPPING, 0, 0), DIM(OUT + OR_OUTPUT, 0, 0)}},
    {"V as wide as K, by 0", BOTH, {INT("v_head_size", 0), DIM(OUT + OR_OUTPUT, 1, H *HS)}},
    {"V as wide as K, and no scale", BOTH, {INT("v_head_size", HS), DROP("scale"), DIM(OUT + OR_OUTPUT, 1, H *HS)}},
    {"a scale of 0 is a scale", GENAI, {FLOAT("scale", 0)}},
    {"a rotated span that ends at the row's end", BOTH, {INT("rotary_offset", HS - 2 * COLUMNS)}},
    {"cos and sin are not looked at", GENAI, {INT("do_rotary", 0), DIM(OR_SIN_CACHE, 0, 3), RANK(OR_COS_CACHE, 3)}},
    {"cos alone is not looked at", GENAI, {INT("do_rotary", 0), TAKE(OR_SIN_CACHE), TYPE(OR_COS_CACHE, OR_F32)}},
    {"2 is not true", ORT, {INT("do_rotary", 2), TAKE(OR_COS_CACHE), TAKE(OR_SIN_CACHE)}},
    {"no cos and sin where nothing is rotated", BOTH, {INT("do_rotary", 0), TAKE(OR_COS_CACHE), TAKE(OR_SIN_CACHE)}},
    {"head_size % 16 is asked with cos and sin alone",
     ORT,
     {INT("do_rotary", 0), TAKE(OR_COS_CACHE), TAKE(OR_SIN_CACHE), DIM(OR_KEY_CACHE, 3, 104), DIM(OR_KEY, 1, 104),
      DIM(OR_QUERY, 1, H * 104)}},
    {"metadata of two entries", BOTH, {METADATA(1, 2, 0)}},
    {"metadata of three entries", BOTH, {METADATA(1, 3, 7)}},
    {"captured after it ran", BOTH, {{.verb = CAPTURING}}},
    {"not run, and not captured", BOTH, {{.verb = COLD}}},
    {"a grid that just holds it", BOTH, {{.verb = GRID, .i = T * H}}},
};

static void expect_legal(const scene *s, const char *why) {
    for (int g = 0; g < 3; g++) {
        const or_rule *r = ask(s, gates[g]);
        cr_expect_null(r, "%s: %s at gate %d of %s", why, r ? r->id : "", gates[g], or_dialect_name(s->node.dialect));
    }
}

Test(rules, what_is_just_inside_a_rule_is_legal) {
    scene s;
    for (size_t i = 0; i < sizeof legal / sizeof legal[0]; i++)
        for (int d = 0; d < OR_DIALECTS; d++) {
            if (!(legal[i].dialects & 1u << d)) continue;
            edited(&s, (or_dialect)d, legal[i].edit);
            expect_legal(&s, legal[i].why);
        }
}

Test(rules, metadata_without_data_is_judged_by_its_shape_alone) {
    static const edit negative[] = {METADATA(1, 3, -1), {.verb = END}};
    scene s;
    edited(&s, OR_ONNXRUNTIME, negative);
    cr_expect_str_eq(ask(&s, OR_EXECUTE)->id, "metadata-negative");
    s.call.in[OR_ATTENTION_METADATA].data = NULL;
    cr_expect_null(ask(&s, OR_EXECUTE));
}

Test(rules, scales_of_a_quantised_cache_are_its_own_affair) {
    static const edit with[] = {STRING("k_quant_type", "PER_TENSOR"), TYPE(OR_K_SCALE, OR_F32), {.verb = END}};
    scene s;
    for (int d = 0; d < OR_DIALECTS; d++) {
        edited(&s, (or_dialect)d, with);
        cr_expect_str_eq(ask(&s, OR_SUPPORTS)->id, "quant.k_quant_type");
        cr_expect_null(ask(&s, OR_EXECUTE), "execute judges no attribute, and the scale belongs to the cache");
        apply(&s, &(edit)STRING("k_quant_type", "NONE"));
        cr_expect_str_eq(ask(&s, OR_EXECUTE)->id, "present.k_scale");
    }
}

static const struct {
    or_gate gate;
    or_dialect dialect;
    const char *answer;
    edit edit[4];
} both[] = {
    {OR_CREATE, OR_GENAI, "layout-value", {STRING("kv_cache_layout", "PAGED"), INT("num_heads", 0)}},
    {OR_CREATE, OR_GENAI, "layout", {STRING("kv_cache_layout", "SEPARATE"), INT("kv_num_heads", 4)}},
    {OR_CREATE, OR_GENAI, "attribute.unknown", {INT("scales", 1), AGAIN("scales"), INT("num_heads", 0)}},
    {OR_CREATE, OR_ONNXRUNTIME, "kv-heads", {INT("is_causal", 0), INT("kv_num_heads", 2)}},
    {OR_SUPPORTS, OR_GENAI, "num-heads", {INT("num_heads", 0), TYPE(OR_QUERY, OR_F32)}},
    {OR_SUPPORTS, OR_GENAI, "dtype.query", {TYPE(OR_QUERY, OR_F32), TYPE(OR_VALUE, OR_F32)}},
    {OR_EXECUTE, OR_GENAI, "present.value", {TYPE(OR_VALUE, OR_F32), TAKE(OR_BLOCK_TABLE)}},
    {OR_EXECUTE, OR_GENAI, "required.block_table", {TAKE(OR_BLOCK_TABLE), TYPE(OR_KEY, OR_F32)}},
    {OR_EXECUTE, OR_GENAI, "dtype.slot_mapping", {TYPE(OR_SLOT_MAPPING, OR_I64), RANK(OR_KEY_CACHE, 3)}},
    {OR_EXECUTE, OR_ONNXRUNTIME, "rank.key_cache", {DIM(OR_KEY_CACHE, 1, 8), RANK(OR_KEY_CACHE, 3)}},
    {OR_EXECUTE, OR_GENAI, "query-hidden", {INT("num_heads", 3), DIM(OR_KEY, 0, 1)}},
    {OR_EXECUTE, OR_GENAI, "output-shape", {DIM(OUT + OR_OUTPUT, 0, 1), {.verb = MOVED}, {.verb = CAPTURING}}},
    {OR_EXECUTE, OR_GENAI, "grid-limit", {{.verb = GRID, .i = 1}, {.verb = CAPTURING}, {.verb = COLD}}},
};

Test(rules, of_two_broken_rules_the_first_is_the_answer) {
    scene s;
    for (size_t i = 0; i < sizeof both / sizeof both[0]; i++) {
        edited(&s, both[i].dialect, both[i].edit);
        const or_rule *r = ask(&s, both[i].gate);
        cr_expect_str_eq(r ? r->id : "legal", both[i].answer);
    }
}
