#!/usr/bin/env bash
# An installed attest serves somebody who has no tree: from `attest new subject` to a first FAIL that names the element in eight commands
# at most; the manual page and the completions know every command and option.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
die() { echo "$*" >&2; exit 1; }

make --no-print-directory install MODE="${MODE:-release}" DESTDIR="$work/root" PREFIX=/opt/attest >"$work/install.log"
[[ $(find "$work/root" -mindepth 1 -maxdepth 2) == "$work/root/opt"*"$work/root/opt/attest" ]] || die "install wrote beside its prefix"
root=$work/root/opt/attest
export PATH=$root/bin:$PATH PKG_CONFIG_PATH=$root/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$work/root
[[ $(command -v attest) == "$root/bin/attest" ]]
[[ $(attest version) == "attest $(pkg-config --modversion attest) "* ]] || die "the pkg-config file has another version than the program"

# what a newcomer types, outside of the tree
# shellcheck disable=SC2016
commands=(
    'attest new subject mine'
    'cc -std=c11 -O2 -shared -fPIC $(pkg-config --cflags attest) -o mine.so mine.c -lm'
    'attest run --subject ./mine.so --tier smoke'
    'sed -i "s/p->scale \* dot/dot/" mine.c'
    'cc -std=c11 -O2 -shared -fPIC $(pkg-config --cflags attest) -o mine.so mine.c -lm'
    'attest run --subject ./mine.so --tier smoke'
)
((${#commands[@]} <= 8)) || die "more than eight commands"
mkdir "$work/home"
cd "$work/home"
due=(0 0 0 0 0 1)
for i in "${!commands[@]}"; do
    code=0
    bash -c "${commands[i]}" >"$i.log" 2>&1 || code=$?
    ((code == due[i])) || { cat "$i.log"; die "exit $code where ${due[i]} is due: ${commands[i]}"; }
done
grep -q '^VALIDATED on CPU execution' 2.log || die "the start is not right as it stands"
grep -qE 'output: token [0-9]+ .*head [0-9]+, channel [0-9]+: want .*, got .*, allowed' 5.log || { cat 5.log; die "no FAIL names its element"; }

# right as it stands in every case, refusals of what it does not compute included
attest new subject whole >/dev/null
# shellcheck disable=SC2046
cc -std=c11 -O2 -shared -fPIC $(pkg-config --cflags attest) -o whole.so whole.c -lm
[[ ${MODE:-release} != release ]] || attest run --subject ./whole.so --no-progress >whole.log ||
    { cat whole.log; die "the start fails a case of the quick tier"; }

# the compile line that `new` prints, and the header in the other languages
bash -c "$(sed -n 's/^  cc/cc/p' 0.log) -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Werror"
echo '#include <attest/subject.h>' >header.cc
# shellcheck disable=SC2046
c++ -std=c++17 -Wall -Wextra -Wpedantic -Werror -fsyntax-only $(pkg-config --cflags attest) header.cc
attest list -k window/edge >/dev/null # cases came along

# a new case loads and passes; a second of that name changes nothing
cp -r "$root/lib/attest/cases" .
attest new case mine/first >/dev/null
attest new case window/first >/dev/null
attest check -k mine/first >/dev/null
attest run --subject cpu -k mine/first -k window/first --no-progress >cases.log
grep -q '^VALIDATED.*: 12 of 12 cases' cases.log || { cat cases.log; die "the new cases do not pass"; }
cp cases/window.yaml before
! attest new case window/first 2>again.log || die "a case of the same name was added"
cmp before cases/window.yaml
! attest new case Window/first 2>/dev/null || die "a name that no id can hold was taken"
! attest new subject mine 2>/dev/null || die "a subject was written over"

# it goes where one works, from below as well; what lies with the program is written by nobody
mkdir -p below/it ../elsewhere
(cd below/it && attest new case mine/second) >new.log
[[ $(head -n 1 new.log) == "$PWD/cases/mine.yaml" ]] || { cat new.log; die "new does not say where it wrote"; }
grep -q 'name: second' cases/mine.yaml || die "a case was not written where it was said"
find "$root" -type f -exec sha256sum {} + >installed
! (cd ../elsewhere && attest new case mine/third) 2>third.log || die "a case was written, and nobody said where to"
grep -q 'name a directory of suites by --cases' third.log || { cat third.log; die "no remedy"; }
sha256sum --quiet --check installed || die "new wrote into what is installed"
(cd ../elsewhere && attest new case mine/third --cases "$OLDPWD/cases" >/dev/null) || die "--cases was not taken"

# manual and completions
page=$root/share/man/man1/attest.1
for lint in 'groff -man -Tutf8 -ww -z' 'mandoc -T lint -W warning' 'man --warnings -l'; do
    if command -v "${lint%% *}" >/dev/null; then
        $lint "$page" 2>&1 >/dev/null | grep -v 'missing date' >lint.log || true
        [[ ! -s lint.log ]] || { cat lint.log; die "$lint complains"; }
    fi
done
bash -n "$root/share/bash-completion/completions/attest"
# shellcheck disable=SC1091
source "$root/share/bash-completion/completions/attest"
# complete LINE: what is offered after it, in $COMPREPLY
complete_line() { COMP_LINE=$1 COMP_POINT=${#1} COMP_WORDS=(attest) COMPREPLY=(); _attest; }
attest help | sed -n 's/^  \([a-z]*\) .*/\1/p' >words
[[ $(wc -l <words) -gt 15 ]] || die "no commands found in the help"
while read -r command; do
    grep -q "^\.B $command" "$page" || die "the page lacks $command"
    complete_line "attest $command"
    [[ " ${COMPREPLY[*]} " == *" $command "* ]] || die "bash does not complete $command"
    grep -q "^        $command) " "$root/share/zsh/site-functions/_attest" || die "zsh does not know $command"
    attest "$command" --help | sed -n 's/^  \(--*[a-z-]*\) .*/\1/p' >options
    [[ -s options ]] || die "$command has no option"
    complete_line "attest $command -"
    while read -r option; do
        grep -qF ".B ${option//-/\\-}" "$page" || die "the page lacks $option"
        [[ " ${COMPREPLY[*]} " == *" $option "* ]] || die "bash does not complete $command $option"
    done <options
done <words
complete_line "attest repro window/edge/dialect=onnx-genai,dtype=float16,local_window_size=4"
[[ ${COMPREPLY[*]} == "40 41 42" ]] || die "bash completes ids to ${COMPREPLY[*]}"
complete_line "attest run --tier s"
[[ ${COMPREPLY[*]} == "smoke stress" ]] || die "bash completes tiers to ${COMPREPLY[*]}"
if command -v zsh >/dev/null; then zsh -n "$root/share/zsh/site-functions/_attest"; fi
echo "an installed attest leads to a first FAIL in ${#commands[@]} commands; page and completions know all"
