# Target satscope_options: the compile options of all of our files; each of our targets links it privately.
# satscope_optimise_less, linked after it, is for release targets whose own code is not critical for speed, because -O3
# compiles much longer: the program but for the files that process every pixel, and the tests.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
# CMake 3.25 does not know the option of nvcc 13 for C++20.
if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
endif()
set(CMAKE_CUDA_STANDARD 20)
# What was compiled before is not compiled again where ccache is installed. A precompiled header keeps ccache from it unless it may
# ignore which macros the header defines, and when it was made: besides what else the user has ccache ignore. C++ is found by the
# contents of the headers alone (depend mode), not by the preprocessor's output: a header of which only a comment has changed is the
# same there, but not for a precompiled header that contains it, which would then be included twice.
find_program(SATSCOPE_CCACHE ccache DOC "ccache; empty: compile without it")
if(SATSCOPE_CCACHE AND satscope_alone)
  execute_process(COMMAND ${SATSCOPE_CCACHE} --get-config sloppiness OUTPUT_VARIABLE sloppiness ERROR_QUIET)
  string(REGEX MATCHALL "[a-z_]+" sloppiness "pch_defines time_macros ${sloppiness}")
  list(JOIN sloppiness "," sloppiness)
  foreach(language C CXX CUDA)
    if(NOT CMAKE_${language}_COMPILER_LAUNCHER)
      set(depend)
      if(language STREQUAL "CXX")
        set(depend CCACHE_DEPEND=1)
      endif()
      set(CMAKE_${language}_COMPILER_LAUNCHER
        ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=${sloppiness} ${depend} ${SATSCOPE_CCACHE})
    endif()
  endforeach()
  # Clang writes the times of headers into a precompiled one.
  add_compile_options("$<$<COMPILE_LANG_AND_ID:CXX,Clang>:SHELL:-Xclang -fno-pch-timestamp>")
