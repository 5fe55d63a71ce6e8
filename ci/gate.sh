#!/usr/bin/env bash
# The merge gate: the quick tier on the best device there is, reports in build/reports. Arguments go to `attest run`.
set -euo pipefail
cd "$(dirname "$0")/.."
exec build/attest run --tier quick --out build/reports "$@"
