// Prints where this program finds clip.mp4: the test of the installation copies it beside the installed satscope.
#include <cstdio>

#include "app/support/files.h"

int main() { std::puts(app::asset("clip.mp4").c_str()); }
