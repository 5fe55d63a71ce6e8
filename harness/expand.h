/* One entry of `cases:` stands for many cases: the axes of its matrix are crossed, those of its zip go in step, ranges
 * are written out. */
#ifndef AT_EXPAND_H
#define AT_EXPAND_H

#include "attributes.h"
#include "case_keys.h"

/* What the keys say for one case: the value of each row of the case table and of the attribute table; NULL: not said.
 */
typedef struct {
    const at_yaml *key[AT_CASE_KEYS];
    const at_yaml *attribute[AT_ATTRIBUTES];
    unsigned char key_level[AT_CASE_KEYS], attribute_level[AT_ATTRIBUTES];
} at_bindings;

/* Later ones win; twice on one level contradicts itself, as does an axis of a key that the case fixes. */
typedef enum { AT_LEVEL_NONE, AT_LEVEL_DEFAULTS, AT_LEVEL_CASE, AT_LEVEL_AXIS } at_level;

/* Binds every key of `defaults:` or of a case, those inside `node:` included. */
AT_MUST_USE at_status at_bind_map(const at_reader *, at_bindings *, at_level, const at_yaml *map);

typedef struct at_expansion at_expansion;

/* matrix, zip: NULL where there are none. fixed: what the case itself says. `most`: cases that it may come to. */
AT_MUST_USE at_status at_expansion_read(at_expansion **out, const at_reader *, const at_bindings *fixed,
                                        const at_yaml *matrix, const at_yaml *zip, size_t most);
size_t at_expansion_count(const at_expansion *); /* of cases; 1 without axes */

/* The i-th case's values on top of `bindings`, and "axis=value,axis=value" in the order of the file; "" without axes.
 */
void at_expansion_bind(const at_expansion *, size_t i, at_bindings *bindings);
/* Cut where `size` is too little; one that fills it is too long for an id anyway. */
void at_expansion_label(const at_expansion *, size_t i, char *text, size_t size);

#endif
