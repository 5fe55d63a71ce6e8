/* What the executed attempts covered of what the header says there is: "kind:name" items, and pairs of axis values. */
#ifndef AT_COVERAGE_H
#define AT_COVERAGE_H

#include "../harness/record.h"

enum { AT_AXIS_VALUES = 1024 };

typedef struct {
    char *key; /* "clause:read.window", "axis:dtype=float16", "rule:kv-heads@supports", "suite:window", "tag:S1",
                  "mode:replay" */
    size_t kind_bytes;               /* before the colon */
    bool declared;                   /* the header lists it */
    int64_t cases, attempts, passed; /* executed; of these attempts, with the right answer */
    size_t last_case;                /* the last case that was counted, from 1 */
} at_item;

typedef struct {
    at_item *item; /* [items] by key */
    size_t items;
    size_t axis, axes;       /* the first item of an axis, and how many there are */
    unsigned char *together; /* [axes, axes] whether an executed attempt had both values */
} at_coverage;

/* AT_USAGE where a journal has more than AT_AXIS_VALUES values of axes. */
AT_MUST_USE at_status at_coverage_of(at_coverage *out, const at_journal *, at_error *err);
void at_coverage_free(at_coverage *);

const char *at_item_name(const at_item *);                 /* what follows the colon */
size_t at_kind_end(const at_coverage *, size_t from);      /* one past the last item of item[from]'s kind */
size_t at_axis_end(const at_coverage *, size_t from);      /* one past the last value of item[from]'s axis */
size_t at_axis_bytes(const at_item *);                     /* of the axis's name within at_item_name */
bool at_together(const at_coverage *, size_t a, size_t b); /* two items of axes */

#endif
