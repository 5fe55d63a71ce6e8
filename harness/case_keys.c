#include "case_keys.h"
#include "../oracle/rules.h"
#include "design.h"
#include "mode_names.h"
#include "suggest.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_SEQUENCES = 4096, MOST_PAGES = 1 << 28, MOST_CLAUSES = 32 };

static const char *const tier_words[] = {"smoke", "quick", "full", "stress", NULL};
static const char *const dialect_words[] = {"onnx-genai", "onnxruntime", NULL};
static const char *const dtype_words[] = {"float16", "bfloat16", NULL};
static const char *const order_words[] = {"identity", "reversed", "random", "apart", NULL};
static const char *const poison_words[] = {"zero", "nan", "inf", "largest", "neighbour", NULL};
static const char *const capture_words[] = {"warm", "cold", NULL};
static const char *const gate_words[] = {"supports", "create", "execute", NULL};

const char *at_tier_name(at_tier tier) {
    return tier_words[tier];
}

const char *at_poison_name(at_poison poison) {
    return poison_words[poison];
}

bool at_tier_by_name(at_tier *out, const char *name) {
    for (int i = 0; i < AT_TIERS; i++) {
        if (strcmp(tier_words[i], name) == 0) return *out = (at_tier)i, true;
    }
    return false;
}

static at_status no_memory(const at_reader *r, const at_yaml *value) {
    return at_arena_fail(r->err, r->arena, value->place);
}

static at_status copy_text(const at_reader *r, char **out, const at_yaml *value) {
    *out = at_arena_text(r->arena, value->text, strlen(value->text));
    return *out ? AT_OK : no_memory(r, value);
}

static at_status read_geometry(const at_reader *r, void *out, const at_yaml *value) {
    at_geometry *g = out;
    if (value->kind == AT_YAML_MAP) {
        *g = (at_geometry){.name = ""};
        return at_geometry_read(r, g, value);
    }
    if (value->kind != AT_YAML_SCALAR)
        return at_wrong_type(r, "geometry", value, "a name, or {head_size, v_head_size, num_heads, ...}");
    const at_geometry *known = at_geometry_by_name(r->scope, value->text);
    if (known == NULL)
        return at_unknown(r, "geometry", value, at_suggest(value->text, at_word_of_geometries, r->scope),
                          "define it under `geometries`, or include the file that does");
    *g = *known;
    return AT_OK;
}

static at_status read_covers(const at_reader *r, void *out, const at_yaml *list) {
    if (list->kind != AT_YAML_LIST || list->count > MOST_CLAUSES)
        return at_wrong_type(r, "covers", list, "a list of at most 32 clauses");
    char **ids = at_arena_get(r->arena, list->count + 1, sizeof *ids);
    if (ids == NULL) return no_memory(r, list);
    *(char ***)out = ids;
    for (size_t i = 0; i < list->count; i++) {
        const at_yaml *id = list->item[i];
        if (id->kind != AT_YAML_SCALAR) return at_wrong_type(r, "covers", id, "the id of a clause");
        if (at_clause_by_id(r->scope, id->text) == NULL)
            return at_unknown(r, "clause", id, at_suggest(id->text, at_word_of_clauses, r->scope),
                              "define it under `clauses`, or include the file that does");
        if (copy_text(r, &ids[i], id) != AT_OK) return no_memory(r, id);
    }
    return AT_OK;
}

#define NUMBER(struct_, field, name_, least_, most_, about_)                                                           \
    .name = name_, .type = AT_KEY_INTEGER, .at = offsetof(struct_, field), .least = least_, .most = most_,             \
    .about = about_

static const at_key sequence_keys[] = {
    {NUMBER(at_sequence, past, "past", 0, INT32_MAX, "tokens in the cache before the call")},
    {NUMBER(at_sequence, fresh, "new", 0, INT32_MAX, "tokens of this call")},
    {0},
};

/* out: the case. What is not said is -1, for `past` and `new` of the case to fill in. */
static at_status read_sequences(const at_reader *r, void *out, const at_yaml *list) {
    at_case *c = out;
    if (list->kind != AT_YAML_LIST || list->count > AT_LIST_MOST)
        return at_wrong_type(r, "sequences", list, "a list of at most 1024 {past, new}");
    c->sequence = at_arena_get(r->arena, list->count, sizeof *c->sequence);
    if (c->sequence == NULL) return no_memory(r, list);
    c->sequences = list->count;
    for (size_t i = 0; i < list->count; i++) {
        c->sequence[i] = (at_sequence){.past = -1, .fresh = -1};
        at_status st = at_map_read(r, sequence_keys, "a sequence", &c->sequence[i], list->item[i]);
        if (st != AT_OK) return st;
    }
    return AT_OK;
}

