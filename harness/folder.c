#include "folder.h"
#include "digest.h"
#include "finding.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *const dtype_names[] = {"float16", "bfloat16", "float32", "int8", "uint8", "int32", "int64"};
static const or_dtype dtypes[] = {OR_F16, OR_BF16, OR_F32, OR_I8, OR_U8, OR_I32, OR_I64};

static or_dtype dtype_by_name(const char *name) {
    for (size_t i = 0; name != NULL && i < sizeof dtypes / sizeof *dtypes; i++) {
        if (strcmp(dtype_names[i], name) == 0) return dtypes[i];
    }
    return OR_ABSENT;
}

/* dtype and shape of `value`, which stands at SECTION.NAME of the file. */
static at_status read_tensor(or_tensor *out, const char *file, const char *section, const char *name,
                             const json_t *value, at_error *err) {
    const json_t *shape = json_object_get(value, "shape");
    double elements = 1;
    *out = (or_tensor){.dtype = dtype_by_name(json_string_value(json_object_get(value, "dtype")))};
    if (out->dtype == OR_ABSENT) {
        return at_fail(err, AT_USAGE,
                       "%s: %s.%s.dtype is none of float16, bfloat16, float32, int8, uint8, int32, int64", file,
                       section, name);
    }
    if (!json_is_array(shape) || json_array_size(shape) > OR_MAX_RANK) {
        return at_fail(err, AT_USAGE, "%s: %s.%s.shape is no list of up to %d numbers", file, section, name,
                       OR_MAX_RANK);
    }
    out->rank = (uint32_t)json_array_size(shape);
    for (uint32_t i = 0; i < out->rank; i++) {
        const json_t *n = json_array_get(shape, i);
        out->shape[i] = json_integer_value(n);
        elements *= (double)out->shape[i];
        if (!json_is_integer(n) || out->shape[i] < 0 || out->shape[i] > INT32_MAX || elements > 1e12) {
            return at_fail(err, AT_USAGE, "%s: %s.%s.shape[%u] is no size", file, section, name, i);
        }
    }
    return AT_OK;
}

static at_status read_bytes(void **out, const char *path, size_t bytes, at_error *err) {
    struct stat about;
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* a pipe must not make it wait */
    FILE *file = fd >= 0 ? fdopen(fd, "rb") : NULL;
    void *data = NULL;
    at_status st = AT_OK;
    if (file == NULL || fstat(fd, &about) != 0) {
        st = at_fail(err, AT_USAGE, "%s: %s", path, strerror(errno));
    } else if (!S_ISREG(about.st_mode)) {
        st = at_fail(err, AT_USAGE, "%s: not a regular file", path);
    } else if ((uint64_t)about.st_size != bytes) {
        st = at_fail(err, AT_USAGE, "%s: %lld bytes, and case.json says %zu", path, (long long)about.st_size, bytes);
    } else if ((data = malloc(bytes + 1)) == NULL) {
        st = at_fail_memory(err, bytes);
    } else if (fread(data, 1, bytes, file) != bytes) {
        st = at_fail(err, AT_INFRASTRUCTURE, "%s: reading: %s", path, strerror(errno));
    }
    if (file != NULL) fclose(file);
    if (st != AT_OK)
        free(data);
    else
        *out = data;
    return st;
}

static int index_of(const char *name, const char *(*of)(int), int count) {
    for (int i = 0; i < count; i++) {
        if (strcmp(of(i), name) == 0) return i;
    }
    return -1;
}

