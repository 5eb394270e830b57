# Registers tests that need an NVIDIA GPU with ctest. With a GPU, every test is an entry. Without one, all tests of a
# source are one entry, which is skipped and gives the reason in its name, so that the list of skipped tests at the end of
# a run is short; tests that also run on the simulated GPU have no entry.
set(SATSCOPE_GPU_TESTS AUTO CACHE STRING "Register every CUDA test: ON, OFF, or AUTO (if there is a GPU)")
set_property(CACHE SATSCOPE_GPU_TESTS PROPERTY STRINGS AUTO ON OFF)
set(every_gpu_test ${SATSCOPE_GPU_TESTS})
if(NOT cuda_language OR (SATSCOPE_GPU_TESTS STREQUAL "AUTO" AND NOT gpu_capabilities))
  set(every_gpu_test OFF)
elseif(SATSCOPE_GPU_TESTS STREQUAL "AUTO")
  set(every_gpu_test ON)
endif()

function(satscope_skipped_gpu_test name)
  set(entry "${name} (needs an NVIDIA GPU)")
  add_test(NAME ${entry}
    COMMAND ${CMAKE_COMMAND} -E echo "skipped: needs an NVIDIA GPU (-DSATSCOPE_GPU_TESTS=ON registers every CUDA test)")
  set_tests_properties(${entry} PROPERTIES LABELS gpu SKIP_REGULAR_EXPRESSION "^skipped:")
endfunction()
