// A library with a function that returns an address at a known source line (place_test.cpp).
namespace {

[[gnu::noinline]] const void* caller() { return __builtin_return_address(0); }

}  // namespace

extern "C" __attribute__((visibility("default"))) const void* satscope_place_sample() {
  const void* place = caller();
  asm volatile("" ::: "memory");  // or the call would become a jump
  return place;
}
