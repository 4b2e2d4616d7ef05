#!/bin/sh
# Compares the bits of the library that a program was linked with and of another build of it: compare_bits.sh DRIVER LIBRARY
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Both runs use the same program; only the shared library that it finds differs.
"$1" small >"$work/this.txt"
# The library is preloaded by its name, because LD_PRELOAD separates paths by spaces.
LD_LIBRARY_PATH="$(dirname "$2")${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" LD_PRELOAD="$(basename "$2")" "$1" small >"$work/that.txt"
if ! cmp "$work/this.txt" "$work/that.txt"; then
  diff "$work/this.txt" "$work/that.txt" | head -20
  exit 1
fi
echo "$(wc -l <"$work/this.txt") checksums equal"
