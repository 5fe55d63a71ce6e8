/* inputs: and outputs: of a case, what differs from the plain call. */
#include "case_keys.h"
#include "suggest.h"

#include <string.h>

static const char *const absence_words[] = {"absent", "present", "separate", NULL};

static at_status read_dtype(const at_reader *r, void *out, const at_yaml *value) {
    const char *words[AT_I64 + 1] = {0};
    for (int t = AT_F16; t <= AT_I64; t++) words[t - AT_F16] = or_dtype_name((or_dtype)t);
    int index = 0;
    const at_key key = {.name = "dtype", .type = AT_KEY_CHOICE, .about = "a type", .words = words};
    at_status st = at_key_read(r, &key, &index, value);
    ((at_override *)out)->dtype = (at_dtype)(AT_F16 + index);
    return st;
}

static at_status read_shape(const at_reader *r, void *out, const at_yaml *list) {
    at_override *o = out;
    const at_key entry = {.name = "shape", .type = AT_KEY_INTEGER, .about = "an integer", .most = INT32_MAX};
    if (list->kind != AT_YAML_LIST || list->count > AT_MAX_RANK)
        return at_wrong_type(r, "shape", list, "a list of at most 8 integers");
    o->shaped = true;
    for (; o->rank < list->count; o->rank++) {
        at_status st = at_key_read(r, &entry, &o->shape[o->rank], list->item[o->rank]);
        if (st != AT_OK) return st;
    }
    return AT_OK;
}

static const at_key tensor_keys[] = {
    {.name = "dtype", .type = AT_KEY_OTHER, .read = read_dtype, .about = "a type"},
    {.name = "shape", .type = AT_KEY_OTHER, .read = read_shape, .about = "a list of at most 8 integers"},
    {0},
};

static at_status read_override(const at_reader *r, at_override *o, const at_yaml *value) {
    int word = 1;
    const at_key key = {.name = o->output ? "an output" : "an input",
                        .type = AT_KEY_CHOICE,
                        .words = absence_words,
                        .about = "absent, present or {dtype, shape}"};
    at_status st = value->kind == AT_YAML_MAP ? at_map_read(r, tensor_keys, "a tensor", o, value)
                                              : at_key_read(r, &key, &word, value);
    if (st != AT_OK) return st;
    o->how = word == 0 ? AT_LEAVE_OUT : word == 1 ? AT_PUT_IN : AT_SEPARATE;
    if (o->how == AT_SEPARATE && !(o->output && o->index == AT_KEY_CACHE_OUT))
        return at_place_fail(r->err, value->place, "'separate' is for key_cache_out; say absent or present");
    return AT_OK;
}

static const char *word_of_inputs(const void *unused, size_t i) {
    return (void)unused, or_input_name((int)i);
}
static const char *word_of_outputs(const void *unused, size_t i) {
    return (void)unused, or_output_name((int)i);
}

/* Both maps go to one list, for which room is made once, in the schema's order. */
static at_status read_tensors(const at_reader *r, at_case *c, bool output, const at_yaml *map) {
    at_word_at word_at = output ? word_of_outputs : word_of_inputs;
    const char *what = output ? "output" : "input", *name;
    if (map->kind != AT_YAML_MAP) return at_wrong_type(r, output ? "outputs" : "inputs", map, "a map of tensors");
    for (size_t k = 0; k < map->count; k++) {
        const at_yaml *key = map->key[k];
        for (size_t i = 0; (name = word_at(NULL, i)) != NULL && strcmp(name, key->text) != 0;) i++;
        if (name == NULL)
            return at_unknown(r, what, key, at_suggest(key->text, word_at, NULL), "it is none of the operator's");
    }
    if (c->override_ == NULL) c->override_ = at_arena_get(r->arena, AT_INPUTS + AT_OUTPUTS, sizeof *c->override_);
    if (c->override_ == NULL) return at_arena_fail(r->err, r->arena, map->place);
    for (int i = 0; (name = word_at(NULL, (size_t)i)) != NULL; i++) {
        const at_yaml *value = at_yaml_get(map, name);
        if (value == NULL) continue;
        at_override *o = &c->override_[c->overrides++];
        *o = (at_override){.output = output, .index = i};
        at_status st = read_override(r, o, value);
        if (st != AT_OK) return st;
    }
    return AT_OK;
}

at_status at_inputs_read(const at_reader *r, void *out, const at_yaml *map) {
    return read_tensors(r, out, false, map);
}
at_status at_outputs_read(const at_reader *r, void *out, const at_yaml *map) {
    return read_tensors(r, out, true, map);
}
