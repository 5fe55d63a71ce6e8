/* The names of the modes, which case files may list. Apart from modes.h, so that reading a case needs no device. */
#ifndef AT_MODE_NAMES_H
#define AT_MODE_NAMES_H

extern const char *const at_mode_names[]; /* NULL-terminated, in the order of modes.c's table */

#endif
