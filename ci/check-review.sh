#!/usr/bin/env bash
# What reviewers and the gate rely on, seen from outside: two runs compare as the same; a bundle survives a move and betrays one changed
# byte; a kernel that got worse fails the gate, which names the case; one that is only less exact is warned of.
set -euo pipefail
cd "$(dirname "$0")/.."
attest=${ATTEST:-build/attest}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# expect CODE COMMAND...: the command ends with that code; what it says is in $said
expect() {
    local want=$1 code=0
    shift
    said=$("$@" 2>&1) || code=$?
    ((code == want)) || { echo "exit $code where $want is due: $*"; echo "$said"; exit 1; }
}
# says WORDS: they are in what was said last
says() { [[ $said == *"$1"* ]] || { echo "not said: $1"; echo "$said"; exit 1; }; }

# two runs
for run in one two; do
    expect 0 "$attest" run --subject cpu --tier smoke --no-progress --out "$work/$run"
done
expect 0 "$attest" compare "$work/one" "$work/two"
says "SAME: 0 of "
says " new, 0 gone"
says "contents  the same behind every id"
expect 0 "$attest" compare "$work/one" "$work/two" --json
says '"differences":['$'\n'']'
expect 0 "$attest" compare "$work/one" "$work/two" --markdown
says "## SAME: 0 of "
expect 0 "$attest" run --subject cpu --tier smoke --seed 2 --no-progress --out "$work/seed"
expect 2 "$attest" compare "$work/one" "$work/seed"
says ", other ones in "
says "DIFFERENT INPUTS: 0 of "
expect 0 "$attest" run --subject cpu --tier smoke -k decode --no-progress --out "$work/part"
expect 0 "$attest" compare "$work/one" "$work/part"
says "PARTIAL: 0 of "
sed '$d' "$work/two/results.jsonl" >"$work/cut.jsonl"
expect 1 "$attest" compare "$work/one" "$work/cut.jsonl"
says "REGRESSED: the run's verdict, VALIDATED to UNVALIDATED; 0 of "
mkdir "$work/none"
expect 2 "$attest" compare "$work/none" "$work/one"
expect 64 "$attest" compare "$work/one"

