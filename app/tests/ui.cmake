# Golden images: where they lie, and where what fails is written. The program's window: real keys and a real mouse.
target_compile_definitions(gl_tests PRIVATE
  SATSCOPE_GOLDEN="${CMAKE_CURRENT_SOURCE_DIR}/tests/golden"
  SATSCOPE_GOLDEN_OUT="${CMAKE_CURRENT_BINARY_DIR}/golden"
  SATSCOPE_PROGRAM="$<TARGET_FILE:satscope>")
add_dependencies(gl_tests satscope)
add_test(NAME window_events
  COMMAND ${CMAKE_CURRENT_LIST_DIR}/with_display $<TARGET_FILE:gl_tests> --gtest_filter=RealWindow*:Golden*
  WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
set_tests_properties(window_events PROPERTIES LABELS gl SKIP_RETURN_CODE 77 TIMEOUT 300 COST 50)
