/* Items are kept in a hash table of their keys while records are read, then sorted; pairs come last, since they need
 * the order (coverage_pairs.c). */
#include "coverage.h"
#include "group.h"

#include <stdlib.h>
#include <string.h>

enum { KEY = 500 }; /* longer keys are cut */

typedef struct {
    at_coverage *c;
    size_t room;    /* of c->item */
    uint32_t *slot; /* [slots] index of an item + 1, or 0; slots is a power of two and more than twice the items */
    size_t slots;
    bool failed; /* memory is short */
} builder;

/* ---- items by key ---- */

static uint64_t hash(const char *key) {
    uint64_t h = UINT64_C(14695981039346656037); /* FNV-1a */
    for (; *key != 0; key++) h = (h ^ (unsigned char)*key) * UINT64_C(1099511628211);
    return h ^ h >> 32;
}

static uint32_t *slot_of(const builder *b, const char *key) {
    size_t at = (size_t)hash(key) & (b->slots - 1);
    while (b->slot[at] != 0 && strcmp(b->c->item[b->slot[at] - 1].key, key) != 0) at = (at + 1) & (b->slots - 1);
    return &b->slot[at];
}

static at_item *item_of(const builder *b, const char *key) {
    uint32_t slot = *slot_of(b, key);
    return slot == 0 ? NULL : &b->c->item[slot - 1];
}

static bool fill_slots(builder *b, size_t slots) {
    uint32_t *slot = calloc(slots, sizeof *slot);
    if (slot == NULL) return false;
    free(b->slot);
    b->slot = slot;
    b->slots = slots;
    for (size_t i = 0; i < b->c->items; i++) *slot_of(b, b->c->item[i].key) = (uint32_t)i + 1;
    return true;
}

static bool make_room(builder *b) {
    if (b->c->items < b->room) return true;
    size_t room = b->room == 0 ? 256 : 2 * b->room;
    at_item *item = room > UINT32_MAX / 4 ? NULL : realloc(b->c->item, room * sizeof *item);
    if (item == NULL) return false;
    b->c->item = item;
    b->room = room;
    return fill_slots(b, 4 * room);
}

/* Made where it is not there; NULL where memory is short. */
static at_item *make_item(builder *b, const char *key) {
    at_item *item = item_of(b, key);
    char *copy = NULL;
    if (item != NULL) return item;
    if (!make_room(b) || (copy = strdup(key)) == NULL) {
        b->failed = true;
        return NULL;
    }
    *slot_of(b, key) = (uint32_t)b->c->items + 1;
    item = &b->c->item[b->c->items++];
    *item = (at_item){.key = copy, .kind_bytes = strcspn(copy, ":")};
    return item;
}

/* ---- counting ---- */

typedef struct {
    const at_record *record;
    size_t number; /* of its case, from 1 */
} attempt;

static void count(builder *b, const attempt *a, const char *key) {
    at_item *item = make_item(b, key);
    if (item == NULL) return;
    item->attempts++;
    item->passed += at_is_good(a->record);
    item->cases += item->last_case != a->number;
    item->last_case = a->number;
}

static void count_name(builder *b, const attempt *a, const char *kind, const char *name) {
    char key[KEY];
    if (name == NULL || *name == 0) return;
    snprintf(key, sizeof key, "%s:%s", kind, name);
    count(b, a, key);
}

static void count_names(builder *b, const attempt *a, const char *kind, char *const *name) {
    for (size_t i = 0; name != NULL && name[i] != NULL; i++) count_name(b, a, kind, name[i]);
}

static bool is_refusal(const at_record *r) {
    return at_compare(r->expect, "refusal") == 0;
}

/* What a case says that it covers is a scenario where the header lists one of that name, else a clause of the contract.
 */
static void count_covers(builder *b, const attempt *a) {
    char **covers = a->record->covers;
    for (size_t i = 0; covers != NULL && covers[i] != NULL; i++) {
        char key[KEY];
        snprintf(key, sizeof key, "scenario:%s", covers[i]);
        const at_item *scenario = item_of(b, key);
        count_name(b, a, scenario != NULL ? "scenario" : is_refusal(a->record) ? "refused" : "clause", covers[i]);
    }
}

