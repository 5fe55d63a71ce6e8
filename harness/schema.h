/* From a map of YAML to a struct: a table says, a row a key, its type, its range and where it goes. */
#ifndef AT_SCHEMA_H
#define AT_SCHEMA_H

#include "yaml_tree.h"

struct at_scope;

/* What is needed to read, and what is read into. */
typedef struct {
    at_arena *arena;              /* owns what ends up in the cases                       */
    const struct at_scope *scope; /* geometries and clauses that names may mean (suite.h) */
    const at_limits *limits;
    at_error *err;
} at_reader;

typedef enum {
    AT_KEY_INTEGER,  /* int64_t: least..most                             */
    AT_KEY_CHOICE,   /* an enum, the index in `words`                    */
    AT_KEY_WORD,     /* char *: of [a-z0-9._+-]                          */
    AT_KEY_TEXT,     /* char *: one line, of at most `most` characters      */
    AT_KEY_WORDS,    /* char **, NULL-terminated: words, of `words` where that is given */
    AT_KEY_INTEGERS, /* int64_t * and, at `count_at`, size_t: ascending, least..most    */
    AT_KEY_OTHER     /* `read` does it                                   */
} at_key_type;

typedef struct at_key at_key;
struct at_key {
    const char *name;
    at_key_type type;
    const char *about; /* the value, for messages and pages; AT_KEY_OTHER: "give ..." */
    size_t at, count_at;
    int64_t least, most;
    const char *const *words;
    at_status (*read)(const at_reader *, void *out, const at_yaml *value);
    bool required;
};

/* A table ends with a NULL name. */
const at_key *at_key_find(const at_key *table, const char *name);
const char *at_word_of_keys(const void *table, size_t i);

/* Writes one value to its place in `out`; AT_USAGE with its place. */
AT_MUST_USE at_status at_key_read(const at_reader *, const at_key *, void *out, const at_yaml *value);
/* Every key of the map, which is called `what` ("a geometry"). */
AT_MUST_USE at_status at_map_read(const at_reader *, const at_key *table, const char *what, void *out,
                                  const at_yaml *map);

/* Messages that more than one reader needs. */
at_status at_wrong_type(const at_reader *, const char *name, const at_yaml *value, const char *give);
at_status at_unknown(const at_reader *, const char *what, const at_yaml *word, const char *nearest, const char *known);
at_status at_unknown_key(const at_reader *, const char *what, const at_key *table, const at_yaml *key);
bool at_is_word(const char *);

enum { AT_LIST_MOST = 1024, AT_TEXT_MOST = 1000, AT_WORD_MOST = 64 };

#endif
