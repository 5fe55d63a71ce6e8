#!/usr/bin/env bash
# Every test, twice where it pays: under AddressSanitizer and UBSan, and under gcov for the coverage floors; then the gate. Each Criterion
# test, each floor and each check of the gate counts once in the last line.
set -uo pipefail
cd "$(dirname "$0")/.."
jobs=$(nproc)
logs=build/logs
passed=0 failed=0
mkdir -p "$logs"

# pass WORDS / fail WORDS: one check
pass() { passed=$((passed + 1)); }
fail() { failed=$((failed + 1)); echo "FAILED: $*"; }
check() { local what=$1; shift; if "$@"; then pass; else fail "$what"; fi; }

build() {
    local mode=$1; shift
    echo "== building $* ($mode)"
    if ! make --no-print-directory -j"$jobs" MODE="$mode" "$@" >"$logs/build-$mode.log" 2>&1; then
        tail -n 30 "$logs/build-$mode.log"
        fail "the $mode build"
    fi
}

# A Criterion program's own count; a program that dies without one is a failure.
criterion() {
    local program=$1 log="$logs/${1//\//-}.log" line
    "$program" --always-succeed >"$log" 2>&1
    line=$(grep -o 'Tested: [0-9]* | Passing: [0-9]* | Failing: [0-9]* | Crashing: [0-9]*' "$log" | tail -n 1)
    if [[ -z $line ]]; then
        tail -n 20 "$log"
        fail "$program gave no result"
        return
    fi
    read -r tested passing <<<"$(sed 's/[^0-9]\+/ /g' <<<"$line" | awk '{print $1, $2}')"
    passed=$((passed + passing)) failed=$((failed + tested - passing))
    echo "$program: $line"
    ((tested == passing)) || grep -E '^\[(FAIL|----)\]' "$log" | head -n 60
    ((tested > 0)) || fail "$program holds no test"
}

no_reports_of() { ! compgen -G "$1*" >/dev/null || { head -n 40 "$1"*; false; }; }

sanitized() {
    rm -f "$PWD/$logs"/asan.*
    export ASAN_OPTIONS="log_path=$PWD/$logs/asan:detect_leaks=1" UBSAN_OPTIONS="print_stacktrace=1:log_path=$PWD/$logs/asan"
    build asan tests all
    for program in build/asan/tests/{oracle,harness,reports,cuda,simt}; do criterion "$program"; done
    check "a run under the sanitizers" build/asan/attest run --subject cpu --tier smoke --out build/asan/reports --no-progress
    check "AddressSanitizer and UBSan have nothing to say" no_reports_of "$logs/asan."
    unset ASAN_OPTIONS UBSAN_OPTIONS
}

covered() {
    build gcov tests all
    find build/gcov -name '*.gcda' -delete
    for program in build/gcov/tests/{oracle,harness,reports,cuda,simt}; do criterion "$program"; done
    for arguments in "run --subject cpu --tier smoke --out build/gcov/reports --no-progress" \
        "run --subject cpu -k refusals -k contents -k window --out build/gcov/reports --no-progress" "check -k pull-request" "list --json" \
        "doctor" "doctor --json" "judge oracle/vectors --implementation onnxruntime" \
        "judge oracle/vectors --implementation onnxruntime --json" "cover --tier full" "cover --power -k window" \
        "report build/gcov/reports/results.jsonl --out build/gcov/reports" \
        "explain window/edge/dialect=onnx-genai,dtype=float16,local_window_size=16" \
        "bench --subject cpu -k timing/pull-request" "bench --overhead" \
        "bench --subject cpu -k timing/pull-request --json" "run --help" "export -k pull-request build/gcov/exported" \
        "repro pull-request/tiny-decode/dtype=float16 --in-process --dump build/gcov/dumped" help; do
        # shellcheck disable=SC2086
        check "attest $arguments" quietly build/gcov/attest $arguments
    done
    check "a reviewer's way, covered" quietly env ATTEST=build/gcov/attest ci/check-review.sh
    check "an installed attest, covered" quietly env MODE=gcov ci/check-install.sh
    check "coverage floors" ci/coverage.sh
}

quietly() { "$@" >"$logs/quiet.log" 2>&1 || { tail -n 20 "$logs/quiet.log"; false; }; }

digests_hold() { harness/tests/digests.sh build/attest | diff harness/tests/digests.txt -; }

released() {
    build release all tests
    check "the gate" ci/gate.sh
    check "what the program says and how it exits" ci/check-program.sh
    check "a reviewer's way" ci/check-review.sh
    check "the guide, word for word" ci/check-guide.sh
    check "an installed attest" ci/check-install.sh
    check "the cases themselves" quietly build/attest check
    check "what the quick tier covers" quietly build/attest cover
    check "what the full tier covers" quietly build/attest cover --tier full
    check "the pairs are what the script makes" python3 ci/pairs.py --check
    check "input digests are the committed ones" digests_hold
    check "__shared__ is refused on the host" cuda/simt/tests/shared_keyword.sh g++
}

released
sanitized
covered
echo "$passed passed, $failed failed"
((failed == 0 && passed > 0))
