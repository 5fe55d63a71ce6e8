#!/usr/bin/env bash
# The CPU execution as a race detector: first that it finds removed barriers, then the quick tier of the kernels as they are.
set -euo pipefail
cd "$(dirname "$0")/.."
log=$PWD/build/logs/tsan
mkdir -p build/logs
rm -f "$log".*
build/tsan/races | tail -n 1
# libtsan of GCC 12 cannot start where mmap has 32 random bits
TSAN_OPTIONS="log_path=$log report_bugs=1 exitcode=0" setarch -R build/tsan/attest run --subject build/tsan/subjects/cpu.so --tier quick \
    --mode eager --timeout 600 --out build/tsan/reports --no-progress "$@"
if compgen -G "$log.*" >/dev/null; then
    head -n 60 "$log".*
    echo "ThreadSanitizer reports races" >&2
    exit 1
fi
