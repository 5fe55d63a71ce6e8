#!/bin/sh
# A kernel that says __shared__ must not compile for the host, and the compiler must say what to write.
# $1: the compiler.
cd "$(dirname "$0")/.." || exit 1
said=$(printf '#include "simt.h"\n__global__ void k(int *p) { __shared__ int a[1]; a[0] = *p; }\n' |
    "${1:-c++}" -x c++ -std=c++17 -fsyntax-only -I. - 2>&1) && { echo "__shared__ compiles"; exit 1; }
case $said in
*"write SHARED_ARRAY(type, name, count)"*) ;;
*) echo "$said"; exit 1 ;;
esac
