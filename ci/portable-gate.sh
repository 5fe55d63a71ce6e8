#!/bin/sh
# The gate on a machine with an NVIDIA driver and nothing else. Arguments go to `attest run`.
cd "$(dirname "$0")" && exec ./attest run --subject cuda --require-gpu --tier quick --out reports "$@"
