#include "expand.h"
#include "suggest.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MOST_AXES = 16 };

typedef struct {
    const char *name;
    const at_yaml *key;
    int key_row, attribute_row; /* one of them, the other -1 */
    size_t count;
    const at_yaml **value; /* [count] */
    const char **label;    /* [count] */
    bool zipped;
} axis;

struct at_expansion {
    axis axis[MOST_AXES];
    size_t axes, zip_length, total;
};

/* Case keys and attributes are one namespace. */
static const char *word_of_names(const void *unused, size_t i) {
    return i < AT_CASE_KEYS ? at_case_keys[i].name : at_word_of_attributes(unused, i - AT_CASE_KEYS);
}

static at_status bind(const at_reader *r, at_bindings *b, at_level level, const at_yaml *key, const at_yaml *value) {
    const at_key *k = at_key_find(at_case_keys, key->text);
    int row = k ? (int)(k - at_case_keys) : at_attribute_row(key->text);
    if (row < 0)
        return at_unknown(r, "key", key, at_suggest(key->text, word_of_names, NULL),
                          "cases/README.md lists the keys of a case");
    unsigned char *was = k ? &b->key_level[row] : &b->attribute_level[row];
    if (*was == level) return at_place_fail(r->err, key->place, "%s is given twice; keep one", key->text);
    if (*was == AT_LEVEL_CASE && level == AT_LEVEL_AXIS)
        return at_place_fail(r->err, key->place, "%s is an axis and also fixed in the case; keep one", key->text);
    *was = (unsigned char)level;
    *(k ? &b->key[row] : &b->attribute[row]) = value;
    return AT_OK;
}

static at_status bind_node(const at_reader *r, at_bindings *b, at_level level, const at_yaml *map) {
    at_status st = AT_OK;
    if (map->kind != AT_YAML_MAP) return at_wrong_type(r, "node", map, "a map of attributes");
    for (size_t i = 0; i < map->count && st == AT_OK; i++) {
        const at_yaml *key = map->key[i];
        if (strcmp(key->text, "geometry") != 0 && at_attribute_row(key->text) < 0)
            return at_unknown(r, "attribute", key, at_suggest(key->text, at_word_of_attributes, NULL),
                              "say it under `attributes` if it shall be unknown");
        st = bind(r, b, level, key, map->item[i]);
    }
    return st;
}

at_status at_bind_map(const at_reader *r, at_bindings *b, at_level level, const at_yaml *map) {
    static const char *const own[] = {"name", "why", "matrix", "zip", NULL};
    at_status st = AT_OK;
    char text[AT_SHOWN];
    if (map->kind != AT_YAML_MAP)
        return at_place_fail(r->err, map->place, "a case is %s; give a map of keys", at_yaml_show(map, text));
    for (size_t i = 0; i < map->count && st == AT_OK; i++) {
        const at_yaml *key = map->key[i];
        for (const char *const *word = own; level == AT_LEVEL_DEFAULTS && *word != NULL; word++) {
            if (strcmp(key->text, *word) == 0)
                return at_place_fail(r->err, key->place, "%s is each case's own; move it from defaults to the cases",
                                     *word);
        }
        st = bind(r, b, level, key, map->item[i]);
        if (st == AT_OK && strcmp(key->text, "node") == 0) st = bind_node(r, b, level, map->item[i]);
    }
    return st;
}

typedef struct {
    int64_t first, last, step;
    size_t count;
} at_range;

/* A..B or A..B..STEP, ends included. */
static bool is_range(const at_yaml *value, const char **dots) {
    if (value->kind != AT_YAML_SCALAR || value->quoted) return false;
    *dots = strstr(value->text, "..");
    return *dots != NULL;
}

static bool integer_of(const char *text, size_t bytes, int64_t *out) {
    char copy[24];
    if (bytes >= sizeof copy) return false;
    memcpy(copy, text, bytes);
    copy[bytes] = 0;
    const at_yaml scalar = {.kind = AT_YAML_SCALAR, .text = copy};
    return at_yaml_integer(&scalar, out) && *out >= INT32_MIN && *out <= INT32_MAX;
}