/* What was computed was let through by each gate. */
static void count_gates(builder *b, const attempt *a) {
    static const char *const gate[] = {"supports", "create", "execute"};
    const at_record *r = a->record;
    for (size_t i = 0; i < 3 && !is_refusal(r) && r->dialect != NULL && r->dialect[0] != 0; i++) {
        char key[KEY];
        snprintf(key, sizeof key, "gate:%s@%s", r->dialect, gate[i]);
        count(b, a, key);
    }
}

/* A rule is exercised at each gate that was asked. */
static void count_rule(builder *b, const attempt *a) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz";
    const at_record *r = a->record;
    if (r->rule == NULL || r->gate == NULL || !is_refusal(r)) return;
    for (const char *gate = r->gate; *(gate += strcspn(gate, letters)) != 0; gate += strspn(gate, letters)) {
        char key[KEY];
        snprintf(key, sizeof key, "rule:%s@%.*s", r->rule, (int)strspn(gate, letters), gate);
        count(b, a, key);
    }
}

static void count_attempt(builder *b, const attempt *a) {
    const at_record *r = a->record;
    count_name(b, a, "suite", r->suite);
    count_name(b, a, "mode", r->mode);
    count_names(b, a, "tag", r->tags);
    count_names(b, a, "axis", r->axes);
    count_names(b, a, "poison", r->poisons);
    count_covers(b, a);
    count_rule(b, a);
    count_gates(b, a);
}

static void declare(builder *b, const char *kind, char *const *name) {
    for (size_t i = 0; name != NULL && name[i] != NULL; i++) {
        char key[KEY];
        if (at_pair_rule(name[i]) != NULL) continue;
        snprintf(key, sizeof key, "%s%s", kind, name[i]);
        at_item *item = make_item(b, key);
        if (item != NULL) item->declared = true;
    }
}

static int by_key(const void *a, const void *b) {
    return strverscmp(((const at_item *)a)->key, ((const at_item *)b)->key);
}

at_status at_coverage_of(at_coverage *out, const at_journal *j, at_error *err) {
    *out = (at_coverage){0};
    builder b = {.c = out};
    at_status st = AT_OK;
    size_t number = 1;
    const at_record **by_id = at_sorted(j, at_by_id);
    b.failed = by_id == NULL || !make_room(&b);
    if (b.failed) goto done;
    declare(&b, "", j->header.universe);
    declare(&b, "suite:", j->header.suites);
    for (size_t i = 0; i < j->records; i++) {
        if (i > 0 && at_by_id(by_id[i - 1], by_id[i]) != 0) number++;
        if (at_is_executed(by_id[i])) count_attempt(&b, &(attempt){by_id[i], number});
    }
    if (b.failed) goto done;
    qsort(out->item, out->items, sizeof *out->item, by_key);
    st = at_coverage_pair(out, j, err);
done:
    if (b.failed) st = at_fail_memory(err, b.room * sizeof *out->item);
    free(by_id);
    free(b.slot);
    if (st != AT_OK) at_coverage_free(out);
    return st;
}

void at_coverage_free(at_coverage *c) {
    for (size_t i = 0; i < c->items; i++) free(c->item[i].key);
    free(c->item);
    free(c->pair);
    *c = (at_coverage){0};
}

/* ---- asking ---- */

const char *at_item_name(const at_item *item) {
    return item->key + item->kind_bytes + (item->key[item->kind_bytes] == ':');
}

size_t at_kind_end(const at_coverage *c, size_t from) {
    const at_item *first = &c->item[from];
    size_t end = from + 1;
    while (end < c->items && c->item[end].kind_bytes == first->kind_bytes &&
           memcmp(c->item[end].key, first->key, first->kind_bytes) == 0) {
        end++;
    }
    return end;
}

size_t at_axis_bytes(const at_item *item) {
    return strcspn(at_item_name(item), "=");
}

size_t at_axis_end(const at_coverage *c, size_t from) {
    const char *name = at_item_name(&c->item[from]);
    size_t bytes = at_axis_bytes(&c->item[from]), end = from + 1;
    while (end < c->axis + c->axes && at_axis_bytes(&c->item[end]) == bytes &&
           memcmp(at_item_name(&c->item[end]), name, bytes) == 0) {
        end++;
    }
    return end;
}
