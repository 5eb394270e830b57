// Algorithms replayed on Context::dry(), for tests: what they would start.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>

#include "gpu/checks/sat_cases.h"

namespace gpu {

inline Context replay(const SatAlgorithm& algorithm, const Arguments& arguments, SatType type, Size size,
                      const GpuLimits& limits = {}, int threads = 2) {
  auto context = Context::dry(algorithm.device, threads, limits);
  compute_sat(context, algorithm, view_without_memory(size, info(type).input), view_without_memory(size, info(type).sum),
              arguments);
  return context;
}

// An algorithm's name, and behind it what differs from its initial arguments: "2r1w W=64".
inline Context replay(std::string_view text, SatType type, Size size, const GpuLimits& limits = {}, int threads = 2) {
  const auto name = text.substr(0, text.find(' '));
  const auto* algorithm = find_sat_algorithm(name);
  if (!algorithm) throw std::invalid_argument("no algorithm " + std::string(name));
  Arguments arguments(algorithm->parameters);
  set_from_text(arguments, text.substr(name.size()));
  return replay(*algorithm, arguments, type, size, limits, threads);
}

// "NAME BLOCKS/THREADS" for each, with commas between; BLOCKS is COLUMNSxROWS where there is more than one row.
inline std::string kernels_of(const Context& context) {
  std::string kernels;
  for (const auto& record : context.launches()) {
    if (record.kind != LaunchRecord::Kind::kernel) continue;
    const auto& [x, y, z] = record.shape.block;
    const auto& grid = record.shape.grid;
    kernels += (kernels.empty() ? "" : ", ") + record.name + ' ' + std::to_string(grid.x) +
               (grid.y > 1 ? 'x' + std::to_string(grid.y) : "") + '/' + std::to_string(x * y * z);
  }
  return kernels;
}

inline std::size_t count(const Context& context, LaunchRecord::Kind kind) {
  return static_cast<std::size_t>(std::ranges::count(context.launches(), kind, &LaunchRecord::kind));
}

}  // namespace gpu