static at_status read_range(const at_reader *r, at_range *out, const at_yaml *value, const char *dots) {
    const char *second = dots + 2, *more = strstr(second, "..");
    size_t bytes = more ? (size_t)(more - second) : strlen(second);
    *out = (at_range){.step = 1};
    bool good =
        integer_of(value->text, (size_t)(dots - value->text), &out->first) && integer_of(second, bytes, &out->last);
    if (more != NULL) good = good && integer_of(more + 2, strlen(more + 2), &out->step) && out->step != 0;
    good = good && (out->step > 0 ? out->first <= out->last : out->first >= out->last);
    if (!good)
        return at_wrong_type(r, "a range", value,
                             "FIRST..LAST or FIRST..LAST..STEP, of integers that the step leads through");
    out->count = (size_t)((out->last - out->first) / out->step) + 1;
    return AT_OK;
}

static at_status write_range(const at_reader *r, axis *a, const at_range *range, const at_yaml *value) {
    for (size_t i = 0; i < range->count; i++) {
        char text[24];
        int n = snprintf(text, sizeof text, "%" PRId64, range->first + (int64_t)i * range->step);
        at_yaml *node = at_arena_get(r->arena, 1, sizeof *node);
        char *copy = at_arena_text(r->arena, text, (size_t)n);
        if (node == NULL || copy == NULL) return at_arena_fail(r->err, r->arena, value->place);
        *node = (at_yaml){.kind = AT_YAML_SCALAR, .place = value->place, .text = copy};
        a->value[a->count] = node;
        a->label[a->count++] = copy;
    }
    return AT_OK;
}

/* A scalar shows itself; anything else is {label: WORD, value: ...}. */
static at_status read_value(const at_reader *r, axis *a, const at_yaml *value) {
    const at_yaml *label = value;
    if (value->kind == AT_YAML_MAP && value->count == 2 && at_yaml_get(value, "label") != NULL &&
        at_yaml_get(value, "value") != NULL) {
        label = at_yaml_get(value, "label");
        value = at_yaml_get(value, "value");
    }
    if (label->kind != AT_YAML_SCALAR || !at_is_word(label->text))
        return at_wrong_type(r, a->name, label,
                             "a value of a-z, 0-9 and ._+-, or {label: WORD, value: ...}, for it to stand in an id");
    const char *copy = at_arena_text(r->arena, label->text, strlen(label->text));
    if (copy == NULL) return at_arena_fail(r->err, r->arena, label->place);
    a->value[a->count] = value;
    a->label[a->count++] = copy;
    return AT_OK;
}

static at_status count_values(const at_reader *r, const at_yaml *const *item, size_t items, size_t most,
                              size_t *total) {
    at_status st = AT_OK;
    for (size_t i = 0; i < items && st == AT_OK; i++) {
        const char *dots;
        at_range range = {.count = 1};
        if (is_range(item[i], &dots)) st = read_range(r, &range, item[i], dots);
        if (st == AT_OK && range.count > most - *total)
            return at_place_fail(r->err, item[i]->place, "more than %zu cases in all; take fewer values",
                                 r->limits->cases);
        *total += range.count;
    }
    return st;
}

static at_status read_axis(const at_reader *r, axis *a, const at_yaml *list, size_t most) {
    const char *dots;
    const at_yaml *const *item = list->kind == AT_YAML_LIST ? list->item : &list;
    size_t items = list->kind == AT_YAML_LIST ? list->count : 1, total = 0;
    if (items == 0 || (list->kind != AT_YAML_LIST && !is_range(list, &dots)))
        return at_wrong_type(r, a->name, list, "a list of values, or a range FIRST..LAST");
    at_status st = count_values(r, item, items, most, &total);
    if (st != AT_OK) return st;
    a->value = at_arena_get(r->arena, total, sizeof *a->value);
    a->label = at_arena_get(r->arena, total, sizeof *a->label);
    if (a->value == NULL || a->label == NULL) return at_arena_fail(r->err, r->arena, list->place);
    for (size_t i = 0; i < items && st == AT_OK; i++) {
        at_range range;
        if (!is_range(item[i], &dots))
            st = read_value(r, a, item[i]);
        else if ((st = read_range(r, &range, item[i], dots)) == AT_OK)
            st = write_range(r, a, &range, item[i]);
    }
    return st;
}

