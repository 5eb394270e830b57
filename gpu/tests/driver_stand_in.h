// The addresses that driver_stand_in.cpp knows. Nothing is there.
#pragma once

namespace gpu::test {

constexpr unsigned long long gpu_memory = 0x7f0000000100, managed_memory = 0x7f0000000200, locked_memory = 0x7f0000000300;

}  // namespace gpu::test
