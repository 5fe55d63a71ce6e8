#include "fields.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- kinds ---- */

static const void *member(const at_field *f, const void *owner) {
    return (const char *)owner + f->offset;
}
static void *member_to_fill(const at_field *f, void *owner) {
    return (char *)owner + f->offset;
}

static void put_string(FILE *out, const at_field *f, const void *owner) {
    at_json_put_string(out, *(char *const *)member(f, owner));
}
static bool get_string(at_json *json, const at_field *f, void *owner) {
    return at_json_string(json, (char **)member_to_fill(f, owner));
}
static bool no_string(const at_field *f, const void *owner) {
    return *(char *const *)member(f, owner) == NULL;
}
static void clear_string(const at_field *f, void *owner) {
    free(*(char **)member_to_fill(f, owner));
}

static void put_list(FILE *out, const at_field *f, const void *owner) {
    char *const *list = *(char **const *)member(f, owner);
    putc('[', out);
    for (size_t i = 0; list[i] != NULL; i++) {
        if (i > 0) putc(',', out);
        at_json_put_string(out, list[i]);
    }
    putc(']', out);
}
static bool get_list(at_json *json, const at_field *f, void *owner) {
    char ***list = member_to_fill(f, owner);
    size_t filled = 0, room = 8;
    if ((*list = calloc(room, sizeof **list)) == NULL) return at_json_no_memory(json);
    if (!at_json_enter(json, '[')) return false;
    for (bool first = true; at_json_more(json, ']', first); first = false) {
        if (filled + 1 == room) {
            char **more = realloc(*list, 2 * room * sizeof **list);
            if (more == NULL) return at_json_no_memory(json);
            memset(more + room, 0, room * sizeof *more);
            *list = more;
            room *= 2;
        }
        if (!at_json_string(json, &(*list)[filled])) return false;
        filled++;
    }
    return json->wrong == NULL;
}
static bool no_list(const at_field *f, const void *owner) {
    return *(char **const *)member(f, owner) == NULL;
}
static void clear_list(const at_field *f, void *owner) {
    char **list = *(char ***)member_to_fill(f, owner);
    for (size_t i = 0; list != NULL && list[i] != NULL; i++) free(list[i]);
    free(list);
}

static void put_chars(FILE *out, const at_field *f, const void *owner) {
    at_json_put_string(out, member(f, owner));
}
static bool get_chars(at_json *json, const at_field *f, void *owner) {
    return at_json_chars(json, member_to_fill(f, owner), f->size);
}

static void put_bool(FILE *out, const at_field *f, const void *owner) {
    fputs(*(const bool *)member(f, owner) ? "true" : "false", out);
}
static bool get_bool(at_json *json, const at_field *f, void *owner) {
    return at_json_bool(json, member_to_fill(f, owner));
}

static void put_int64(FILE *out, const at_field *f, const void *owner) {
    fprintf(out, "%" PRId64, *(const int64_t *)member(f, owner));
}
static bool get_int64(at_json *json, const at_field *f, void *owner) {
    return at_json_int64(json, member_to_fill(f, owner));
}

static void put_int(FILE *out, const at_field *f, const void *owner) {
    fprintf(out, "%d", *(const int *)member(f, owner));
}
static bool get_int(at_json *json, const at_field *f, void *owner) {
    int64_t value;
    if (!at_json_int64(json, &value)) return false;
    if (value < INT_MIN || value > INT_MAX) return at_json_wrong(json, "an integer beyond 32 bits");
    *(int *)member_to_fill(f, owner) = (int)value;
    return true;
}

/* A seed is a string: a reader that keeps numbers in doubles would change it. */
static void put_uint64(FILE *out, const at_field *f, const void *owner) {
    fprintf(out, "\"%" PRIu64 "\"", *(const uint64_t *)member(f, owner));
}
static bool get_uint64(at_json *json, const at_field *f, void *owner) {
    char text[24], again[24];
    if (!at_json_chars(json, text, sizeof text)) return false;
    uint64_t value = strtoull(text, NULL, 10);
    snprintf(again, sizeof again, "%" PRIu64, value);
    if (strcmp(text, again) != 0) return at_json_wrong(json, "a string of a 64-bit number is due");
    *(uint64_t *)member_to_fill(f, owner) = value;
    return true;
}

