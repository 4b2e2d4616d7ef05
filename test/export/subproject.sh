#!/bin/sh
# Builds and runs a project that uses accublas as a Meson subproject: subproject.sh SOURCE MESON [FC]
# Without CUDA kernels and all unoptimised, kernels too (-O0 comes after their own option), since only the way in is tested.
set -eu
source=$1 meson=$2 fc=${3:-}
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
targets="consumer_c consumer_blas" with_fortran=false
if [ -n "$fc" ]; then
  targets="$targets consumer_fortran" with_fortran=true
fi
CXXFLAGS=-O0 "$meson" setup build --wrap-mode=forcefallback --buildtype=plain -Ddefault_library=shared \
  -Daccublas:perf=disabled -Daccublas:cuda=disabled -Dwith_fortran=$with_fortran >setup.log 2>&1 ||
  { cat setup.log; exit 1; }
ninja -C build -j 2 $targets >compile.log 2>&1 || { tail -50 compile.log; exit 1; }
"$meson" test -C build --no-rebuild
build/consumer_c | grep -Eq '^cr +2$'
ACCUBLAS_MODE=cr build/consumer_blas | grep -q '^dgemm 1$'
