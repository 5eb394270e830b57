# The program as a user runs it: from the command line, and in a real window on a display of its own. With Debian's
# Python, which has OpenCV and NumPy.
if(NOT SATSCOPE_SANITIZE AND NOT SATSCOPE_FUZZ)
  set(program_and_assets $<TARGET_FILE:satscope> ${PROJECT_SOURCE_DIR}/assets)
  foreach(name cli_bad_input cli_results)
    add_test(NAME ${name} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
      COMMAND /usr/bin/python3 ${CMAKE_CURRENT_LIST_DIR}/${name}_test.py ${program_and_assets})
    set_tests_properties(${name} PROPERTIES LABELS host TIMEOUT 600 COST 100)  # the longest start first
  endforeach()
  if(SATSCOPE_SIMULATED)
    foreach(name cli_simulated cli_simulate)
      add_test(NAME ${name} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
        COMMAND /usr/bin/python3 ${CMAKE_CURRENT_LIST_DIR}/${name}_test.py ${program_and_assets})
      set_tests_properties(${name} PROPERTIES LABELS simulated TIMEOUT 600)
    endforeach()
    # What `simulate` does where something is wrong, which none of our algorithms is: a library that says so.
    add_library(faulty_driver MODULE ${CMAKE_CURRENT_LIST_DIR}/faulty_driver.cpp)
    set_target_properties(faulty_driver PROPERTIES OUTPUT_NAME satscope_observed
      LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/faulty)
    target_include_directories(faulty_driver PRIVATE $<TARGET_PROPERTY:satscope_gpu,INTERFACE_INCLUDE_DIRECTORIES>)
    target_include_directories(faulty_driver SYSTEM PRIVATE ${CUDAToolkit_INCLUDE_DIRS})
    target_compile_definitions(faulty_driver PRIVATE SATSCOPE_VERSION="${PROJECT_VERSION}")
    set_tests_properties(cli_simulate PROPERTIES
      ENVIRONMENT "SATSCOPE_FAULTY_DRIVER=$<TARGET_FILE_DIR:faulty_driver>")
  endif()
  add_test(NAME window WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    COMMAND ${CMAKE_CURRENT_LIST_DIR}/with_display
            /usr/bin/python3 ${CMAKE_CURRENT_LIST_DIR}/window_test.py ${program_and_assets})
  # It measures how soon a key is answered and how idle the window is.
  set_tests_properties(window PROPERTIES LABELS gl TIMEOUT 300 SKIP_RETURN_CODE 77 RUN_SERIAL ON)
endif()

# The program's own code on a GPU.
file(GLOB app_gpu_test_files CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/gpu/*_test.cpp)
add_executable(app_gpu_tests ${app_gpu_test_files})
target_link_libraries(app_gpu_tests PRIVATE satscope_app GTest::gtest_main)
if(every_gpu_test)
  # Alone: one of them uses up the GPU's memory.
  gtest_discover_tests(app_gpu_tests WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    PROPERTIES LABELS gpu RUN_SERIAL ON DISCOVERY_TIMEOUT 60)
else()
  set_target_properties(app_gpu_tests PROPERTIES EXCLUDE_FROM_ALL ON)
  satscope_skipped_gpu_test(app_gpu_tests)
endif()
