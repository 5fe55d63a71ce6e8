#!/usr/bin/env bash
# What the program says and how it exits: each check runs it and holds its exit status and its words against what is due. The subjects that
# crash, hang and lie are harness/tests/subjects/faulty.c; each fails on one of the ten cases of harness/tests/suites. Under a minute.
# Arguments pick parts, as they stand at the end; those after `resumed` read what it leaves.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
attest=$PWD/${ATTEST:-build/attest}
faulty=$PWD/${FAULTY:-build/release/tests/subjects}/faulty.so
ten=(--cases harness/tests/suites --mode eager --no-progress --color never)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export ATTEST_TEST_INNER=$PWD/${INNER:-build/subjects/cpu.so}
unset GTEST_TOTAL_SHARDS GTEST_SHARD_INDEX SLURM_ARRAY_TASK_ID SLURM_ARRAY_TASK_COUNT NO_COLOR
passed=0 failed=0

make --no-print-directory -s "${faulty#"$PWD"/}" || exit 1

# check WHAT COMMAND...: one check
check() {
    local what=$1
    shift
    if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)) && echo "FAILED: $what"; fi
}

# says STATUS WORDS ARGUMENTS...: attest exits so, and a line of its output holds the words; the output stays in $scratch/out and err
says() {
    local due=$1 words=$2 status
    shift 2
    { "$attest" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null; status=$?; } 2>/dev/null # nor the shell's word of a signal
    check "attest $*: exit $status, due $due: $(tail -n 1 "$scratch/err" | cut -c1-200)" test "$status" = "$due"
    check "attest $*: no line with '$words': $(tail -n 2 "$scratch/out" "$scratch/err" | cut -c1-300)" \
        grep -qF -- "$words" "$scratch/out" "$scratch/err"
}

one_line_of_error() { [[ $(wc -l <"$scratch/err") == 1 && ! -s $scratch/out ]]; }
last_line_is() { [[ $(tail -n 1 "$scratch/out") == "$1"* ]]; }
# The same of a run of the ten cases.
ten() { local due=$1 words=$2; shift 2; says "$due" "$words" run "${ten[@]}" --out "$scratch/run" "$@"; }

# What two journals must share: everything but times, workers, their memory, and the order in which attempts finished.
essence() {
    grep -v '^{"journal"\|^{"end"' "$1" | sed -E 's/"seconds(_oracle|_subject)?":[^,}]*//g; s/"held_(before|after)":[0-9]+,//g' |
        sed -E 's/"worker":[0-9]+//; s/"device":"cpu [0-9]+"//' | sort
}
same_results() { diff <(essence "$1") <(essence "$2") >"$scratch/diff" || { head -c 600 "$scratch/diff"; false; }; }

