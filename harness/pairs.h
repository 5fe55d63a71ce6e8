/* Pairs of axis values that no case can have, or that would ask nothing: rules with their reason. What is only tedious
 * is no reason. Reports get them with the header and count what was met of the rest; a rule that some case contradicts
 * is an error of this table. */
#ifndef AT_PAIRS_H
#define AT_PAIRS_H

#include <stddef.h>

typedef struct {
    const char *value;  /* "axis=value"                                              */
    const char *axes;   /* of the other value; several between '|'                   */
    const char *others; /* values of those axes between '|', or "*" for all of them  */
    const char *why;
} at_impossible;

const at_impossible *at_impossible_pairs(size_t *count);

#endif
