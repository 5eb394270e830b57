#!/usr/bin/env bash
# third_party/build.sh on a small project of its own: builds once, is silent if nothing changed, detects a moved tree, and
# reports errors.
source "$(dirname "${BASH_SOURCE[0]}")/check.sh"

project=$scratch/project
mkdir -p "$project/third_party"
cp third_party/build.sh "$project/third_party/"
cat >"$project/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(small LANGUAGES C)
add_executable(small small.c)
END
cat >"$project/CMakePresets.json" <<'END'
{"version": 6, "configurePresets": [
  {"name": "release", "generator": "Ninja", "binaryDir": "${sourceDir}/build/${presetName}"}]}
END
echo 'int main() { return 0; }' >"$project/small.c"

output=$("$project/third_party/build.sh" release small 2>&1)
check "the first build: exit 0" [ $? -eq 0 ]
check "the first build: it says what it does" contains "$output" "satscope: configuring (release)"
check "the first build: the program runs" "$project/build/release/small"
output=$("$project/third_party/build.sh" release small 2>&1)
check "nothing changed: no output" [ -z "$output" ]

mv "$project" "$scratch/moved"
project=$scratch/moved
output=$("$project/third_party/build.sh" release small 2>&1)
check "a moved tree: exit 0" [ $? -eq 0 ]
check "a moved tree: it says so" contains "$output" "configuring again"
check "a moved tree: the program runs" "$project/build/release/small"

echo 'int main() { return no_such_name; }' >"$project/small.c"
output=$("$project/third_party/build.sh" release small 2>&1)
check "an error: exit 1" [ $? -eq 1 ]
check "an error: the compiler's output is shown" contains "$output" "no_such_name"
check "an error: the last line says that the build failed" contains "$(tail -1 <<<"$output")" "the build failed"

# CUDA comes and goes: a stand-in for find_nvcc.sh, and a project that notes what it was told.
rm -rf "$project/build"
cat >"$project/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
set(SATSCOPE_CUDA auto CACHE STRING "")
project(small LANGUAGES NONE)
set(language CUDA)
execute_process(COMMAND ${CMAKE_SOURCE_DIR}/third_party/find_nvcc.sh RESULT_VARIABLE none)
if(SATSCOPE_CUDA STREQUAL off OR (SATSCOPE_CUDA STREQUAL auto AND none))
  set(language "")
endif()
set(satscope_cuda_language "${language}" CACHE INTERNAL "")
add_custom_command(OUTPUT done COMMAND ${CMAKE_COMMAND} -E touch done)
add_custom_target(small DEPENDS done)
END
find_nvcc=$project/third_party/find_nvcc.sh
printf '#!/bin/sh\nexit 1\n' >"$find_nvcc"
chmod +x "$find_nvcc"
build() { "$project/third_party/build.sh" release small 2>&1; }
check "without CUDA: it says so, and what follows" contains "$(build)" "no NVIDIA GPU and no CUDA Toolkit here"
check "without CUDA, again: no output" [ -z "$(build)" ]
printf '#!/bin/sh\nexit 0\n' >"$find_nvcc"
check "a toolkit has come: configured again" contains "$(build)" "there is a CUDA Toolkit now"
check "a toolkit has come, again: no output" [ -z "$(build)" ]
check "SATSCOPE_CUDA=off: configured again" contains "$(SATSCOPE_CUDA=off build)" "building without CUDA, as SATSCOPE_CUDA=off says"
check "SATSCOPE_CUDA=off: it stays so" [ -z "$(build)" ]
check "SATSCOPE_CUDA=on: configured again" contains "$(SATSCOPE_CUDA=on build)" "configuring"
check "SATSCOPE_CUDA=wheels is on" [ -z "$(SATSCOPE_CUDA=wheels build)" ]

rm -rf "$project/build"
touch "$project/build"
output=$("$project/third_party/build.sh" release small 2>&1)
check "a folder that cannot be written: exit 1" [ $? -eq 1 ]
check "a folder that cannot be written: one line" [ "$(wc -l <<<"$output")" -eq 1 ]
finish
