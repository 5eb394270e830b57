# satscope_test_suites(PROGRAM [FILTER FILTER] [WORKING_DIRECTORY FOLDER] PROPERTIES PROPERTY VALUE...)
# Registers each suite of a GoogleTest program with ctest, as PROGRAM.Suite. A process for each test instead of each suite
# would spend more time in the dynamic linker, which loads OpenCV's libraries, than in tests. The instances of a
# parametrised or typed suite are one entry.
#   FILTER  of GoogleTest. Its positive patterns must match whole suites.
#   PROPERTIES  of every entry, as set_tests_properties() takes them
# An entry fails if no test of it runs. It is skipped if all of its tests are. If the program is not built, its one entry,
# PROGRAM.not_built, fails.
#
# The same file is the script that writes the list when the program has been linked:
#   cmake -DPROGRAM=FILE -DNAME=PROGRAM -DFILTER=FILTER -DFOLDER=FOLDER -DPROPERTIES=LIST -DOUTPUT=FILE -P test_suites.cmake
if(NOT CMAKE_SCRIPT_MODE_FILE)
  function(satscope_test_suites program)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "FILTER;WORKING_DIRECTORY" "PROPERTIES")
    if(NOT arg_WORKING_DIRECTORY)
      set(arg_WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
    endif()
    if(NOT arg_FILTER)
      set(arg_FILTER "*")
    endif()
    string(MAKE_C_IDENTIFIER "_${arg_FILTER}" place)
    set(list ${CMAKE_CURRENT_BINARY_DIR}/${program}${place}_suites.cmake)
    add_custom_command(TARGET ${program} POST_BUILD VERBATIM BYPRODUCTS ${list}
      COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:${program}> -DNAME=${program} "-DFILTER=${arg_FILTER}"
              -DFOLDER=${arg_WORKING_DIRECTORY} "-DPROPERTIES=${arg_PROPERTIES}" -DOUTPUT=${list}
              -P ${CMAKE_CURRENT_FUNCTION_LIST_FILE})
    set(include ${CMAKE_CURRENT_BINARY_DIR}/${program}${place}_include.cmake)
    file(CONFIGURE OUTPUT ${include} @ONLY CONTENT [[
if(EXISTS "@list@")
  include("@list@")
else()
  add_test("@program@.not_built" "@CMAKE_COMMAND@" -E echo "@program@ is not built")
  set_tests_properties("@program@.not_built" PROPERTIES WILL_FAIL ON)
endif()
]])
    set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${include})
  endfunction()

  # satscope_files_of_suites(FILES FILTER): of the test files that the variable FILES lists, those that have a suite which a filter's
  # positive patterns match: a build that runs few suites compiles nothing else.
  function(satscope_files_of_suites files filter)
    string(REGEX REPLACE "-.*" "" names "${filter}")
    string(REPLACE "*" "[A-Za-z0-9_]*" names "${names}")
    string(REPLACE ":" "|" names "${names}")
    set(kept "")
    foreach(file IN LISTS ${files})
      file(STRINGS ${file} suites REGEX "^(TYPED_)?TEST(_F|_P)?\\((${names}),")
      if(suites)
        list(APPEND kept ${file})
      endif()
    endforeach()
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${${files}})
    set(${files} ${kept} PARENT_SCOPE)
  endfunction()
  return()
endif()

cmake_policy(VERSION 3.25)
execute_process(COMMAND ${PROGRAM} --gtest_list_tests --gtest_filter=${FILTER} WORKING_DIRECTORY ${FOLDER}
  OUTPUT_VARIABLE listed RESULT_VARIABLE result TIMEOUT 600)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} does not list its tests: ${result}")
endif()
string(REGEX REPLACE " +#[^\n]*" "" listed "${listed}")  # types and parameters, in which brackets would end a list's entry
string(REGEX MATCH "-.*" excluded "${FILTER}")
string(REGEX MATCHALL "[^\n]+" lines "${listed}")
set(properties "")
foreach(word IN LISTS PROPERTIES)
  string(APPEND properties " [=[${word}]=]")  # one that is a list, as two labels are, stays one
endforeach()
set(text "")
set(known "")
foreach(line IN LISTS lines)
  if(line MATCHES "^([A-Za-z0-9_/]+)\\.")  # one that has no enabled test is not listed below
    set(suite ${CMAKE_MATCH_1})
  elseif(line MATCHES "^  " AND NOT "${suite}${line}" MATCHES "(^|/|  )DISABLED_")
    set(pattern ${suite})
    string(REGEX REPLACE "^[^/]*/([A-Za-z])" "*/\\1" pattern ${pattern})  # of a parametrised suite
    string(REGEX REPLACE "/[0-9]+$" "/*" pattern ${pattern})              # of a typed suite
    string(REGEX REPLACE "^\\*/|/\\*$" "" name ${pattern})
    if(NOT name IN_LIST known)
      list(APPEND known ${name})
      string(APPEND text "add_test([=[${NAME}.${name}]=] [=[${PROGRAM}]=] [=[--gtest_filter=${pattern}.*${excluded}]=])\n"
        "set_tests_properties([=[${NAME}.${name}]=] PROPERTIES WORKING_DIRECTORY [=[${FOLDER}]=]\n"
        "  FAIL_REGULAR_EXPRESSION [=[Running 0 tests]=]\n"
        "  SKIP_REGULAR_EXPRESSION [=[PASSED  . 0 tests\\.\n(.  SKIPPED . [^\n]*\n)+$]=]\n"
        " ${properties})\n")
    endif()
  endif()
endforeach()
if(NOT known)
  message(FATAL_ERROR "${PROGRAM} has no tests for the filter '${FILTER}'")
endif()
file(WRITE ${OUTPUT} "${text}")
