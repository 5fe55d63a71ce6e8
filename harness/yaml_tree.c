#include "yaml_tree.h"

#include <stdlib.h>
#include <string.h>
#include <yaml.h>

/* A collection that is still open: its children are the tail of `parser.child` from `first` on, keys and values in
 * turn. */
typedef struct {
    at_yaml *node;
    size_t first;
    size_t weight_before;
    const char *anchor;
} frame;

typedef struct {
    const char *name;
    const at_yaml *node;
} anchor;

typedef struct {
    yaml_parser_t yaml;
    at_arena *arena;
    const char *file;
    const at_limits *limits;
    at_error *err;
    frame *open;
    const at_yaml **child;
    anchor *anchors;
    size_t opens, childs, names, aliases, weight;
    size_t child_room, name_room;
    const at_yaml *root;
} parser;

static at_place place_of(const parser *p, yaml_mark_t mark) {
    return (at_place){p->file, (int)mark.line + 1, (int)mark.column + 1};
}

static at_status no_memory(const parser *p, at_place place) {
    return at_arena_fail(p->err, p->arena, place);
}

static bool grow(void **array, size_t *room, size_t used, size_t size) {
    if (used < *room) return true;
    size_t more = *room ? *room * 2 : 64;
    void *larger = realloc(*array, more * size);
    if (larger == NULL) return false;
    *array = larger;
    *room = more;
    return true;
}

static at_status count_nodes(parser *p, size_t weight, at_place place) {
    if (weight <= p->limits->nodes - p->weight) return p->weight += weight, AT_OK;
    return at_place_fail(p->err, place, "more than %zu values, aliases written out; split the file", p->limits->nodes);
}

static at_status too_deep(const parser *p, at_place place) {
    return at_place_fail(p->err, place, "nested more than %zu deep; no case needs that", p->limits->depth);
}

static at_status remember(parser *p, const char *name, const at_yaml *node) {
    if (name == NULL) return AT_OK;
    if (!grow((void **)&p->anchors, &p->name_room, p->names, sizeof *p->anchors)) return no_memory(p, node->place);
    p->anchors[p->names++] = (anchor){name, node};
    return AT_OK;
}

/* A finished node becomes a child of the innermost open collection, or the root. */
static at_status attach(parser *p, const at_yaml *node) {
    if (p->opens == 0) return p->root = node, AT_OK;
    frame *f = &p->open[p->opens - 1];
    bool is_key = f->node->kind == AT_YAML_MAP && (p->childs - f->first) % 2 == 0;
    if (is_key && node->kind != AT_YAML_SCALAR)
        return at_place_fail(p->err, node->place, "a key is a list or a map; write a word before the colon");
    if (!grow((void **)&p->child, &p->child_room, p->childs, sizeof *p->child)) return no_memory(p, node->place);
    p->child[p->childs++] = node;
    if (node->height + 1 > f->node->height) f->node->height = node->height + 1;
    return AT_OK;
}

static at_status new_node(parser *p, at_yaml **out, at_yaml_kind kind, const yaml_event_t *event,
                          const yaml_char_t *tag) {
    at_place place = place_of(p, event->start_mark);
    if (tag != NULL)
        return at_place_fail(p->err, place, "tag '%.40s' is not used here; leave it out", (const char *)tag);
    at_status st = count_nodes(p, 1, place);
    if (st != AT_OK) return st;
    at_yaml *node = at_arena_get(p->arena, 1, sizeof *node);
    if (node == NULL) return no_memory(p, place);
    *node = (at_yaml){.kind = kind, .place = place, .height = 1, .weight = 1};
    *out = node;
    return AT_OK;
}

/* NULL for no name; *ok is false when memory is short. */
static const char *keep_name(parser *p, const yaml_char_t *name, bool *ok) {
    const char *copy = name ? at_arena_text(p->arena, (const char *)name, strlen((const char *)name)) : NULL;
    *ok = name == NULL || copy != NULL;
    return copy;
}

static at_status on_scalar(parser *p, const yaml_event_t *event) {
    at_yaml *node = NULL;
    const char *value = (const char *)event->data.scalar.value;
    size_t bytes = event->data.scalar.length;
    at_status st = new_node(p, &node, AT_YAML_SCALAR, event, event->data.scalar.tag);
    if (st != AT_OK) return st;
    if (memchr(value, 0, bytes) != NULL)
        return at_place_fail(p->err, node->place, "a NUL character stands in the text; leave it out");
    bool ok = true;
    const char *name = keep_name(p, event->data.scalar.anchor, &ok);
    if (!ok) return no_memory(p, node->place);
    node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    node->text = at_arena_text(p->arena, value, bytes);
    if (node->text == NULL) return no_memory(p, node->place);
    if ((st = remember(p, name, node)) != AT_OK) return st;
    return attach(p, node);
}

static at_status on_alias(parser *p, const yaml_event_t *event) {
    at_place place = place_of(p, event->start_mark);
    const char *name = (const char *)event->data.alias.anchor;
    const at_yaml *target = NULL;
    for (size_t i = p->names; i-- > 0 && target == NULL;) {
        if (strcmp(p->anchors[i].name, name) == 0) target = p->anchors[i].node;
    }
    if (target == NULL)
        return at_place_fail(p->err, place, "alias '*%.40s' has no finished anchor before it; define it above", name);
    if (++p->aliases > p->limits->aliases)
        return at_place_fail(p->err, place, "more than %zu aliases; write the values out, or use a matrix",
                             p->limits->aliases);
    if (p->opens + target->height > p->limits->depth) return too_deep(p, place);
    at_status st = count_nodes(p, target->weight, place);
    return st != AT_OK ? st : attach(p, target);
}