static const at_key unmapped_keys[] = {
    {NUMBER(at_unmapped, sequence, "sequence", 0, INT32_MAX, "a sequence, from 0"), .required = true},
    {NUMBER(at_unmapped, page, "page", 0, INT32_MAX, "its logical page, from 0"), .required = true},
    {NUMBER(at_unmapped, entry, "entry", INT32_MIN, INT32_MAX,
            "what block_table holds there: negative, or past the cache"),
     .required = true},
    {0},
};

static at_status read_unmapped(const at_reader *r, void *out, const at_yaml *list) {
    at_case *c = out;
    if (list->kind != AT_YAML_LIST || list->count > AT_LIST_MOST)
        return at_wrong_type(r, "unmapped", list, "a list of at most 1024 {sequence, page, entry}");
    c->unmapped = at_arena_get(r->arena, list->count, sizeof *c->unmapped);
    if (c->unmapped == NULL) return no_memory(r, list);
    c->unmappeds = list->count;
    for (size_t i = 0; i < list->count; i++) {
        at_status st = at_map_read(r, unmapped_keys, "an unmapped page", &c->unmapped[i], list->item[i]);
        if (st != AT_OK) return st;
    }
    return AT_OK;
}

static const char *word_of_designs(const void *unused, size_t i) {
    (void)unused;
    size_t count;
    const at_design *const *designs = at_designs(&count);
    return i < count ? designs[i]->name : NULL;
}

static const char *word_of_parameters(const void *design, size_t i) {
    const at_design_parameter *p = ((const at_design *)design)->parameter;
    return p ? p[i].name : NULL;
}

static at_status read_parameter(const at_reader *r, at_case *c, const at_design *design, const at_yaml *key,
                                const at_yaml *value) {
    at_parameter *p = &c->parameter[c->parameters];
    const char *known;
    size_t i = 0;
    while ((known = word_of_parameters(design, i)) != NULL && strcmp(known, key->text) != 0) i++;
    if (known == NULL)
        return at_unknown(r, "parameter", key, at_suggest(key->text, word_of_parameters, design),
                          "this design does not have it");
    if (!at_yaml_number(value, &p->value) || isinf(p->value) || isnan(p->value))
        return at_wrong_type(r, key->text, value, "a finite number");
    c->parameters++;
    return copy_text(r, &p->name, key);
}

/* NAME or {design: NAME, parameter: number, ...}; out: the case */
static at_status read_data(const at_reader *r, void *out, const at_yaml *value) {
    at_case *c = out;
    const at_yaml *name = value->kind == AT_YAML_MAP ? at_yaml_get(value, "design") : value;
    if (name == NULL || name->kind != AT_YAML_SCALAR)
        return at_wrong_type(r, "data", value, "the name of a design, or {design: NAME, parameter: number}");
    const at_design *design = at_design_by_name(name->text);
    if (design == NULL)
        return at_unknown(r, "design", name, at_suggest(name->text, word_of_designs, NULL),
                          "harness/design.c lists those there are");
    if (copy_text(r, &c->design, name) != AT_OK) return no_memory(r, value);
    if (value->kind != AT_YAML_MAP) return AT_OK;
    c->parameter = at_arena_get(r->arena, value->count, sizeof *c->parameter);
    if (c->parameter == NULL) return no_memory(r, value);
    at_status st = AT_OK;
    for (size_t i = 0; i < value->count && st == AT_OK; i++) {
        if (value->item[i] != name) st = read_parameter(r, c, design, value->key[i], value->item[i]);
    }
    return st;
}

typedef struct {
    char *rule, **gates;
} refusal;

static const at_key refusal_keys[] = {
    {.name = "refuse",
     .type = AT_KEY_TEXT,
     .at = offsetof(refusal, rule),
     .about = "the id of a refusal rule",
     .most = 64,
     .required = true},
    {.name = "gates",
     .type = AT_KEY_WORDS,
     .at = offsetof(refusal, gates),
     .about = "those of supports, create and execute that must refuse",
     .words = gate_words,
     .required = true},
    {0},
};

