#include <cstdio>

int main() {
  std::puts("satscope " SATSCOPE_VERSION);
  return 0;
}
