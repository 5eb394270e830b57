#!/usr/bin/env bash
# A precompiled header is compiled again when only a comment of a header in it has changed. ccache can find the old one by the
# preprocessor's output, which has no comments; the compiler then takes the changed header for another one, and includes it twice.
# Usage: compiler_cache_test.sh COMMAND...: with which the build starts the C++ compiler; skipped (77) where that is not ccache.
source "$(dirname "${BASH_SOURCE[0]}")/check.sh"

compiler=("$@")
[[ "$*" == *ccache* ]] || { echo "this build uses no ccache"; exit 77; }
export CCACHE_DIR=$scratch/cache
cd "$scratch" || exit 1

compile() {
  rm -f pch.hxx.gch use.o
  "${compiler[@]}" -Winvalid-pch -x c++-header -include "$scratch/pch.hxx" -MD -MT pch.hxx.gch -MF pch.d -o pch.hxx.gch -c pch.hxx.cxx &&
    "${compiler[@]}" -I. -Winvalid-pch -include "$scratch/pch.hxx" -MD -MT use.o -MF use.d -o use.o -c use.cpp
}
printf '#pragma once\nstruct A {};  // short\n' >a.h
printf '#include "%s/a.h"\n' "$scratch" >pch.hxx
touch pch.hxx.cxx
printf '#include "a.h"\nA a;\n' >use.cpp
check "a precompiled header is compiled and used" compile
printf '#pragma once\nstruct A {};  // longer than before\n' >a.h
printf 'A b;\n' >>use.cpp
check "after the change of a comment it is used again" compile
finish