static at_status read_inputs(at_folder *f, const char *directory, const char *file, json_t *root, at_error *err) {
    const char *name;
    json_t *value, *inputs = json_object_get(root, "inputs");
    if (!json_is_object(inputs)) return at_fail(err, AT_USAGE, "%s: no object 'inputs'", file);
    json_object_foreach(inputs, name, value) {
        int i = index_of(name, or_input_name, OR_INPUTS);
        if (i < 0) return at_fail(err, AT_USAGE, "%s: inputs.%s is no input of PagedAttention", file, name);
        at_status st = read_tensor(&f->call.in[i], file, "inputs", name, value, err);
        char *path = st == AT_OK ? at_text("%s/%s.bin", directory, name) : NULL;
        if (st == AT_OK) st = read_bytes(&f->call.in[i].data, path, at_tensor_bytes(&f->call.in[i]), err);
        free(path);
        if (st != AT_OK) return st;
    }
    return AT_OK;
}

static at_status read_outputs(at_folder *f, const char *file, json_t *root, at_error *err) {
    const char *name;
    json_t *value, *outputs = json_object_get(root, "outputs");
    if (!json_is_object(outputs)) return at_fail(err, AT_USAGE, "%s: no object 'outputs'", file);
    json_object_foreach(outputs, name, value) {
        int i = index_of(name, or_output_name, OR_OUTPUTS);
        if (i < 0) return at_fail(err, AT_USAGE, "%s: outputs.%s is no output of PagedAttention", file, name);
        at_status st = read_tensor(&f->call.out[i], file, "outputs", name, value, err);
        if (st != AT_OK) return st;
    }
    return AT_OK;
}

/* An integer in JSON may be a float attribute, as scale 1 is. */
static at_status read_attributes(at_folder *f, const char *file, json_t *root, at_error *err) {
    const char *name;
    json_t *value, *attributes = json_object_get(root, "attributes");
    if (!json_is_object(attributes)) return at_fail(err, AT_USAGE, "%s: no object 'attributes'", file);
    or_attr *list = calloc(json_object_size(attributes) + 1, sizeof *list);
    if (list == NULL) return at_fail_memory(err, sizeof *list);
    f->node.attr = list;
    json_object_foreach(attributes, name, value) {
        or_attr *a = &list[f->node.attrs++];
        or_attr_type due = OR_INT;
        if (!or_schema_attribute(name, &due)) {
            return at_fail(err, AT_USAGE, "%s: attributes.%s is no attribute of PagedAttention", file, name);
        }
        *a = (or_attr){.name = at_text("%s", name), .type = due};
        if (due == OR_FLOAT && json_is_number(value))
            a->f = (double)(float)json_number_value(value);
        else if (due == OR_INT && json_is_integer(value))
            a->i = json_integer_value(value);
        else if (due == OR_STRING && json_is_string(value))
            a->s = at_text("%s", json_string_value(value));
        else
            return at_fail(err, AT_USAGE, "%s: attributes.%s is not of the schema's type", file, name);
    }
    return AT_OK;
}

/* The cache is updated in place: where key_cache_out is said, it is key_cache once more. */
static at_status check_cache_out(const at_folder *f, const char *file, at_error *err) {
    const or_tensor *in = &f->call.in[OR_KEY_CACHE], *out = &f->call.out[OR_KEY_CACHE_OUT];
    if (out->dtype == OR_ABSENT) return AT_OK;
    if (out->dtype == in->dtype && out->rank == in->rank &&
        memcmp(out->shape, in->shape, in->rank * sizeof *in->shape) == 0)
        return AT_OK;
    return at_fail(err, AT_USAGE, "%s: outputs.key_cache_out has not the type and shape of key_cache", file);
}