usage() {
    says 0 'usage: attest COMMAND' help
    says 0 '--resume' run --help
    says 64 "no command 'judgement'; did you mean 'judge'?" judgement
    says 64 "no command 'weather'; see attest help" weather
    says 64 'no option --nonsense' run --nonsense
    says 64 "run takes no words" run window
    says 64 "check takes no words" check window
    says 64 'merge needs OUT' merge
    says 64 "'egaer' is none of eager replay" run --mode egaer
    says 64 "has none with the tag 'timing'" bench --subject cpu --tier smoke
    mkdir -p "$scratch/suites" && printf 'schema: 1\nabout: None yet.\nsuites: []\n' >"$scratch/suites/index.yaml"
    says 0 "echo '  - fresh' >>$scratch/suites/index.yaml" new case fresh/first --cases "$scratch/suites"
    says 0 'check -k fresh/second' new case fresh/second --cases "$scratch/suites"
    check 'a suite that is there needs no other line in the index' test "$(grep -c index "$scratch/out")" = 0
    says 64 'cannot be read' report "$scratch/none.jsonl"
    says 64 "no case 'nobody'; attest list -k '*nobody*' looks for it" explain nobody
    says 1 'value: output: token 0' explain ten/tokens/new=5 --cases harness/tests/suites --subject "$faulty:wrong"
    says 1 '0 of 1: three in four agree with none of' explain ten/tokens/new=5 ten/tokens/new=4 --cases harness/tests/suites --subject "$faulty:wrong"
    says 64 'explain needs an ID, or several' explain
    says 64 "'refusals/layout-value/dialect=onnx-genai' expects a refusal" explain refusals/layout-value/dialect=onnx-genai --subject cpu
    check 'explain of a refusal ends with the line that answers it' \
        bash -c "$(sed -n 's/.* says: //p' "$scratch/err") | grep -q '^PASS refusals/layout-value'"
    says 1 'agrees with none of' explain ten/tokens/new=5 --cases harness/tests/suites --subject "$faulty:wrong"
    says 1 'agrees with    none of' repro ten/tokens/new=5 --mode eager --cases harness/tests/suites --subject "$faulty:wrong"
    check 'no figure where there is none' test -z "$(grep -E '\binf\b|[0-9]{19}|head -1' "$scratch/out")"
    for command in "explain ten/tokens/new=5" "repro ten/tokens/new=5 --mode eager --in-process" "bench -k ten/tokens/new=5"; do
        # shellcheck disable=SC2086
        says 139 "attest: SIGSEGV in phase 'execute' of ten/tokens/new=5: address 0x8 is in no buffer" $command \
            --cases harness/tests/suites --subject "$faulty:segv"
        check "attest $command: what survives it" grep -qF "attest repro 'ten/tokens/new=5' runs it in a worker" "$scratch/err"
    done
    says 134 "attest: SIGABRT in phase 'execute' of ten/tokens/new=5; attest repro" \
        explain ten/tokens/new=5 --cases harness/tests/suites --subject "$faulty:abort"
    says 0 'nothing to explain' explain ten/tokens/new=5 --cases harness/tests/suites --subject cpu
    check 'what lives is not told as dead' test ! -s "$scratch/err"
    says 0 'the subject refused the case' explain ten/tokens/new=5 --cases harness/tests/suites --subject "$faulty:unsupported"
}

selection() {
    ten 0 'VALIDATED on CPU execution (no GPU seen): 10 of 10 cases' --subject cpu
    check 'a run that validates says nothing on stderr' test ! -s "$scratch/err"
    ten 64 "matches none of 10 cases" --subject cpu -k nothing
    says 64 "matches none of 10 cases" check --cases harness/tests/suites -k nothing
    says 2 'UNVALIDATED: nothing was judged: no case of' run --subject cpu -k full-size --tier smoke --out "$scratch/run"
    ten 2 'nothing was judged' --subject "$faulty:unsupported"
    ten 2 'a GPU is required' --subject cpu --require-gpu
    ten 64 '--devices names GPUs' --subject cpu --devices 0,1
    mkdir "$scratch/cases"
    cp harness/tests/suites/ten.yaml "$scratch/cases"
    printf 'schema: 1\nabout: An index.\nsuites: [ten, lost]\n' >"$scratch/cases/index.yaml"
    says 2 "0 cases were executed where the floor is lost=1" run --subject cpu --cases "$scratch/cases" --out "$scratch/run"
    says 64 "the index asks for a suite lost" check --cases "$scratch/cases"
    printf 'schema: 1\nabout: An index.\nsuites: [ten]\n' >"$scratch/cases/index.yaml"
    says 0 'VALIDATED' run --subject cpu --cases "$scratch/cases" --out "$scratch/run" --no-progress
}

