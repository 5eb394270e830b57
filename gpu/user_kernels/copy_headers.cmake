# A script: copies FILES, which lie below the folder FROM, to the same places below TO, and removes what else is there in
# gpu/. A file that has not changed stays as it is.
#
#   cmake -DFROM=FOLDER -DTO=FOLDER -DFILES=FROM/gpu/a.h;FROM/gpu/b.h -P copy_headers.cmake
file(GLOB_RECURSE others RELATIVE ${TO} ${TO}/gpu/*)
foreach(file IN LISTS FILES)
  cmake_path(RELATIVE_PATH file BASE_DIRECTORY ${FROM} OUTPUT_VARIABLE name)
  cmake_path(GET name PARENT_PATH folder)
  file(COPY ${file} DESTINATION ${TO}/${folder})
  list(REMOVE_ITEM others ${name})
endforeach()
foreach(name IN LISTS others)
  file(REMOVE ${TO}/${name})
endforeach()
