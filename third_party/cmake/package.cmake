# cpack: .debs of the program and of the library, and a .tar.gz of everything that `cmake --install` installs of a complete
# build. The archive can be unpacked anywhere; its programs need the libraries of the system on which it was built, which the
# .deb depends on.
#
# A package that is meant for other machines is made in the build folder of the preset release-portable: otherwise its CUDA
# kernels are those for the GPU of this machine.
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_PACKAGE_NAME satscope)
set(CPACK_PACKAGE_VENDOR "satscope developers")
set(CPACK_PACKAGE_CONTACT ${CPACK_PACKAGE_VENDOR})
set(CPACK_PACKAGE_DESCRIPTION "satscope takes a camera, a video or an image, computes the summed area table of every frame with an
algorithm that can be switched at any time, draws a vision effect from it, and shows the time of every
kernel: on an NVIDIA GPU, on the CPU, or on a simulated GPU.")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
string(TOLOWER ${CMAKE_SYSTEM_NAME} system)
set(CPACK_PACKAGE_FILE_NAME satscope-${PROJECT_VERSION}-${system}-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_STRIP_FILES ON)  # not the simulated GPU, which tells the source lines of races
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_VERBATIM_VARIABLES ON)

# app/run builds the program alone; the lock is that of build.sh.
add_custom_target(package_contents DEPENDS ${package_contents})
set(CPACK_INSTALL_COMMANDS
  "flock ${CMAKE_BINARY_DIR}/.lock ${CMAKE_COMMAND} --build ${CMAKE_BINARY_DIR} --target package_contents")

set(CPACK_COMPONENTS_ALL program development)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME satscope)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libsatscope-dev)
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "Summed area tables (integral images) on NVIDIA GPUs and on the CPU, for C++ programs:
the header, the shared and the static library, and files for CMake and pkg-config.")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION graphics)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# What is opened at run time: OpenGL, in a window and without one, and its drivers.
set(CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS "libgl1, libegl1, libgl1-mesa-dri")
# addr2line for the source lines of races, libportal for the desktop's own dialog for files, more cascades, xdg-open for the
# folder of saved files.
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "binutils, libportal1, opencv-data, xdg-utils")
# dbus-send marks a saved file in its folder, g++ compiles users' kernels, satscope-bench-report is in Python, wl-copy copies
# pictures without Xwayland.
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "dbus-bin, g++, python3, wl-clipboard")
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS OFF)  # the program's libraries are for satscope alone
# What dpkg-shlibdeps finds for programs that use the library, before 1.0 of the same minor version.
file(WRITE ${CMAKE_BINARY_DIR}/packages/shlibs
  "libsatscope ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} libsatscope-dev (>= ${PROJECT_VERSION})\n")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_CONTROL_EXTRA ${CMAKE_BINARY_DIR}/packages/shlibs)
include(CPack)
# A .deb needs two programs. cpack looks for them when it runs: app/test installs them into a system that app/run has configured
# the build on.
file(APPEND ${CPACK_OUTPUT_CONFIG_FILE} [[
foreach(program dpkg-shlibdeps file)
  find_program(path ${program} NO_CACHE)
  if(NOT path)
    set(CPACK_GENERATOR TGZ)
  endif()
  unset(path)
endforeach()
]])
