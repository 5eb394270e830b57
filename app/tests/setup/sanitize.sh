#!/usr/bin/env bash
# Builds targets of a sanitizer preset and runs their tests. Usage: sanitize.sh PRESET "TARGET..." [ctest options]
# Without the compiler that a preset needs, skipped (77).
set -euo pipefail
preset=$1
read -ra targets <<<"$2"
shift 2

if [ "$preset" = fuzz ] && ! third_party/find_clang.sh >/dev/null; then
  echo "skipped: there is no clang 16 or newer with libFuzzer (packages clang-VERSION and libclang-rt-VERSION-dev)"
  exit 77
fi
export UBSAN_OPTIONS=print_stacktrace=1
# CUDA maps memory in the shadow gap of AddressSanitizer; third-party libraries free little at exit.
# allocator_may_return_null: tests ask for more memory than there is, and are told so as without a sanitizer.
export ASAN_OPTIONS=protect_shadow_gap=0:detect_leaks=1:strict_string_checks=1:allocator_may_return_null=1
export LSAN_OPTIONS=suppressions=$PWD/app/tests/setup/leaks_of_others.txt:print_suppressions=0
export TSAN_OPTIONS=suppressions=$PWD/app/tests/setup/races_of_others.txt:halt_on_error=1:allocator_may_return_null=1
# The sanitizers of Debian 12's compilers fail at random if the kernel uses many bits of address randomisation.
fixed_addresses=()
setarch -R true 2>/dev/null && fixed_addresses=(setarch -R)
# OpenCV's own threads wait for one another in ways that ThreadSanitizer cannot see; each report that is suppressed costs
# time. On one core cv::parallel_for_() starts none; races of our threads are found all the same.
one_core=()
[ "$preset" != tsan ] || one_core=(taskset -c "$(taskset -pc $$ | sed 's/.*: //; s/[-,].*//')")

# The build starts instrumented programs, too: test programs list their suites.
"${fixed_addresses[@]}" third_party/build.sh "$preset" "${targets[@]}"
exec "${fixed_addresses[@]}" "${one_core[@]}" \
  ctest --test-dir "build/$preset" -j "$(nproc)" --output-on-failure --no-tests=error "$@"
