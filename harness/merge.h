/* The parts of a run as one journal. */
#ifndef AT_MERGE_H
#define AT_MERGE_H

#include "record.h"

typedef struct {
    const char *path;
    at_journal *journal;
} at_part;

typedef struct {
    at_journal whole;     /* header of the whole run; records point into the parts, sorted by id and mode, each once */
    char **gap;           /* NULL-terminated sentences: what is missing, by shard; none: the run is complete         */
    char **contradiction; /* NULL-terminated: attempts on which parts disagree; they are FLAKY                      */
    size_t duplicates;    /* attempts that more than one part holds, and holds alike                                 */
} at_merged;

/* AT_USAGE where the parts are not of one run: another plan, seed, subject or number of shards, or CPU and GPU.
 * Devices, drivers and hosts may differ, and are all named. The parts must outlive the result. */
AT_MUST_USE at_status at_merge(at_merged *out, const at_part *, size_t parts, at_error *err);
void at_merged_free(at_merged *);
AT_MUST_USE at_status at_merged_write(const at_merged *, const char *path, at_error *err);

#endif