# A case that contradicts itself is its file's to mend, and said before anything runs; where only its data, too large to be made twice, show
# it, the others are judged.
unplannable() {
    local odd=$scratch/odd.yaml
    cat >"$odd" <<'ODD'
schema: 1
suite: odd
about: Cases of which not all are one.
geometries: {g: {head_size: 64, v_head_size: 64, num_heads: 2}}
defaults: {geometry: g, new: 1, modes: [eager]}
cases:
  - {name: fine, why: One that is., data: normal, past: 3}
  - {name: near, why: Its values are near where their rounding changes., data: normal, past: 6000, expect: exact}
  - {name: small, why: The same but small., data: normal, past: 60, expect: exact}
  - {name: illegal, why: Two KV heads., data: normal, past: 3, node: {kv_num_heads: 2}}
ODD
    says 64 "odd.yaml:9:5: odd/small: expects exact values" run --subject /nowhere.so --cases "$odd" --out "$scratch/odd"
    check 'one line that counts the others' grep -q 'expect budget, or change the data (and 1 more; attest check lists them)$' "$scratch/err"
    check 'one line of error' one_line_of_error
    says 64 "odd.yaml:10:5: odd/illegal: expects values, but supports may refuse it" run --subject /nowhere.so --cases "$odd" -k odd/illegal \
        --out "$scratch/odd"
    says 64 'expect that refusal, or make the call legal' repro odd/illegal --subject cpu --cases "$odd"
    check 'nothing was run' test ! -e "$scratch/odd"
    says 2 '1 PASS, 1 NOT_RUN' run --subject cpu --cases "$odd" -k odd/fine -k odd/near --out "$scratch/odd" --no-progress
    check 'what did not run says why, and where' grep -q 'odd.yaml:8:5: odd/near: expects exact values, but output' "$scratch/odd/results.jsonl"
}

