/* What no single key can tell: whether the keys of a case fit together, and how much memory its call needs. */
#ifndef AT_CHECK_H
#define AT_CHECK_H

#include "expand.h"

/* AT_USAGE at the key that contradicts another. bindings: where each key was said. */
AT_MUST_USE at_status at_case_check(const at_reader *, const at_case *, const at_bindings *);

/* Bytes of all tensors of the plain call; UINT64_MAX where that does not fit. */
uint64_t at_case_bytes(const at_case *);

#endif
