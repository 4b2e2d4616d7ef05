#!/bin/sh
# Builds and runs examples/meson with accublas as its subproject, and compares the bits of that library with this
# one's: subproject.sh SOURCE MESON BUILD CXX OPTIMIZATION DEBUG UNITY UNITY_SIZE DRIVER OTHER_CXX [FC]
# OTHER_CXX is the compiler that this library was not built with: one more build of the library serves both questions.
# Empty: the subproject is built by CXX with OPTIMIZATION, DEBUG, UNITY and UNITY_SIZE, as this library in BUILD is, from whose objects it takes those that
# would be the same; nothing is compared.
set -eu
source=$1 meson=$2 build=$(realpath "$3") cxx=$4 optimization=$5 debug=$6 unity=$7 unity_size=$8 driver=$(realpath "$9") other=${10} fc=${11:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cp -R "$source/examples/meson" "$work"
ln -s "$source" "$work/meson/subprojects/accublas"
cd "$work/meson"
if [ -n "$other" ]; then
  export CXX="$other"
  # The subproject is built as this library is: with the same optimization, and without debug information.
  optimization=2 debug=false precompile=true
else
  # Only the Fortran sources are compiled, as their objects are not taken, and without optimization.
  precompile=false
  export FFLAGS=-O0
  # same_objects.py relies on this.
  if grep -rE 'ACCUBLAS_(HAVE_CUDA|GPU_ARCH|HAVE_HOPPER_KERNELS)' "$source/lib" "$source/c_api" "$source/fortran"; then exit 1; fi
  python=$(python3 -c 'import sys; print(sys.executable)')
  # Meson takes CXX apart as a shell does.
  export CXX="'$python' -IS '$source/test/export/same_objects.py' '$build' subprojects/accublas $cxx"
fi
targets="first plain_dgemm" fortran=disabled
if [ -n "$fc" ]; then
  targets="$targets first_fortran" fortran=enabled
fi
"$meson" setup build --wrap-mode=forcefallback -Doptimization=$optimization -Ddebug=$debug -Ddefault_library=shared -Db_pch=$precompile \
  -Dunity=$unity -Dunity_size=$unity_size \
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
