/* Processes that a worker's subject has started and that outlive it, whatever session they have gone to. */
#ifndef AT_STRAYS_H
#define AT_STRAYS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* From now on what is left without a parent below this process becomes its child. False, and nothing is done, where it
 * has children already: which of them are strays could not be told. */
bool at_strays_adopt(void);
/* Kills and reaps every child of this process but those of keep[kept], and what those leave behind in turn. How many.
 * Whose they were is not known: those of workers that go on end as well, once they have lost their parent. */
int at_strays_end(const pid_t *keep, size_t kept);

#endif
