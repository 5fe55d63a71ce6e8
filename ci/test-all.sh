#!/usr/bin/env bash
# What takes long, and `make test` leaves out: each part is one check, its output in build/logs. Arguments pick parts; MINUTES (1) is each
# fuzzer's time, KILLS (50) how many runs are killed. As root where Slurm is to be installed and started.
set -uo pipefail
cd "$(dirname "$0")/.."
logs=build/logs
passed=0 failed=0
mkdir -p "$logs"

kills() { KILLS=${KILLS:-50} ci/check-program.sh; }
slurm() { ci/slurm/test.sh; }
fuzz() { make --no-print-directory fuzz MINUTES="${MINUTES:-1}"; }
mutants() { make --no-print-directory mutants; }
races() { make --no-print-directory racecheck; }
page() { ci/chromium/test.sh; }
budget() { make --no-print-directory build/release/calibrate && build/release/calibrate --nightly; }

make --no-print-directory -j"$(nproc)" all >"$logs/all.log" 2>&1 || { tail -n 20 "$logs/all.log"; exit 1; }
(($# > 0)) || set -- kills slurm fuzz page races mutants budget
for part in "$@"; do
    start=$SECONDS
    if "$part" >"$logs/all-$part.log" 2>&1; then
        passed=$((passed + 1))
        echo "$part: passed in $((SECONDS - start)) s: $(tail -n 1 "$logs/all-$part.log")"
    else
        failed=$((failed + 1))
        echo "$part: FAILED after $((SECONDS - start)) s:"
        tail -n 30 "$logs/all-$part.log"
    fi
done
echo "$passed passed, $failed failed"
((failed == 0 && passed > 0))
