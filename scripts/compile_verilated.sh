#!/usr/bin/env bash
# Compiles what Verilator wrote into DIR to an archive (used by cmake/systolith.cmake).
# usage: compile_verilated.sh DIR PREFIX ARCHIVE "CXX FLAGS"
set -euo pipefail
dir=$1 prefix=$2 archive=$3 flags=$4
root=$(verilator --getenv VERILATOR_ROOT)
launcher=$(command -v ccache || true)
cd "$dir"
rm -f "$archive" ./*.o
objects=()
compile() {
  $launcher g++ -std=c++17 -fPIC -I. -I"$root/include" -I"$root/include/vltstd" -DVM_TRACE_FST=0 \
    -DVM_TRACE=0 -DVM_COVERAGE=0 -DVM_SC=0 -w $flags -c "$1" -o "${1%.cpp}.o"
}
running=0
for source in "${prefix}"*.cpp; do
  objects+=("${source%.cpp}.o")
  compile "$source" &
  running=$((running + 1))
  if ((running >= $(nproc))); then
    wait -n || exit 1
    running=$((running - 1))
  fi
done
while ((running > 0)); do wait -n || exit 1; running=$((running - 1)); done
ar rcs "$archive" "${objects[@]}"
