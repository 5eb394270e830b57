// satscope: see options.h for what it takes and app.h for what it does.
#include <cstdio>
#include <string_view>

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "--version") std::puts("satscope " SATSCOPE_VERSION);
  return 0;
}
