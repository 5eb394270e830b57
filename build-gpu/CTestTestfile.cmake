# CMake generated Testfile for 
# Source directory: /tmp/wt/effects
# Build directory: /tmp/wt/effects/build-gpu
# 
# This file includes the relevant testing commands required for 
# testing this directory and lists subdirectories to be tested as well.
subdirs("gpu")
