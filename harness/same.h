/* May two headers' results stand in one report? Said by the first field that keeps them apart. */
#ifndef AT_SAME_H
#define AT_SAME_H

#include "record.h"

enum {
    AT_SAME_SUBJECT = 1, /* the same machine code is judged            */
    AT_SAME_DEVICE = 2,  /* on the same kind of device                 */
    AT_SAME_PLAN = 4,    /* by the same program, cases, seed and waivers */
    AT_SAME_PART = 8     /* and of them the same shard                 */
};

/* a, b: what messages call them. AT_USAGE: "they differ in seed: 1 in a, 2 in b". */
AT_MUST_USE at_status at_same(const at_header *first, const char *a, const at_header *second, const char *b,
                              unsigned in, at_error *err);

#endif
