// Algorithms replayed on Context::dry(), for tests: what they would start.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <ostream>

#include "gpu/tests/sat/sat_cases.h"

namespace gpu {

// Views whose pixels must not be touched: they point to no memory.
inline AnyConstImageView nowhere(Size size, ElementType type) {
  return AnyImageView(reinterpret_cast<void*>(std::uintptr_t{1} << 20), size.width, size.height,
                      (size.width + 255) / 256 * 256, type);
}
inline AnyImageView nowhere_to_write(Size size, ElementType type) {
  return AnyImageView(reinterpret_cast<void*>(std::uintptr_t{1} << 40), size.width, size.height,
                      (size.width + 255) / 256 * 256, type);
}

inline Context replay(const SatAlgorithm& algorithm, const Arguments& arguments, SatType type, Size size,
                      const GpuLimits& limits = {}, int threads = 2) {
  auto context = Context::dry(algorithm.device, threads, limits);
  compute_sat(context, algorithm, nowhere(size, info(type).input), nowhere_to_write(size, info(type).sum), arguments);
  return context;
}

struct Launch {
  std::string name;
  unsigned grid_x, grid_y, block;
  friend bool operator==(const Launch&, const Launch&) = default;
};
inline void PrintTo(const Launch& launch, std::ostream* out) {
  *out << launch.name << " <<<" << launch.grid_x << "x" << launch.grid_y << ", " << launch.block << ">>>";
}

inline std::vector<Launch> kernels_of(const Context& context) {
  std::vector<Launch> kernels;
  for (const auto& record : context.launches())
    if (record.kind == LaunchRecord::Kind::kernel)
      kernels.push_back({record.name, record.shape.grid.x, record.shape.grid.y,
                         record.shape.block.x * record.shape.block.y * record.shape.block.z});
  return kernels;
}

inline std::size_t count(const Context& context, LaunchRecord::Kind kind) {
  return static_cast<std::size_t>(std::count_if(context.launches().begin(), context.launches().end(),
                                                [&](const LaunchRecord& record) { return record.kind == kind; }));
}

}  // namespace gpu
