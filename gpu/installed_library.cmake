# The library for other programs: satscope.h, libsatscope.so and libsatscope.a. Of what is in them only satscope.h's names are
# seen, and CUDA's runtime is in them, so that who uses them needs no CUDA, or has one of their own.
#
# As a subproject there are the same two targets, and nothing is installed.
set(library_soversion ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})  # before 1.0 a minor version may change the interface
file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/include)
file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR}/satscope.h ${CMAKE_CURRENT_BINARY_DIR}/include/satscope.h SYMBOLIC)

add_library(satscope_static INTERFACE)
target_link_libraries(satscope_static INTERFACE $<LINK_ONLY:satscope_gpu>)
target_include_directories(satscope_static INTERFACE ${CMAKE_CURRENT_BINARY_DIR}/include)
target_compile_features(satscope_static INTERFACE cxx_std_14)
add_library(satscope::satscope_static ALIAS satscope_static)
if(SATSCOPE_SANITIZE OR SATSCOPE_FUZZ)
  return()
endif()

add_library(satscope_shared SHARED $<TARGET_OBJECTS:satscope_api>)
target_link_libraries(satscope_shared PRIVATE satscope_gpu)
target_include_directories(satscope_shared INTERFACE ${CMAKE_CURRENT_BINARY_DIR}/include)
target_compile_features(satscope_shared INTERFACE cxx_std_14)
target_link_options(satscope_shared PRIVATE LINKER:--version-script=${CMAKE_CURRENT_SOURCE_DIR}/satscope.symbols
  LINKER:--no-undefined LINKER:-z,now)
set_target_properties(satscope_shared PROPERTIES OUTPUT_NAME satscope VERSION ${PROJECT_VERSION} SOVERSION ${library_soversion}
  LINKER_LANGUAGE CXX LINK_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/satscope.symbols)
add_library(satscope::satscope ALIAS satscope_shared)
if(NOT satscope_alone)
  return()
endif()

# One object in which all other names are local: two CUDA runtimes of different versions can be in one program.
set(archive ${CMAKE_CURRENT_BINARY_DIR}/libsatscope.a)
set(object ${CMAKE_CURRENT_BINARY_DIR}/satscope.o)
add_custom_command(OUTPUT ${archive} BYPRODUCTS ${object}
  COMMAND ${CMAKE_CXX_COMPILER} -r -nostdlib -Wl,--force-group-allocation -o ${object} $<TARGET_OBJECTS:satscope_api>
          -Wl,--start-group $<TARGET_FILE:satscope_gpu> $<TARGET_FILE:satscope_kernels>
          "$<$<BOOL:${cuda_language}>:$<TARGET_PROPERTY:CUDA::cudart_static,IMPORTED_LOCATION>>" -Wl,--end-group
  COMMAND ${CMAKE_OBJCOPY} --wildcard --strip-debug --localize-hidden --keep-global-symbol=_ZN*8satscope*
          --keep-global-symbol=_ZT?N8satscope* ${object}
  COMMAND ${CMAKE_COMMAND} -E rm -f ${archive}
  COMMAND ${CMAKE_AR} rcs ${archive} ${object}
  DEPENDS $<TARGET_OBJECTS:satscope_api> satscope_api satscope_gpu satscope_kernels
  COMMENT "Linking libsatscope.a" COMMAND_EXPAND_LISTS VERBATIM)
add_custom_target(satscope_archive ALL DEPENDS ${archive})

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(config_folder ${CMAKE_INSTALL_LIBDIR}/cmake/satscope)
set(pkgconfig_folder ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH prefix_from_pkgconfig ${CMAKE_INSTALL_PREFIX}/${pkgconfig_folder} ${CMAKE_INSTALL_PREFIX})
set(templates ${PROJECT_SOURCE_DIR}/third_party/cmake)
configure_package_config_file(${templates}/satscope-config.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/satscope-config.cmake
  INSTALL_DESTINATION ${config_folder} PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR
  NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/satscope-config-version.cmake COMPATIBILITY SameMinorVersion)
configure_file(${templates}/satscope.pc.in satscope.pc @ONLY)

# app/run builds the program alone. The rules below are then passed over.
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME development)
install(CODE "if(NOT EXISTS \"${archive}\" OR NOT EXISTS \"$<TARGET_FILE:satscope_shared>\")\n  return()\nendif()" ALL_COMPONENTS)
install(TARGETS satscope_shared)
install(FILES ${archive} DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES satscope.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/satscope-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/satscope-config-version.cmake
  DESTINATION ${config_folder})
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/satscope.pc DESTINATION ${pkgconfig_folder})
