# Target shaders: every file of shaders/ as a constexpr string_view in <shaders.h>, generated again when one of them
# changes. shaders/view.frag is app::shaders::view_frag.
#
# The same file is the script that writes the header:
#   cmake -DOUTPUT=shaders.h -DFILES=a.vert;b.frag -P embed_shaders.cmake
if(CMAKE_SCRIPT_MODE_FILE)
  set(header "// Generated from the files of shaders/.\n#pragma once\n\n#include <string_view>\n\n")
  string(APPEND header "namespace app::shaders {\n")
  foreach(file IN LISTS FILES)
    get_filename_component(name ${file} NAME)
    string(MAKE_C_IDENTIFIER ${name} symbol)
    file(READ ${file} text)
    if(text MATCHES "\\)glsl\"")
      message(FATAL_ERROR "${name} contains the delimiter of its string literal: )glsl\"")
    endif()
    string(APPEND header "\ninline constexpr std::string_view ${symbol} = R\"glsl(${text})glsl\";\n")
  endforeach()
  file(WRITE ${OUTPUT} "${header}\n}  // namespace app::shaders\n")
  return()
endif()

file(GLOB shader_files CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/shaders/*.vert ${PROJECT_SOURCE_DIR}/shaders/*.frag)
set(shaders_root ${CMAKE_BINARY_DIR}/shaders)
add_custom_command(
  OUTPUT ${shaders_root}/shaders.h
  COMMAND ${CMAKE_COMMAND} -DOUTPUT=${shaders_root}/shaders.h "-DFILES=${shader_files}" -P ${CMAKE_CURRENT_LIST_FILE}
  DEPENDS ${shader_files} ${CMAKE_CURRENT_LIST_FILE}
  COMMENT "Embedding the shaders" VERBATIM)
add_custom_target(shaders_header DEPENDS ${shaders_root}/shaders.h)
add_library(shaders INTERFACE)
target_include_directories(shaders INTERFACE ${shaders_root})
add_dependencies(shaders shaders_header)
