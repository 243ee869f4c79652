#!/usr/bin/env bash
# Installs the build tree, builds examples/driver against the install tree alone, and runs it.
# usage: install_test.sh SOURCE_DIR BUILD_DIR
set -euo pipefail
source=$1 build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$build" --prefix "$work/tree" > "$work/install.log"
# The prefix that CMake was configured with decides between lib and a multiarch directory.
library_dir=$(dirname "$(find "$work/tree" -name libsystolith_golden.so)")

cmake -S "$source/examples/driver" -B "$work/driver" -DCMAKE_PREFIX_PATH="$work/tree" > "$work/configure.log"
cmake --build "$work/driver" > "$work/build.log" || { cat "$work/build.log"; exit 1; }

# Nothing may be found in the source tree: the install tree stands for itself.
export SYSTOLITH_LIBRARY_DIR=$library_dir SYSTOLITH_ROOT=$work/tree/share/systolith
"$work/tree/bin/systolith" info > "$work/info.log"
grep -q "^tiny" "$work/info.log"
"$work/tree/bin/systolith" compile "$source/tests/programs/matmul_s8.mlir" -o "$work/matmul.sysx"
output=$("$work/driver/driver" "$work/matmul.sysx")
echo "$output"
# Ones times ones: every element is the contracted dimension.
[[ $output == *"first element 48"* ]] || { echo "expected 48"; exit 1; }
test -x "$work/tree/share/systolith/scripts/build_chip"
test -f "$work/tree/share/systolith/rtl/chip/configs/v2.toml"
