# The vector codes of gpu/vision/host_tile.h: one source, compiled once for each kind of processor. Removes from the list `core`
# what this processor's architecture does not have. Square roots set no errno, so that the compiler may use vectors.
set(host_tile_options -fno-math-errno -fno-trapping-math)
set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/host_tile_baseline.cpp PROPERTIES COMPILE_OPTIONS "${host_tile_options}")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/host_tile_avx2.cpp PROPERTIES
    COMPILE_OPTIONS "${host_tile_options};-mavx2")
else()
  list(FILTER core EXCLUDE REGEX "/host_tile_avx2\\.cpp$")
endif()
