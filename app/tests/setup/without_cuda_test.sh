#!/usr/bin/env bash
# The preset without-cuda: builds, starts, and passes the host tests and the tests of the simulated GPU in the program, with no
# toolkit in sight. (The tests of the simulator itself compile nothing of CUDA's in any build.)
source "$(dirname "${BASH_SOURCE[0]}")/check.sh"
build=build/without-cuda
targets=(satscope satscope-bench-host satscope_simulated app_tests gpu_host_tests clip_tests readme_example satscope_shared
  satscope_archive)
if ! output=$(third_party/build.sh without-cuda "${targets[@]}" 2>&1 </dev/null); then
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
  -R '^(app_tests|gpu_host_tests|clip_tests|cli_|readme_example|gpu.installed_library)' -E '^cli_(simulate|script|detect|images|secrets|switch|statistics)$' </dev/null
check "its tests pass" [ $? -eq 0 ]
finish
