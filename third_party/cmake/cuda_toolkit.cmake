# Decides whether there is CUDA (SATSCOPE_CUDA; cuda_language is then CUDA, otherwise empty), finds nvcc and chooses its target
# architectures. Included before project(), because enabling the CUDA language tests the compiler.
#
# The toolkit: the one that third_party/find_nvcc.sh chooses.
# The architectures: that of the GPU if there is one; otherwise only PTX for Turing, which builds faster and which the
# driver of a later GPU, if it is as new as the toolkit, translates when the program first runs there; it is not optimised
# (compile_options.cmake). Not cached, so that a GPU added later is found. A release for all GPUs sets
# CMAKE_CUDA_ARCHITECTURES itself.
include(find_gpu)
string(TOLOWER "${SATSCOPE_CUDA}" cuda_wanted)
if(NOT cuda_wanted MATCHES "^(auto|on|off)$")
  message(FATAL_ERROR "SATSCOPE_CUDA is on, off or auto, not '${SATSCOPE_CUDA}'")
endif()
set(cuda_language CUDA)
if(cuda_wanted STREQUAL "off")
  set(cuda_language "")
elseif(NOT CMAKE_CUDA_COMPILER)
  execute_process(COMMAND ${CMAKE_CURRENT_LIST_DIR}/../find_nvcc.sh
    OUTPUT_VARIABLE nvcc OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE result)
  if(result EQUAL 0)
    set(CMAKE_CUDA_COMPILER ${nvcc})
    if(satscope_alone)
      set(CMAKE_CUDA_COMPILER ${nvcc} CACHE FILEPATH "CUDA compiler")
    endif()
  elseif(cuda_wanted STREQUAL "auto" AND NOT gpu_nodes)
    set(cuda_language "")
  else()
    message(FATAL_ERROR "No CUDA Toolkit 12.3 or newer found. third_party/install.sh puts one into third_party/.cuda; "
      "-DSATSCOPE_CUDA=off builds without.")
  endif()
endif()
# For third_party/build.sh.
set(satscope_cuda_language "${cuda_language}" CACHE INTERNAL "CUDA, or empty")
if(NOT cuda_language)
  return()
endif()

if(NOT CMAKE_CUDA_ARCHITECTURES)
  if(gpu_capabilities)
    list(TRANSFORM gpu_capabilities REPLACE "\\." "" OUTPUT_VARIABLE architectures)
    list(TRANSFORM architectures APPEND "-real")
    set(CMAKE_CUDA_ARCHITECTURES ${architectures})
    set(kernels_for_this_gpu ON)
  else()
    set(CMAKE_CUDA_ARCHITECTURES 75-virtual)
    set(no_kernel_runs_here ON)
  endif()
endif()
