// The source line of an address in device code.
#pragma once

#include <source_location>
#include <span>
#include <string>

namespace gpu::simulated {

// "tile.cuh:120", and for code inlined into a kernel also where: "tile.cuh:120 in sat_2r1w.cu:44". `address` is a
// return address. "an unknown place" if the build has no line numbers or addr2line (binutils) is missing. The first call
// for an address is slow; results are cached.
std::string place_of(const void* address);
// Looks up many at once, which takes hardly longer than one. For callers of place_of() with each of them.
void learn_places(std::span<const void* const> addresses);
// The source line is known, and is not in a .cu or .cuh file.
bool is_host_code(const void* address);
std::string place_of(const std::source_location& source);  // "tile.cuh:120"
bool same_place(const std::source_location& a, const std::source_location& b);
// The name of the function that starts at `address`: "gpu::sat::scan_rows".
std::string function_at(const void* address);

}  // namespace gpu::simulated
