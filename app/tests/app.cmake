# The program as a user runs it, and its .npy files as NumPy reads them: with Debian's Python, which has OpenCV and NumPy.
if(NOT SATSCOPE_SANITIZE AND NOT SATSCOPE_FUZZ)
  add_test(NAME cli WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    COMMAND /usr/bin/python3 ${CMAKE_CURRENT_LIST_DIR}/cli_test.py $<TARGET_FILE:satscope> ${PROJECT_SOURCE_DIR}/assets)
  set_tests_properties(cli PROPERTIES LABELS host TIMEOUT 600)
endif()
