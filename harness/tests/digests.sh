#!/bin/sh
# Prints digests.txt as a program makes it, on this host:  harness/tests/digests.sh build/attest | diff harness/tests/digests.txt -
set -eu
while read -r id seed rest; do
    if [ "$id" != '#' ]; then
        line=$("$1" show "$id" --seed "$seed" --json)
        rest=$(printf '%s\n' "$line" | sed -n 's/.*"inputs_sha256":"\([0-9a-f]*\)".*/\1/p')
    fi
    echo "$id $seed $rest"
done <"$(dirname "$0")/digests.txt"
