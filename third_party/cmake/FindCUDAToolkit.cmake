# CMake's own module, past a fault of CMake 3.25 (Debian 12's): with a project that requires 3.25 it deprecates the target
# CUDA::nvToolsExt without asking whether that exists, and since CUDA 12.9 the library is no longer delivered.
set(satscope_required_version ${CMAKE_MINIMUM_REQUIRED_VERSION})
set(CMAKE_MINIMUM_REQUIRED_VERSION 3.24)
include(${CMAKE_ROOT}/Modules/FindCUDAToolkit.cmake)
set(CMAKE_MINIMUM_REQUIRED_VERSION ${satscope_required_version})
