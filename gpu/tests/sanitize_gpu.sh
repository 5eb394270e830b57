#!/bin/bash
# Runs tests of gpu_tests under compute-sanitizer's tools, and checks that each tool works here: it must find a fault that is
# planted for it (sanitizer_faults_test.cu), and print a summary of every run.
#
#   gpu/tests/sanitize_gpu.sh [--gpu-tests FILE] [--tools TOOL,...] [GTEST_FILTER...]
#
# FILE: gpu_tests; looked for beside this script, in this folder, and in build/release/gpu. TOOL: memcheck racecheck
# initcheck synccheck (all). GTEST_FILTER: '*Reduced*', made for this, and the pieces of kernels, but not NPP, of whose
# kernels racecheck warns. Needs a GPU, gpu_tests and CUDA's compute-sanitizer (in PATH, in the toolkit's folders, or named
# by COMPUTE_SANITIZER), but no source file. A run that takes longer than SANITIZE_TIMEOUT seconds (1800) is ended.
# Exit status: 0 nothing was found, 1 a tool found something or a test failed, 2 a tool does not work here.
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tools=memcheck,racecheck,initcheck,synccheck
gpu_tests=
filters=()
fail() { echo "sanitize_gpu.sh: $*" >&2; exit 2; }

while [ $# -gt 0 ]; do
  case $1 in
    --gpu-tests) [ $# -gt 1 ] || fail "--gpu-tests needs a file"; gpu_tests=$2; shift 2 ;;
    --tools) [ $# -gt 1 ] || fail "--tools needs names"; tools=$2; shift 2 ;;
    --help) sed -n '2,12s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    -*) fail "no option '$1'; see --help" ;;
    *) filters+=("$1"); shift ;;
  esac
done
[ ${#filters[@]} -gt 0 ] || filters=('*Reduced*:Transpose*:Tile*:LookBack*:Brlt*:BlockScan*:Bands*:OneWave*:*Tickets*:PersistentSlots*:Tagged*:DecoupledFallback*-*npp*')

if [ -z "$gpu_tests" ]; then
  for file in "$here/gpu_tests" ./gpu_tests "$here/../../build/release/gpu/gpu_tests"; do
    [ -x "$file" ] && gpu_tests=$file && break
  done
fi
[ -n "$gpu_tests" ] && [ -x "$gpu_tests" ] ||
  fail "no gpu_tests: cmake --build build/release --target gpu_tests makes it; --gpu-tests names it"

sanitizer=${COMPUTE_SANITIZER:-}
if [ -z "$sanitizer" ]; then
  for file in "$(command -v compute-sanitizer)" /usr/local/cuda/bin/compute-sanitizer \
    /usr/local/cuda/compute-sanitizer/compute-sanitizer; do
    [ -n "$file" ] && [ -x "$file" ] && sanitizer=$file && break
  done
fi
[ -n "$sanitizer" ] || fail "no compute-sanitizer: it comes with the CUDA Toolkit; COMPUTE_SANITIZER names it"

log=$(mktemp)
trap 'rm -f "$log"' EXIT

# run TOOL FILTER [OPTION...]: output goes to the log; sets status, and found, which is empty without a summary.
run() {
  local tool=$1 filter=$2
  shift 2
  local seconds=${SANITIZE_TIMEOUT:-1800}
  timeout -k 10 "$seconds" "$sanitizer" --tool "$tool" "$gpu_tests" --gtest_filter="$filter" "$@" >"$log" 2>&1
  status=$?
  [ $status -ne 124 ] || { show; fail "$tool gave no answer within $seconds s (SANITIZE_TIMEOUT sets the limit)"; }
  found=$(sed -n 's/^=* *\(ERROR\|RACECHECK\) SUMMARY: \([0-9][0-9]*\) .*/\2/p' "$log" | tail -1)
}
show() { sed 's/^/    /' "$log" | tail -n 40; }

worst=0
for tool in ${tools//,/ }; do
  run "$tool" "DISABLED_SanitizerFaults.$tool" --gtest_also_run_disabled_tests
  grep -q '\[==========\] .*1 test from' "$log" ||
    { show; fail "$tool: the planted fault did not run: wrong name, or no GPU"; }
  [ -n "$found" ] || { show; fail "$tool gave no summary"; }
  [ "$found" -gt 0 ] || { show; fail "$tool did not find the fault that was planted for it"; }
  echo "$tool: finds its planted fault"

  for filter in "${filters[@]}"; do
    run "$tool" "$filter"
    passed=$(sed -n 's/^\[  PASSED  \] \([0-9]*\) test.*/\1/p' "$log" | tail -1)
    [ -n "$found" ] || { show; fail "$tool, $filter: no summary"; }
    if [ "$found" -gt 0 ] || [ "$status" -ne 0 ]; then
      show
      echo "$tool, $filter: $found found, exit status $status"
      worst=1
    elif [ "${passed:-0}" -eq 0 ]; then
      show
      fail "$tool, $filter: no test ran"
    else
      echo "$tool, $filter: $passed tests, nothing found"
    fi
  done
done
exit $worst
