#!/bin/sh
# Compares the exported symbols of a library with a list that the build makes from the table of routines and, for
# the library itself, from abi.txt. usage: check_abi.sh LIBRARY LIST [SONAME]
nm -D --defined-only "$1" | awk '{print $3}' | LC_ALL=C sort | diff -u "$2" - || {
  echo "The exported symbols of $1 differ from the list $2. The build makes the list from c_api/routines.py and, for the library itself, test/api/abi.txt. Build both again if one is old. A removal breaks the ABI." >&2
  exit 1
}
soname=${3:-libaccublas.so.0}
readelf -d "$1" | grep -q "SONAME.*\[$soname\]" || { echo "SONAME is not $soname" >&2; exit 1; }
