#include "content.h"

#include <inttypes.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>

/* Every field is a name and a value of unmistakable length, so that no two contents are one text. */
typedef struct {
    EVP_MD_CTX *hash;
    bool good;
} sink;

static void put(sink *s, const void *bytes, size_t size) {
    s->good = s->good && EVP_DigestUpdate(s->hash, bytes, size) == 1;
}

static void put_integer(sink *s, const char *name, int64_t value) {
    char text[96];
    int n = snprintf(text, sizeof text, "%s %" PRId64 "\n", name, value);
    put(s, text, (size_t)n);
}

static void put_text(sink *s, const char *name, const char *text) {
    put_integer(s, name, (int64_t)strlen(text));
    put(s, text, strlen(text));
}

/* By its bits: no locale, no rounding, and -0 is not 0. */
static void put_real(sink *s, const char *name, double value) {
    int64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_integer(s, name, bits);
}

static void put_integers(sink *s, const char *name, const int64_t *list, size_t count) {
    put_integer(s, name, (int64_t)count);
    for (size_t i = 0; i < count; i++) put_integer(s, "", list[i]);
}

static void put_node(sink *s, const at_case *c) {
    put_integer(s, "attributes", (int64_t)c->attrs);
    for (size_t i = 0; i < c->attrs; i++) {
        const at_attr *a = &c->attr[i];
        put_text(s, "name", a->name);
        if (a->type == AT_INT) put_integer(s, "int", a->i);
        if (a->type == AT_FLOAT) put_real(s, "float", (double)a->f);
        if (a->type == AT_STRING) put_text(s, "string", a->s);
    }
}

static void put_placement(sink *s, const at_case *c) {
    put_integer(s, "sequences", (int64_t)c->sequences);
    for (size_t i = 0; i < c->sequences; i++) {
        put_integer(s, "past", c->sequence[i].past);
        put_integer(s, "new", c->sequence[i].fresh);
    }
    put_integer(s, "page_order", c->page_order);
    put_integer(s, "shared_prefix", c->shared_prefix);
    put_integer(s, "spare_pages", c->spare_pages);
    put_integer(s, "spare_columns", c->spare_columns);
    put_integer(s, "padded_tokens", c->padded_tokens);
    put_integers(s, "skip", c->skip, c->skips);
    put_integers(s, "beyond", c->beyond, c->beyonds);
    put_integer(s, "unmapped", (int64_t)c->unmappeds);
    for (size_t i = 0; i < c->unmappeds; i++) {
        put_integer(s, "sequence", c->unmapped[i].sequence);
        put_integer(s, "page", c->unmapped[i].page);
        put_integer(s, "entry", c->unmapped[i].entry);
    }
}

static void put_tensors(sink *s, const at_case *c) {
    put_text(s, "design", c->design);
    put_integer(s, "parameters", (int64_t)c->parameters);
    for (size_t i = 0; i < c->parameters; i++) put_real(s, c->parameter[i].name, c->parameter[i].value);
    put_integer(s, "poison", c->poison);
    put_integer(s, "overrides", (int64_t)c->overrides);
    for (size_t i = 0; i < c->overrides; i++) {
        const at_override *o = &c->override_[i];
        put_integer(s, o->output ? "output" : "input", o->index);
        put_integer(s, "how", (int64_t)o->how);
        put_integer(s, "dtype", o->dtype);
        put_integer(s, "shaped", o->shaped);
        put_integers(s, "shape", o->shape, o->rank);
    }
}

static void put_expectation(sink *s, const at_case *c) {
    put_integer(s, "expect", c->expect);
    put_text(s, "rule", c->rule ? c->rule : "");
    put_integer(s, "gates", c->gates);
    put_integer(s, "cold", c->cold_capture);
    put_integer(s, "rows", c->sample_rows);
}

static void put_case(sink *s, const at_case *c) {
    put_integer(s, "dialect", c->any_dialect ? -1 : (int64_t)c->dialect);
    put_integer(s, "dtype", c->dtype);
    put_integer(s, "head_size", c->head_size);
    put_integer(s, "rotary_dim", c->rotary_dim);
    put_integer(s, "block_size", c->block_size);
    put_node(s, c);
    put_placement(s, c);
    put_tensors(s, c);
    put_expectation(s, c);
}

at_status at_content_hash(char out[17], const at_case *c, at_error *err) {
    unsigned char digest[EVP_MAX_MD_SIZE];
    sink s = {EVP_MD_CTX_new(), true};
    s.good = s.hash != NULL && EVP_DigestInit_ex(s.hash, EVP_sha256(), NULL) == 1;
    put_case(&s, c);
    s.good = s.good && EVP_DigestFinal_ex(s.hash, digest, NULL) == 1;
    EVP_MD_CTX_free(s.hash);
    if (!s.good) return at_fail(err, AT_INFRASTRUCTURE, "SHA-256 could not be computed; is libcrypto whole?");
    for (size_t i = 0; i < 8; i++) snprintf(out + 2 * i, 3, "%02x", digest[i]);
    return AT_OK;
}
