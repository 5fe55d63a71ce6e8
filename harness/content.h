/* The content hash of a case: what it asks of a subject, not how it is written down, why, or when it runs. */
#ifndef AT_CONTENT_H
#define AT_CONTENT_H

#include "case.h"

/* The first 16 hex digits of the SHA-256 of everything in the case but id, suite, name, why, place, tags, covers, tier,
 * the geometry's name and the modes. */
AT_MUST_USE at_status at_content_hash(char out[17], const at_case *, at_error *err);

#endif
