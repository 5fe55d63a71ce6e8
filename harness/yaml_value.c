/* What a node says, and how a message shows it. */
#include "yaml_tree.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

at_status at_place_fail(at_error *err, at_place place, const char *format, ...) {
    char what[sizeof err->text];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return at_fail(err, AT_USAGE, "%s:%d:%d: %s", place.file, place.line, place.column, what);
}

at_status at_arena_fail(at_error *err, const at_arena *arena, at_place place) {
    if (at_arena_full(arena))
        return at_place_fail(err, place, "the cases take more memory than the limit; expand to fewer");
    return at_fail_memory(err, 0);
}

const char *at_yaml_show(const at_yaml *node, char text[AT_SHOWN]) {
    if (node->kind == AT_YAML_LIST) return node->count ? "a list" : "an empty list";
    if (node->kind == AT_YAML_MAP) return node->count ? "a map" : "an empty map";
    if (node->text[0] == 0 && !node->quoted) return "nothing";
    size_t whole = strlen(node->text), most = AT_SHOWN - sizeof "''...";
    int n = (int)(whole <= most ? whole : most);
    while (whole > most && n > 0 && (node->text[n] & 0xC0) == 0x80) n--;
    snprintf(text, AT_SHOWN, "'%.*s%s'", n, node->text, whole > most ? "..." : "");
    return text;
}

const at_yaml *at_yaml_get(const at_yaml *map, const char *key) {
    for (size_t i = 0; map->kind == AT_YAML_MAP && i < map->count; i++) {
        if (strcmp(map->key[i]->text, key) == 0) return map->item[i];
    }
    return NULL;
}

bool at_yaml_is(const at_yaml *node, const char *plain_word) {
    return node->kind == AT_YAML_SCALAR && !node->quoted && strcmp(node->text, plain_word) == 0;
}

static const char *skip_digits(const char *s) {
    while (*s >= '0' && *s <= '9') s++;
    return s;
}

/* The digits of a whole number: 0, or without leading zeros. NULL where there are none. */
static const char *skip_whole(const char *s) {
    const char *end = skip_digits(s);
    return end == s || (*s == '0' && end - s > 1) ? NULL : end;
}

bool at_yaml_integer(const at_yaml *node, int64_t *out) {
    if (node->kind != AT_YAML_SCALAR || node->quoted) return false;
    const char *end = skip_whole(node->text + (node->text[0] == '-'));
    if (end == NULL || *end != 0) return false;
    errno = 0;
    long long value = strtoll(node->text, NULL, 10);
    *out = value;
    return errno == 0;
}

static bool is_decimal(const char *s) {
    s = skip_whole(s + (*s == '-'));
    if (s != NULL && *s == '.') {
        const char *end = skip_digits(s + 1);
        s = end > s + 1 ? end : NULL;
    }
    if (s != NULL && (*s == 'e' || *s == 'E')) {
        const char *digits = s + 1 + (s[1] == '-' || s[1] == '+'), *end = skip_digits(digits);
        s = end > digits ? end : NULL;
    }
    return s != NULL && *s == 0;
}

bool at_yaml_number(const at_yaml *node, double *out) {
    static const struct {
        const char *word;
        double value;
    } special[] = {{".nan", NAN}, {".inf", INFINITY}, {"-.inf", -INFINITY}};
    for (size_t i = 0; i < sizeof special / sizeof *special; i++) {
        if (at_yaml_is(node, special[i].word)) return *out = special[i].value, true;
    }
    if (node->kind != AT_YAML_SCALAR || node->quoted || !is_decimal(node->text)) return false;
    *out = strtod(node->text, NULL);
    return isfinite(*out);
}
