#!/usr/bin/env bash
# Compiles what Verilator wrote into DIR to an archive (used by cmake/systolith.cmake).
# usage: compile_verilated.sh DIR PREFIX ARCHIVE "CXX FLAGS"
set -euo pipefail
dir=$1 prefix=$2 archive=$3 flags=$4
root=$(verilator --getenv VERILATOR_ROOT)
launcher=$(command -v ccache || true)
cd "$dir"
rm -f "$archive" ./*.o
compile() {
  $launcher g++ -std=c++17 -fPIC -I. -I"$root/include" -I"$root/include/vltstd" -DVM_TRACE_FST=0 \
    -DVM_TRACE=0 -DVM_COVERAGE=0 -DVM_SC=0 -w $flags -c "$1" -o "${1%.cpp}.o"
}
export -f compile
export launcher root flags
# xargs keeps every exit status; `wait -n` misses jobs that end before it is called.
printf '%s\0' "${prefix}"*.cpp | xargs -0 -n 1 -P "$(nproc)" bash -c 'compile "$1"' _
ar rcs "$archive" "${prefix}"*.o
