#!/bin/sh
# The exported symbols of the library against the committed list. usage: check_abi.sh LIBRARY LIST [SONAME]
nm -D --defined-only "$1" | awk '{print $3}' | LC_ALL=C sort | diff -u "$2" - || {
  echo "The exported symbols changed. Additions belong into $2, or what it is made from; a removal breaks the ABI." >&2
  exit 1
}
soname=${3:-libaccublas.so.0}
readelf -d "$1" | grep -q "SONAME.*\[$soname\]" || { echo "SONAME is not $soname" >&2; exit 1; }
