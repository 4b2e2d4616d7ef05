#!/bin/sh
# Builds and runs examples/meson with accublas as its subproject, and compares the bits of that library with this
# one's: subproject.sh SOURCE MESON DRIVER OTHER_CXX [FC]
# OTHER_CXX is the compiler that this library was not built with: one more build of the library serves both questions.
# Empty: the subproject is built unoptimised by the compiler at hand, and nothing is compared.
set -eu
source=$1 meson=$2 driver=$(realpath "$3") other=$4 fc=${5:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cp -R "$source/examples/meson" "$source/examples/first.c" "$source/examples/first.f90" "$source/examples/plain_dgemm.c" "$work"
ln -s "$source" "$work/meson/subprojects/accublas"
cd "$work/meson"
if [ -n "$other" ]; then
  export CXX="$other"
  # As this library is: optimised alike, without debug information.
  buildtype=debugoptimized
else
  # Kernels too: -O0 comes after their own option.
  export CXXFLAGS=-O0
  buildtype=plain
fi
targets="first plain_dgemm" fortran=disabled
if [ -n "$fc" ]; then
  targets="$targets first_fortran" fortran=enabled
fi
"$meson" setup build --wrap-mode=forcefallback --buildtype=$buildtype -Ddebug=false -Ddefault_library=shared \
  -Daccublas:perf=disabled -Daccublas:cuda=disabled -Dfortran=$fortran >setup.log 2>&1 ||
  { cat setup.log; exit 1; }
ninja -C build -j 2 $targets >compile.log 2>&1 || { tail -50 compile.log; exit 1; }
"$meson" test -C build --no-rebuild
build/first | grep -Eq '^cr +2$'
ACCUBLAS_MODE=cr build/plain_dgemm | grep -q '^C(1,1) = 1$'

if [ -z "$other" ]; then
  echo "no other compiler: no bits compared"
  exit 0
fi
library=$(find build/subprojects/accublas/c_api -type f -name 'libaccublas.so.[0-9]*' ! -name '*.symbols' ! -path '*.p/*')
test -f "$library"
"$source/test/export/compare_bits.sh" "$driver" "$work/meson/$library"
