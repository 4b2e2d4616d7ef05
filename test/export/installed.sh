#!/bin/sh
# Installs the build into a temporary folder and builds and runs programs against it by pkg-config alone:
#   installed.sh BUILD SOURCE PREFIX LIBDIR MESON CC [FC]
# C and Fortran, shared and static; the Fortran module also from its installed source; a program under the drop-in.
set -eu
build=$1 source=$2 prefix=$3 libdir=$4 meson=$5 cc=$6 fc=${7:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() { echo "FAILED: $*"; exit 1; }

# expect WHAT PATTERN COMMAND...: the command succeeds, and a line of its output matches.
expect() {
  what=$1 pattern=$2
  shift 2
  output=$("$@" 2>&1) || fail "$what: status $?: $output"
  printf '%s\n' "$output" | grep -Eq "$pattern" || fail "$what: no line matches '$pattern': $output"
  echo "ok: $what"
}

DESTDIR="$work/shared" "$meson" install -C "$build" --no-rebuild --quiet
cp -a "$work/shared" "$work/static"
rm -f "$work/static$prefix/$libdir"/*.so*

# flags KIND PACKAGE OPTION...: answers of pkg-config as if the package lay in $work/KIND.
flags() {
  kind=$1 package=$2
  shift 2
  PKG_CONFIG_PATH="$work/$kind$prefix/$libdir/pkgconfig" \
    pkg-config --define-variable=prefix="$work/$kind$prefix" "$@" "$package"
}
LD_LIBRARY_PATH="$work/shared$prefix/$libdir${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export LD_LIBRARY_PATH
cd "$work"

flags shared accublas --exists || fail "accublas.pc is not found"
[ "$(flags shared accublas --modversion)" = "$(flags shared accublas-blas --modversion)" ] || fail "versions differ"
flags static accublas --static --libs | grep -q stdc++ || fail "accublas.pc: no C++ library for static linking"
flags shared accublas --libs | grep -q stdc++ && fail "accublas.pc: the C++ library is for static linking only"

echo "C"
$cc "$source/examples/first.c" $(flags shared accublas --cflags --libs) -o c_shared
expect "C, shared" '^cr +2$' ./c_shared
expect "C, shared, loads the library" 'libaccublas\.so\.0 => .*shared' ldd ./c_shared
if [ -e "$work/static$prefix/$libdir/libaccublas.a" ]; then
  $cc "$source/examples/first.c" $(flags static accublas --static --cflags --libs) -o c_static
  expect "C, static" '^cr +2$' ./c_static
  ldd ./c_static | grep -q accublas && fail "C, static: still loads the shared library"
fi
ldd "$work/shared$prefix/$libdir/libaccublas.so" | grep -q gfortran && fail "libaccublas needs libgfortran"

if [ -n "$fc" ]; then
  echo "Fortran"
  $fc -std=f2018 "$source/examples/first.f90" $(flags shared accublas-fortran --cflags --libs) -o f_shared
  expect "Fortran, shared" '^cr +1\.0' ./f_shared
  expect "Fortran, shared, loads the library" 'libaccublas_fortran\.so\.0 => .*shared' ldd ./f_shared
  if [ -e "$work/static$prefix/$libdir/libaccublas.a" ]; then
    $fc "$source/examples/first.f90" $(flags static accublas-fortran --static --cflags --libs) -o f_static
    expect "Fortran, static" '^cr +1\.0' ./f_static
    ldd ./f_static | grep -q accublas && fail "Fortran, static: still loads a shared library"
  fi
  # Another compiler, or other options: the module is compiled with the program.
  mkdir from_source
  $fc -J from_source "$(flags shared accublas-fortran --variable=module_source)" "$source/examples/first.f90" \
    $(flags shared accublas --cflags --libs) -o f_source
  expect "Fortran, module from source" '^cr +1\.0' ./f_source
fi

echo "Drop-in"
$cc "$source/test/export/consumer/blas.c" $(flags shared accublas-blas --cflags --libs) -o under_dropin
ACCUBLAS_MODE=cr
ACCUBLAS_VERBOSE=1
export ACCUBLAS_MODE ACCUBLAS_VERBOSE
expect "drop-in serves dgemm_" 'accublas: dgemm .*mode=cr' ./under_dropin
expect "drop-in returns its bits" '^dgemm 1$' ./under_dropin
expect "the real BLAS serves the rest" '^daxpy 4 5$' ./under_dropin
$cc "$source/test/export/consumer/blas.c" \
  $(flags shared accublas-blas --libs-only-l | tr ' ' '\n' | grep -v accublas) -o under_real
expect "the drop-in by its path, where the loader knows no other" 'accublas: dgemm .*mode=cr' \
  env -u LD_LIBRARY_PATH "LD_PRELOAD=$work/shared$prefix/$libdir/libaccublas_blas.so.0" ./under_real
for program in "$work/shared$prefix/bin"/accublas-*bench; do
  [ ! -e "$program" ] || expect "${program##*/} where the loader knows no other" 'OPTIONS|Options' env -u LD_LIBRARY_PATH "$program" --help
done
[ "$(./under_dropin 2>&1 | grep -c '^accublas:')" -eq 1 ] || fail "the drop-in serves what it should hand on"
