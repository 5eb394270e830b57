# cmake --install: the program and its files, where a distribution expects them.
include(GNUInstallDirs)

# The program looks for its assets from its own place, so that an installation can be moved or staged (DESTDIR).
file(RELATIVE_PATH assets_from_bin ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_DATADIR}/satscope)
target_compile_definitions(satscope_app PRIVATE SATSCOPE_ASSETS_FROM_BIN="${assets_from_bin}")

install(TARGETS satscope)
foreach(benchmark satscope-bench satscope-bench-host)
  if(TARGET ${benchmark})
    install(TARGETS ${benchmark})
  endif()
endforeach()
install(FILES ${PROJECT_SOURCE_DIR}/assets/clip.mp4 DESTINATION ${CMAKE_INSTALL_DATADIR}/satscope)
install(FILES ${PROJECT_SOURCE_DIR}/assets/satscope.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications)
install(FILES ${PROJECT_SOURCE_DIR}/assets/satscope.svg
  DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps)
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES ${PROJECT_SOURCE_DIR}/assets/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME assets.md)
