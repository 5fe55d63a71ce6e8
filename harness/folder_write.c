#include "folder.h"
#include "../oracle/attend.h"
#include "../oracle/write.h"
#include "finding.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static at_status make_directory(const char *path, at_error *err) {
    if (mkdir(path, 0777) == 0 || errno == EEXIST) return AT_OK;
    return at_fail(err, AT_INFRASTRUCTURE, "%s: %s", path, strerror(errno));
}

static at_status write_bytes(const char *directory, const char *name, const char *suffix, const void *data,
                             size_t bytes, at_error *err) {
    char *path = at_text("%s/%s%s", directory, name, suffix);
    FILE *file = path ? fopen(path, "wb") : NULL;
    at_status st = AT_OK;
    if (file == NULL || fwrite(data, 1, bytes, file) != bytes)
        st = at_fail(err, AT_INFRASTRUCTURE, "%s: %s", path ? path : name, strerror(errno));
    if (file != NULL && fclose(file) != 0 && st == AT_OK)
        st = at_fail(err, AT_INFRASTRUCTURE, "%s: %s", path, strerror(errno));
    free(path);
    return st;
}

static json_t *tensor_json(const or_tensor *t) {
    json_t *shape = json_array();
    for (uint32_t i = 0; i < t->rank; i++) json_array_append_new(shape, json_integer(t->shape[i]));
    return json_pack("{s:s, s:o}", "dtype", or_dtype_name(t->dtype), "shape", shape);
}

static json_t *case_json(const at_plan *plan) {
    json_t *attributes = json_object(), *inputs = json_object(), *outputs = json_object();
    for (size_t i = 0; i < plan->node.attrs; i++) {
        const or_attr *a = &plan->node.attr[i];
        json_t *value = a->type == OR_INT     ? json_integer(a->i)
                        : a->type == OR_FLOAT ? json_real(a->f)
                                              : json_string(a->s);
        json_object_set_new(attributes, a->name, value);
    }
    for (int i = 0; i < OR_INPUTS; i++) {
        if (plan->call.in[i].dtype != OR_ABSENT)
            json_object_set_new(inputs, or_input_name(i), tensor_json(&plan->call.in[i]));
    }
    for (int i = 0; i < OR_OUTPUTS; i++) {
        if (plan->call.out[i].dtype != OR_ABSENT)
            json_object_set_new(outputs, or_output_name(i), tensor_json(&plan->call.out[i]));
    }
    return json_pack("{s:s, s:s, s:s, s:s, s:o, s:o, s:o}", "name", plan->c->id, "note", plan->c->why, "dialect",
                     or_dialect_name(plan->node.dialect), "inputs_sha256", plan->inputs_digest, "attributes",
                     attributes, "inputs", inputs, "outputs", outputs);
}

/* The oracle as one more implementation: every row correctly rounded. */
static at_status write_answer(const at_plan *plan, const char *directory, at_error *err) {
    const or_problem *p = &plan->problem;
    const or_arithmetic exact = {.rope = OR_ROPE_EXACT};
    size_t cache_bytes = at_tensor_bytes(&plan->call.in[OR_KEY_CACHE]),
           bytes = at_tensor_bytes(&plan->call.out[OR_OUTPUT]);
    uint16_t *cache = malloc(cache_bytes + 1), *output = malloc(bytes + 1);
    or_attention *attention = NULL;
    char *folder = at_text("%s/oracle", directory);
    at_status st = AT_OK;
    if (cache == NULL || output == NULL || folder == NULL) {
        st = at_fail_memory(err, cache_bytes + bytes);
        goto done;
    }
    memcpy(cache, plan->call.in[OR_KEY_CACHE].data, cache_bytes);
    or_write_all(cache, p);
    if ((attention = or_attention_new(p, cache, &exact)) == NULL) {
        st = at_fail_memory(err, bytes);
        goto done;
    }
    for (int64_t i = 0; i < p->tokens * p->heads; i++) {
        const or_row *row = or_attend(attention, i / p->heads, i % p->heads);
        for (int64_t d = 0; d < p->v_head_size; d++) output[i * p->v_head_size + d] = or_round(p->dtype, row->o[d]);
    }
    if ((st = make_directory(folder, err)) != AT_OK) goto done;
    if ((st = write_bytes(folder, "output", ".bin", output, bytes, err)) != AT_OK) goto done;
    st = write_bytes(folder, "key_cache_out", ".bin", cache, cache_bytes, err);
done:
    or_attention_free(attention);
    free(folder);
    free(output);
    free(cache);
    return st;
}

at_status at_folder_write(const at_plan *plan, const char *directory, at_error *err) {
    json_t *object = case_json(plan);
    char *text = object ? json_dumps(object, JSON_INDENT(1) | JSON_REAL_PRECISION(17)) : NULL;
    at_status st = text ? make_directory(directory, err) : at_fail_memory(err, 4096);
    if (st == AT_OK) st = write_bytes(directory, "case", ".json", text, strlen(text), err);
    for (int i = 0; i < OR_INPUTS && st == AT_OK; i++) {
        const or_tensor *t = &plan->call.in[i];
        if (t->dtype != OR_ABSENT)
            st = write_bytes(directory, or_input_name(i), ".bin", t->data, at_tensor_bytes(t), err);
    }
    if (st == AT_OK) st = write_answer(plan, directory, err);
    free(text);
    json_decref(object);
    return st;
}
