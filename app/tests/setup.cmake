# Tests of what a newcomer meets first (set-up scripts, installation, the bundled clip), and the same code once more
# under the sanitizers and libFuzzer.
find_package(OpenCV REQUIRED COMPONENTS core imgproc videoio objdetect)
add_executable(clip_tests ${CMAKE_CURRENT_LIST_DIR}/setup/clip_test.cpp)
target_link_libraries(clip_tests PRIVATE satscope_app opencv_objdetect GTest::gtest_main)
gtest_discover_tests(clip_tests PROPERTIES LABELS host DISCOVERY_TIMEOUT 60)

# libFuzzer targets: every file of fuzz/, run for a bounded time. They need clang: preset fuzz.
file(GLOB fuzz_files CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/fuzz/*.cpp)
set(fuzzed_files commands/option_values.cpp commands/options.cpp commands/overrides.cpp control/device_choice.cpp
  control/recipe.cpp control/settings_file.cpp control/settings_json.cpp support/files.cpp support/near_name.cpp
  support/interrupt.cpp support/simulated_gpu.cpp)
if(SATSCOPE_FUZZ)
  add_custom_target(fuzz)
  # What reads words and files of others, without the window: quick to build, and all that clang needs to understand.
  list(TRANSFORM fuzzed_files PREPEND ${CMAKE_CURRENT_LIST_DIR}/../)
  add_library(fuzzed STATIC EXCLUDE_FROM_ALL ${fuzzed_files})
  target_link_libraries(fuzzed PUBLIC satscope_gpu CLI11::CLI11 nlohmann_json::nlohmann_json)
  target_compile_definitions(fuzzed PRIVATE SATSCOPE_VERSION="${PROJECT_VERSION}" SATSCOPE_LIBRARIES_FROM_BIN=".")
  foreach(file IN LISTS fuzz_files)
    get_filename_component(name ${file} NAME_WE)
    add_executable(${name} ${file})
    target_link_libraries(${name} PRIVATE fuzzed)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    add_dependencies(fuzz ${name})
    # Known inputs first, where there are any; what is found goes to the build folder.
    set(seeds ${CMAKE_CURRENT_LIST_DIR}/fuzz/${name})
    if(NOT IS_DIRECTORY ${seeds})
      set(seeds "")
    endif()
    set(found ${CMAKE_CURRENT_BINARY_DIR}/fuzz/${name})
    file(MAKE_DIRECTORY ${found})
    add_test(NAME fuzz.${name} WORKING_DIRECTORY ${found}
      COMMAND ${name} -max_total_time=30 -timeout=10 -rss_limit_mb=2048 -verbosity=0 -print_final_stats=1
              ${found} ${seeds})
    set_tests_properties(fuzz.${name} PROPERTIES LABELS fuzz TIMEOUT 120)
  endforeach()
endif()

# What follows drives whole builds and belongs to the plain one.
if(SATSCOPE_SANITIZE OR SATSCOPE_FUZZ)
  return()
endif()

add_executable(asset_probe ${CMAKE_CURRENT_LIST_DIR}/asset_probe.cpp)
target_link_libraries(asset_probe PRIVATE satscope_app)

add_test(NAME setup.layers COMMAND /usr/bin/python3 ${CMAKE_CURRENT_LIST_DIR}/layers_test.py)
set_tests_properties(setup.layers PROPERTIES LABELS host TIMEOUT 60)

function(satscope_script_test name label)
  add_test(NAME setup.${name} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    COMMAND bash ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/setup/${name}_test.sh ${ARGN})
  set_tests_properties(setup.${name} PROPERTIES LABELS ${label} TIMEOUT 300 SKIP_RETURN_CODE 77)
endfunction()
satscope_script_test(install_script host)
satscope_script_test(build_script host)
satscope_script_test(run_script host)
satscope_script_test(test_script host)
satscope_script_test(installed_tree host ${CMAKE_BINARY_DIR} $<TARGET_FILE:asset_probe>)

# Where no GPU runs the CUDA tests, they must compile at least. The lock is build.sh's.
if(NOT every_gpu_test)
  add_test(NAME gpu_tests.compile
    COMMAND flock ${CMAKE_BINARY_DIR}/.lock
            ${CMAKE_COMMAND} --build ${CMAKE_BINARY_DIR} --target gpu_tests app_gpu_tests)
  set_tests_properties(gpu_tests.compile PROPERTIES LABELS "host;long" TIMEOUT 1500 RUN_SERIAL ON)
endif()

# The sanitizer builds, one after the other: each compiles the host code once more, and asan the kernels too.
function(satscope_sanitizer_test preset targets)
  add_test(NAME sanitize.${preset} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    COMMAND bash ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/setup/sanitize.sh ${preset} "${targets}" ${ARGN})
  set_tests_properties(sanitize.${preset} PROPERTIES LABELS "host;sanitize" TIMEOUT 1500 RUN_SERIAL ON)
endfunction()
# Of the long matrices, two types stand for all, one with whole sums of 4 bytes and one with floating-point sums of 8; under
# the sanitizers the others take too long.
satscope_sanitizer_test(asan "app_tests gpu_host_tests clip_tests" -L host
  -E "EqualsReference.*_(8u32f|32u32u|32f32f|8u64u)")
satscope_sanitizer_test(tsan "app_tests gpu_host_tests" -L host
  -R "^mailbox|^capture|^pace|^synthetic|host_parallel_8u32u|LookBack")
if(fuzz_files)
  satscope_sanitizer_test(fuzz "fuzz" -L fuzz)
endif()
