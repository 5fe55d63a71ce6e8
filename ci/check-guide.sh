#!/usr/bin/env bash
# CONTRIBUTING.md, word for word: every fenced block of shell in it, in order, on a copy of the tree with what is built so far.
set -euo pipefail
cd "$(dirname "$0")/.."
guide=CONTRIBUTING.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir "$work/tree"
if git rev-parse --git-dir >/dev/null 2>&1; then
    files=$(git ls-files -co --exclude-standard)
else
    files=$(find . -path ./build -prune -o -type f -print)
fi
# times stay, so that make builds no more than a contributor would
while read -r file; do if [[ -e $file ]]; then echo "$file"; fi; done <<<"$files" | tar -cf - -T - | tar -xpf - -C "$work/tree"
mkdir -p "$work/tree/build"
for built in release attest subjects include; do
    if [[ -e build/$built ]]; then cp -a "build/$built" "$work/tree/build/"; fi
done

# blocks: each into a file named after the line it starts at
awk -v out="$work" '
    /^```sh$/ {file = sprintf("%s/%04d.sh", out, NR + 1); next}
    /^```$/ {if (file) close(file); file = ""; next}
    file {print > file}' "$guide"
blocks=("$work"/*.sh)
((${#blocks[@]} >= 8)) || { echo "$guide has only ${#blocks[@]} blocks of commands"; exit 1; }
cd "$work/tree"
unset MAKEFLAGS MAKELEVEL MODE
for block in "${blocks[@]}"; do
    line=$(basename "$block" .sh)
    bash -eux "$block" >"$work/log" 2>&1 || { tail -n 40 "$work/log"; echo "$guide:$((10#$line)): a block of commands does not work"; exit 1; }
done
echo "$guide: ${#blocks[@]} blocks of commands work as they stand"
