# CMake generated Testfile for 
# Source directory: /tmp/wt/effects/gpu
# Build directory: /tmp/wt/effects/build-gpu/gpu
# 
# This file includes the relevant testing commands required for 
# testing this directory and lists subdirectories to be tested as well.
include("/tmp/wt/effects/build-gpu/gpu/gpu_host_tests[1]_include.cmake")
