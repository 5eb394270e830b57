# Target fonts: the font files of assets/fonts as arrays of the program; app/ui/theme.cpp declares them. The assembler
# includes the files: a compiler would need seconds for a list of a million numbers.
enable_language(ASM)
set(fonts_root ${CMAKE_BINARY_DIR}/fonts)
set(font_files Roboto-Regular.ttf Roboto-Medium.ttf DejaVuSans.ttf)
set(fonts_assembly ".section .rodata\n")
foreach(file IN LISTS font_files)
  string(MAKE_C_IDENTIFIER ${file} symbol)
  string(TOLOWER satscope_font_${symbol} symbol)
  string(APPEND fonts_assembly
    ".global ${symbol}, ${symbol}_end\n.balign 16\n${symbol}:\n.incbin \"${file}\"\n${symbol}_end:\n.byte 0\n")
endforeach()
string(APPEND fonts_assembly ".section .note.GNU-stack,\"\",%progbits\n")
file(CONFIGURE OUTPUT ${fonts_root}/fonts.S CONTENT "${fonts_assembly}" @ONLY)
add_library(fonts STATIC ${fonts_root}/fonts.S)
target_include_directories(fonts PRIVATE ${PROJECT_SOURCE_DIR}/assets/fonts)
list(TRANSFORM font_files PREPEND ${PROJECT_SOURCE_DIR}/assets/fonts/)
set_source_files_properties(${fonts_root}/fonts.S PROPERTIES OBJECT_DEPENDS "${font_files}")
