#!/usr/bin/env bash
# Everything attest builds and tests with, from Debian's packages: installs what is missing as root, else prints the one command to run.
# CUDA is never installed: without nvcc the CPU subject is built and judged.
set -euo pipefail

packages=(
    gcc g++ make git binutils      # build
    libyaml-dev libjansson-dev     # case files; journal and reports
    libssl-dev                     # SHA-256 of inputs
    librandom123-dev               # Philox
    libboost-context-dev           # fibers of the CPU execution
    libcriterion-dev gcovr         # tests and coverage
    libxml2-utils                  # JUnit is validated
)

missing=()
for package in "${packages[@]}"; do
    status=$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true)
    [[ $status == "install ok installed" ]] || missing+=("$package")
done
((${#missing[@]} == 0)) && exit 0

if ! command -v apt-get >/dev/null; then
    echo "attest: no apt-get here; needed are: ${missing[*]} (names of Debian 12)" >&2
    exit 1
fi
if ((EUID != 0)); then
    echo "attest: packages are missing; run:  sudo apt-get install -y ${missing[*]}" >&2
    exit 1
fi
export DEBIAN_FRONTEND=noninteractive
echo "attest: installing ${missing[*]}"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! { apt-get update && apt-get install -y --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    echo "attest: the packages could not be installed" >&2
    exit 1
fi
