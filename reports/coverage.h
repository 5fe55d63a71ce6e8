/* What the executed attempts covered of what the header says there is: "kind:name" items, and pairs of axis values.
 *
 * A case that is refused covers its rule at each gate and, as "refused:", the clauses that it names; one that is
 * computed covers "clause:" and, since it passed all three, "gate:DIALECT@GATE". */
#ifndef AT_COVERAGE_H
#define AT_COVERAGE_H

#include "../harness/record.h"

enum { AT_AXIS_VALUES = 1024 };

typedef struct {
    char *key; /* "clause:read.window", "axis:dtype=float16", "rule:kv-heads@supports", "suite:window", "tag:S1",
                  "mode:replay", "refused:dialect.slots", "gate:onnx-genai@create" */
    size_t kind_bytes;               /* before the colon */
    bool declared;                   /* the header lists it */
    int64_t cases, attempts, passed; /* executed; of these attempts, with the right answer */
    size_t last_case;                /* the last case that was counted, from 1 */
} at_item;

typedef struct {
    at_item *item; /* [items] by key */
    size_t items;
    size_t axis, axes;   /* the first item of an axis, and how many there are */
    unsigned char *pair; /* [axes, axes] bits of at_pair_bit */
} at_coverage;

enum at_pair_bit {
    AT_PAIR_MET = 1,       /* an executed attempt had both values */
    AT_PAIR_IMPOSSIBLE = 2 /* a rule of the header says that none can: "impossible:axis=value*axes=others: why" */
};

/* Between values that the header declares. */
typedef struct {
    size_t met, valid, impossible; /* met: of the valid ones          */
    size_t contradicted;           /* of the impossible ones, met all the same: a fault of the rules */
} at_pairs;

/* AT_USAGE where a journal has more than AT_AXIS_VALUES values of axes. */
AT_MUST_USE at_status at_coverage_of(at_coverage *out, const at_journal *, at_error *err);
void at_coverage_free(at_coverage *);

const char *at_item_name(const at_item *);            /* what follows the colon */
size_t at_kind_end(const at_coverage *, size_t from); /* one past the last item of item[from]'s kind */
size_t at_axis_end(const at_coverage *, size_t from); /* one past the last value of item[from]'s axis */
size_t at_axis_bytes(const at_item *);                /* of the axis's name within at_item_name */

/* Pairs of two items of axes. */
bool at_together(const at_coverage *, size_t a, size_t b);
bool at_is_valid(const at_coverage *, size_t a, size_t b); /* declared both, and no rule says that it is impossible */
at_pairs at_pairs_between(const at_coverage *, size_t a, size_t a_end, size_t b, size_t b_end);
at_pairs at_pairs_of_all(const at_coverage *);
double at_pairs_percent(const at_pairs *); /* met of valid, rounded down to a tenth: 100 is all of them */
/* What stands behind "impossible:" in a word of the header's universe; NULL where it is no such rule. */
const char *at_pair_rule(const char *word);
AT_MUST_USE at_status at_coverage_pair(at_coverage *, const at_journal *,
                                       at_error *err); /* fills in `pair`: for at_coverage_of */

#endif
