#include "variant.h"
#include "finding.h"
#include "modes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MORE_PARAMETERS = 2, MORE_ATTRIBUTES = 4 };

at_status at_variant_of(at_variant *out, const at_case *c, size_t more, at_error *err) {
    *out = (at_variant){.c = *c};
    out->sequence = calloc(c->sequences + more + 1, sizeof *out->sequence);
    out->attr = calloc(c->attrs + MORE_ATTRIBUTES, sizeof *out->attr);
    out->parameter = calloc(c->parameters + MORE_PARAMETERS, sizeof *out->parameter);
    if (out->sequence == NULL || out->attr == NULL || out->parameter == NULL) {
        at_variant_free(out);
        return at_fail_memory(err, c->sequences * sizeof *out->sequence);
    }
    if (c->sequences > 0) memcpy(out->sequence, c->sequence, c->sequences * sizeof *c->sequence);
    if (c->attrs > 0) memcpy(out->attr, c->attr, c->attrs * sizeof *c->attr);
    if (c->parameters > 0) memcpy(out->parameter, c->parameter, c->parameters * sizeof *c->parameter);
    out->c.sequence = out->sequence, out->c.attr = out->attr, out->c.parameter = out->parameter;
    out->c.expect = AT_EXPECT_BUDGET;
    return AT_OK;
}

void at_variant_free(at_variant *v) {
    free(v->sequence);
    free(v->attr);
    free(v->parameter);
    *v = (at_variant){0};
}

void at_variant_set_integer(at_variant *v, const char *attribute, int64_t value) {
    for (size_t i = 0; i < v->c.attrs; i++) {
        if (strcmp(v->attr[i].name, attribute) == 0) v->attr[i].i = value;
    }
}

at_attr *at_variant_attribute(at_variant *v, const char *name, at_attr_type type) {
    for (size_t i = 0; i < v->c.attrs; i++) {
        if (strcmp(v->attr[i].name, name) == 0) return &v->attr[i];
    }
    v->attr[v->c.attrs] = (at_attr){.name = name, .type = type};
    return &v->attr[v->c.attrs++];
}

void at_variant_set_parameter(at_variant *v, const char *name, double value) {
    size_t i = 0;
    while (i < v->c.parameters && strcmp(v->parameter[i].name, name) != 0) i++;
    v->parameter[i] = (at_parameter){.name = (char *)(uintptr_t)name, .value = value};
    if (i == v->c.parameters) v->c.parameters++;
}

at_status at_variant_plan(at_plan **out, const at_variant *v, or_dialect dialect, uint64_t seed, const uint16_t *cache,
                          at_error *err) {
    at_error why;
    at_status st = at_plan_make(out, &v->c, dialect, seed, &why);
    if (st != AT_OK) return at_fail(err, AT_INFRASTRUCTURE, "a variant that cannot be planned: %s", why.text);
    or_tensor *planned = &(*out)->call.in[OR_KEY_CACHE];
    if (cache != NULL) memcpy(planned->data, cache, at_tensor_bytes(planned));
    return AT_OK;
}

at_status at_answer_to(at_traces *out, const at_host *host, at_kernel *kernel, const at_plan *plan, at_record *record,
                       bool *going, at_error *err) {
    static const at_cpu_how how = {.order = AT_RANDOM, .seed = 3, .late = 1};
    at_session s;
    *out = (at_traces){0};
    at_status st = at_session_open(&s, host, plan, kernel, record, going, err);
    if (st == AT_OK && *going) st = at_eager_once(&s, AT_EDGE_END, 0xFF, &how, out, going, err);
    record->tensors = 0; /* the last answer's figures are the ones that are kept */
    if (st == AT_OK && *going) st = at_session_judge(&s, out, err);
    at_session_close(&s);
    return st;
}

bool at_rows_equal(at_record *record, const char *detector, const char *what, const or_problem *p, const at_traces *got,
                   int64_t got_token, const at_traces *want, int64_t want_token, int64_t count) {
    int64_t width = p->heads * p->v_head_size;
    const uint16_t *a = got->output + got_token * width, *b = want->output + want_token * width;
    for (int64_t i = 0; i < count * width; i++) {
        if (a[i] == b[i]) continue;
        at_find(record, detector,
                "%s: token %" PRId64 ", head %" PRId64 ", channel %" PRId64 ": 0x%04x, and 0x%04x as token %" PRId64,
                what, got_token + i / width, i % width / p->v_head_size, i % p->v_head_size, a[i], b[i],
                want_token + i / width);
        return false;
    }
    return true;
}
