# The mailbox alone under ThreadSanitizer: it is where two threads meet. Left out where everything is built with another
# sanitizer already, because the two exclude each other.
if(NOT SATSCOPE_SANITIZE)
  find_package(Threads REQUIRED)
  add_executable(mailbox_tsan_test tests/mailbox_test.cpp)
  target_compile_options(mailbox_tsan_test PRIVATE -fsanitize=thread -g)
  target_link_options(mailbox_tsan_test PRIVATE -fsanitize=thread)
  target_link_libraries(mailbox_tsan_test PRIVATE GTest::gtest_main Threads::Threads)
  add_test(NAME mailbox_tsan COMMAND mailbox_tsan_test)
  set_tests_properties(mailbox_tsan PROPERTIES LABELS host ENVIRONMENT "TSAN_OPTIONS=halt_on_error=1")
endif()
