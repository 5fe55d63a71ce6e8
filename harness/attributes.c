#include "attributes.h"

#include <math.h>
#include <string.h>

typedef struct {
    const char *name;
    at_attr_type type;
    /* What a plain node says; false: nothing. c holds the rows before this one. */
    bool (*plain)(at_attr *out, const at_case *c, const at_geometry *);
} row;

static bool plain_heads(at_attr *out, const at_case *c, const at_geometry *g) {
    (void)c;
    out->i = g->num_heads;
    return true;
}

static bool plain_one(at_attr *out, const at_case *c, const at_geometry *g) {
    (void)c, (void)g;
    out->i = 1;
    return true;
}

static bool plain_layout(at_attr *out, const at_case *c, const at_geometry *g) {
    (void)c, (void)g;
    out->s = "LATENT";
    return true;
}

static bool plain_v_head_size(at_attr *out, const at_case *c, const at_geometry *g) {
    (void)c;
    out->i = g->v_head_size;
    return true;
}

/* Required where V is narrower than K; 0 means as wide. */
static bool plain_scale(at_attr *out, const at_case *c, const at_geometry *g) {
    const at_attr *v = at_attribute_of(c, "v_head_size", AT_INT);
    out->f = (float)(1.0 / sqrt((double)g->head_size));
    return v != NULL && v->i != 0 && v->i != g->head_size;
}

static bool plain_do_rotary(at_attr *out, const at_case *c, const at_geometry *g) {
    (void)c;
    out->i = 1;
    return g->rotary_dim > 0;
}

static bool plain_rotary_offset(at_attr *out, const at_case *c, const at_geometry *g) {
    (void)c;
    out->i = g->rotary_offset;
    return g->rotary_dim > 0;
}

static const row rows[AT_ATTRIBUTES] = {
    {"num_heads", AT_INT, plain_heads},
    {"kv_num_heads", AT_INT, plain_one},
    {"kv_cache_layout", AT_STRING, plain_layout},
    {"v_head_size", AT_INT, plain_v_head_size},
    {"scale", AT_FLOAT, plain_scale},
    {"do_rotary", AT_INT, plain_do_rotary},
    {"rotary_offset", AT_INT, plain_rotary_offset},
    {"rotary_interleaved", AT_INT, NULL},
    {"softcap", AT_FLOAT, NULL},
    {"local_window_size", AT_INT, NULL},
    {"is_causal", AT_INT, NULL},
    {"qk_norm_epsilon", AT_FLOAT, NULL},
    {"k_quant_type", AT_STRING, NULL},
    {"v_quant_type", AT_STRING, NULL},
    {"k_cache_dtype", AT_STRING, NULL},
    {"v_cache_dtype", AT_STRING, NULL},
};

const char *at_word_of_attributes(const void *unused, size_t i) {
    (void)unused;
    return i < AT_ATTRIBUTES ? rows[i].name : NULL;
}

int at_attribute_row(const char *name) {
    for (int i = 0; i < AT_ATTRIBUTES; i++) {
        if (strcmp(rows[i].name, name) == 0) return i;
    }
    return -1;
}

const at_attr *at_attribute_of(const at_case *c, const char *name, at_attr_type type) {
    for (size_t i = c->attrs; i-- > 0;) {
        if (c->attr[i].type == type && strcmp(c->attr[i].name, name) == 0) return &c->attr[i];
    }
    return NULL;
}

static at_status read_float(const at_reader *r, const char *name, float *out, const at_yaml *value) {
    double number = 0;
    if (!at_yaml_number(value, &number)) return at_wrong_type(r, name, value, "a number, .nan, .inf or -.inf");
    *out = (float)number;
    if (isfinite(number) && !isfinite(*out))
        return at_wrong_type(r, name, value, "a number that fits 32 bits, or .inf");
    return AT_OK;
}

static at_status read_value(const at_reader *r, const char *name, at_attr *out, const at_yaml *value) {
    switch (out->type) {
    case AT_INT: return at_yaml_integer(value, &out->i) ? AT_OK : at_wrong_type(r, name, value, "an integer");
    case AT_FLOAT: return read_float(r, name, &out->f, value);
    case AT_STRING: break;
    }
    if (value->kind != AT_YAML_SCALAR) return at_wrong_type(r, name, value, "a text");
    out->s = at_arena_text(r->arena, value->text, strlen(value->text));
    return out->s ? AT_OK : at_arena_fail(r->err, r->arena, value->place);
}

/* One that the schema does not have, or has with another type: {name: scale, int: 1}. */
static at_status read_extra(const at_reader *r, at_attr *out, const at_yaml *map) {
    static const char *const types[] = {[AT_INT] = "int", [AT_FLOAT] = "float", [AT_STRING] = "string"};
    static const char give[] = "{name: NAME} with one of int:, float: and string:";
    const at_yaml *name = at_yaml_get(map, "name");
    if (map->kind != AT_YAML_MAP || map->count != 2 || name == NULL || name->kind != AT_YAML_SCALAR ||
        name->text[0] == 0)
        return at_wrong_type(r, "an entry of attributes", map, give);
    out->name = at_arena_text(r->arena, name->text, strlen(name->text));
    if (out->name == NULL) return at_arena_fail(r->err, r->arena, name->place);
    for (out->type = AT_INT; out->type <= AT_STRING; out->type++) {
        const at_yaml *value = at_yaml_get(map, types[out->type]);
        if (value != NULL) return read_value(r, name->text, out, value);
    }
    return at_wrong_type(r, "an entry of attributes", map, give);
}

static at_status add_row(const at_reader *r, at_case *c, const row *x, const at_geometry *g, const at_yaml *value) {
    at_attr *out = &c->attr[c->attrs];
    *out = (at_attr){.name = x->name, .type = x->type};
    if (value != NULL ? at_yaml_is(value, "absent") : x->plain == NULL || !x->plain(out, c, g)) return AT_OK;
    at_status st = value != NULL ? read_value(r, x->name, out, value) : AT_OK;
    c->attrs++;
    return st;
}

at_status at_attributes_make(const at_reader *r, at_case *c, const at_geometry *g, const at_yaml *const *value,
                             const at_yaml *extra) {
    at_status st = AT_OK;
    if (extra != NULL && (extra->kind != AT_YAML_LIST || extra->count > AT_LIST_MOST))
        return at_wrong_type(r, "attributes", extra, "a list of {name, int | float | string}");
    size_t extras = extra ? extra->count : 0;
    c->attr = at_arena_get(r->arena, AT_ATTRIBUTES + extras, sizeof *c->attr);
    if (c->attr == NULL) return at_arena_fail(r->err, r->arena, c->place);
    for (size_t i = 0; i < AT_ATTRIBUTES && st == AT_OK; i++) st = add_row(r, c, &rows[i], g, value[i]);
    for (size_t i = 0; i < extras && st == AT_OK; i++) st = read_extra(r, &c->attr[c->attrs++], extra->item[i]);
    return st;
}
