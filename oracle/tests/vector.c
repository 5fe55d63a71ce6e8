#include "vector.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef OR_VECTORS /* from the root of the tree */
#define OR_VECTORS "oracle/vectors"
#endif

const char *const vector_names[] = {
    "latent_chunked_bf16",    "latent_decode_f16",    "latent_glm_slice_f16",        "latent_hole_f16",
    "latent_interleaved_f16", "latent_mla576_bf16",   "latent_nan_visible_f16",      "latent_norotary_bf16",
    "latent_overlap_f16",     "latent_prefill_bf16",  "latent_prefill_f16",          "latent_skip_f16",
    "latent_softcap1_f16",    "latent_softcap30_f16", "latent_window0_f16",          "latent_window16_f16",
    "latent_window1_f16",     "latent_window41_f16",  "latent_window5_prefill_bf16", "latent_window8_f16",
    "latent_windowm1_f16",    "latent_zero_seqs_f16",
};
const size_t vector_count = sizeof vector_names / sizeof vector_names[0];

typedef struct {
    char text[300];
} path;

static path path_of(const char *name, const char *folder, const char *file) {
    path p;
    snprintf(p.text, sizeof p.text, "%s/%s/%s%s%s", OR_VECTORS, name, folder, folder[0] ? "/" : "", file);
    return p;
}

bool vector_recorded(const char *name, const char *implementation) {
    return access(path_of(name, implementation, "output.bin").text, R_OK) == 0;
}

static void *read_all(const char *file, size_t bytes) {
    FILE *f = fopen(file, "rb");
    cr_assert_not_null(f, "%s: cannot be read", file);
    char *data = malloc(bytes + 1);
    const size_t got = fread(data, 1, bytes + 1, f);
    fclose(f);
    cr_assert_eq(got, bytes, "%s: %zu bytes, its shape says %zu", file, got, bytes);
    return data;
}

static or_dtype dtype_by_name(const char *name) {
    or_dtype t = OR_F16;
    while (strcmp(or_dtype_name(t), name) != 0) t++;
    return t;
}

static or_tensor read_tensor(const json_t *said, const char *file) {
    or_tensor t = {.dtype = dtype_by_name(json_string_value(json_object_get(said, "dtype")))};
    size_t elements = 1, i;
    json_t *n;
    json_array_foreach(json_object_get(said, "shape"), i, n) elements *=
        (size_t)(t.shape[t.rank++] = json_integer_value(n));
    t.data = read_all(file, elements * or_dtype_size(t.dtype));
    return t;
}

static or_attr attribute_of(const char *name, const json_t *value) {
    if (json_is_string(value)) return (or_attr){name, OR_STRING, 0, 0, json_string_value(value)};
    if (json_is_real(value)) return (or_attr){name, OR_FLOAT, 0, (double)(float)json_real_value(value), NULL};
    return (or_attr){name, OR_INT, json_integer_value(value), 0, NULL};
}

vector *vector_open(const char *name, const char *implementation, or_dialect dialect) {
    vector *v = calloc(1, sizeof *v);
    json_error_t error;
    json_t *json = v->json = json_load_file(path_of(name, "", "case.json").text, 0, &error);
    cr_assert_not_null(json, "%s: %s", name, error.text);
    const char *key;
    json_t *value;
    json_object_foreach(json_object_get(json, "attributes"), key, value) v->attr[v->attrs++] = attribute_of(key, value);
    json_t *inputs = json_object_get(json, "inputs"), *outputs = json_object_get(json, "outputs");
    for (int i = 0; i < OR_INPUTS; i++) {
        const json_t *said = json_object_get(inputs, or_input_name(i));
        char file[64];
        snprintf(file, sizeof file, "%s.bin", or_input_name(i));
        if (said) v->call.in[i] = read_tensor(said, path_of(name, "", file).text);
    }
    v->output = read_tensor(json_object_get(outputs, "output"), path_of(name, implementation, "output.bin").text).data;
    v->cache_out =
        read_tensor(json_object_get(outputs, "key_cache_out"), path_of(name, implementation, "key_cache_out.bin").text)
            .data;
    or_problem_of(&v->p, &(or_node){dialect, v->attr, v->attrs}, &v->call);
    v->cache_elements = v->p.blocks * v->p.block_size * v->p.head_size;
    return v;
}

void vector_close(vector *v) {
    for (int i = 0; i < OR_INPUTS; i++) free(v->call.in[i].data);
    free(v->output), free(v->cache_out);
    json_decref(v->json);
    free(v);
}
