#!/usr/bin/env bash
# Prints the path of the clang++ that builds the fuzz tests; exits 1 if there is none. install.sh, CMakeLists.txt and
# app/tests/setup/sanitize.sh use it.
#
# It is the oldest clang from version 16 on (14, Debian 12's default, lacks std::source_location) that has libFuzzer, which comes
# in a package of its own, libclang-rt-VERSION-dev.
set -u
for name in clang++-{16..40} clang++; do
  clang=$(command -v "$name") || continue
  [[ $("$clang" -dumpversion 2>/dev/null) =~ ^[0-9]+ ]] && ((BASH_REMATCH[0] >= 16)) || continue
  runtime=$("$clang" -print-runtime-dir 2>/dev/null) || continue
  # clang 19 names a folder per target, even where its packages have one folder for all.
  compgen -G "$runtime/libclang_rt.fuzzer*" >/dev/null || compgen -G "${runtime%/*}/linux/libclang_rt.fuzzer*" >/dev/null ||
    continue
  echo "$clang"
  exit 0
done
exit 1