/* Lengths that no call has: the oracle would read past its tables. */
static at_status check_lengths(const at_folder *f, const char *directory, at_error *err) {
    const or_problem *p = &f->problem;
    const int32_t *end = p->cumulative_sequence_length;
    if (end[0] != 0)
        return at_fail(err, AT_USAGE, "%s/cumulative_sequence_length.bin: begins with %" PRId32 ", not 0", directory,
                       end[0]);
    for (int64_t b = 0; b < p->sequences; b++) {
        int64_t past = p->past_seqlens[b], fresh = (int64_t)end[b + 1] - end[b];
        if (fresh < 0 || end[b + 1] > p->tokens) {
            return at_fail(err, AT_USAGE,
                           "%s/cumulative_sequence_length.bin: [%" PRId64 "] is %" PRId32
                           "; it may not fall, nor pass the %" PRId64 " tokens",
                           directory, b + 1, end[b + 1], p->tokens);
        }
        if (past < 0)
            return at_fail(err, AT_USAGE, "%s/past_seqlens.bin: [%" PRId64 "] is %" PRId64, directory, b, past);
        if (p->rotary_dim > 0 && fresh > 0 && past + fresh > f->call.in[OR_COS_CACHE].shape[0]) {
            return at_fail(err, AT_USAGE,
                           "%s: cos_cache has %" PRId64 " rows, and sequence %" PRId64 " has %" PRId64 " positions",
                           directory, f->call.in[OR_COS_CACHE].shape[0], b, past + fresh);
        }
    }
    return AT_OK;
}

/* Two tokens may write one slot only with one row: nobody says which of two would stay. */
static at_status check_slots(const at_folder *f, const char *directory, at_error *err) {
    const or_problem *p = &f->problem;
    size_t slots = (size_t)(p->blocks * p->block_size);
    int64_t *writer = calloc(slots + 1, sizeof *writer); /* token + 1 */
    at_status st = writer ? AT_OK : at_fail_memory(err, slots * sizeof *writer);
    for (int64_t token = 0; token < p->tokens && st == AT_OK; token++) {
        int64_t slot = or_write_slot(p, token), other = slot < 0 ? -1 : writer[slot] - 1;
        if (slot >= 0) writer[slot] = token + 1;
        if (other < 0) continue;
        bool same = or_position_of(p, token) == or_position_of(p, other) &&
                    memcmp(p->key + token * p->head_size, p->key + other * p->head_size,
                           (size_t)p->head_size * sizeof *p->key) == 0;
        if (!same) {
            st =
                at_fail(err, AT_USAGE,
                        "%s/slot_mapping.bin: tokens %" PRId64 " and %" PRId64 " write different rows to slot %" PRId64,
                        directory, other, token, slot);
        }
    }
    free(writer);
    return st;
}

/* Where case.json says what its inputs' digest is, they have to be those: an input that was written over makes another
 * question. */
static at_status check_digest(const at_folder *f, const char *file, const json_t *root, at_error *err) {
    const char *due = json_string_value(json_object_get(root, "inputs_sha256"));
    char each[OR_INPUTS][AT_DIGEST_TEXT], all[AT_DIGEST_TEXT];
    at_status st = due ? at_digest_inputs(each, all, &f->call, err) : AT_OK;
    if (st != AT_OK || due == NULL || strcmp(due, all) == 0) return st;
    return at_fail(err, AT_USAGE,
                   "%s: the inputs beside it are not those it was written with (inputs_sha256 %.16s..., now %.16s...); "
                   "export them again",
                   file, due, all);
}

/* A gate that execute asks would refuse it: then there is no right answer to hold anything to. */
static at_status resolve(at_folder *f, const char *directory, const char *file, at_error *err) {
    static const or_gate gates[] = {OR_SUPPORTS, OR_CREATE, OR_EXECUTE};
    const or_moment moment = {.cache_aliased = true, .grid_limit = INT32_MAX};
    for (int g = 0; g < 3; g++) {
        const or_rule *rule = or_refusal(gates[g], &f->node, &f->call, &moment);
        if (rule == NULL) continue;
        return at_fail(err, AT_USAGE, "%s: %s refuses this call by %s: %s", file, or_dialect_name(f->node.dialect),
                       rule->id, rule->refused_when);
    }
    or_problem_of(&f->problem, &f->node, &f->call);
    at_status st = check_cache_out(f, file, err);
    if (st == AT_OK) st = check_lengths(f, directory, err);
    return st == AT_OK ? check_slots(f, directory, err) : st;
}

