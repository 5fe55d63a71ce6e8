/* One run a device: a lock on a file that all users of the machine share. It is held by an open descriptor, so that it
 * ends with its owner, however that ends. */
#ifndef AT_LOCK_H
#define AT_LOCK_H

#include "error.h"

/* device: what names the card on this machine, whatever index it has in this process. Waits up to `seconds` for another
 * run, and says so on stderr; AT_INFRASTRUCTURE after that. directory NULL: /run/lock, else /tmp. *out is closed to let
 * go. */
AT_MUST_USE at_status at_lock_device(int *out, const char *directory, const char *device, double seconds,
                                     at_error *err);

#endif
