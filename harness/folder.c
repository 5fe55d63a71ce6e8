#include "folder.h"
#include "finding.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *const dtype_names[] = {"float16", "bfloat16", "float32", "int8", "uint8", "int32", "int64"};
static const or_dtype dtypes[] = {OR_F16, OR_BF16, OR_F32, OR_I8, OR_U8, OR_I32, OR_I64};

static or_dtype dtype_by_name(const char *name)
{
    for (size_t i = 0; name != NULL && i < sizeof dtypes / sizeof *dtypes; i++) {
        if (strcmp(dtype_names[i], name) == 0) return dtypes[i];
    }
    return OR_ABSENT;
}

/* dtype and shape of `value`, which stands at SECTION.NAME of the file. */
static at_status read_tensor(or_tensor *out, const char *file, const char *section, const char *name, const json_t *value, at_error *err)
{
    const json_t *shape = json_object_get(value, "shape");
    double elements = 1;
    *out = (or_tensor){.dtype = dtype_by_name(json_string_value(json_object_get(value, "dtype")))};
    if (out->dtype == OR_ABSENT) {
        return at_fail(err, AT_USAGE, "%s: %s.%s.dtype is none of float16, bfloat16, float32, int8, uint8, int32, int64", file, section, name);
    }
    if (!json_is_array(shape) || json_array_size(shape) > OR_MAX_RANK) {
        return at_fail(err, AT_USAGE, "%s: %s.%s.shape is no list of up to %d numbers", file, section, name, OR_MAX_RANK);
    }
    out->rank = (uint32_t)json_array_size(shape);
    for (uint32_t i = 0; i < out->rank; i++) {
        const json_t *n = json_array_get(shape, i);
        out->shape[i] = json_integer_value(n);
        elements *= (double)out->shape[i];
        if (!json_is_integer(n) || out->shape[i] < 0 || elements > 1e12) {
            return at_fail(err, AT_USAGE, "%s: %s.%s.shape[%u] is no size", file, section, name, i);
        }
    }
    return AT_OK;
}

static at_status read_bytes(void **out, const char *path, size_t bytes, at_error *err)
{
    struct stat about;
    FILE *file = fopen(path, "rb");
    void *data = NULL;
    at_status st = AT_OK;
    if (file == NULL || fstat(fileno(file), &about) != 0) {
        st = at_fail(err, AT_USAGE, "%s: %s", path, strerror(errno));
    } else if ((uint64_t)about.st_size != bytes) {
        st = at_fail(err, AT_USAGE, "%s: %lld bytes, and case.json says %zu", path, (long long)about.st_size, bytes);
    } else if ((data = malloc(bytes + 1)) == NULL) {
        st = at_fail_memory(err, bytes);
    } else if (fread(data, 1, bytes, file) != bytes) {
        st = at_fail(err, AT_INFRASTRUCTURE, "%s: reading: %s", path, strerror(errno));
    }
    if (file != NULL) fclose(file);
    if (st != AT_OK) free(data);
    else *out = data;
    return st;
}

static int index_of(const char *name, const char *(*of)(int), int count)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(of(i), name) == 0) return i;
    }
    return -1;
}

