#include "case_build.h"
#include "check.h"
#include "content.h"

#include <stdio.h>
#include <string.h>

/* The list repeated, with the case's own past and new in place of each sequence's. */
static at_status resolve_sequences(const at_reader *r, at_draft *d) {
    at_case *c = &d->c;
    bool listed = c->sequence != NULL;
    size_t once = listed ? c->sequences : 1, all = once * (size_t)d->copies;
    if (!listed && (d->past < 0 || d->fresh < 0))
        return at_place_fail(r->err, c->place,
                             "a case has no sequences; give sequences: [{past, new}], or past and new");
    at_sequence *sequence = at_arena_get(r->arena, all, sizeof *sequence);
    if (sequence == NULL) return at_arena_fail(r->err, r->arena, c->place);
    for (size_t i = 0; i < all; i++) {
        const at_sequence *s = listed ? &c->sequence[i % once] : &(at_sequence){.past = -1, .fresh = -1};
        sequence[i] =
            (at_sequence){.past = d->past >= 0 ? d->past : s->past, .fresh = d->fresh >= 0 ? d->fresh : s->fresh};
    }
    c->sequence = sequence;
    c->sequences = all;
    return AT_OK;
}

static at_status resolve(const at_reader *r, at_draft *d, const at_bindings *b) {
    at_case *c = &d->c;
    if (d->geometry.name == NULL)
        return at_place_fail(r->err, c->place, "a case has no geometry; name one of `geometries`");
    c->any_dialect = d->dialect < 0;
    c->dialect = c->any_dialect ? OR_GENAI : (or_dialect)d->dialect;
    c->dtype = d->dtype == 0 ? AT_F16 : AT_BF16;
    c->geometry = d->geometry.name;
    c->head_size = d->geometry.head_size;
    c->rotary_dim = d->geometry.rotary_dim;
    c->cold_capture = d->cold != 0;
    at_status st = resolve_sequences(r, d);
    return st == AT_OK ? at_attributes_make(r, c, &d->geometry, b->attribute, d->extra) : st;
}

static at_status make_id(const at_reader *r, at_case *c, const char *label) {
    char id[AT_LONGEST_ID + 1];
    int n = snprintf(id, sizeof id, "%s/%s%s%s", c->suite, c->name, label[0] ? "/" : "", label);
    if (n > AT_LONGEST_ID)
        return at_place_fail(r->err, c->place,
                             "the ids of case '%s' would be longer than %d characters; shorten labels", c->name,
                             AT_LONGEST_ID);
    c->id = at_arena_text(r->arena, id, (size_t)n);
    return c->id ? AT_OK : at_arena_fail(r->err, r->arena, c->place);
}

at_status at_case_build(const at_reader *r, at_case *out, char *suite, const at_yaml *map, const at_bindings *b,
                        const char *label) {
    at_draft d;
    at_status st = at_draft_start(r, &d);
    d.c.place = map->place;
    d.c.suite = suite;
    for (size_t k = 0; k < AT_CASE_KEYS && st == AT_OK; k++) {
        const at_key *key = &at_case_keys[k];
        if (b->key[k] != NULL && (key->type != AT_KEY_OTHER || key->read != NULL))
            st = at_key_read(r, key, &d, b->key[k]);
        if (st == AT_OK && b->key[k] == NULL && key->required)
            st = at_place_fail(r->err, map->place, "a case has no %s; give %s", key->name, key->about);
    }
    if (st == AT_OK) st = resolve(r, &d, b);
    if (st == AT_OK) st = make_id(r, &d.c, label);
    if (st == AT_OK) st = at_case_check(r, &d.c, b);
    if (st == AT_OK) st = at_content_hash(d.c.hash, &d.c, r->err);
    *out = d.c;
    return st;
}