static at_status on_start(parser *p, at_yaml_kind kind, const yaml_event_t *event, const yaml_char_t *name,
                          const yaml_char_t *tag) {
    at_yaml *node = NULL;
    if (p->opens >= p->limits->depth) return too_deep(p, place_of(p, event->start_mark));
    at_status st = new_node(p, &node, kind, event, tag);
    if (st != AT_OK) return st;
    bool ok = true;
    p->open[p->opens++] = (frame){node, p->childs, p->weight - 1, keep_name(p, name, &ok)};
    return ok ? AT_OK : no_memory(p, node->place);
}

static int by_text(const void *a, const void *b) {
    const at_yaml *x = *(const at_yaml *const *)a, *y = *(const at_yaml *const *)b;
    int order = strcmp(x->text, y->text);
    if (order != 0) return order;
    return x->place.line != y->place.line ? x->place.line - y->place.line : x->place.column - y->place.column;
}

static at_status no_key_twice(parser *p, const at_yaml *map) {
    if (map->count < 2) return AT_OK;
    at_status st = AT_OK;
    const at_yaml **sorted = malloc(map->count * sizeof *sorted);
    if (sorted == NULL) return no_memory(p, map->place);
    memcpy(sorted, map->key, map->count * sizeof *sorted);
    qsort(sorted, map->count, sizeof *sorted, by_text);
    for (size_t i = 1; i < map->count && st == AT_OK; i++) {
        char text[AT_SHOWN];
        if (strcmp(sorted[i - 1]->text, sorted[i]->text) == 0)
            st = at_place_fail(p->err, sorted[i]->place, "key %s again, first at line %d; keep one",
                               at_yaml_show(sorted[i], text), sorted[i - 1]->place.line);
    }
    free(sorted);
    return st;
}

static at_status on_end(parser *p) {
    frame f = p->open[--p->opens];
    at_yaml *node = f.node;
    size_t children = p->childs - f.first, step = node->kind == AT_YAML_MAP ? 2 : 1;
    node->count = children / step;
    node->item = at_arena_get(p->arena, node->count, sizeof *node->item);
    node->key = step == 2 ? at_arena_get(p->arena, node->count, sizeof *node->key) : NULL;
    if (node->item == NULL || (step == 2 && node->key == NULL)) return no_memory(p, node->place);
    for (size_t i = 0; i < node->count; i++) {
        if (step == 2) node->key[i] = p->child[f.first + 2 * i];
        node->item[i] = p->child[f.first + step * i + step - 1];
    }
    p->childs = f.first;
    node->weight = p->weight - f.weight_before;
    at_status st = step == 2 ? no_key_twice(p, node) : AT_OK;
    if (st == AT_OK) st = remember(p, f.anchor, node);
    return st == AT_OK ? attach(p, node) : st;
}

static at_status on_event(parser *p, const yaml_event_t *event) {
    switch (event->type) {
    case YAML_SCALAR_EVENT: return on_scalar(p, event);
    case YAML_ALIAS_EVENT: return on_alias(p, event);
    case YAML_SEQUENCE_START_EVENT:
        return on_start(p, AT_YAML_LIST, event, event->data.sequence_start.anchor, event->data.sequence_start.tag);
    case YAML_MAPPING_START_EVENT:
        return on_start(p, AT_YAML_MAP, event, event->data.mapping_start.anchor, event->data.mapping_start.tag);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT: return on_end(p);
    case YAML_DOCUMENT_START_EVENT:
        if (p->root == NULL) return AT_OK;
        return at_place_fail(p->err, place_of(p, event->start_mark), "a second document starts; keep one to a file");
    default: return AT_OK;
    }
}

static at_status syntax(const parser *p) {
    if (p->yaml.error == YAML_MEMORY_ERROR) return at_fail_memory(p->err, 0);
    const char *problem = p->yaml.problem ? p->yaml.problem : "it is not YAML";
    const char *context = p->yaml.context ? p->yaml.context : "";
    return at_place_fail(p->err, place_of(p, p->yaml.problem_mark),
                         "%s%s%s; look at quotes, brackets and indentation there and above", problem,
                         context[0] ? " " : "", context);
}

static at_status parse_events(parser *p) {
    at_status st = AT_OK;
    for (bool more = true; more && st == AT_OK;) {
        yaml_event_t event;
        if (!yaml_parser_parse(&p->yaml, &event)) return syntax(p);
        st = on_event(p, &event);
        more = event.type != YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
    }
    if (st == AT_OK && p->root == NULL)
        st = at_place_fail(p->err, (at_place){p->file, 1, 1}, "the file is empty; a suite starts with `schema: 1`");
    return st;
}

at_status at_yaml_parse(const at_yaml **out, at_arena *arena, const char *file, const char *bytes, size_t size,
                        const at_limits *limits, at_error *err) {
    parser p = {.arena = arena, .file = file, .limits = limits, .err = err};
    at_status st = at_yaml_check_text(file, bytes, size, err);
    if (st != AT_OK) return st;
    if (!yaml_parser_initialize(&p.yaml)) return at_fail_memory(err, sizeof p.yaml);
    yaml_parser_set_input_string(&p.yaml, (const unsigned char *)bytes, size);
    yaml_parser_set_encoding(&p.yaml, YAML_UTF8_ENCODING);
    p.open = calloc(limits->depth + 1, sizeof *p.open);
    st = p.open ? parse_events(&p) : at_fail_memory(err, limits->depth * sizeof *p.open);
    *out = st == AT_OK ? p.root : NULL;
    yaml_parser_delete(&p.yaml);
    free(p.open);
    free(p.child);
    free(p.anchors);
    return st;
}