static at_status read_inputs(at_folder *f, const char *directory, const char *file, json_t *root, at_error *err)
{
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

static at_status read_outputs(at_folder *f, const char *file, json_t *root, at_error *err)
{
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
static at_status read_attributes(at_folder *f, const char *file, json_t *root, at_error *err)
{
    const char *name;
    json_t *value, *attributes = json_object_get(root, "attributes");
    if (!json_is_object(attributes)) return at_fail(err, AT_USAGE, "%s: no object 'attributes'", file);
    or_attr *list = calloc(json_object_size(attributes) + 1, sizeof *list);
    if (list == NULL) return at_fail_memory(err, sizeof *list);
    f->node.attr = list;
    json_object_foreach(attributes, name, value) {
        or_attr *a = &list[f->node.attrs++];
        or_attr_type due = OR_INT;
        or_schema_attribute(name, &due);
        *a = (or_attr){.name = at_text("%s", name), .type = due};
        if (due == OR_FLOAT && json_is_number(value)) a->f = (double)(float)json_number_value(value);
        else if (due == OR_INT && json_is_integer(value)) a->i = json_integer_value(value);
        else if (due == OR_STRING && json_is_string(value)) a->s = at_text("%s", json_string_value(value));
        else return at_fail(err, AT_USAGE, "%s: attributes.%s is not of the schema's type", file, name);
    }
    return AT_OK;
}

/* A gate that execute asks would refuse it: then there is no right answer to hold anything to. */
static at_status resolve(at_folder *f, const char *file, at_error *err)
{
    static const or_gate gates[] = {OR_SUPPORTS, OR_CREATE, OR_EXECUTE};
    const or_moment moment = {.cache_aliased = true, .grid_limit = INT32_MAX};
    for (int g = 0; g < 3; g++) {
        const or_rule *rule = or_refusal(gates[g], &f->node, &f->call, &moment);
        if (rule == NULL) continue;
        return at_fail(err, AT_USAGE, "%s: %s refuses this call by %s: %s", file, or_dialect_name(f->node.dialect), rule->id, rule->refused_when);
    }
    or_problem_of(&f->problem, &f->node, &f->call);
    return AT_OK;
}

static at_status read_dialect(at_folder *f, const char *file, json_t *root, const or_dialect *dialect, at_error *err)
{
    const char *name = json_string_value(json_object_get(root, "dialect"));
    if (dialect != NULL) f->node.dialect = *dialect;
    else if (name == NULL) return at_fail(err, AT_USAGE, "%s: no dialect; give --dialect onnx-genai or --dialect onnxruntime", file);
    else if (!or_dialect_by_name(&f->node.dialect, name)) return at_fail(err, AT_USAGE, "%s: dialect is neither onnx-genai nor onnxruntime", file);
    return AT_OK;
}

at_status at_folder_read(at_folder **out, const char *directory, const or_dialect *dialect, at_error *err)
{
    json_error_t where;
    char *file = at_text("%s/case.json", directory);
    at_folder *f = calloc(1, sizeof *f);
    json_t *root = NULL;
    at_status st;
    *out = NULL;
    if (f == NULL || file == NULL) {
        st = at_fail_memory(err, sizeof *f);
    } else if ((root = json_load_file(file, JSON_REJECT_DUPLICATES, &where)) == NULL) {
        st = at_fail(err, AT_USAGE, "%s:%d:%d: %s", file, where.line, where.column, where.text);
    } else {
        const char *name = json_string_value(json_object_get(root, "name")), *note = json_string_value(json_object_get(root, "note"));
        f->name = at_text("%s", name ? name : directory), f->note = at_text("%s", note ? note : "");
        st = read_dialect(f, file, root, dialect, err);
        if (st == AT_OK) st = read_attributes(f, file, root, err);
        if (st == AT_OK) st = read_inputs(f, directory, file, root, err);
        if (st == AT_OK) st = read_outputs(f, file, root, err);
        if (st == AT_OK) st = resolve(f, file, err);
    }
    json_decref(root);
    free(file);
    if (st == AT_OK) *out = f;
    else at_folder_free(f);
    return st;
}

void at_folder_free(at_folder *f)
{
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

at_status at_folder_output(uint16_t **out, const at_folder *f, const char *directory, const char *implementation, int output, at_error *err)
{
    void *data = NULL;
    char *path = at_text("%s/%s/%s.bin", directory, implementation, or_output_name(output));
    if (path == NULL) return at_fail_memory(err, sizeof(char *));
    at_status st = read_bytes(&data, path, at_tensor_bytes(&f->call.out[output]), err);
    *out = st == AT_OK ? data : NULL;
    free(path);
    return st;
}
