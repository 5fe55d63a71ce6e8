#include "schema.h"
#include "suggest.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void *place_in(void *out, size_t at) {
    return (char *)out + at;
}

const at_key *at_key_find(const at_key *table, const char *name) {
    for (; table->name != NULL; table++) {
        if (strcmp(table->name, name) == 0) return table;
    }
    return NULL;
}

const char *at_word_of_keys(const void *table, size_t i) {
    return ((const at_key *)table)[i].name;
}

at_status at_wrong_type(const at_reader *r, const char *name, const at_yaml *value, const char *give) {
    char text[AT_SHOWN];
    return at_place_fail(r->err, value->place, "%s is %s; give %s", name, at_yaml_show(value, text), give);
}

at_status at_unknown(const at_reader *r, const char *what, const at_yaml *word, const char *nearest,
                     const char *known) {
    char text[AT_SHOWN];
    at_yaml_show(word, text);
    if (nearest != NULL)
        return at_place_fail(r->err, word->place, "%s %s is unknown; did you mean '%s'?", what, text, nearest);
    return at_place_fail(r->err, word->place, "%s %s is unknown; %s", what, text, known);
}

at_status at_unknown_key(const at_reader *r, const char *what, const at_key *table, const at_yaml *key) {
    char known[512];
    size_t used = (size_t)snprintf(known, sizeof known, "%s has", what);
    for (const at_key *k = table; k->name != NULL && used < sizeof known; k++)
        used += (size_t)snprintf(known + used, sizeof known - used, " %s%s", k->name, k[1].name ? "," : "");
    return at_unknown(r, "key", key, at_suggest(key->text, at_word_of_keys, table), known);
}

bool at_is_word(const char *s) {
    size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789._+-");
    return n > 0 && s[n] == 0 && n <= AT_WORD_MOST;
}

static at_status read_integer(const at_reader *r, const at_key *k, int64_t *out, const at_yaml *value) {
    char give[96], text[AT_SHOWN];
    snprintf(give, sizeof give, "an integer from %" PRId64 " to %" PRId64, k->least, k->most);
    if (!at_yaml_integer(value, out)) return at_wrong_type(r, k->name, value, give);
    if (*out >= k->least && *out <= k->most) return AT_OK;
    return at_place_fail(r->err, value->place, "%s %s is out of range; give %s", k->name, at_yaml_show(value, text),
                         give);
}

/* "one of a, b, c" */
static void list_words(char *text, size_t size, const char *const *words) {
    size_t used = (size_t)snprintf(text, size, "it is one of");
    for (; *words != NULL && used < size; words++)
        used += (size_t)snprintf(text + used, size - used, " %s%s", *words, words[1] ? "," : "");
}

static at_status find_word(const at_reader *r, const at_key *k, int *index, const at_yaml *value) {
    char known[300];
    for (*index = 0; k->words[*index] != NULL; ++*index) {
        if (at_yaml_is(value, k->words[*index])) return AT_OK;
    }
    list_words(known, sizeof known, k->words);
    if (value->kind != AT_YAML_SCALAR) return at_wrong_type(r, k->name, value, known + strlen("it is "));
    return at_unknown(r, k->name, value, at_suggest(value->text, at_word_of_list, k->words), known);
}

static at_status read_word(const at_reader *r, const at_key *k, char **out, const at_yaml *value) {
    int index;
    if (k->words != NULL) {
        at_status st = find_word(r, k, &index, value);
        if (st != AT_OK) return st;
    } else if (value->kind != AT_YAML_SCALAR || !at_is_word(value->text)) {
        return at_wrong_type(r, k->name, value, "a word of a-z, 0-9 and ._+-");
    }
    *out = at_arena_text(r->arena, value->text, strlen(value->text));
    return *out ? AT_OK : at_arena_fail(r->err, r->arena, value->place);
}

