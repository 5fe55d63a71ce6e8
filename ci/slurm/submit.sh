#!/usr/bin/env bash
# The full tier as a Slurm array, and its merge behind it, whatever became of the tasks: a part that is missing is named by the merge.
#
#   ci/slurm/submit.sh [TASKS [sbatch options...]]      eight tasks; --gres=gpu:1 --partition=... for GPUs
#
# From the environment: TIER (full), SUBJECT (cuda), OUT (build/slurm), ARGUMENTS (more of attest run's). Prints the ids of array and merge.
set -euo pipefail
cd "$(dirname "$0")/../.."
tasks=${1:-8}
shift || true
export TIER=${TIER:-full} SUBJECT=${SUBJECT:-cuda} OUT=${OUT:-build/slurm} ARGUMENTS=${ARGUMENTS:-}
mkdir -p "$OUT"
array=$(sbatch --parsable --chdir="$PWD" --array="1-$tasks" --output="$OUT/part-%a.log" "$@" ci/slurm/array.sbatch)
merge=$(sbatch --parsable --chdir="$PWD" --dependency="afterany:$array" --output="$OUT/merge.log" ci/slurm/merge.sbatch)
echo "$array $merge"
