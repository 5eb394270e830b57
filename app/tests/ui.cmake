# Where the golden images lie, and where those that fail are written.
target_compile_definitions(gl_tests PRIVATE
  SATSCOPE_GOLDEN="${CMAKE_CURRENT_SOURCE_DIR}/tests/golden"
  SATSCOPE_GOLDEN_OUT="${CMAKE_CURRENT_BINARY_DIR}/golden")
