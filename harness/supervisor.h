/* Hands attempts to worker processes, one by one, and loses none: a worker that crashes, hangs or talks nonsense costs the attempt it was
 * at, with what is known of it; the rest runs on in a new worker. The supervisor never touches CUDA or a subject. */
#ifndef AT_SUPERVISOR_H
#define AT_SUPERVISOR_H

#include "record.h"
#include "select.h"

/* Called for each finished attempt, in the order they finish; anything but AT_OK ends the run. */
typedef at_status (*at_on_record)(void *user, const at_record *, at_error *err);

typedef struct at_supervisor at_supervisor;

/* Starts the first worker and waits for what it says of subject and device; `header` gets it. The worker's own status where it cannot. */
AT_MUST_USE at_status at_supervisor_start(at_supervisor **out, const at_options *, at_header *header, at_error *err);
/* Runs all choices with `jobs` workers. A SIGINT or SIGTERM ends it early and in order: *interrupted. */
AT_MUST_USE at_status at_supervisor_run(at_supervisor *, const at_selection *, int jobs, at_on_record, void *user, bool *interrupted,
                                        at_error *err);
void at_supervisor_stop(at_supervisor *);

#endif
