// Where in the source an address of device code comes from.
#pragma once

#include <source_location>
#include <span>
#include <string>

namespace gpu::simulated {

// "tile.cuh:120", and for code that was inlined into a kernel also where: "tile.cuh:120 in sat_2r1w.cu:44". `address`
// is one that a call returns to. "an unknown place" where the build has no line numbers or binutils' addr2line is
// missing. Slow the first time for an address; answers are kept.
std::string place_of(const void* address);
// Asks for many at once, which takes hardly longer than asking for one. For whoever calls place_of() for each next.
void learn_places(std::span<const void* const> addresses);
// The place is known, and is not in a .cu or .cuh file.
bool is_host_code(const void* address);
std::string place_of(const std::source_location& source);  // "tile.cuh:120"
bool same_place(const std::source_location& a, const std::source_location& b);
// The name of the function that starts at `address`: "gpu::sat::scan_rows".
std::string function_at(const void* address);

}  // namespace gpu::simulated
