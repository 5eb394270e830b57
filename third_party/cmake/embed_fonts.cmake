# Target fonts: the font files of assets/fonts, and the pictures of the list of effects, as arrays of the program;
# app/ui/theme.cpp and effect_list.cpp declare them. The assembler includes the files: a compiler
# would need seconds for a list of a million numbers.
enable_language(ASM)
set(fonts_root ${CMAKE_BINARY_DIR}/fonts)
set(font_files fonts/Roboto-Regular.ttf fonts/Roboto-Medium.ttf fonts/DejaVuSans.ttf fonts/DejaVuSansMono.ttf
  effects.jpg)
set(fonts_assembly ".section .rodata\n")
foreach(file IN LISTS font_files)
  string(REPLACE fonts/ font_ symbol ${file})
  string(MAKE_C_IDENTIFIER ${symbol} symbol)
  string(TOLOWER satscope_${symbol} symbol)
  string(APPEND fonts_assembly
    ".global ${symbol}, ${symbol}_end\n.balign 16\n${symbol}:\n.incbin \"${file}\"\n${symbol}_end:\n.byte 0\n")
endforeach()
string(APPEND fonts_assembly ".section .note.GNU-stack,\"\",%progbits\n")
file(CONFIGURE OUTPUT ${fonts_root}/fonts.S CONTENT "${fonts_assembly}" @ONLY)
add_library(fonts STATIC ${fonts_root}/fonts.S)
target_include_directories(fonts PRIVATE ${PROJECT_SOURCE_DIR}/assets)
list(TRANSFORM font_files PREPEND ${PROJECT_SOURCE_DIR}/assets/)
set_source_files_properties(${fonts_root}/fonts.S PROPERTIES OBJECT_DEPENDS "${font_files}")
