/* Hands attempts to worker processes, one by one, and loses none: a worker that crashes, hangs or talks nonsense costs
 * the attempt it was at, with what is known of it; the rest runs on in a new worker. The supervisor never touches CUDA
 * or a subject.
 *
 * Whose fault an end is, the black box says: from the moment a request is taken up to the moment the next is, or until
 * subject and device are put away, it is that attempt's. So an answer is held back until then. */
#ifndef AT_SUPERVISOR_H
#define AT_SUPERVISOR_H

#include "record.h"
#include "select.h"

typedef struct {
    /* For each finished attempt, in the order they finish; anything but AT_OK ends the run. */
    at_status (*on_record)(void *user, const at_record *, at_error *err);
    at_status (*on_second)(void *user, at_error *err); /* about once a second; NULL: not wanted */
    void *user;
} at_listener;

typedef struct at_supervisor at_supervisor;

/* Starts the first worker and waits for what it says of subject and device; `header` gets it. A GPU is locked against
 * other runs until the supervisor stops. The worker's own status where it cannot. */
AT_MUST_USE at_status at_supervisor_start(at_supervisor **out, const at_options *, at_header *header, at_error *err);
/* Runs all choices with `jobs` workers, in turn on the devices of the options. A SIGINT, SIGTERM or SIGHUP ends it
 * early and in order: *interrupted; a second one at once. */
AT_MUST_USE at_status at_supervisor_run(at_supervisor *, const at_selection *, int jobs, const at_listener *,
                                        bool *interrupted, at_error *err);
void at_supervisor_stop(at_supervisor *);

#endif
