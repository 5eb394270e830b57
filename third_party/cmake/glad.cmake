# Target glad: the loaders of OpenGL 3.3 core (<glad/gl.h>, loaded through GLFW's or EGL's get-proc-address) and of EGL
# (<glad/egl.h>, which opens libEGL at run time, so that the program also starts without it). Generated at build time by
# Debian's python3-glad from the Khronos specifications that come with it.
#
# Dear ImGui's backend has its own loader inside libimgui.a; its names (imgl3w...) and glad's (glad_...) differ.

# The distribution's interpreter first: another python3 on PATH does not find Debian's modules.
foreach(candidate /usr/bin/python3 python3)
  execute_process(COMMAND ${candidate} -c "import glad" RESULT_VARIABLE result OUTPUT_QUIET ERROR_QUIET)
  if(result EQUAL 0)
    set(glad_python ${candidate})
    break()
  endif()
endforeach()
if(NOT glad_python)
  message(FATAL_ERROR "python3-glad is missing. Run third_party/install.sh, or: apt-get install python3-glad")
endif()

set(glad_root ${CMAKE_BINARY_DIR}/glad)
set(glad_egl_extensions
  EGL_EXT_client_extensions EGL_EXT_platform_base EGL_EXT_platform_device EGL_MESA_platform_surfaceless
  EGL_EXT_device_base EGL_EXT_device_enumeration EGL_EXT_device_query EGL_NV_device_cuda
  EGL_KHR_create_context EGL_KHR_no_config_context EGL_KHR_surfaceless_context)
list(JOIN glad_egl_extensions "," glad_egl_extensions)

# Each specification has its own folder, because both contain a copy of KHR/khrplatform.h.
add_custom_command(
  OUTPUT ${glad_root}/gl/src/gl.c ${glad_root}/gl/include/glad/gl.h
  COMMAND ${glad_python} -m glad --quiet --reproducible --api gl:core=3.3 --extensions GL_KHR_debug
          --out-path ${glad_root}/gl c
  COMMENT "Generating the OpenGL 3.3 loader" VERBATIM)
add_custom_command(
  OUTPUT ${glad_root}/egl/src/egl.c ${glad_root}/egl/include/glad/egl.h
  COMMAND ${glad_python} -m glad --quiet --reproducible --api egl=1.5 --extensions ${glad_egl_extensions}
          --out-path ${glad_root}/egl c --loader
  COMMENT "Generating the EGL loader" VERBATIM)

# The headers are sources of the library, so that its users are compiled after the headers exist.
add_library(glad STATIC
  ${glad_root}/gl/src/gl.c ${glad_root}/gl/include/glad/gl.h
  ${glad_root}/egl/src/egl.c ${glad_root}/egl/include/glad/egl.h)
target_include_directories(glad SYSTEM PUBLIC ${glad_root}/gl/include ${glad_root}/egl/include)
target_link_libraries(glad PRIVATE ${CMAKE_DL_LIBS})
