#include "mode_names.h"

#include <stddef.h>

const char *const at_mode_names[] = {"eager", "replay",   "refuse", "advance", "interleave", "pages", "batch",
                                     "chunk", "identity", "busy",   "life",    "speculate",  NULL};
