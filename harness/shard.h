/* One part of a run, for runs that are spread over machines. A part holds attempts, not cases, and is the same wherever
 * it is cut. */
#ifndef AT_SHARD_H
#define AT_SHARD_H

#include "select.h"

/* Leaves the shard's choices in the selection. By static cost, so that parts take about as long as each other. */
AT_MUST_USE at_status at_shard_keep(at_selection *, int64_t shard, int64_t shards, at_error *err);

/* Where --shard was not given: GTEST_TOTAL_SHARDS and GTEST_SHARD_INDEX, else SLURM_ARRAY_TASK_ID, _COUNT, _MIN and
 * _STEP. Says on stderr what it found. AT_USAGE where that makes no sense. */
AT_MUST_USE at_status at_shard_from_environment(at_options *, at_error *err);

#endif