subjects() {
    local s
    for s in /nowhere.so Makefile "$scratch" "${faulty%/*}/no_symbol.so" "${faulty%/*}/broken.so:1" "${faulty%/*}/unresolved.so" nobody \
        "$faulty:nobody"; do
        ten 2 'UNVALIDATED: nothing was judged' --subject "$s"
        check "subject $s: one line" test "$(cat "$scratch/out" "$scratch/err" | wc -l)" = 1
    done
    ATTEST_TEST_HANG=1 ten 2 'the subject did not load within 10 s: a constructor' --subject "$faulty:fine" --timeout 1
    check 'what is waited for is said' grep -qF 'attest: waiting for a worker that is loading the subject, for 10 s at most' "$scratch/err"
    s=${faulty#"$PWD"/}
    ATTEST_TEST_MOVES=1 ten 1 '9 PASS, 1 CRASH' --subject "$s:segv" -j1
    ATTEST_TEST_MOVES=1 says 0 PASS repro ten/tokens/new=4 --cases harness/tests/suites --subject "$s:fine" --in-process --dump "build/dumped-$$"
    check 'a dump lies where it was asked for' test -d "build/dumped-$$"
    rm -rf "build/dumped-$$"
    ATTEST_TEST_INNER=/nowhere ten 2 'a worker did not come up: killed by SIGABRT' --subject "$faulty:fine"
}

# Verdicts and answers' digests of all cases but the one that faulty subjects fail on.
others() {
    grep '^{"id"' "$1" | grep -v '^{"id":"ten/tokens/new=5"' |
        sed -E 's/.*"id":"([^"]*)".*"verdict":"([^"]*)".*"output_digest":"([^"]*)".*/\1 \2 \3/' | sort
}

faults() {
    local fault words verdict
    ten 0 '10 PASS' --subject "$faulty:fine"
    others "$scratch/run/results.jsonl" >"$scratch/others"
    check 'nine others' test "$(grep -cE '^ten/[^ ]+ PASS [0-9a-f]{64}$' "$scratch/others")" = 9
    while read -r fault verdict words; do
        # shellcheck disable=SC2086
        ten 1 "9 PASS, 1 $verdict" --subject "$faulty:$fault" --memory 512M --timeout 2
        check "$fault: '$words'" grep -qF -- "$words" "$scratch/out"
        check "$fault: one attempt is lost" test "$(grep -c '^{"id":"ten/tokens/new=5".*"verdict":"'"$verdict"'"' "$scratch/run/results.jsonl")" = 1
        check "$fault: all others are as they were" diff "$scratch/others" <(others "$scratch/run/results.jsonl")
        check "$fault: the last line is the verdict" last_line_is 'FAILED on CPU execution (no GPU seen): 9 of 10 cases'
        check "$fault: nothing reaches the terminal as it is" \
            bash -c "! grep -qP '\\x1b' '$scratch/out' '$scratch/err' '$scratch/run/summary.md' '$scratch/run/report.txt'"
    done <<'FAULTS'
segv CRASH killed by SIGSEGV (Segmentation fault) in phase 'execute'
abort CRASH its last words: assertion failed: the sky is green
forever TIMEOUT no answer within 2 s in phase 'execute'
stop TIMEOUT no answer within 2 s, and its process is stopped by SIGSTOP
exit CRASH the worker left with exit status 0
close CRASH Bad file descriptor
garbage CRASH into the worker's pipe came what the worker did not send
half CRASH into the worker's pipe came what the worker did not send
talk TIMEOUT still talking
deserter CRASH killed by SIGSEGV (Segmentation fault) in phase 'execute'
forge CRASH into the worker's pipe came what the worker did not send
boast CRASH VALIDATED on NVIDIA H200
leak CRASH killed by SIG
fault CRASH byte 1 past the end of query
poison FAIL earlier one failed
wrong FAIL value: output: token 0
FAULTS
    ten 1 '9 PASS, 1 FLAKY' --subject "$faulty:flaky" --repeat 4
    check 'flaky: counts' grep -qF 'repeat: of 4 runs: 2 PASS, 2 FAIL' "$scratch/out"
    ten 0 'memory    9 of 9 attempts did not give back what they took, 4.5' --subject "$faulty:keep" -j1
    ten 0 '10 PASS' --subject "$faulty:fine"
    check 'of who gives back nothing is said' bash -c "! grep -q '^memory' '$scratch/out'"
    ten 0 '10 PASS' --subject "$faulty:famine" --memory 512M -j1
    ten 3 '9 PASS, 1 HARNESS_ERROR' --subject "$faulty:starve" --memory 512M -j1
    ten 1 '     agrees with none of' --subject "$faulty:wrong" -j1
    ten 1 'stopped after 1 failed attempts' --subject "$faulty:wrong" --max-fail 1 -j1
}

# A process in a session of its own, with the worker's pipe in its hands: the run waits for none, and none is left.
left_behind() {
    local fault status begun
    export ATTEST_TEST_STRAYS=$scratch/strays
    for fault in strays:0 deserter:1; do
        status=${fault#*:} fault=${fault%:*}
        rm -f "$ATTEST_TEST_STRAYS"
        begun=$SECONDS
        ten "$status" 'that the subject had started and left behind' --subject "$faulty:$fault" -j1
        check "$fault: the run took $((SECONDS - begun)) s" test $((SECONDS - begun)) -lt 20
        check "$fault: the subject did start processes" test -s "$ATTEST_TEST_STRAYS"
        # shellcheck disable=SC2046
        check "$fault: nothing survives" bash -c "! kill -0 $(tr '\n' ' ' <"$ATTEST_TEST_STRAYS") 2>/dev/null"
    done
    unset ATTEST_TEST_STRAYS
}

hostile() {
    local file
    for file in harness/tests/hostile/*.yaml; do
        (ulimit -v 4000000 && exec "$attest" run --subject cpu --cases "$file" --out "$scratch/hostile") >"$scratch/out" 2>"$scratch/err"
        check "$file: exit $?, due 64" test $? = 64
        check "$file: one line" one_line_of_error
    done
    check 'nothing was run' test ! -e "$scratch/hostile"
    ten 64 "$scratch/err/sub" --subject /nowhere.so --out "$scratch/err/sub"
    check 'an unwritable directory is said before anything runs' one_line_of_error
}

waivers() {
    local day=2099-12-31
    waiver() {
        printf "schema: 1\nwaivers:\n- {case: '%s', device: 'CPU*', owner: kernels, reason: known, url: 'https://example.org/1', expires: %s}\n" \
            "$1" "$2" >"$scratch/waivers.yaml"
    }
    waiver ten/tokens/new=5 $day
    ten 0 '9 PASS, 1 WAIVED' --subject "$faulty:wrong" --waivers "$scratch/waivers.yaml"
    waiver ten/tokens/new=4 $day
    ten 1 '9 PASS, 1 FAIL' --subject "$faulty:wrong" --waivers "$scratch/waivers.yaml"
    waiver ten/tokens/new=4 2020-01-01
    ten 1 'ended on 2020-01-01' --subject cpu --waivers "$scratch/waivers.yaml"
    waiver gone $day
    ten 64 "the waiver of 'gone' matches none of 10 cases" --subject cpu --waivers "$scratch/waivers.yaml"
    ten 64 'cannot be read' --subject cpu --waivers "$scratch/no-such-file.yaml"
}

# kill -9 at a moment within the run, then --resume: as if nothing had happened
killed_and_resumed() {
    local times=$1 tier=$2 moment
    says 0 VALIDATED run --subject cpu --tier "$tier" --out "$scratch/whole" --no-progress
    for ((i = 0; i < times; i++)); do
        rm -rf "$scratch/killed"
        "$attest" run --subject cpu --tier "$tier" --out "$scratch/killed" --no-progress >/dev/null 2>&1 &
        local pid=$!
        moment=$(printf '0.%03d' $((RANDOM % 400)))
        sleep "$moment"
        kill -9 $pid 2>/dev/null
        wait $pid 2>/dev/null
        says 0 VALIDATED run --subject cpu --tier "$tier" --out "$scratch/killed" --no-progress --resume
        check "killed after $moment s and resumed: the same results" same_results "$scratch/whole/results.jsonl" "$scratch/killed/results.jsonl"
    done
}

resumed() {
    killed_and_resumed "${KILLS:-3}" smoke
    says 64 'differ in seed: 1, 2' run --subject cpu --tier smoke --out "$scratch/killed" --resume --seed 2
    says 64 'differ in subject' run --subject "$faulty:fine" --tier smoke --out "$scratch/killed" --resume
    says 64 'differ in tier' run --subject cpu --tier quick --out "$scratch/killed" --resume
    (ulimit -f 60 && exec "$attest" run --subject cpu --tier smoke --out "$scratch/full" --no-progress) >"$scratch/out" 2>"$scratch/err"
    check 'a full disk is exit 3' test $? = 3
    check 'a full disk is said' grep -q 'could not be written' "$scratch/err"
    check 'whole lines stay' bash -c "tail -c 1 '$scratch/full/results.jsonl' | xxd -p | grep -q 0a"
    says 0 VALIDATED run --subject cpu --tier smoke --out "$scratch/full" --no-progress --resume
    check 'after a full disk: the same results' same_results "$scratch/whole/results.jsonl" "$scratch/full/results.jsonl"
}

# One process after the other, as a node that goes down does it: what ended with the whole job is nobody's crash.
killed_with_the_job() {
    "$attest" run "${ten[@]}" --subject "$faulty:forever" --out "$scratch/job" -j1 >/dev/null 2>&1 &
    local pid=$!
    sleep 0.5
    kill -9 $(pgrep -P $pid) && kill -9 $pid
    wait $pid 2>/dev/null
    check 'an end of the whole job is blamed on no attempt' bash -c "! grep -qE 'CRASH|TIMEOUT' '$scratch/job/results.jsonl'"
    check 'and keeps what was judged' test "$(wc -l <"$scratch/job/results.jsonl")" -ge 4
}

# interrupted NAME: in the middle of a run
interrupted() {
    "$attest" run "${ten[@]}" --subject "$faulty:forever" --out "$scratch/stopped" -j1 >"$scratch/out" 2>"$scratch/err" &
    local pid=$!
    sleep 0.5
    kill -s "$1" $pid
    wait $pid
    check "$1: exit $?, due 2" test $? = 2
    check "$1: what was judged is kept" grep -q '^attempts  [1-9] PASS' "$scratch/out"
    check "$1: the last line" last_line_is 'UNVALIDATED on CPU execution (no GPU seen): the run was cut short'
    check "$1: no worker is left" bash -c "! pgrep -P $pid >/dev/null"
    says 0 VALIDATED report "$scratch/whole/results.jsonl" --out "$scratch/report"
    says 0 VALIDATED report "$scratch/whole" --out "$scratch/report"
    says 2 'cut short' report "$scratch/stopped/results.jsonl" --out "$scratch/report"
}

# A journal that was changed into one that no run can have left, end mark and sums included, is refused by whoever reads it.
forged() {
    local what how
    ten 0 VALIDATED --subject cpu
    while IFS='|' read -r what how; do
        rm -rf "$scratch/forged"
        says 0 'bundle ' bundle "$scratch/run" --cases harness/tests/suites --out "$scratch/forged"
        sed -i "$how" "$scratch/forged/results.jsonl"
        check "$what: it was changed" bash -c "! cmp -s '$scratch/run/results.jsonl' '$scratch/forged/results.jsonl'"
        (cd "$scratch/forged" && find . -type f ! -name SHA256SUMS -printf '%P\0' | LC_ALL=C sort -z | xargs -0 sha256sum >../sums &&
            mv ../sums SHA256SUMS)
        says 1 "results.jsonl:$what" verify "$scratch/forged"
        says 64 "results.jsonl:$what" report "$scratch/forged/results.jsonl" --out "$scratch/report"
        says 64 "results.jsonl:$what" report "$scratch/forged" --out "$scratch/report"
        says 64 "results.jsonl:$what" compare "$scratch/run" "$scratch/forged"
        says 64 "results.jsonl:$what" merge "$scratch/merged" "$scratch/forged/results.jsonl"
    done <<'FORGED'
3: a pass with mismatches|3s/"mismatches":0/"mismatches":1/
2: mismatches that are not 0 to elements|2s/"elements":[0-9]*/"elements":-5/
1: planned_cases that are not 0 to planned|1s/"planned":10,/"planned":9,/
3: the attempt of line 2 again|3d; 2p
12: the verdicts of the 10 records do not add up to those of the journal's end mark|3s/"verdict":"PASS"/"verdict":"UNSUPPORTED"/
12: a record beyond the 10 that were planned|11p; $s/"end":10,"PASS":10/"end":11,"PASS":11/
FORGED
    rm -rf "$scratch/forged"
    says 0 'bundle ' bundle "$scratch/run" --cases harness/tests/suites --out "$scratch/forged"
    says 0 'ok: bundle' verify "$scratch/forged"
}

# What is sent in for review may be a bomb: it is told from its list, by name, and nothing is unpacked.
archives() {
    local kind pid status
    export TMPDIR=$scratch/temporary
    mkdir -p "$TMPDIR" "$scratch/bomb/d" "$scratch/slow"
    ten 0 VALIDATED --subject cpu
    says 0 'bundle ' bundle "$scratch/run" --cases harness/tests/suites --out "$scratch/made.tar.gz"
    says 0 'ok: bundle' verify "$scratch/made.tar.gz"
    truncate -s 2G "$scratch/bomb/d/zeros"
    tar -C "$scratch/bomb" --sparse -czf "$scratch/big.tar.gz" d
    for _ in {1..100001}; do echo d/none; done >"$scratch/names"
    : >"$scratch/bomb/d/none"
    tar -C "$scratch/bomb" --hard-dereference -czf "$scratch/many.tar.gz" -T "$scratch/names"
    python3 -c 'import gzip, sys, tarfile
head = tarfile.TarInfo("x"); head.type = b"x"; head.size = 300 << 20
with gzip.open(sys.argv[1], "wb", 1) as f:
    f.write(head.tobuf(tarfile.USTAR_FORMAT))
    for _ in range(300): f.write(bytes(1 << 20))' "$scratch/header.tar.gz"
    ln -sf /etc/passwd "$scratch/bomb/d/link"
    tar -C "$scratch/bomb" -czf "$scratch/link.tar.gz" d/link
    mkdir -p "$scratch/bomb/d/1/2/3/4/5/6/7/8/9"
    tar -C "$scratch/bomb" -czf "$scratch/deep.tar.gz" d/1
    says 64 'big.tar.gz: with d/zeros of 2147483648 bytes it holds more than 1024 MiB' verify "$scratch/big.tar.gz"
    says 64 'many.tar.gz: more than 100000 files' verify "$scratch/many.tar.gz"
    says 64 'tar could not read' verify "$scratch/header.tar.gz"
    says 64 'd/link -> /etc/passwd is no plain file' verify "$scratch/link.tar.gz"
    says 64 'more than 8 levels' compare "$scratch/deep.tar.gz" "$scratch/run"
    # a tar that takes its time: the signal comes while it unpacks
    printf '#!/bin/sh\n%s "$@" || exit\ncase "$*" in *-xzf*) sleep 5;; esac\n' "$(command -v tar)" >"$scratch/slow/tar"
    chmod +x "$scratch/slow/tar"
    for kind in INT TERM HUP KILL; do
        PATH=$scratch/slow:$PATH env --default-signal=INT "$attest" verify "$scratch/made.tar.gz" >/dev/null 2>&1 &
        pid=$!
        for _ in {1..100}; do compgen -G "$TMPDIR/attest-*/*/SHA256SUMS" >/dev/null && break; sleep 0.05; done
        check "$kind: a bundle was being unpacked" compgen -G "$TMPDIR/attest-*/*/SHA256SUMS" >/dev/null
        kill -s "$kind" $pid
        wait $pid 2>/dev/null
        status=$?
        check "$kind: ended by it, not by itself: $status" test $status -gt 128
        for _ in {1..40}; do compgen -G "$TMPDIR/*" >/dev/null || break; sleep 0.05; done
        check "$kind: nothing is left of what was unpacked" bash -c "! compgen -G '$TMPDIR/*'"
    done
    unset TMPDIR
}

sharded() {
    local n=7
    for ((i = 1; i <= n; i++)); do
        says 0 "shard $i of $n" run --subject cpu --tier smoke --out "$scratch/part$i" --no-progress --shard "$i/$n"
    done
    says 0 VALIDATED merge "$scratch/merged" "$scratch"/part[1-7]
    check 'seven shards merged: the same results' same_results "$scratch/whole/results.jsonl" "$scratch/merged/results.jsonl"
    check 'seven shards merged: the same verdict' bash -c "diff <(head -n 1 '$scratch/whole/report.txt') <(head -n 1 '$scratch/merged/report.txt')"
    says 2 'shard 4 of 7: no journal of it is here' merge "$scratch/merged" "$scratch"/part[1-3] "$scratch"/part[5-7]
    says 0 'stand in more than one journal, and alike' merge "$scratch/merged" "$scratch"/part[1-7] "$scratch/part2/results.jsonl"
    says 64 'differ in number of shards' merge "$scratch/merged" "$scratch"/part[1-7] "$scratch/whole"
    GTEST_TOTAL_SHARDS=7 GTEST_SHARD_INDEX=3 says 0 'shard 4 of 7' run --subject cpu --tier smoke --out "$scratch/gtest" --no-progress
    check 'GTEST_SHARD_INDEX 3 is shard 4' same_results "$scratch/part4/results.jsonl" "$scratch/gtest/results.jsonl"
    SLURM_ARRAY_TASK_ID=5 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_COUNT=7 \
        says 0 'shard 5 of 7' run --subject cpu --tier smoke --out "$scratch/slurm" --no-progress
    check 'task 5 of 1-7 is shard 5' same_results "$scratch/part5/results.jsonl" "$scratch/slurm/results.jsonl"
    GTEST_TOTAL_SHARDS=7 says 64 'one alone is set' run --subject cpu
}

together() {
    "$attest" run "${ten[@]}" --subject "$faulty:forever" --out "$scratch/shared" --timeout 3 -j1 >/dev/null 2>&1 &
    local pid=$!
    sleep 0.3
    says 64 'another run is writing this journal' run "${ten[@]}" --subject cpu --out "$scratch/shared"
    kill -9 $pid
    wait $pid 2>/dev/null
}

# A stand-in for compute-sanitizer: keeps a log as the tool does, and runs what it is given.
sanitized() {
    ten 3 'no compute-sanitizer on the PATH' --subject cpu --sanitizer memcheck
    mkdir -p "$scratch/bin"
    cat >"$scratch/bin/compute-sanitizer" <<'TOOL'
#!/usr/bin/env bash
while [[ $1 == --* ]]; do
    [[ $1 == --log-file ]] && export ATTEST_TEST_LOG=$2
    shift 2
done
echo "========= COMPUTE-SANITIZER" >>"$ATTEST_TEST_LOG"
"$@"
status=$?
[[ -z $NO_SUMMARY ]] && echo "========= ERROR SUMMARY: 0 errors" >>"$ATTEST_TEST_LOG"
exit $status
TOOL
    chmod +x "$scratch/bin/compute-sanitizer"
    local before=$PATH
    PATH=$scratch/bin:$PATH
    ten 0 VALIDATED --subject "$faulty:fine" --sanitizer memcheck
    ten 1 '9 PASS, 1 FAIL' --subject "$faulty:caught" --sanitizer racecheck -j1
    check 'the finding is of the attempt that made it' grep -q '^FAIL ten/tokens/new=5' "$scratch/out"
    check 'the finding is told' grep -qF 'racecheck: Invalid __global__ read of size 4 bytes; at v1_attend+0x1a0' "$scratch/out"
    NO_SUMMARY=1 ten 3 'ended without a summary' --subject "$faulty:fine" --sanitizer memcheck -j1
    PATH=$before
    ten 64 'none of memcheck' --subject cpu --sanitizer leakcheck
}

cost() {
    says 0 'overhead per attempt: median' bench --overhead
    check "an attempt costs less than 5 ms: $(head -n 1 "$scratch/out")" awk '/median/ { cheap = $5 < 5 } END { exit !cheap }' "$scratch/out"
}

in_json() {
    says 0 '"attempts":20}' bench --overhead --json
    says 0 '"runs":9,"warm_up":3,"cases":[' bench --subject cpu -k timing/pull-request --json
    check 'bench --json is JSON' python3 -m json.tool "$scratch/out" /dev/null
    says 1 '"explanation":["none of' repro ten/tokens/new=5 --mode eager --json --cases harness/tests/suites --subject "$faulty:wrong"
    says 0 '"verdict":"VALIDATED","accepted":22' judge oracle/vectors --implementation onnxruntime --json
}

stopped() {
    interrupted INT
    interrupted TERM
}

(($# > 0)) || set -- usage selection unplannable subjects faults left_behind hostile waivers resumed forged archives sharded together \
    sanitized cost in_json stopped killed_with_the_job
for part in "$@"; do
    start=$SECONDS
    $part
    [[ -z ${VERBOSE:-} ]] || echo "$part: $((SECONDS - start)) s"
done
echo "$passed passed, $failed failed"
((failed == 0 && passed > 0))