static void put_double(FILE *out, const at_field *f, const void *owner) {
    at_json_put_double(out, *(const double *)member(f, owner));
}
static bool get_double(at_json *json, const at_field *f, void *owner) {
    return at_json_double(json, member_to_fill(f, owner));
}

static void put_objects(FILE *out, const at_field *f, const void *owner) {
    int count = *(const int *)((const char *)owner + f->counter), room = (int)(f->size / f->of->bytes);
    putc('[', out);
    for (int i = 0; i < count && i < room; i++) {
        if (i > 0) putc(',', out);
        at_fields_put(out, f->of, (const char *)member(f, owner) + (size_t)i * f->of->bytes);
    }
    putc(']', out);
}
static bool get_objects(at_json *json, const at_field *f, void *owner) {
    int *count = (int *)((char *)owner + f->counter), room = (int)(f->size / f->of->bytes);
    if (!at_json_enter(json, '[')) return false;
    for (bool first = true; at_json_more(json, ']', first); first = false) {
        if (*count == room) return at_json_wrong(json, "more entries than a record holds");
        if (!at_fields_get(json, f->of, (char *)member_to_fill(f, owner) + (size_t)*count * f->of->bytes)) return false;
        ++*count;
    }
    return json->wrong == NULL;
}

const at_field_kind at_field_string = {put_string, get_string, no_string, clear_string};
const at_field_kind at_field_list = {put_list, get_list, no_list, clear_list};
const at_field_kind at_field_chars = {put_chars, get_chars, NULL, NULL};
const at_field_kind at_field_flag = {put_bool, get_bool, NULL, NULL};
const at_field_kind at_field_int = {put_int, get_int, NULL, NULL};
const at_field_kind at_field_int64 = {put_int64, get_int64, NULL, NULL};
const at_field_kind at_field_uint64 = {put_uint64, get_uint64, NULL, NULL};
const at_field_kind at_field_double = {put_double, get_double, NULL, NULL};
const at_field_kind at_field_objects = {put_objects, get_objects, NULL, NULL};

/* ---- structs ---- */

void at_fields_put(FILE *out, const at_fields *t, const void *owner) {
    bool first = true;
    putc('{', out);
    for (const at_field *f = t->field; f < t->field + t->fields; f++) {
        if (f->kind->absent != NULL && f->kind->absent(f, owner)) continue;
        fprintf(out, "%s\"%s\":", first ? "" : ",", f->key);
        f->kind->put(out, f, owner);
        first = false;
    }
    putc('}', out);
}

/* Keys mostly come in the table's order, so the search starts where the last one ended. */
static const at_field *field_of_key(const at_fields *t, const at_json *json, size_t *hint) {
    for (size_t i = 0; i < t->fields; i++) {
        size_t at = (*hint + i) % t->fields;
        const char *key = t->field[at].key;
        if (strncmp(key, json->key, json->key_bytes) != 0 || key[json->key_bytes] != 0) continue;
        *hint = at + 1;
        return &t->field[at];
    }
    return NULL;
}

bool at_fields_get(at_json *json, const at_fields *t, void *owner) {
    uint64_t seen = 0; /* a bit a field: no table has more than 64 */
    size_t hint = 0;
    if (!at_json_enter(json, '{')) return false;
    for (bool first = true; at_json_more(json, '}', first); first = false) {
        if (!at_json_key(json)) return false;
        const at_field *f = field_of_key(t, json, &hint);
        if (f == NULL) {
            if (!at_json_skip(json)) return false;
            continue;
        }
        uint64_t bit = UINT64_C(1) << (f - t->field);
        if ((seen & bit) != 0) return at_json_wrong(json, "a key that was there before");
        seen |= bit;
        if (!f->kind->get(json, f, owner)) return false;
    }
    if (json->wrong != NULL) return false;
    for (size_t i = 0; i < t->fields; i++) {
        if (!t->field[i].required || (seen >> i & 1) != 0) continue;
        json->key = t->field[i].key;
        json->key_bytes = strlen(json->key);
        return at_json_wrong(json, "a key that must be there is missing");
    }
    return true;
}

void at_fields_clear(const at_fields *t, void *owner) {
    for (const at_field *f = t->field; f < t->field + t->fields; f++) {
        if (f->kind->clear != NULL) f->kind->clear(f, owner);
    }
    memset(owner, 0, t->bytes);
}
