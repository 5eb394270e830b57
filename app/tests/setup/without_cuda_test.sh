#!/usr/bin/env bash
# A preset without CUDA builds, starts, and passes the host tests and the tests of the simulated GPU in the program, with no toolkit
# in sight. (The tests of the simulator itself compile nothing of CUDA's in any build.) Usage: without_cuda_test.sh PRESET:
# without-cuda, or without-cuda-devices with the tests of what chooses and uses devices, where the build with CUDA runs the others.
source "$(dirname "${BASH_SOURCE[0]}")/check.sh"
preset=$1
build=build/$preset
targets=(satscope satscope-bench-host satscope_simulated app_tests gpu_host_tests readme_example satscope_shared
  satscope_archive)
[[ $preset == *-devices ]] || targets+=(clip_tests)
if ! output=$(third_party/build.sh "$preset" "${targets[@]}" 2>&1 </dev/null); then
  echo "$output"
  check "it builds" false
  finish
fi
check "no file of a toolkit is linked" [ -z "$(ldd "$build/app/satscope" | grep -E 'libcud(a|art)\.')" ]
output=$("$build/app/satscope" info 2>&1)
check "it says why there is no GPU: $output" contains "$output" "satscope was built without CUDA"
"$build/app/satscope" --offscreen --no-config synthetic:320x240 --frames 3 --export "$scratch/timings.json"
check "it runs" [ -s "$scratch/timings.json" ]
# Entries of programs that were not built, and of the tools that test the checkout, are left out; so are the long ones of
# what CUDA has no part in (the build with CUDA ran them).
ctest --test-dir "$build" --parallel "$(nproc)" --output-on-failure --no-tests=error \
  -R "^($(IFS='|'; echo "${targets[*]}")|cli_|gpu.installed_library)" \
  -E '^cli_(kernels|simulate|script|detect|images|secrets|switch|statistics)$' </dev/null
check "its tests pass" [ $? -eq 0 ]
finish
