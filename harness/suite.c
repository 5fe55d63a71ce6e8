#include "suite.h"
#include "suggest.h"

#include <stdio.h>
#include <string.h>

enum { MOST_DIMENSION = 65536, MOST_INCLUDES = 16 };

#define GEOMETRY(field, least_, required_, about_)                                                                     \
    {                                                                                                                  \
        .name = #field, .type = AT_KEY_INTEGER, .at = offsetof(at_geometry, field), .least = least_,                   \
        .most = MOST_DIMENSION, .required = required_, .about = about_                                                 \
    }
const at_key at_geometry_keys[] = {
    GEOMETRY(head_size, 1, true, "the channels of a query head and of a latent row"),
    GEOMETRY(v_head_size, 1, true, "the leading channels that are the value"),
    GEOMETRY(rotary_offset, 0, false, "the first rotated channel"),
    GEOMETRY(rotary_dim, 0, false, "how many channels rotate: even, 0 for none"),
    GEOMETRY(num_heads, 1, true, "query heads"),
    {0},
};

at_status at_geometry_read(const at_reader *r, at_geometry *out, const at_yaml *map) {
    at_status st = at_map_read(r, at_geometry_keys, "a geometry", out, map);
    if (st != AT_OK) return st;
    if (out->rotary_dim % 2 != 0)
        return at_place_fail(r->err, map->place, "rotary_dim is odd; channels rotate in pairs, give an even number");
    if (out->v_head_size > out->head_size)
        return at_place_fail(r->err, map->place,
                             "v_head_size is greater than head_size; the value is part of the latent row");
    if (out->rotary_offset + out->rotary_dim > out->head_size)
        return at_place_fail(r->err, map->place,
                             "the rotated channels end past head_size; make rotary_offset + rotary_dim fit");
    return AT_OK;
}

const at_geometry *at_geometry_by_name(const at_scope *scope, const char *name) {
    for (size_t i = 0; i < scope->geometries; i++) {
        if (strcmp(scope->geometry[i].name, name) == 0) return &scope->geometry[i];
    }
    return NULL;
}

const char *at_word_of_geometries(const void *scope, size_t i) {
    const at_scope *s = scope;
    return i < s->geometries ? s->geometry[i].name : NULL;
}

const at_clause *at_clause_by_id(const at_scope *scope, const char *id) {
    for (size_t i = 0; i < scope->clauses; i++) {
        if (strcmp(scope->clause[i].id, id) == 0) return &scope->clause[i];
    }
    return NULL;
}

const char *at_word_of_clauses(const void *scope, size_t i) {
    const at_scope *s = scope;
    return i < s->clauses ? s->clause[i].id : NULL;
}

/* The list, made longer by as many zeroed entries as the map has; names may not be taken. */
static at_status extend(const at_reader *r, const at_scope *scope, void **list, size_t have, size_t size,
                        const char *what, const at_yaml *map, at_word_at taken) {
    if (map->kind != AT_YAML_MAP || map->count > AT_LIST_MOST - have)
        return at_wrong_type(r, what, map, "a map of names, at most 1024 with those included");
    for (size_t i = 0; i < map->count; i++) {
        const char *known;
        for (size_t k = 0; (known = taken(scope, k)) != NULL; k++) {
            if (strcmp(known, map->key[i]->text) == 0)
                return at_place_fail(r->err, map->key[i]->place, "%s '%s' is defined twice; rename one", what, known);
        }
    }
    char *longer = at_arena_get(r->arena, have + map->count, size);
    if (longer == NULL) return at_arena_fail(r->err, r->arena, map->place);
    if (have > 0) memcpy(longer, *list, have * size);
    *list = longer;
    return AT_OK;
}

static at_status read_geometries(const at_reader *r, void *out, const at_yaml *map) {
    at_scope *scope = &((at_suite_file *)out)->scope;
    void *list = scope->geometry;
    at_status st =
        extend(r, scope, &list, scope->geometries, sizeof *scope->geometry, "geometry", map, at_word_of_geometries);
    scope->geometry = list;
    for (size_t i = 0; i < map->count && st == AT_OK; i++) {
        at_geometry *g = &scope->geometry[scope->geometries];
        const char *name = map->key[i]->text;
        if (!at_is_word(name))
            return at_wrong_type(r, "the name of a geometry", map->key[i], "a word of a-z, 0-9 and ._+-");
        if ((st = at_geometry_read(r, g, map->item[i])) != AT_OK) return st;
        if ((g->name = at_arena_text(r->arena, name, strlen(name))) == NULL)
            return at_arena_fail(r->err, r->arena, map->place);
        scope->geometries++;
    }
    return st;
}