/* Line ends and runs of blanks become one blank, so that it prints on one line. */
static at_status read_text(const at_reader *r, const at_key *k, char **out, const at_yaml *value) {
    static const char blank[] = " \t\r\n";
    char give[96];
    snprintf(give, sizeof give, "%s, in at most %" PRId64 " characters", k->about, k->most);
    if (value->kind != AT_YAML_SCALAR) return at_wrong_type(r, k->name, value, give);
    char *text = at_arena_text(r->arena, value->text, strlen(value->text));
    if (text == NULL) return at_arena_fail(r->err, r->arena, value->place);
    size_t n = 0;
    for (const char *s = value->text + strspn(value->text, blank); *s != 0;) {
        size_t word = strcspn(s, blank), gap = strspn(s + word, blank);
        memcpy(text + n, s, word);
        n += word;
        if (gap > 0 && s[word + gap] != 0) text[n++] = ' ';
        s += word + gap;
    }
    text[n] = 0;
    *out = text;
    if (n > 0 && n <= (size_t)k->most) return AT_OK;
    return at_place_fail(r->err, value->place, "%s is %s; give %s", k->name, n ? "too long" : "empty", give);
}

static at_status check_list(const at_reader *r, const at_key *k, const at_yaml *value) {
    if (value->kind != AT_YAML_LIST) return at_wrong_type(r, k->name, value, k->about);
    if (value->count <= AT_LIST_MOST) return AT_OK;
    return at_place_fail(r->err, value->place, "%s has %zu entries; give at most %d", k->name, value->count,
                         AT_LIST_MOST);
}

static at_status read_words(const at_reader *r, const at_key *k, char ***out, const at_yaml *value) {
    at_status st = check_list(r, k, value);
    if (st != AT_OK) return st;
    char **words = at_arena_get(r->arena, value->count + 1, sizeof *words);
    if (words == NULL) return at_arena_fail(r->err, r->arena, value->place);
    for (size_t i = 0; i < value->count && st == AT_OK; i++) st = read_word(r, k, &words[i], value->item[i]);
    *out = words;
    return st;
}

static at_status read_integers(const at_reader *r, const at_key *k, int64_t **out, size_t *count,
                               const at_yaml *value) {
    at_status st = check_list(r, k, value);
    if (st != AT_OK) return st;
    int64_t *list = at_arena_get(r->arena, value->count, sizeof *list);
    if (list == NULL) return at_arena_fail(r->err, r->arena, value->place);
    for (size_t i = 0; i < value->count; i++) {
        if ((st = read_integer(r, k, &list[i], value->item[i])) != AT_OK) return st;
        if (i > 0 && list[i] <= list[i - 1])
            return at_place_fail(r->err, value->item[i]->place, "%s does not ascend; sort it, each entry once",
                                 k->name);
    }
    *out = list;
    *count = value->count;
    return AT_OK;
}

at_status at_key_read(const at_reader *r, const at_key *k, void *out, const at_yaml *value) {
    void *place = place_in(out, k->at);
    if (value->kind == AT_YAML_SCALAR && value->text[0] == 0 && !value->quoted)
        return at_place_fail(r->err, value->place, "%s has no value; give %s, or leave the key out", k->name, k->about);
    switch (k->type) {
    case AT_KEY_INTEGER: return read_integer(r, k, place, value);
    case AT_KEY_CHOICE: return find_word(r, k, place, value);
    case AT_KEY_WORD: return read_word(r, k, place, value);
    case AT_KEY_TEXT: return read_text(r, k, place, value);
    case AT_KEY_WORDS: return read_words(r, k, place, value);
    case AT_KEY_INTEGERS: return read_integers(r, k, place, place_in(out, k->count_at), value);
    case AT_KEY_OTHER: return k->read(r, place, value);
    }
    return AT_OK;
}

at_status at_map_read(const at_reader *r, const at_key *table, const char *what, void *out, const at_yaml *map) {
    at_status st = AT_OK;
    char text[AT_SHOWN];
    if (map->kind != AT_YAML_MAP)
        return at_place_fail(r->err, map->place, "%s is %s; give a map", what, at_yaml_show(map, text));
    for (size_t i = 0; i < map->count && st == AT_OK; i++) {
        const at_key *k = at_key_find(table, map->key[i]->text);
        if (k == NULL) return at_unknown_key(r, what, table, map->key[i]);
        st = at_key_read(r, k, out, map->item[i]);
    }
    for (const at_key *k = table; k->name != NULL && st == AT_OK; k++) {
        if (k->required && at_yaml_get(map, k->name) == NULL)
            st = at_place_fail(r->err, map->place, "%s has no %s; give %s", what, k->name, k->about);
    }
    return st;
}
