/* One character of UTF-8. */
#ifndef AT_UTF8_H
#define AT_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of the character at `s`, of which `left` >= 1 may be read; 0 where they are not well-formed (RFC 3629: shortest
 * form, no surrogate). */
size_t at_utf8_decode(const char *s, size_t left, uint32_t *character);

#endif
