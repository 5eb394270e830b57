# CMake's own module, with a workaround for CMake 3.25 (Debian 12): for a project that requires 3.25 it deprecates the
# target CUDA::nvToolsExt without checking that it exists, and newer toolkits no longer have that library.
set(satscope_required_version ${CMAKE_MINIMUM_REQUIRED_VERSION})
set(CMAKE_MINIMUM_REQUIRED_VERSION 3.24)
include(${CMAKE_ROOT}/Modules/FindCUDAToolkit.cmake)
set(CMAKE_MINIMUM_REQUIRED_VERSION ${satscope_required_version})
