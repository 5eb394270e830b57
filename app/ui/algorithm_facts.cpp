#include "app/ui/algorithm_facts.h"

#include "app/ui/widgets.h"
#include "gpu/sat_card.h"

namespace app::ui {

using gpu::Device;

const gpu::SatAlgorithm* chosen_algorithm(const PanelContext& ui) {
  const auto& settings = ui.settings;
  const auto* algorithm = gpu::find_sat_algorithm(ui.state.device == Device::host ? settings.host_algorithm
                                                                                  : settings.cuda_algorithm);
  return algorithm ? algorithm : ui.state.selection.algorithm;
}

std::string_view device_tag(Device device) { return device == Device::cuda ? "CUDA" : "CPU"; }

std::string reads_and_writes(const gpu::SatAlgorithm& algorithm) {
  const auto times = [](std::string_view count, const char* what) {
    return std::string(count) + ' ' + what + (count == "1" ? "" : "s");
  };
  return "Per pixel: " + times(algorithm.reads, "read") + ", " + times(algorithm.writes, "write");
}

// A descriptor names a paper, a library, or says that the idea is our own.
std::string_view whose_count(const gpu::SatAlgorithm& algorithm) {
  const auto* card = gpu::find_sat_card(algorithm.name);
  if (algorithm.reads == "?") return ": the library does not say";
  const bool paper = !algorithm.paper.starts_with("our own") && (!card || card->family != gpu::SatFamily::library);
  return paper ? ", as the paper counts" : ", counted from its passes: there is no paper";
}

std::string exact_traffic(const gpu::SatAlgorithm& algorithm, gpu::Size size, const gpu::Arguments& arguments) {
  if (!algorithm.traffic || size.width <= 0) return {};
  const auto traffic = algorithm.traffic(size, gpu::SatType::u8_u32, arguments, gpu::current_gpu_limits());
  const auto per_pixel = [&](std::uint64_t bytes) {
    return number(static_cast<double>(bytes) / static_cast<double>(size.pixels()), 2);
  };
  return std::to_string(size.width) + " x " + std::to_string(size.height) + ": " + per_pixel(traffic.read_bytes) +
         " bytes read, " + per_pixel(traffic.written_bytes) + " written per pixel; " + std::to_string(traffic.launches) +
         (traffic.launches == 1 ? " launch" : " launches");
}

}  // namespace app::ui
