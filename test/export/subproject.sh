#!/bin/sh
# Builds and runs a project that uses accublas as a Meson subproject, and compares the bits of that library with this
# one's: subproject.sh SOURCE MESON DRIVER OTHER_CXX [FC]
# OTHER_CXX is the compiler that this library was not built with: one more build of the library serves both questions.
# Empty, or where it cannot build a C++20 program, the subproject is built unoptimised by the compiler at hand, and
# nothing is compared.
set -eu
source=$1 meson=$2 driver=$(realpath "$3") other=$4 fc=${5:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cp "$source/test/export/consumer/"meson* "$source/examples/first.c" "$source/examples/first.f90" \
  "$source/test/export/consumer/blas.c" "$work"
mkdir "$work/subprojects"
ln -s "$source" "$work/subprojects/accublas"
cat >"$work/subprojects/accublas.wrap" <<'WRAP'
[wrap-file]
directory = accublas
[provide]
dependency_names = accublas, accublas-fortran, accublas-blas
WRAP
cd "$work"
printf '#include <string>\n#include <type_traits>\nint main() { return std::string("a") == "b"; }\n' >probe.cpp
if [ -n "$other" ] && "$other" -std=c++20 probe.cpp -o probe 2>probe.log; then
  export CXX="$other"
  # As this library is: optimised alike, without debug information.
  buildtype=debugoptimized
else
  # Kernels too: -O0 comes after their own option.
  export CXXFLAGS=-O0
  other='' buildtype=plain
fi
targets="consumer_c consumer_blas" with_fortran=false
if [ -n "$fc" ]; then
  targets="$targets consumer_fortran" with_fortran=true
fi
"$meson" setup build --wrap-mode=forcefallback --buildtype=$buildtype -Ddebug=false -Ddefault_library=shared \
  -Daccublas:perf=disabled -Daccublas:cuda=disabled -Dwith_fortran=$with_fortran >setup.log 2>&1 ||
  { cat setup.log; exit 1; }
ninja -C build -j 2 $targets >compile.log 2>&1 || { tail -50 compile.log; exit 1; }
"$meson" test -C build --no-rebuild
build/consumer_c | grep -Eq '^cr +2$'
ACCUBLAS_MODE=cr build/consumer_blas | grep -q '^dgemm 1$'

if [ -z "$other" ]; then
  echo "no other compiler: no bits compared"
  exit 0
fi
# The same program; only the shared library that it finds differs.
library=$(find build/subprojects/accublas/c_api -type f -name 'libaccublas.so.[0-9]*' ! -name '*.symbols' ! -path '*.p/*')
test -f "$library"
"$driver" small >this.txt
LD_PRELOAD="$work/$library" "$driver" small >that.txt
if ! cmp this.txt that.txt; then
  diff this.txt that.txt | head -20
  exit 1
fi
echo "$(wc -l <this.txt) checksums equal with $other"
