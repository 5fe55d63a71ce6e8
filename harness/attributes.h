/* The node's attribute list: what a plain LATENT node of a geometry says, changed by what the case says. */
#ifndef AT_ATTRIBUTES_H
#define AT_ATTRIBUTES_H

#include "suite.h"

enum { AT_ATTRIBUTES = 16 };

/* The schema's attributes in the order in which a plain node lists them. */
const char *at_word_of_attributes(const void *unused, size_t i);
/* Its row, or -1. */
int at_attribute_row(const char *name);

/* value: [AT_ATTRIBUTES] what the case says, NULL where nothing; `absent` leaves one out. extra: list of {name, int |
 * float | string} to append as they are, or NULL. */
AT_MUST_USE at_status at_attributes_make(const at_reader *, at_case *c, const at_geometry *,
                                         const at_yaml *const *value, const at_yaml *extra);

/* The last of that name and type, or NULL. */
const at_attr *at_attribute_of(const at_case *, const char *name, at_attr_type);

#endif
