# The variants of gpu/sat/block/row_scan.h: one source, compiled once for each kind of processor. Included by every folder
# that compiles them; sets row_scan_files.
file(GLOB row_scan_files CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/row_scan*.cpp)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/row_scan_avx2.cpp PROPERTIES COMPILE_OPTIONS -mavx2)
  set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/row_scan_avx512.cpp PROPERTIES
    COMPILE_OPTIONS "-mavx512f;-mavx512bw;-mavx512dq;-mavx512vl")
else()
  list(FILTER row_scan_files EXCLUDE REGEX "_avx[0-9]+\\.cpp$")
endif()
