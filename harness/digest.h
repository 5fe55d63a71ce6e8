/* SHA-256 as 64 hexadecimal digits. */
#ifndef AT_DIGEST_H
#define AT_DIGEST_H

#include "../oracle/op.h"
#include "error.h"

enum { AT_DIGEST_TEXT = 65 };

AT_MUST_USE at_status at_digest(char out[AT_DIGEST_TEXT], const void *data, size_t bytes, at_error *err);

/* Of each input ([OR_INPUTS], "" stays where it is absent), and of a text that lists name, type, shape and digest of
 * all of them. */
AT_MUST_USE at_status at_digest_inputs(char (*digest)[AT_DIGEST_TEXT], char all[AT_DIGEST_TEXT], const or_call *,
                                       at_error *err);

#endif