static at_status read_group(const at_reader *r, at_expansion *axes, at_bindings *taken, const at_yaml *map, bool zipped,
                            size_t most) {
    static const char *const no_axis[] = {"name", "why", "node", "matrix", "zip", NULL};
    at_status st = AT_OK;
    if (map->kind != AT_YAML_MAP || map->count == 0)
        return at_wrong_type(r, zipped ? "zip" : "matrix", map, "a map from keys to lists of values");
    for (size_t i = 0; i < map->count && st == AT_OK; i++) {
        const at_yaml *key = map->key[i];
        for (const char *const *word = no_axis; *word != NULL; word++) {
            if (strcmp(key->text, *word) == 0)
                return at_place_fail(r->err, key->place, "%s cannot be an axis; take one of its keys", *word);
        }
        if ((st = bind(r, taken, AT_LEVEL_AXIS, key, map->item[i])) != AT_OK) return st;
        if (axes->axes == MOST_AXES) return at_place_fail(r->err, key->place, "more than %d axes; fix some", MOST_AXES);
        axis *a = &axes->axis[axes->axes++];
        const at_key *k = at_key_find(at_case_keys, key->text);
        *a = (axis){.name = key->text,
                    .key = key,
                    .zipped = zipped,
                    .key_row = k ? (int)(k - at_case_keys) : -1,
                    .attribute_row = k ? -1 : at_attribute_row(key->text)};
        st = read_axis(r, a, map->item[i], most);
    }
    return st;
}

static at_status count_cases(const at_reader *r, at_expansion *axes, size_t most) {
    axes->total = axes->zip_length = 1;
    const axis *first = NULL;
    for (size_t i = 0; i < axes->axes; i++) {
        const axis *a = &axes->axis[i];
        if (a->zipped && first != NULL) {
            if (a->count != first->count)
                return at_place_fail(r->err, a->key->place,
                                     "zip goes in step, but %s has %zu values and %s has %zu; make them equal", a->name,
                                     a->count, first->name, first->count);
            continue;
        }
        if (a->zipped) first = a, axes->zip_length = a->count;
        if (a->count > most / axes->total)
            return at_place_fail(r->err, a->key->place, "more than %zu cases in all; take fewer values",
                                 r->limits->cases);
        axes->total *= a->count;
    }
    return AT_OK;
}

at_status at_expansion_read(at_expansion **out, const at_reader *r, const at_bindings *fixed, const at_yaml *matrix,
                            const at_yaml *zip, size_t most) {
    at_expansion *axes = at_arena_get(r->arena, 1, sizeof *axes);
    at_bindings taken = *fixed;
    at_status st = AT_OK;
    if (axes == NULL) return at_fail_memory(r->err, sizeof *axes);
    if (matrix != NULL) st = read_group(r, axes, &taken, matrix, false, most);
    if (st == AT_OK && zip != NULL) st = read_group(r, axes, &taken, zip, true, most);
    if (st == AT_OK) st = count_cases(r, axes, most);
    *out = axes;
    return st;
}

size_t at_expansion_count(const at_expansion *axes) {
    return axes->total;
}

/* The last axis runs fastest; the zipped ones are one axis, where the first of them stands. */
static void indices(const at_expansion *axes, size_t i, size_t index[MOST_AXES]) {
    size_t zip = axes->zip_length, in_zip = i % zip;
    i /= zip;
    for (size_t a = axes->axes; a-- > 0;) {
        const axis *x = &axes->axis[a];
        index[a] = x->zipped ? in_zip : i % x->count;
        if (!x->zipped) i /= x->count;
    }
}

void at_expansion_bind(const at_expansion *axes, size_t i, at_bindings *b) {
    size_t index[MOST_AXES];
    indices(axes, i, index);
    for (size_t a = 0; a < axes->axes; a++) {
        const axis *x = &axes->axis[a];
        *(x->key_row >= 0 ? &b->key[x->key_row] : &b->attribute[x->attribute_row]) = x->value[index[a]];
    }
}

void at_expansion_label(const at_expansion *axes, size_t i, char *text, size_t size) {
    size_t index[MOST_AXES], used = 0;
    indices(axes, i, index);
    text[0] = 0;
    for (size_t a = 0; a < axes->axes && used < size; a++) {
        const axis *x = &axes->axis[a];
        used += (size_t)snprintf(text + used, size - used, "%s%s=%s", a ? "," : "", x->name, x->label[index[a]]);
    }
}
