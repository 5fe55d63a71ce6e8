#!/usr/bin/env bash
# Lines and branches from the gcov build, with floors; reports under build/reports/coverage. Excluded lines are listed and limited.
set -euo pipefail
cd "$(dirname "$0")/.."
out=build/reports/coverage
most_excluded=20
mkdir -p "$out"

excluded=$(git grep -nE 'GCOVR?_EXCL' -- oracle harness reports cuda 2>/dev/null || true)
if [[ -n $excluded ]]; then
    echo "excluded from coverage:"
    echo "$excluded"
    (($(wc -l <<<"$excluded") <= most_excluded)) || { echo "more than $most_excluded lines are excluded" >&2; exit 1; }
fi

status=0
# floor NAME FILTER LINES BRANCHES
floor() {
    local name=$1 filter=$2 lines=$3 branches=$4
    printf '%-8s ' "$name"
    gcovr --root . --filter "$filter" --exclude '.*/tests/.*' --exclude-throw-branches --object-directory build/gcov build/gcov \
        --json-summary "$out/$name.json" --txt "$out/$name.txt" --print-summary --fail-under-line "$lines" --fail-under-branch "$branches" \
        2>"$out/$name.log" | grep -E '^(lines|branches)' | tr '\n' ' ' || { status=1; grep -i 'fail' "$out/$name.log" || true; }
    echo "(floors $lines % and $branches %)"
}
floor oracle 'oracle/' 97 90
floor kernels 'cuda/' 95 85
floor harness 'harness/' 85 0
floor reports 'reports/' 85 0
gcovr --root . --exclude '.*/tests/.*' --exclude-throw-branches --object-directory build/gcov build/gcov --html-details "$out/index.html" \
    --xml "$out/cobertura.xml" >/dev/null 2>&1
exit $status
