#!/bin/bash
# Runs tests of gpu_tests under compute-sanitizer's tools, and checks that each tool works here: it must find a fault that is
# planted for it (sanitizer_faults_test.cu), and print a summary of every run.
#
#   gpu/tests/sanitize_gpu.sh [--gpu-tests FILE] [--tools TOOL,...] [--jobs N] [--logs FOLDER] [GTEST_FILTER...]
#
# FILE: gpu_tests; looked for beside this script, in this folder, and in build/release/gpu. TOOL: racecheck memcheck
# initcheck synccheck (all, in this order). N: processes that run at the same time, each with a part of the tests under one
# tool (one per core and 4 GiB of GPU memory). FOLDER: where the tools' output is kept. GTEST_FILTER: '*Reduced*', made for
# this, and the pieces of kernels, but neither NPP, of whose kernels racecheck warns, nor images that fill the GPU, for which
# it takes longer than tests wait for blocks, nor two of the types of TilePrefixTest's lines, which take minutes. Needs a GPU,
# gpu_tests and CUDA's compute-sanitizer (in PATH, in the toolkit's folders, or named by COMPUTE_SANITIZER), but no source
# file. A process that takes longer than SANITIZE_TIMEOUT seconds
# (1800) is ended.
# Exit status: 0 nothing was found, 1 a tool found something or a test failed, 2 a tool does not work here.
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tools=racecheck,memcheck,initcheck,synccheck
gpu_tests=
logs=
jobs=
filters=()
fail() { echo "sanitize_gpu.sh: $*" >&2; exit 2; }

while [ $# -gt 0 ]; do
  case $1 in
    --gpu-tests) [ $# -gt 1 ] || fail "--gpu-tests needs a file"; gpu_tests=$2; shift 2 ;;
    --tools) [ $# -gt 1 ] || fail "--tools needs names"; tools=$2; shift 2 ;;
    --jobs) [ $# -gt 1 ] && [ "$2" -gt 0 ] 2>/dev/null || fail "--jobs needs a number"; jobs=$2; shift 2 ;;
    --logs) [ $# -gt 1 ] || fail "--logs needs a folder"; logs=$2; shift 2 ;;
    --help) sed -n '2,/^set/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    -*) fail "no option '$1'; see --help" ;;
    *) filters+=("$1"); shift ;;
  esac
done
[ ${#filters[@]} -gt 0 ] || filters=('*Reduced*:Transpose*:Tile*:LookBack*:Brlt*:BlockScan*:Bands*:Tensor*:*Tickets*:RunSlotsPersistent*:Tagged*-*npp*:*HaveNotStarted*:*ContinueEachOther*:TilePrefixTest/2.ScansLines*:TilePrefixTest/3.ScansLines*')

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

if [ -z "$jobs" ]; then
  mebibytes=$(nvidia-smi --query-gpu=memory.total --format=csv,noheader,nounits 2>/dev/null | head -1)
  jobs=$((${mebibytes:-4096} / 4096)) cores=$(nproc)
  ((jobs = jobs > cores ? cores : jobs < 1 ? 1 : jobs))
fi
if [ -n "$logs" ]; then
  mkdir -p "$logs" || fail "cannot write to $logs"
  trap 'kill $(jobs -p) 2>/dev/null' EXIT
else
  logs=$(mktemp -d)
  trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$logs"' EXIT
fi
seconds=${SANITIZE_TIMEOUT:-1800}

# start LOG TOOL FILTER [OPTION...]: in the background, as soon as fewer than $jobs processes run.
start() {
  local log=$1 tool=$2 filter=$3
  shift 3
  while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n; done
  {
    trap 'kill $!' TERM
    timeout -k 10 "$seconds" "$sanitizer" --tool "$tool" "$gpu_tests" --gtest_filter="$filter" "$@" >"$log" 2>&1 &
    wait $!
    echo $? >"$log.status"
  } &
}
# read_log LOG TOOL: sets status; found, which is empty without a summary; and passed.
read_log() {
  status=$(cat "$1.status")
  [ "$status" -ne 124 ] || { show "$1"; fail "$2 gave no answer within $seconds s (SANITIZE_TIMEOUT sets the limit)"; }
  found=$(sed -n 's/^=* *\(ERROR\|RACECHECK\) SUMMARY: \([0-9][0-9]*\) .*/\2/p' "$1" | tail -1)
  passed=$(sed -n 's/^\[  PASSED  \] \([0-9]*\) test.*/\1/p' "$1" | tail -1)
}
show() { sed 's/^/    /' "$1" | tail -n 40; }

for tool in ${tools//,/ }; do
  start "$logs/$tool.planted" "$tool" "DISABLED_SanitizerFaultsTest.${tool^}" --gtest_also_run_disabled_tests
done
wait
for tool in ${tools//,/ }; do
  log=$logs/$tool.planted
  read_log "$log" "$tool"
  grep -q '\[==========\] .*1 test from' "$log" ||
    { show "$log"; fail "$tool: the planted fault did not run: wrong name, or no GPU"; }
  [ -n "$found" ] || { show "$log"; fail "$tool gave no summary"; }
  [ "$found" -gt 0 ] || { show "$log"; fail "$tool did not find the fault that was planted for it"; }
  echo "$tool: finds its planted fault"
done

# Without a test a process makes no CUDA call, and the tool gives no summary: at most one part per test.
parts=()
for f in "${!filters[@]}"; do
  tests=$("$gpu_tests" --gtest_list_tests --gtest_filter="${filters[f]}" | grep -c '^  ')
  [ "$tests" -gt 0 ] || fail "${filters[f]}: no test ran, there is none of that name"
  parts[f]=$((tests < jobs ? tests : jobs))
done
# racecheck, which takes longest, comes first: were it last, most cores would wait for it in the end.
for tool in ${tools//,/ }; do
  for f in "${!filters[@]}"; do
    for ((part = 0; part < parts[f]; ++part)); do
      GTEST_TOTAL_SHARDS=${parts[f]} GTEST_SHARD_INDEX=$part start "$logs/$tool.$f.$part" "$tool" "${filters[f]}"
    done
  done
done
wait

worst=0
for tool in ${tools//,/ }; do
  for f in "${!filters[@]}"; do
    all_found=0 all_passed=0 failed=0
    for ((part = 0; part < parts[f]; ++part)); do
      log=$logs/$tool.$f.$part
      read_log "$log" "$tool"
      [ -n "$found" ] || { show "$log"; fail "$tool, ${filters[f]}: no summary"; }
      if [ "$found" -gt 0 ] || [ "$status" -ne 0 ]; then
        show "$log"
        failed=1
      fi
      ((all_found += found, all_passed += ${passed:-0}))
    done
    if [ $failed -ne 0 ]; then
      echo "$tool, ${filters[f]}: $all_found found, or a test failed"
      worst=1
    elif [ $all_passed -eq 0 ]; then
      show "$log"
      fail "$tool, ${filters[f]}: no test ran"
    else
      echo "$tool, ${filters[f]}: $all_passed tests, nothing found"
    fi
  done
done
exit $worst
