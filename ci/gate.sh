#!/usr/bin/env bash
# The merge gate, the one script that people, CI and containers call: judges the quick tier on the best device there is, compares the run
# with the baseline of its card, and packs it for a reviewer. Arguments go to `attest run`; these go by environment:
#
#   ATTEST=build/attest                  the program; built where it is missing
#   ATTEST_OUT=build/reports             reports, compare.md among them where there is a baseline
#   ATTEST_BUNDLE=build/bundle           the bundle, made anew
#   ATTEST_BASELINES=reports/baseline    committed baselines; a card that has none is no failure
#
# Exit: that of the run, and 1 too where a verdict regressed from the baseline.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 3
attest=${ATTEST:-build/attest} out=${ATTEST_OUT:-build/reports} bundle=${ATTEST_BUNDLE:-build/bundle}
baselines=${ATTEST_BASELINES:-reports/baseline}

# The worse of two exit codes.
worse() {
    local code
    for code in 64 3 1 2 0; do
        if (($1 == code || $2 == code)); then echo "$code"; return; fi
    done
    echo 3
}

if [[ ! -x $attest ]]; then make --no-print-directory -j"$(nproc)" all || exit 3; fi
rm -rf "$out/results.jsonl" "$out/compare.md" "$bundle"
"$attest" run --tier quick --out "$out" "$@"
status=$?
[[ -s $out/results.jsonl ]] || exit "$status" # nothing was judged

# Said in full where there is something to say.
compared=$("$attest" compare "$baselines" "$out" 2>&1)
case $? in
    0 | 2) # 2: no baseline, or other inputs
        last=${compared##*$'\n'}
        if [[ $compared == *"warning:"* ]]; then echo "$compared"; else echo "baseline  ${last#attest: }"; fi
        ;;
    1) echo "$compared"; status=$(worse "$status" 1) ;;
    *) echo "$compared"; status=$(worse "$status" 3) ;;
esac
"$attest" compare "$baselines" "$out" --markdown >"$out/compare.md" 2>/dev/null
[[ -s $out/compare.md ]] || rm -f "$out/compare.md" # there was nothing to compare with

if packed=$("$attest" bundle "$out" --out "$bundle"); then
    echo "bundle    $bundle, ${packed##* }"
else
    status=$(worse "$status" 3)
fi
if [[ -n ${GITHUB_STEP_SUMMARY:-} ]]; then
    for part in summary.md compare.md; do [[ ! -e $out/$part ]] || cat "$out/$part"; done >>"$GITHUB_STEP_SUMMARY"
fi
exit "$status"