static at_status read_clauses(const at_reader *r, void *out, const at_yaml *map) {
    at_scope *scope = &((at_suite_file *)out)->scope;
    void *list = scope->clause;
    at_status st = extend(r, scope, &list, scope->clauses, sizeof *scope->clause, "clause", map, at_word_of_clauses);
    scope->clause = list;
    const at_key sentence = {.name = "a clause", .type = AT_KEY_TEXT, .about = "its sentence", .most = AT_TEXT_MOST};
    for (size_t i = 0; i < map->count && st == AT_OK; i++) {
        char *about = NULL;
        const char *id = map->key[i]->text;
        if ((st = at_key_read(r, &sentence, &about, map->item[i])) != AT_OK) return st;
        char *copy = at_arena_text(r->arena, id, strlen(id));
        if (copy == NULL) return at_arena_fail(r->err, r->arena, map->place);
        scope->clause[scope->clauses++] = (at_clause){copy, about};
    }
    return st;
}

static at_status read_defaults(const at_reader *r, void *out, const at_yaml *map) {
    if (map->kind != AT_YAML_MAP) return at_wrong_type(r, "defaults", map, "a map of case keys");
    ((at_suite_file *)out)->defaults = map;
    return AT_OK;
}

static at_status read_cases(const at_reader *r, void *out, const at_yaml *list) {
    if (list->kind != AT_YAML_LIST || list->count == 0)
        return at_wrong_type(r, "cases", list, "a list of at least one case");
    ((at_suite_file *)out)->cases = list;
    return AT_OK;
}

static at_status read_floor(const at_reader *r, void *out, const at_yaml *map) {
    at_suite_file *f = out;
    if (map->kind != AT_YAML_MAP) return at_wrong_type(r, "floor", map, "a map from tier to number of cases");
    for (size_t i = 0; i < map->count; i++) {
        at_tier tier;
        int64_t number = 0;
        const at_key key = {.name = map->key[i]->text,
                            .type = AT_KEY_INTEGER,
                            .about = "a number of cases",
                            .least = 1,
                            .most = INT32_MAX};
        if (!at_tier_by_name(&tier, key.name))
            return at_unknown(r, "tier", map->key[i], NULL, "it is one of smoke, quick, full, stress");
        at_status st = at_key_read(r, &key, &number, map->item[i]);
        if (st != AT_OK) return st;
        f->floor[tier] = (size_t)number;
        f->floor_place[tier] = map->item[i]->place;
    }
    return AT_OK;
}

static at_status read_version(const at_reader *r, void *out, const at_yaml *value) {
    (void)out;
    int64_t version = 0;
    if (at_yaml_integer(value, &version) && version == 1) return AT_OK;
    return at_wrong_type(r, "schema", value, "1, the only one that this program knows");
}

static at_status read_include(const at_reader *, void *out, const at_yaml *list);

#define TOP(name_, read_, about_)                                                                                      \
    { .name = name_, .type = AT_KEY_OTHER, .read = read_, .about = about_ }
#define SCHEMA                                                                                                         \
    { .name = "schema", .type = AT_KEY_OTHER, .read = read_version, .about = "1", .required = true }
#define ABOUT                                                                                                          \
    {                                                                                                                  \
        .name = "about", .type = AT_KEY_TEXT, .about = "what the file is about, in a sentence", .most = AT_TEXT_MOST,  \
        .at = offsetof(at_suite_file, about), .required = true                                                         \
    }
#define SHARED                                                                                                         \
    TOP("geometries", read_geometries,                                                                                 \
        "a map from name to {head_size, v_head_size, num_heads, rotary_offset, rotary_dim}"),                          \
        TOP("clauses", read_clauses, "a map from id to sentence: what `covers` may name")