# a bundle
expect 0 "$attest" bundle "$work/one" --out "$work/made"
digest=${said##* }
mkdir "$work/elsewhere"
mv "$work/made" "$work/elsewhere/moved"
expect 0 "$attest" verify "$work/elsewhere/moved"
says "ok: bundle $digest; no DIGEST was given: "
expect 0 "$attest" verify "$work/elsewhere/moved" "$digest" --inputs
says "inputs    bit for bit"
says "ok: bundle $digest, the one asked for"
(cd "$work/elsewhere/moved" && sha256sum --quiet --check --strict SHA256SUMS)
# its README's own commands, from within it
steps=$(sed -n 's/^    attest //p' "$work/elsewhere/moved/README.md")
[[ $steps == *"run --cases cases --subject cpu --tier smoke --seed 1 --out ../mine"* ]] || { echo "$steps"; exit 1; }
attest=$(realpath "$attest")
while read -r step; do
    # shellcheck disable=SC2086 # words
    (cd "$work/elsewhere/moved" && expect 0 "$attest" $step </dev/null)
done <<<"$steps"
expect 0 "$attest" verify "$work/elsewhere/moved"
expect 64 "$attest" bundle "$work/one" --out "$work/elsewhere/moved"
for file in results.jsonl cases/window.yaml environment.json tolerance.md; do
    cp -r "$work/elsewhere/moved" "$work/changed"
    last=$(($(stat -c %s "$work/changed/$file") - 2))
    printf '~' | dd of="$work/changed/$file" bs=1 seek=$last conv=notrunc status=none
    expect 1 "$attest" verify "$work/changed"
    says "changed: $file"
    rm -r "$work/changed"
done
expect 1 "$attest" verify "$work/elsewhere/moved" "${digest//[0-9]/0}"
# one whose sums were made again is whole, and not the one that was asked for; one that nothing can read is not whole
cp -r "$work/elsewhere/moved" "$work/changed"
sums_anew() {
    (cd "$work/changed" && find . -type f ! -name SHA256SUMS -printf '%P\0' | LC_ALL=C sort -z | xargs -0 sha256sum >../sums)
    mv "$work/sums" "$work/changed/SHA256SUMS"
}
sed -i '$d' "$work/changed/results.jsonl"
sums_anew
expect 0 "$attest" verify "$work/changed"
says "; its journal is UNVALIDATED, of a run that was cut short; no DIGEST was given: "
expect 0 "$attest" verify "$work/changed" --json
says '"asked":false'
says '"complete":false'
expect 1 "$attest" verify "$work/changed" "$digest"
says "another bundle than the one asked for"
expect 0 "$attest" verify "$work/changed" "$(sha256sum <"$work/changed/SHA256SUMS" | cut -d ' ' -f 1)"
says ", the one asked for; its journal is UNVALIDATED, of a run that was cut short"
cp "$work/elsewhere/moved/results.jsonl" "$work/changed"
sed -i '1s/.*/rubbish: [/' "$work/changed/cases/window.yaml"
sums_anew
expect 1 "$attest" verify "$work/changed"
says "/cases/window.yaml:"
expect 1 "$attest" verify "$work/changed" --json
says '"ok":false'
rm -r "$work/changed"
expect 0 "$attest" bundle "$work/one" --out "$work/made.tar.gz"
mkdir "$work/again" && sleep 1.1 # a time of packing would be another one
expect 0 "$attest" bundle "$work/one" --out "$work/again/made.tar.gz"
says "bundle $digest"
cmp "$work/made.tar.gz" "$work/again/made.tar.gz"
expect 0 "$attest" verify "$work/made.tar.gz" --json
says '"ok":true'
expect 0 "$attest" compare "$work/made.tar.gz" "$work/two"

# the gate, with a kernel that is a baseline first, then loses a key of its window, then is right and less exact
gate() {
    cc -std=c11 -O2 -shared -fPIC -Ibuild/include -o "$work/gated.so" "$work/gated.c" -lm
    ATTEST_OUT=$work/gate ATTEST_BUNDLE=$work/bundle ATTEST_BASELINES=$work/baselines GITHUB_STEP_SUMMARY=$work/step.md \
        ATTEST=$attest ci/gate.sh --subject "$work/gated.so" -k window/new-tokens -k prefill/ordinary --no-progress "$@"
}
expect 0 "$attest" new subject gated --out "$work"
mkdir "$work/baselines"
expect 0 gate
says "no baseline of this card"
[[ ! -e $work/gate/compare.md ]]
expect 0 "$attest" compare --summary "$work/gate" --out "$work/baselines"
[[ $said == "$work/baselines/cpu-execution/gated.jsonl" ]]
expect 0 gate
says "baseline  SAME: 0 of "
expect 0 "$attest" verify "$work/bundle"
expect 0 gate --shard 1/2 # a part of what the baseline holds
says "baseline  PARTIAL: 0 of "
expect 0 gate --seed 2
says "baseline  DIFFERENT INPUTS: 0 of "
[[ -s $work/gate/compare.md ]]
expect 0 "$attest" run --subject "$work/gated.so" -k window/new-tokens --no-progress --out "$work/gate"
[[ ! -e $work/gate/compare.md ]] # it was another run's
cp "$work/gated.c" "$work/right.c"
sed -i 's/: position - p->keys_before;/: position - p->keys_before + 1;/' "$work/gated.c"
expect 1 gate
says "regressed: PASS to FAIL: window/new-tokens/"
says "output: token "
grep -q '## REGRESSED' "$work/step.md"
before=$(sha256sum <"$work/baselines/cpu-execution/gated.jsonl")
expect 2 "$attest" compare --summary "$work/gate" --out "$work/baselines" # a failed run makes none, and leaves the old one
[[ $(sha256sum <"$work/baselines/cpu-execution/gated.jsonl") == "$before" ]]
cp "$work/right.c" "$work/gated.c"
sed -i 's|p->sums\[c\] / total|p->sums[c] / total * (1 + 0x1p-20f)|' "$work/gated.c"
expect 0 gate
says "warning: "
says "farther off: "
echo "compare, bundle, verify and the gate do what a reviewer relies on"
