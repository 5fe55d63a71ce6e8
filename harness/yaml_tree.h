/* A YAML file as a tree whose every node knows its place. A hostile file costs no more than the limits say.
 *
 * Aliases are shared nodes, so the tree is acyclic, and `nodes` counts them as if they were written out. Not taken:
 * directives, tags, merge keys, keys that are not scalars, a key given twice, a second document, text that is not
 * UTF-8. */
#ifndef AT_YAML_TREE_H
#define AT_YAML_TREE_H

#include "arena.h"
#include "case.h"

typedef enum { AT_YAML_SCALAR, AT_YAML_LIST, AT_YAML_MAP } at_yaml_kind;

typedef struct at_yaml at_yaml;
struct at_yaml {
    at_yaml_kind kind;
    at_place place;
    const char *text;     /* scalar: without NUL inside; else NULL                    */
    bool quoted;          /* scalar: written with quotes or as a block: text, never a number or a word of the schema */
    size_t count;         /* list: items; map: pairs                                  */
    const at_yaml **key;  /* map: [count] scalars, in the order of the file           */
    const at_yaml **item; /* list, map: [count] values                                */
    size_t height;        /* levels of nesting, 1 for a scalar                        */
    size_t weight;        /* nodes in it, itself and aliases written out included     */
};

/* A regular file; also no symbolic link where another file's `place` names it. The places keep `file`. AT_USAGE. */
AT_MUST_USE at_status at_yaml_read(const at_yaml **out, at_arena *, const char *file, const at_place *place,
                                   const at_limits *, at_error *err);
/* The same from memory. */
AT_MUST_USE at_status at_yaml_parse(const at_yaml **out, at_arena *, const char *file, const char *bytes, size_t size,
                                    const at_limits *, at_error *err);

/* AT_USAGE at the first byte that is not UTF-8, or that YAML does not allow, or that starts a directive. */
AT_MUST_USE at_status at_yaml_check_text(const char *file, const char *bytes, size_t size, at_error *err);

/* The value of a key, or NULL. */
const at_yaml *at_yaml_get(const at_yaml *map, const char *key);
/* Plain scalars: a decimal integer without leading zeros; also a decimal fraction, .nan, .inf, -.inf. False where it is
 * none, or too large. */
bool at_yaml_integer(const at_yaml *, int64_t *out);
bool at_yaml_number(const at_yaml *, double *out);
bool at_yaml_is(const at_yaml *, const char *plain_word);

/* AT_USAGE and "file:line:column: " before the words. */
at_status at_place_fail(at_error *err, at_place, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* How a message shows a node: 'its text', shortened, or "a list", "a map". Returns `text`. */
enum { AT_SHOWN = 72 };
const char *at_yaml_show(const at_yaml *, char text[AT_SHOWN]);
/* What an allocation that failed means. */
at_status at_arena_fail(at_error *err, const at_arena *, at_place);

#endif
