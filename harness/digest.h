/* SHA-256 as 64 hexadecimal digits. */
#ifndef AT_DIGEST_H
#define AT_DIGEST_H

#include "error.h"

enum { AT_DIGEST_TEXT = 65 };

AT_MUST_USE at_status at_digest(char out[AT_DIGEST_TEXT], const void *data, size_t bytes, at_error *err);

#endif
