/* The process that holds subject and device. It answers requests "INDEX HASH MODE TICKET" on descriptor 0 with records
 * sealed with the ticket on descriptor 3, and dies alone. */
#ifndef AT_WORKER_H
#define AT_WORKER_H

#include "load.h"
#include "modes.h"
#include "options.h"
#include "record.h"

enum { AT_WORKER_REPLY = 3, AT_WORKER_BLACKBOX = 4 };

/* That a worker has for explanations of wrong answers, all in all. */
enum { AT_EXPLAINING_SECONDS = 20 };

/* Subject and device together; what they are goes into the header. */
typedef struct {
    at_host host;
    at_library *library;
    bool locked;
    int lock; /* the descriptor that holds the device's lock, where locked */
} at_place_of_work;
AT_MUST_USE at_status at_host_open(at_place_of_work *, at_header *, const at_options *, at_error *err);
/* The same for a command that has no supervisor to hold the device's lock: takes it, as long as options->wait. */
AT_MUST_USE at_status at_host_open_alone(at_place_of_work *, at_header *, const at_options *, at_error *err);
void at_host_close(at_place_of_work *);

/* What a worker says first: its header, or why there is none. */
AT_MUST_USE at_status at_hello_to_json(char **out, at_status st, const at_header *, const at_error *why, at_error *err);
/* The status in the hello; AT_OK fills the header. */
AT_MUST_USE at_status at_hello_from_json(at_header *out, const char *text, size_t bytes, at_error *err);

int at_worker_main(const at_options *); /* exit status */

#endif
