# Finds nvcc and chooses what it compiles for. Included before project(), because enabling the CUDA language tests the
# compiler.
#
# The toolkit: the one that third_party/find_nvcc.sh chooses.
# The architectures: the GPU's own where there is one; else PTX that every GPU since Turing can translate, plus
# machine code for Hopper. A release for everyone sets CMAKE_CUDA_ARCHITECTURES itself.
if(NOT CMAKE_CUDA_COMPILER)
  execute_process(COMMAND ${CMAKE_CURRENT_LIST_DIR}/../find_nvcc.sh
    OUTPUT_VARIABLE nvcc OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "No CUDA Toolkit 12 or newer found. third_party/install.sh puts one into third_party/.cuda.")
  endif()
  set(CMAKE_CUDA_COMPILER ${nvcc} CACHE FILEPATH "CUDA compiler")
endif()

if(NOT CMAKE_CUDA_ARCHITECTURES)
  execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
    OUTPUT_VARIABLE capability OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE result)
  if(result EQUAL 0 AND capability MATCHES "^[0-9]+\\.[0-9]+")
    string(REGEX MATCHALL "[0-9]+\\.[0-9]+" capability "${capability}")
    list(REMOVE_DUPLICATES capability)
    list(TRANSFORM capability REPLACE "\\." "")
    list(TRANSFORM capability APPEND "-real")
    set(CMAKE_CUDA_ARCHITECTURES ${capability} CACHE STRING "CUDA architectures")
  else()
    set(CMAKE_CUDA_ARCHITECTURES 75-virtual 90-real CACHE STRING "CUDA architectures")
  endif()
endif()
