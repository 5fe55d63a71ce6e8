/* Which poison a case hides in which place: what must not be read, or be told from what may. */
#ifndef AT_POISONS_H
#define AT_POISONS_H

#include "case.h"

/* "nan@tail" strings, NULL-terminated, owned by the caller; none for a call that is refused or computes nothing. NULL
 * when memory is short. */
char **at_poisons_of(const at_case *);

/* Every poison in every place where it can be, as "poison:nan@tail"; NULL-terminated, static. */
const char *const *at_poisons_universe(void);

#endif