static at_status read_dialect(at_folder *f, const char *file, json_t *root, const or_dialect *dialect, at_error *err) {
    const char *name = json_string_value(json_object_get(root, "dialect"));
    if (dialect != NULL)
        f->node.dialect = *dialect;
    else if (name == NULL)
        return at_fail(err, AT_USAGE, "%s: no dialect; give --dialect onnx-genai or --dialect onnxruntime", file);
    else if (!or_dialect_by_name(&f->node.dialect, name))
        return at_fail(err, AT_USAGE, "%s: dialect is neither onnx-genai nor onnxruntime", file);
    return AT_OK;
}

enum { CASE_JSON_BYTES = 1 << 20 };

static at_status read_json(json_t **out, const char *file, at_error *err) {
    json_error_t where;
    struct stat about;
    if (stat(file, &about) != 0) return at_fail(err, AT_USAGE, "%s: %s", file, strerror(errno));
    if (!S_ISREG(about.st_mode)) return at_fail(err, AT_USAGE, "%s: not a regular file", file);
    if (about.st_size > CASE_JSON_BYTES) {
        return at_fail(err, AT_USAGE, "%s: %lld bytes; a case.json has at most %d", file, (long long)about.st_size,
                       CASE_JSON_BYTES);
    }
    if ((*out = json_load_file(file, JSON_REJECT_DUPLICATES, &where)) != NULL) return AT_OK;
    return at_fail(err, AT_USAGE, "%s:%d:%d: %s", file, where.line, where.column, where.text);
}

at_status at_folder_read(at_folder **out, const char *directory, const or_dialect *dialect, at_error *err) {
    char *file = at_text("%s/case.json", directory);
    at_folder *f = calloc(1, sizeof *f);
    json_t *root = NULL;
    at_status st;
    *out = NULL;
    if (f == NULL || file == NULL) {
        st = at_fail_memory(err, sizeof *f);
    } else if ((st = read_json(&root, file, err)) == AT_OK) {
        const char *name = json_string_value(json_object_get(root, "name")),
                   *note = json_string_value(json_object_get(root, "note"));
        f->name = at_text("%s", name ? name : directory), f->note = at_text("%s", note ? note : "");
        st = read_dialect(f, file, root, dialect, err);
        if (st == AT_OK) st = read_attributes(f, file, root, err);
        if (st == AT_OK) st = read_inputs(f, directory, file, root, err);
        if (st == AT_OK) st = read_outputs(f, file, root, err);
        if (st == AT_OK) st = resolve(f, directory, file, err);
        if (st == AT_OK) st = check_digest(f, file, root, err);
    }
    json_decref(root);
    free(file);
    if (st == AT_OK)
        *out = f;
    else
        at_folder_free(f);
    return st;
}

void at_folder_free(at_folder *f) {
    if (f == NULL) return;
    for (size_t i = 0; i < f->node.attrs; i++) {
        free((char *)(uintptr_t)f->node.attr[i].name);
        free((char *)(uintptr_t)f->node.attr[i].s);
    }
    free((or_attr *)(uintptr_t)f->node.attr);
    for (int i = 0; i < OR_INPUTS; i++) free(f->call.in[i].data);
    free(f->name);
    free(f->note);
    free(f);
}

at_status at_folder_output(uint16_t **out, const at_folder *f, const char *directory, const char *implementation,
                           int output, at_error *err) {
    void *data = NULL;
    char *path = at_text("%s/%s/%s.bin", directory, implementation, or_output_name(output));
    if (path == NULL) return at_fail_memory(err, sizeof(char *));
    /* key_cache_out need not be listed: the cache is key_cache, updated in place */
    at_status st =
        read_bytes(&data, path,
                   at_tensor_bytes(output == OR_KEY_CACHE_OUT ? &f->call.in[OR_KEY_CACHE] : &f->call.out[output]), err);
    *out = st == AT_OK ? data : NULL;
    free(path);
    return st;
}
