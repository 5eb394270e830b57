# The tests that need a screen, on one that is theirs. Without one they skip themselves, in the run above.
if(TARGET gl_tests)
  add_test(NAME gl_tests_on_a_display
    COMMAND ${CMAKE_CURRENT_LIST_DIR}/with_display $<TARGET_FILE:gl_tests> --gtest_filter=Window*:Highgui*
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(gl_tests_on_a_display PROPERTIES LABELS gl SKIP_RETURN_CODE 77 TIMEOUT 120)
endif()
