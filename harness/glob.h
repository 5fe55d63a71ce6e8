/* Patterns over ids. */
#ifndef AT_GLOB_H
#define AT_GLOB_H

#include <stdbool.h>

/* '*' is any text, slashes included, '?' one character, anything else itself; the whole text has to match. */
bool at_glob(const char *pattern, const char *text);

#endif
