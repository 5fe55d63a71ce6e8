#!/usr/bin/env bash
# The page of the reports in Debian's Chromium, which is installed when missing (as root; else the command to run is printed).
set -euo pipefail
cd "$(dirname "$0")/../.."
packages=(chromium fonts-dejavu-core python3-minimal)

if ! dpkg-query -W -f '${Status}\n' "${packages[@]}" 2>/dev/null | grep -c '^install ok installed' | grep -qx "${#packages[@]}"; then
    if ((EUID != 0)); then
        echo "attest: the page is tested in a browser; run:  sudo apt-get install -y ${packages[*]}" >&2
        exit 1
    fi
    echo "attest: installing ${packages[*]}"
    export DEBIAN_FRONTEND=noninteractive
    { apt-get update && apt-get install -y --no-install-recommends "${packages[@]}"; } >/dev/null
fi
make --no-print-directory -s build/attest
exec python3 ci/chromium/test_page.py "$@"
