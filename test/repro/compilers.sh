#!/bin/sh
# Builds the library (no tests) with another compiler in a temporary folder and compares the driver's checksums:
# compilers.sh SOURCE_ROOT DRIVER OTHER_CXX. Exits with 77 (skipped) where that compiler cannot build a C++20 program.
set -eu
source=$1
driver=$(realpath "$2")
other=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" # Meson cleans up with ninja in the current folder, which must not be a build
printf '#include <string>\n#include <type_traits>\nint main() { return std::string("a") == "b"; }\n' > "$work/probe.cpp"
if ! "$other" -std=c++20 "$work/probe.cpp" -o "$work/probe" 2> "$work/probe.log"; then
  echo "skipped: $other cannot build a program"
  exit 77
fi
CXX=$other meson setup "$work/build" "$source" -Dtests=disabled -Dfortran=disabled -Dcuda=disabled -Dperf=disabled \
  -Ddefault_library=shared --buildtype=release > "$work/setup.log" 2>&1 || { tail -20 "$work/setup.log"; exit 1; }
meson compile -C "$work/build" -j 2 accublas > "$work/build.log" 2>&1 || { tail -30 "$work/build.log"; exit 1; }
"$driver" small > "$work/this.txt"
# The same program; only the shared library that it finds differs.
library=$(find "$work/build/c_api" -type f -name 'libaccublas.so.[0-9]*' ! -name '*.symbols' ! -path '*.p/*')
test -f "$library"
LD_PRELOAD="$library" "$driver" small > "$work/that.txt"
if ! cmp "$work/this.txt" "$work/that.txt"; then
  diff "$work/this.txt" "$work/that.txt" | head -20
  exit 1
fi
echo "$(wc -l < "$work/this.txt") checksums equal with $other"