static const char *word_of_rules(const void *unused, size_t i) {
    (void)unused;
    size_t count;
    const or_rule *rules = or_rules(&count);
    return i < count ? rules[i].id : NULL;
}

static at_status read_refusal(const at_reader *r, at_case *c, const at_yaml *map) {
    static const unsigned bit[] = {OR_SUPPORTS, OR_CREATE, OR_EXECUTE};
    refusal said = {0};
    at_status st = at_map_read(r, refusal_keys, "a refusal", &said, map);
    if (st != AT_OK) return st;
    const at_yaml *id = at_yaml_get(map, "refuse"), *gates = at_yaml_get(map, "gates");
    const or_rule *rule = or_rule_by_id(said.rule);
    if (rule == NULL)
        return at_unknown(r, "rule", id, at_suggest(said.rule, word_of_rules, NULL),
                          "oracle/rules.c lists those there are");
    if (gates->count == 0)
        return at_place_fail(r->err, gates->place,
                             "gates is empty; name those of supports, create and execute that must refuse");
    for (size_t i = 0; i < gates->count; i++) {
        int g = 0;
        while (strcmp(gate_words[g], said.gates[i]) != 0) g++;
        if (!(rule->gates & bit[g]))
            return at_place_fail(r->err, gates->item[i]->place, "gate %s does not own rule %s; leave it out",
                                 gate_words[g], rule->id);
        c->gates |= bit[g];
    }
    c->expect = AT_EXPECT_REFUSAL;
    c->rule = said.rule;
    return AT_OK;
}

/* out: the case */
static at_status read_expect(const at_reader *r, void *out, const at_yaml *value) {
    at_case *c = out;
    c->gates = 0;
    if (value->kind == AT_YAML_MAP) return read_refusal(r, c, value);
    c->expect = at_yaml_is(value, "exact") ? AT_EXPECT_EXACT : AT_EXPECT_BUDGET;
    if (at_yaml_is(value, "exact") || at_yaml_is(value, "budget")) return AT_OK;
    return at_wrong_type(r, "expect", value, "exact, budget or {refuse: RULE, gates: [...]}");
}

static const at_key rows_keys[] = {
    {.name = "sample",
     .type = AT_KEY_INTEGER,
     .least = 1,
     .most = INT32_MAX,
     .about = "how many (token, head) rows to judge",
     .required = true},
    {0},
};

static at_status read_rows(const at_reader *r, void *out, const at_yaml *map) {
    return at_map_read(r, rows_keys, "rows", out, map);
}

static at_status read_extra(const at_reader *r, void *out, const at_yaml *list) {
    (void)r;
    *(const at_yaml **)out = list;
    return AT_OK;
}

#define OTHER(name_, member, read_, about_)                                                                            \
    { .name = name_, .type = AT_KEY_OTHER, .at = offsetof(at_draft, member), .read = read_, .about = about_ }
#define CHOICE(name_, member, words_, about_)                                                                          \
    { .name = name_, .type = AT_KEY_CHOICE, .at = offsetof(at_draft, member), .words = words_, .about = about_ }
