#include "gpu/benchmarks/bench_traffic.h"

namespace gpu::benchmarks {
namespace {

Arguments arguments_of(const SatAlgorithm& algorithm, const Options& options) {
  Arguments arguments(algorithm.parameters);
  for (const auto& [key, value] : options.set)
    if (arguments.has(key)) arguments.set(key, value);
  return arguments;
}

TextTable table_of(const Options& options, SatType type) {
  TextTable table{{std::string(info(type).name)}};
  for (const auto size : options.sizes) table[0].push_back(text(size));
  for (const auto* algorithm : options.algorithms) {
    if (!algorithm->traffic) continue;
    const auto arguments = arguments_of(*algorithm, options);
    table.push_back({std::string(algorithm->name)});
    for (const auto size : options.sizes)
      table.back().push_back(per_pixel(algorithm->traffic(size, type, arguments, GpuLimits{}), size));
  }
  return table;
}

constexpr const char* title =
    "bytes per pixel that threads read + write in global memory, launches; on a GPU with 132 multiprocessors";

}  // namespace

std::string per_pixel(const Traffic& traffic, Size size) {
  const auto pixels = static_cast<double>(size.pixels());
  return number(static_cast<double>(traffic.read_bytes) / pixels) + " + " +
         number(static_cast<double>(traffic.written_bytes) / pixels) + ", " + std::to_string(traffic.launches);
}

std::string traffic_text(const Options& options) {
  std::string text = std::string(title) + '\n';
  for (const auto type : options.types) text += '\n' + aligned(table_of(options, type));
  return text;
}

std::string traffic_markdown(const Options& options) {
  std::string text = "**" + std::string(title) + "**\n";
  for (const auto type : options.types) text += '\n' + piped(table_of(options, type));
  return text;
}

}  // namespace gpu::benchmarks
