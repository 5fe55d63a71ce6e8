/* Beside which buffer a kernel faulted, where the device says only that it did.
 *
 * A GPU keeps the address of an illegal access to itself. So the attempt is made again, each time in a new worker, with
 * the unmapped range mapped beside half of the buffers that are still in question, until one range is left. */
#ifndef AT_LOCATE_H
#define AT_LOCATE_H

#include "options.h"
#include "record.h"
#include "select.h"

/* Does the record say that the device met an address that is not mapped? */
bool at_is_illegal_access(const at_record *);

/* A sentence, malloc'ed; NULL where nothing is known: a worker did not come up or did not answer in `seconds`, or the
 * fault came and went. Some ten workers are started, one after the other. */
char *at_locate_fault(const at_options *, int device, const at_choice *, double seconds);

#endif
