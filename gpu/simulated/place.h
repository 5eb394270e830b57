// Source lines of addresses in device code.
#pragma once

#include <compare>
#include <source_location>
#include <span>
#include <string>

namespace gpu::simulated {

struct SourceLine {
  std::string file;  // its name, without folders
  int line = 0;      // 0: unknown
  friend auto operator<=>(const SourceLine&, const SourceLine&) = default;
};

// "tile.cuh:120", and for code inlined into a kernel also where: "tile.cuh:120 in sat_2r1w.cu:44". `address` is a
// return address. "an unknown place" if the build has no line numbers or addr2line (binutils) is missing. The first call
// for an address is slow; results are cached.
std::string place_of(const void* address);
// Looks up many at once, which takes hardly longer than one. For callers of place_of() or line_of() with each of them.
void learn_places(std::span<const void* const> addresses);
// For a reader of `files`: names without folders, names with some of their last folders, "parts/sums.cuh", which the result
// has, too, or folders, which end in a slash: "gpu/sat/". Of code that was inlined, the innermost line that lies in one of
// them. A helper of another file thus counts as the line that calls it. If none does: the innermost line in device code, as in
// place_of().
SourceLine line_of(const void* address, std::span<const std::string> files);
// The source line is known, and is not in a .cu or .cuh file.
bool is_host_code(const void* address);
std::string place_of(const std::source_location& source);  // "tile.cuh:120"
bool same_place(const std::source_location& a, const std::source_location& b);
// The name of the function that starts at `address`: "gpu::sat::scan_rows".
std::string function_at(const void* address);

}  // namespace gpu::simulated
