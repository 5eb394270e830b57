// Stands for CUDA's driver: three addresses are memory of a GPU, managed memory, and page-locked memory of the host.
#include "gpu/tests/installed/driver_stand_in.h"

namespace {

constexpr int invalid_value = 1, memory_type = 2, is_managed = 8;
constexpr unsigned of_host = 1, of_device = 2;

}  // namespace

extern "C" __attribute__((visibility("default"))) int cuPointerGetAttribute(void* value, int attribute,
                                                                            unsigned long long address) {
  const auto answer = [value](unsigned number) { return *static_cast<unsigned*>(value) = number, 0; };
  const bool managed = address == gpu::test::managed_memory;
  if (address != gpu::test::gpu_memory && address != gpu::test::locked_memory && !managed) return invalid_value;
  if (attribute == is_managed) return answer(managed);
  if (attribute != memory_type) return invalid_value;
  return answer(address == gpu::test::locked_memory ? of_host : of_device);
}
