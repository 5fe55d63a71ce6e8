/* A suite file with what it includes: everything but the expansion of its cases. */
#ifndef AT_SUITE_H
#define AT_SUITE_H

#include "schema.h"

typedef struct {
    char *name; /* "" for one that a case writes out itself */
    int64_t head_size, v_head_size, rotary_offset, rotary_dim, num_heads;
} at_geometry;

/* What names in a case may mean. Lists live in the cases' arena. */
typedef struct at_scope {
    at_geometry *geometry; /* [geometries] */
    size_t geometries;
    at_clause *clause; /* [clauses] */
    size_t clauses;
} at_scope;

typedef struct {
    const char *file;
    char *name, *about;
    at_scope scope;
    char **index; /* names of the suites that a directory must hold, NULL-terminated; NULL: not said */
    const at_yaml *defaults, *cases; /* NULL where there are none; without cases it is something to include */
    size_t floor[AT_TIERS];
    at_place floor_place[AT_TIERS];
    at_arena *trees;
} at_suite_file;

/* `file`, whose name must last, with its includes, which lie beside it. Trees live in `trees`, the rest in the cases'
 * arena. */
AT_MUST_USE at_status at_suite_read(at_suite_file *out, at_arena *trees, at_arena *arena, const char *file,
                                    const at_limits *, at_error *err);

AT_MUST_USE at_status at_geometry_read(const at_reader *, at_geometry *out, const at_yaml *map);
const at_geometry *at_geometry_by_name(const at_scope *, const char *name);
const char *at_word_of_geometries(const void *scope, size_t i);
const at_clause *at_clause_by_id(const at_scope *, const char *id);
const char *at_word_of_clauses(const void *scope, size_t i);

extern const at_key at_suite_keys[], at_geometry_keys[];

#endif
