#!/usr/bin/env bash
# Fails unless the compiler vectorises the loops that Verilator makes of a module's tasks: those of
# the arrays' multiply_accumulate, or of the tasks named. Plain copies may become library calls.
# usage: check_vectorised.sh [--tasks NAME|NAME...] SOURCE... TOP PARAMETER=VALUE...
set -euo pipefail
repository=$(cd "$(dirname "$0")/.." && pwd)
sources=() parameters=() top= tasks=multiply_accumulate
if [[ $1 == --tasks ]]; then
  tasks=$2
  shift 2
fi
for argument in "$@"; do
  case $argument in
    # Relative, as Verilator 5.006 loses its place in files whose path has a space.
    *.sv) sources+=("$(realpath --relative-to="$repository" "$argument")") ;;
    *=*) parameters+=("-G$argument") ;;
    *) top=$argument ;;
  esac
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$repository"
verilator --cc -O3 --x-assign fast --x-initial fast --unroll-count 8 -Wall --top-module "$top" \
  "${parameters[@]}" --prefix Array --Mdir "$work" -Irtl/prim "${sources[@]}"
root=$(verilator --getenv VERILATOR_ROOT)
cd "$work"
for source in Array*.cpp; do
  g++ -std=c++17 -O3 -march=native -mprefer-vector-width=512 -fopt-info-loop-vec-optimized -w -I. \
    -I"$root/include" -I"$root/include/vltstd" -c "$source" -o /dev/null 2>> report.txt
done
# Verilator names a loop's variable after its task.
loops=0 scalar=0
while IFS=: read -r file line _; do
  loops=$((loops + 1))
  if ! grep -Eq "$(basename "$file"):$line:.*(loop vectorized|to 0 loops)" report.txt; then
    scalar=$((scalar + 1))
    echo "$top: the loop at line $line of the verilated code is not vectorised"
  fi
done < <(grep -En "while \(.*__($tasks)__" Array*__DepSet_*.cpp /dev/null)
echo "$top: $((loops - scalar)) of $loops loops of $tasks are vectorised"
((loops > 0 && scalar == 0))
