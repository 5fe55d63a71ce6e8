#include "floors.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    size_t percent;    /* of the valid pairs */
    const char *kinds; /* no item of these may be uncovered */
} floors[AT_TIERS] = {
    [AT_QUICK] = {95, "axis poison clause refused rule gate mode"},
    [AT_FULL] = {100, "axis poison clause refused rule gate mode"},
    [AT_STRESS] = {100, "axis poison clause refused rule gate mode scenario"}, /* some scenarios take gigabytes */
};

enum { MOST_NAMED = 8 };

/* Names the first few of what is wrong. */
typedef struct {
    char text[600];
    size_t used, count;
} names;

static void name(names *n, const char *a, const char *b) {
    size_t room = sizeof n->text - n->used;
    if (n->count++ >= MOST_NAMED || room < 2) return;
    int length = snprintf(n->text + n->used, room, "%s%s%s%s", n->used > 0 ? ", " : "", a, *b ? " with " : "", b);
    n->used += (size_t)length < room ? (size_t)length : room - 1;
}

static bool is_owed(const at_item *item, const char *kinds) {
    for (const char *kind = kinds; *kind != 0; kind += strspn(kind, " ")) {
        size_t bytes = strcspn(kind, " ");
        if (bytes == item->kind_bytes && memcmp(kind, item->key, bytes) == 0) return true;
        kind += bytes;
    }
    return false;
}

static void name_uncovered(names *n, const at_coverage *c, const char *kinds) {
    for (size_t i = 0; i < c->items; i++) {
        if (c->item[i].attempts == 0 && is_owed(&c->item[i], kinds)) name(n, c->item[i].key, "");
    }
}

/* Pairs of which both a case and the rules of pairs.c speak: one of them is wrong. */
static void name_contradicted(names *n, const at_coverage *c) {
    size_t end = c->axis + c->axes;
    for (size_t a = c->axis; a < end; a++) {
        for (size_t b = at_axis_end(c, a); b < end; b++) {
            if (c->item[a].declared && c->item[b].declared && at_together(c, a, b) && !at_is_valid(c, a, b)) {
                name(n, at_item_name(&c->item[a]), at_item_name(&c->item[b]));
            }
        }
    }
}

at_status at_floors_hold(const at_coverage *c, at_tier tier, at_error *err) {
    at_pairs all = at_pairs_of_all(c);
    names uncovered = {.count = 0}, contradicted = {.count = 0};
    if (floors[tier].kinds == NULL) return AT_OK;
    name_uncovered(&uncovered, c, floors[tier].kinds);
    name_contradicted(&contradicted, c);
    if (uncovered.count > 0) {
        return at_fail(err, AT_USAGE, "no case of the %s tier covers %zu things: %s%s; add a case for each",
                       at_tier_name(tier), uncovered.count, uncovered.text,
                       uncovered.count > MOST_NAMED ? ", ..." : "");
    }
    if (contradicted.count > 0) {
        return at_fail(err, AT_USAGE,
                       "%zu pairs are impossible by harness/pairs.c, and cases have them: %s%s; take the rule back",
                       contradicted.count, contradicted.text, contradicted.count > MOST_NAMED ? ", ..." : "");
    }
    if (100 * all.met < floors[tier].percent * all.valid) {
        return at_fail(
            err, AT_USAGE,
            "pairs: %zu of %zu valid (%.1f %%), and the %s tier owes %zu %%; the report lists those missing, "
            "and ci/pairs.py writes cases for them",
            all.met, all.valid, at_pairs_percent(&all), at_tier_name(tier), floors[tier].percent);
    }
    return AT_OK;
}