endif()
add_library(satscope_options INTERFACE)
target_include_directories(satscope_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(satscope_options INTERFACE
  "$<$<COMPILE_LANGUAGE:CUDA>:--expt-relaxed-constexpr;--extended-lambda>"
  "$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra>"
  # GCC 12 warns of impossible overlaps in "text" + std::string (GCC bug 105651).
  "$<$<AND:$<COMPILE_LANG_AND_ID:CXX,GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>"
  "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra>"
  # GCC looks for garbage from 128 MB on; files that are compiled together have more than that, and hardly any of it is garbage.
  "$<$<COMPILE_LANG_AND_ID:CXX,GNU>:--param=ggc-min-heapsize=524288>"
  # Host and device must round equally: no fused multiply-add on only one of them.
  "$<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off>"
  "$<$<COMPILE_LANGUAGE:CUDA>:-fmad=false;-Xcompiler=-ffp-contract=off>")
# A program that is installed names no folder of this machine, in messages or in lines for debuggers.
foreach(map ${PROJECT_SOURCE_DIR}=. ${PROJECT_BINARY_DIR}=./build)
  target_compile_options(satscope_options INTERFACE
    "$<$<AND:$<CONFIG:Release>,$<COMPILE_LANGUAGE:CXX>>:-ffile-prefix-map=${map}>"
    "$<$<AND:$<CONFIG:Release>,$<COMPILE_LANGUAGE:CUDA>>:-Xcompiler=-ffile-prefix-map=${map}>")
endforeach()
# The source lines of kernels, for profilers: nvcc writes them with whole paths, so not into programs for other machines.
if(kernels_for_this_gpu)
  target_compile_options(satscope_options INTERFACE "$<$<COMPILE_LANGUAGE:CUDA>:-lineinfo>")
endif()
if(SATSCOPE_CPU)
  target_compile_options(satscope_options INTERFACE
    "$<$<COMPILE_LANGUAGE:CXX>:-march=${SATSCOPE_CPU}>" "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-march=${SATSCOPE_CPU}>")
endif()
if(SATSCOPE_SANITIZE)
  string(REPLACE "," "\\," sanitize_for_nvcc "${SATSCOPE_SANITIZE}")
  target_compile_options(satscope_options INTERFACE
    "$<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${SATSCOPE_SANITIZE}>"
    "$<$<COMPILE_LANGUAGE:CXX>:-fno-omit-frame-pointer;-fno-sanitize-recover=all>"
    "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-fsanitize=${sanitize_for_nvcc}>")
  target_link_options(satscope_options INTERFACE -fsanitize=${SATSCOPE_SANITIZE})
endif()
if(SATSCOPE_FUZZ)  # clang; device code is unchanged
  target_compile_options(satscope_options INTERFACE
    "$<$<COMPILE_LANGUAGE:CXX>:-fsanitize=fuzzer-no-link,address,undefined>"
    "$<$<COMPILE_LANGUAGE:CXX>:-fno-omit-frame-pointer;-fno-sanitize-recover=all>")
  target_link_options(satscope_options INTERFACE -fsanitize=address,undefined)
endif()
# Without a GPU, and in builds that test only host code, no kernel runs; nvcc is faster without optimisation (CUDA 12.9).
if(cuda_language AND (no_kernel_runs_here OR SATSCOPE_SANITIZE OR SATSCOPE_FUZZ))
  include(CheckCompilerFlag)
  check_compiler_flag(CUDA --Ofast-compile=max satscope_has_fast_compile)
  if(satscope_has_fast_compile)
    target_compile_options(satscope_options INTERFACE "$<$<COMPILE_LANGUAGE:CUDA>:--Ofast-compile=max>")
  endif()
endif()
add_library(satscope_optimise_less INTERFACE)
target_compile_options(satscope_optimise_less INTERFACE "$<$<AND:$<CONFIG:Release>,$<COMPILE_LANGUAGE:CXX>>:-O1>")

# satscope_compile_together(TARGET [FILES]): compiles the files of one folder together, up to 16 at a time, which takes a
# fourth of the time, because most of it goes into headers. FILES: the variable that lists them, whose .cu
# files are for nvcc; otherwise all files of the target, whose .cu files are compiled as C++. Files with options of their own stay
# alone. So do all in a build of the type Debug, for whoever changes one file at a time; it also shows that every file includes
# what it uses.
function(satscope_compile_together target)
  if(CMAKE_BUILD_TYPE STREQUAL "Debug")
    return()
  endif()
  if(ARGC GREATER 1)
    set(files ${${ARGV1}})
    list(FILTER files INCLUDE REGEX "\\.cpp$")
  else()
    get_target_property(files ${target} SOURCES)
  endif()
  list(FILTER files INCLUDE REGEX "^/.*\\.(cpp|cu)$")
  foreach(file IN LISTS files)
    cmake_path(GET file PARENT_PATH folder)
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    string(MAKE_C_IDENTIFIER "${folder}" group)
    math(EXPR number "0${in_${group}} / 16")
    math(EXPR in_${group} "0${in_${group}} + 1")
    set_source_files_properties(${file} PROPERTIES UNITY_GROUP ${group}${number})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # GCC takes the classes of a .cpp file that another includes for those of a header.
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
endfunction()

# satscope_cuda_together(FILES TARGET): the same for nvcc, which CMake itself does from 3.31 on. The variable FILES lists the files
# of a target that is added later; afterwards it lists a file per folder that includes them.
function(satscope_cuda_together files target)
  if(CMAKE_BUILD_TYPE STREQUAL "Debug")
    return()
  endif()
  set(together "")
  foreach(file IN LISTS ${files})
    cmake_path(GET file PARENT_PATH folder)
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    string(MAKE_C_IDENTIFIER "${folder}" group)
    string(APPEND includes_of_${group} "#include \"${file}\"\n")
    list(APPEND together ${CMAKE_CURRENT_BINARY_DIR}/${target}_${group}.cu)
  endforeach()
  list(REMOVE_DUPLICATES together)
  foreach(file IN LISTS together)
    string(REGEX REPLACE ".*/${target}_(.*)\\.cu$" "\\1" group ${file})
    file(CONFIGURE OUTPUT ${file} CONTENT "${includes_of_${group}}" @ONLY)
  endforeach()
  set(${files} ${together} PARENT_SCOPE)
endfunction()
