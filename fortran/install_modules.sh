#!/bin/sh
# Installs the module files, which Meson leaves in the private folder of the library: BUILD_FOLDER INCLUDE_FOLDER.
set -e
target="$MESON_INSTALL_DESTDIR_PREFIX/$2"
mkdir -p "$target"
for folder in "$1"/libaccublas_fortran.*.p; do
  for module in "$folder"/accublas*.mod; do
    [ -e "$module" ] || continue
    cp "$module" "$target/"
    chmod 644 "$target/${module##*/}"
  done
done
[ -e "$target/accublas.mod" ]
