/* The table of designs, and how a case's parameters and poison come to values. */
#include "designs.h"

#include <stddef.h>
#include <string.h>

static const at_design *const table[] = {
    &at_uniform_codes, &at_edge_markers, &at_large_values, &at_one_hot,     &at_rope_retrieval, &at_saturate,
    &at_two_keys,      &at_rising,       &at_all_bits,     &at_normal_data, &at_special,        &at_rope_overflow,
};
enum { DESIGNS = sizeof table / sizeof *table };

const at_design *const *at_designs(size_t *count) {
    *count = DESIGNS;
    return table;
}

const at_design *at_design_by_name(const char *name) {
    for (size_t i = 0; i < DESIGNS; i++) {
        if (name != NULL && strcmp(table[i]->name, name) == 0) return table[i];
    }
    return NULL;
}

at_status at_design_values(double out[AT_DESIGN_PARAMETERS], const at_design *design, const at_case *c, at_error *err) {
    const at_design_parameter *known = design->parameter;
    for (size_t i = 0; known[i].name != NULL; i++) out[i] = known[i].value;
    for (size_t given = 0; given < c->parameters; given++) {
        size_t i = 0;
        while (known[i].name != NULL && strcmp(known[i].name, c->parameter[given].name) != 0) i++;
        if (known[i].name == NULL) {
            return at_fail(err, AT_USAGE, "%s:%d:%d: data design %s has no parameter \"%s\"", c->place.file,
                           c->place.line, c->place.column, design->name, c->parameter[given].name);
        }
        out[i] = c->parameter[given].value;
    }
    return AT_OK;
}

uint16_t at_poison_bits(at_poison poison, or_dtype dtype, uint64_t element) {
    static const struct {
        uint16_t nan, inf, largest, payload;
    } f16 = {0x7E00, 0x7C00, 0x7BFF, 0x01FF}, bf16 = {0x7FC0, 0x7F80, 0x7F7F, 0x003F};
    const uint16_t payload = (uint16_t)(element & (dtype == OR_F16 ? f16.payload : bf16.payload));
    switch (poison) {
    case AT_POISON_NAN: return (uint16_t)((dtype == OR_F16 ? f16.nan : bf16.nan) | payload);
    case AT_POISON_INF: return dtype == OR_F16 ? f16.inf : bf16.inf;
    case AT_POISON_LARGEST: return dtype == OR_F16 ? f16.largest : bf16.largest;
    default: return 0;
    }
}
