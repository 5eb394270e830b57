// The addresses that driver_stand_in.cpp knows. Nothing is there, and whatever a process has lies before them.
#pragma once

namespace gpu::test {

constexpr unsigned long long gpu_memory = 0x7ffffffff100, managed_memory = 0x7ffffffff200, locked_memory = 0x7ffffffff300;

}  // namespace gpu::test
