#include "app/pipeline/kernel_rates.h"

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "gpu/tables.h"

namespace app {
namespace {

// Whether it is the algorithm's own row: of the whole of it, in the frame or in a side of a comparison. Its kernel may have
// the same name.
bool is_row_of(const StageRow& row, std::string_view algorithm) {
  const auto slash = row.name.rfind('/');
  if (slash == row.name.npos) return row.name == algorithm;
  const auto around = std::string_view(row.name).substr(0, slash);
  return std::string_view(row.name).substr(slash + 1) == algorithm && !around.ends_with('/' + std::string(algorithm)) &&
         around != algorithm;
}

std::string_view last_name(const StageRow& row) { return std::string_view(row.name).substr(row.name.rfind('/') + 1); }

// The rates that are known so far. What is added goes to the first row of its name that has none: another side of a
// comparison has another row.
class Rates {
 public:
  Rates(std::span<const StageRow> rows, gpu::Size size, std::optional<double> bound_us)
      : rows_(rows), size_(size), bound_us_(bound_us), rates_(rows.size()) {}

  void add_algorithm(const gpu::SatAlgorithm& algorithm, const gpu::Arguments& arguments) {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (rates_[i].gb_per_s || rows_[i].mean <= 0 || !is_row_of(rows_[i], algorithm.name)) continue;
      set(i, static_cast<double>(bytes_of(algorithm, size_, gpu::SatType::u8_u32, arguments)));
      if (bound_us_) rates_[i].of_bound = *bound_us_ / rows_[i].mean;
      return;
    }
  }

  void add_launches(std::string_view name, double bytes) {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const auto& row = rows_[i];
      if (rates_[i].gb_per_s || row.kind != gpu::SpanKind::compute || row.mean <= 0 || last_name(row) != name) continue;
      return set(i, bytes);
    }
  }

  // Of the effect's own launches; those with one name are one row. `drawn_bytes`: of the picture, per pixel, on average.
  void add_effect(const gpu::Effect& effect, const gpu::Arguments& arguments, double drawn_bytes) {
    if (!effect.traffic) return;
    constexpr int pixel = sizeof(gpu::Rgba);
    const auto bytes_of = [&](int drawn) {
      std::map<std::string_view, double> bytes;
      for (const auto& launch : effect.traffic(arguments, size_, drawn))
        bytes[launch.name] += static_cast<double>(launch.traffic.bytes());
      return bytes;
    };
    const auto once = bytes_of(pixel), twice = bytes_of(2 * pixel);
    for (const auto& [name, bytes] : once) add_launches(name, bytes + (twice.at(name) - bytes) * (drawn_bytes / pixel - 1));
  }

  std::vector<KernelRates> take() { return std::move(rates_); }

 private:
  void set(std::size_t i, double bytes) { rates_[i].gb_per_s = bytes / rows_[i].mean / 1000; }  // bytes per us / 1000

  std::span<const StageRow> rows_;
  gpu::Size size_;
  std::optional<double> bound_us_;
  std::vector<KernelRates> rates_;
};

}  // namespace

std::uint64_t bytes_of(const gpu::SatAlgorithm& algorithm, gpu::Size size, gpu::SatType type,
                       const gpu::Arguments& arguments) {
  if (algorithm.traffic) return algorithm.traffic(size, type, arguments, gpu::current_gpu_limits()).bytes();
  const auto& types = gpu::info(type);
  return size.pixels() * (gpu::size_of(types.input) + gpu::size_of(types.sum));
}

// Launches are counted on a GPU alone. One picture is drawn into memory, on the texture, or both; those of a comparison into
// memory.
std::vector<KernelRates> kernel_rates(std::span<const StageRow> rows, const FrameFigures& figures,
                                      const Selection& selection, gpu::Size size, std::optional<double> bound_us) {
  Rates rates(rows, size, bound_us);
  if (selection.device == gpu::Device::simulated) return rates.take();
  const bool counted = selection.device == gpu::Device::cuda;
  const auto add = [&](const Selection& each, double drawn_bytes) {
    if (each.algorithm) rates.add_algorithm(*each.algorithm, each.algorithm_arguments);
    if (counted && each.effect) rates.add_effect(*each.effect, each.effect_arguments, drawn_bytes);
  };
  if (counted) rates.add_launches("luma", static_cast<double>(gpu::luma_traffic(size).bytes()));
  constexpr int pixel = sizeof(gpu::Rgba);
  if (const auto timed = figures.stages.frames(); selection.sides.empty() && timed > 0)
    add(selection, static_cast<double>(figures.drawn_bytes) / static_cast<double>(timed));
  for (const auto& side : selection.sides) add(side, pixel);
  return rates.take();
}

}  // namespace app