const at_key at_suite_keys[] = {
    SCHEMA,
    {.name = "suite",
     .type = AT_KEY_WORD,
     .about = "the file's name without .yaml",
     .at = offsetof(at_suite_file, name),
     .required = true},
    ABOUT,
    TOP("include", read_include, "a list of files beside this one, for their geometries and clauses"),
    SHARED,
    TOP("floor", read_floor, "a map from tier to the number of this suite's cases that a run of the tier must execute"),
    TOP("defaults", read_defaults, "a map of case keys that hold where a case does not say otherwise"),
    {.name = "cases", .type = AT_KEY_OTHER, .read = read_cases, .about = "a list of cases", .required = true},
    {0},
};

static const at_key library_keys[] = {SCHEMA, ABOUT, SHARED, {0}};

/* index.yaml: a suite that is deleted is missed. */
static const at_key index_keys[] = {
    SCHEMA,
    ABOUT,
    {.name = "suites",
     .type = AT_KEY_WORDS,
     .about = "a list of the suites that must be in this directory",
     .at = offsetof(at_suite_file, index),
     .required = true},
    {0},
};

static bool is_index(const at_yaml *root) {
    return root->kind == AT_YAML_MAP && at_yaml_get(root, "suites") != NULL;
}

/* A name of one part: whatever it names lies beside the suite. */
static bool is_file_name(const at_yaml *name) {
    if (name->kind != AT_YAML_SCALAR || name->text[0] == '.' || strchr(name->text, '/') != NULL) return false;
    size_t n = strlen(name->text), ending = strlen(".yaml");
    return n > ending && n < 200 && strcmp(name->text + n - ending, ".yaml") == 0;
}

static at_status include(const at_reader *r, at_suite_file *out, const at_yaml *name) {
    if (!is_file_name(name))
        return at_wrong_type(r, "include", name, "the name of a .yaml file in the suite's own directory");
    const char *slash = strrchr(out->file, '/');
    int directory = slash ? (int)(slash - out->file) + 1 : 0;
    size_t size = (size_t)directory + strlen(name->text) + 1;
    char *path = at_arena_get(r->arena, size, 1);
    if (path == NULL) return at_arena_fail(r->err, r->arena, name->place);
    snprintf(path, size, "%.*s%s", directory, out->file, name->text);
    const at_yaml *root = NULL;
    at_suite_file library = {.scope = out->scope};
    at_status st = at_yaml_read(&root, out->trees, path, &name->place, r->limits, r->err);
    if (st == AT_OK) st = at_map_read(r, library_keys, "an included file", &library, root);
    out->scope = library.scope;
    return st;
}

static at_status read_include(const at_reader *r, void *out, const at_yaml *list) {
    at_status st = AT_OK;
    if (list->kind != AT_YAML_LIST || list->count > MOST_INCLUDES)
        return at_wrong_type(r, "include", list, "a list of at most 16 file names");
    for (size_t i = 0; i < list->count && st == AT_OK; i++) st = include(r, out, list->item[i]);
    return st;
}

/* The name stands twice, so that a copied file does not take over another's ids. */
static at_status check_name(const at_reader *r, const at_suite_file *f, const at_yaml *root) {
    const char *slash = strrchr(f->file, '/'), *base = slash ? slash + 1 : f->file, *dot = strrchr(base, '.');
    size_t stem = dot && dot > base ? (size_t)(dot - base) : strlen(base);
    if (strlen(f->name) == stem && memcmp(f->name, base, stem) == 0) return AT_OK;
    return at_place_fail(r->err, at_yaml_get(root, "suite")->place,
                         "suite '%s' stands in file '%s'; call it '%.*s' or rename the file", f->name, base, (int)stem,
                         base);
}

at_status at_suite_read(at_suite_file *out, at_arena *trees, at_arena *arena, const char *file, const at_limits *limits,
                        at_error *err) {
    const at_reader r = {.arena = arena, .limits = limits, .err = err};
    const at_yaml *root = NULL;
    *out = (at_suite_file){.file = file, .trees = trees};
    at_status st = at_yaml_read(&root, trees, file, NULL, limits, err);
    if (st != AT_OK) return st;
    if (is_index(root)) return at_map_read(&r, index_keys, "an index", out, root);
    bool library =
        root->kind == AT_YAML_MAP && at_yaml_get(root, "cases") == NULL && at_yaml_get(root, "suite") == NULL;
    if (library) return at_map_read(&r, library_keys, "a file without suite and cases", out, root);
    st = at_map_read(&r, at_suite_keys, "a suite", out, root);
    return st == AT_OK ? check_name(&r, out, root) : st;
}
