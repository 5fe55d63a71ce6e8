/* Where a run took place, as far as the journal and this machine can tell. */
#ifndef AT_ENVIRONMENT_H
#define AT_ENVIRONMENT_H

#include "record.h"

/* environment.json: {attest, run, subject, device, gpus, host}. What the journal's header says is the run's; gpus and
 * host are as found now, by nvidia-smi and the system: "same_machine" tells whether the header names this host, and
 * those of another machine are left out; a GPU's clocks are those of now too. malloc'ed. */
AT_MUST_USE at_status at_environment(char **json, const at_header *, at_error *err);

/* Whether a revision names a commit and nothing but it: neither unknown nor "-dirty". */
bool at_is_clean(const char *revision);

#endif
