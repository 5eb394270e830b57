# cmake --install: the program and its files, where a distribution expects them.
include(GNUInstallDirs)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME program)

# The program looks for its assets from its own place, so that an installation can be moved or staged (DESTDIR).
file(RELATIVE_PATH assets_from_bin ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_DATADIR}/satscope)
target_compile_definitions(satscope_app PRIVATE SATSCOPE_ASSETS_FROM_BIN="${assets_from_bin}")
# For its simulated GPU, likewise. app/run builds either library on demand only, so what is there is installed.
set(simulated_folder ${CMAKE_INSTALL_LIBDIR}/satscope)
file(RELATIVE_PATH libraries_from_bin ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR}/satscope)
target_compile_definitions(satscope_app PRIVATE SATSCOPE_LIBRARIES_FROM_BIN="${libraries_from_bin}")
if(NOT TARGET satscope)
  return()
endif()
set(package_contents satscope satscope_shared satscope_archive)  # what cpack builds
if(SATSCOPE_SIMULATED)
  foreach(library libsatscope_simulated.so libsatscope_observed.so)
    install(PROGRAMS ${PROJECT_BINARY_DIR}/gpu/simulated/${library} DESTINATION ${simulated_folder} OPTIONAL)
  endforeach()
  # What users' kernels are compiled with.
  install(DIRECTORY ${PROJECT_BINARY_DIR}/gpu/simulated/user_kernels DESTINATION ${simulated_folder} OPTIONAL)
  list(APPEND package_contents satscope_simulated satscope_observed)
endif()

install(TARGETS satscope)
install(TARGETS satscope_highgui LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/satscope)
# app/run builds the program alone.
foreach(benchmark satscope-bench satscope-bench-host)
  if(TARGET ${benchmark})
    install(TARGETS ${benchmark} OPTIONAL)
    list(APPEND package_contents ${benchmark})
  endif()
endforeach()
if(TARGET satscope-bench)
  install(PROGRAMS ${PROJECT_SOURCE_DIR}/gpu/benchmarks/satscope_bench_report.py DESTINATION ${CMAKE_INSTALL_BINDIR}
    RENAME satscope-bench-report)
endif()
# astronaut.png: what lessons of the presentation show.
install(FILES ${PROJECT_SOURCE_DIR}/assets/clip.mp4 ${PROJECT_SOURCE_DIR}/assets/astronaut.png
  ${PROJECT_SOURCE_DIR}/assets/haarcascade_frontalface_alt2.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/satscope)
# The licences of the fonts in the program.
install(FILES ${PROJECT_SOURCE_DIR}/assets/fonts/Roboto-LICENSE.txt ${PROJECT_SOURCE_DIR}/assets/fonts/DejaVu-LICENSE.txt
  DESTINATION ${CMAKE_INSTALL_DATADIR}/satscope/fonts)
# Optional measurements: without them `simulate --model latency` has only the paper's two GPUs.
install(FILES ${PROJECT_SOURCE_DIR}/assets/latencies-h200.json DESTINATION ${CMAKE_INSTALL_DATADIR}/satscope OPTIONAL)
install(FILES ${PROJECT_SOURCE_DIR}/assets/satscope.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications)
install(FILES ${PROJECT_SOURCE_DIR}/assets/satscope.metainfo.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/metainfo
  RENAME io.github.satscope.metainfo.xml)  # its <id>
set(icons ${CMAKE_INSTALL_DATADIR}/icons/hicolor)
install(FILES ${PROJECT_SOURCE_DIR}/assets/satscope.svg DESTINATION ${icons}/scalable/apps)
foreach(side 16 22 24 32 48 64 128 256 512)
  install(FILES ${PROJECT_SOURCE_DIR}/assets/icons/${side}.png DESTINATION ${icons}/${side}x${side}/apps
    RENAME satscope.png)
endforeach()
install(FILES ${manual_folder}/satscope.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES ${PROJECT_SOURCE_DIR}/assets/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME assets.md)

if(PROJECT_IS_TOP_LEVEL)
  include(package)
endif()
