# Planted faults: kernels with one wrong barrier, wait or comparison, which a run under observation has to detect.
# planted/planted_faults.py finds the sites; ctest gets the list from it, so that new ones need no reconfiguration.

# Links the kernels compiled once; for each fault, the object with the fault comes first in the link.
add_executable(check_kernels EXCLUDE_FROM_ALL tests/planted/check_kernels.cpp)
satscope_part(check_kernels observed)
target_link_libraries(check_kernels PRIVATE simulated_observed)

set(planted_program ${CMAKE_CURRENT_SOURCE_DIR}/tests/planted/planted_faults.py)
set(planted_tests ${CMAKE_CURRENT_BINARY_DIR}/planted_tests.cmake)
add_test(NAME planted.sites COMMAND /usr/bin/python3 ${planted_program} --check-sites)
set_tests_properties(planted.sites PROPERTIES LABELS simulated TIMEOUT 60)
add_test(NAME planted.build
  COMMAND flock ${CMAKE_BINARY_DIR}/.lock ${CMAKE_COMMAND} --build ${CMAKE_BINARY_DIR} --target check_kernels)
set_tests_properties(planted.build PROPERTIES LABELS planted-quarter FIXTURES_SETUP planted RUN_SERIAL ON TIMEOUT 1800)

configure_file(tests/planted/planted_tests.cmake.in ${planted_tests} @ONLY)
set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${planted_tests})