#define TOKENS(name_, list, about_)                                                                                    \
    {                                                                                                                  \
        .name = name_, .type = AT_KEY_INTEGERS, .at = offsetof(at_draft, c.list),                                      \
        .count_at = offsetof(at_draft, c.list##s), .most = INT32_MAX, .about = about_                                  \
    }

const at_key at_case_keys[] = {
    {.name = "name",
     .type = AT_KEY_WORD,
     .at = offsetof(at_draft, c.name),
     .about = "a word that is the middle of its ids",
     .required = true},
    {.name = "why",
     .type = AT_KEY_TEXT,
     .at = offsetof(at_draft, c.why),
     .most = AT_TEXT_MOST,
     .about = "the fault that the case finds, in a sentence",
     .required = true},
    OTHER("covers", c.covers, read_covers, "a list of clauses: read.window, S1"),
    {.name = "tags", .type = AT_KEY_WORDS, .at = offsetof(at_draft, c.tags), .about = "a list of words to select by"},
    CHOICE("tier", c.tier, tier_words, "smoke, quick (if not said), full or stress"),
    CHOICE("dialect", dialect, dialect_words, "onnx-genai or onnxruntime; not said: the subject's first"),
    CHOICE("dtype", dtype, dtype_words, "float16 (if not said) or bfloat16"),
    OTHER("geometry", geometry, read_geometry, "a name of `geometries`, or such a map"),
    {NUMBER(at_draft, c.block_size, "block_size", 1, 65536, "tokens of a page; 16 if not said")},
    OTHER("sequences", c, read_sequences, "a list of {past, new}; one if not said"),
    {NUMBER(at_draft, past, "past", 0, INT32_MAX, "tokens in the cache before the call, of every sequence")},
    {NUMBER(at_draft, fresh, "new", 0, INT32_MAX, "tokens of this call, of every sequence")},
    {NUMBER(at_draft, copies, "copies", 1, MOST_SEQUENCES, "how often the list of sequences is repeated")},
    CHOICE("page_order", c.page_order, order_words,
           "identity (if not said), reversed, random or apart: no two neighbours adjacent"),
    {NUMBER(at_draft, c.shared_prefix, "shared_prefix", 0, MOST_PAGES, "leading pages that all sequences share")},
    {NUMBER(at_draft, c.spare_pages, "spare_pages", 0, MOST_PAGES, "pages of nobody")},
    {NUMBER(at_draft, c.spare_columns, "spare_columns", 0, 65536, "columns of block_table past the longest sequence")},
    {NUMBER(at_draft, c.padded_tokens, "padded_tokens", 0, 65536, "tokens past the last sequence")},
    TOKENS("skip", skip, "an ascending list of tokens whose slot is -1"),
    TOKENS("beyond", beyond, "an ascending list of tokens whose slot lies past the cache"),
    OTHER("unmapped", c, read_unmapped, "a list of {sequence, page, entry}"),
    OTHER("data", c, read_data, "the name of a design (normal if not said), or {design: NAME, parameter: number}"),
    CHOICE("poison", c.poison, poison_words,
           "zero, nan (if not said), inf, largest or neighbour: what lies where nothing may be read"),
    OTHER("expect", c, read_expect, "budget (if not said), exact or {refuse: RULE, gates: [...]}"),
    OTHER("inputs", c, at_inputs_read, "a map from input to absent, present or {dtype, shape}"),
    OTHER("outputs", c, at_outputs_read, "a map from output to absent, present, separate or {dtype, shape}"),
    CHOICE("capture", cold, capture_words, "cold: the call comes while capturing and was never run before"),
    OTHER("rows", c.sample_rows, read_rows, "{sample: N}: judge N rows of the output, not all"),
    {.name = "modes",
     .type = AT_KEY_WORDS,
     .at = offsetof(at_draft, c.modes),
     .words = at_mode_names,
     .about = "a list of modes; if not said eager and replay, or refuse where a refusal is expected; the others are "
              "asked for by name"},
    OTHER("attributes", extra, read_extra, "a list of {name, int | float | string} to append to the node as they are"),
    {.name = "node",
     .type = AT_KEY_OTHER,
     .about = "a map of attributes, which may as well stand beside the other keys"},
    {.name = "matrix", .type = AT_KEY_OTHER, .about = "a map from key to values, crossed"},
    {.name = "zip", .type = AT_KEY_OTHER, .about = "a map from key to values, in step"},
    {0},
};
_Static_assert(sizeof at_case_keys / sizeof *at_case_keys == AT_CASE_KEYS + 1, "one slot a key");
_Static_assert(sizeof(at_tier) == sizeof(int) && sizeof(at_poison) == sizeof(int), "a choice is stored as an int");

at_status at_draft_start(const at_reader *r, at_draft *out) {
    *out = (at_draft){.dialect = -1, .past = -1, .fresh = -1, .copies = 1};
    at_case *c = &out->c;
    c->tier = AT_QUICK;
    c->block_size = 16;
    c->poison = AT_POISON_NAN;
    c->tags = at_arena_get(r->arena, 1, sizeof *c->tags);
    c->covers = at_arena_get(r->arena, 1, sizeof *c->covers);
    c->modes = at_arena_get(r->arena, 1, sizeof *c->modes);
    c->design = at_arena_text(r->arena, "normal", strlen("normal"));
    return c->tags && c->covers && c->modes && c->design ? AT_OK : at_arena_fail(r->err, r->arena, c->place);
}
