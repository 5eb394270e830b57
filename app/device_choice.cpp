#include "app/device_choice.h"

#include <stdexcept>
#include <vector>

#include "app/exit_code.h"
#include "app/names.h"
#include "app/near_name.h"

namespace app {

DeviceDecision choose_device(const Settings& settings, const gpu::GpuProbe& probe, bool required) {
  if (settings.device == DeviceChoice::host) return {};
  if (probe.gpu) return {gpu::Device::cuda, {}};
  if (settings.device == DeviceChoice::automatic) return {};
  if (required)
    throw ExitError(ExitCode::no_gpu, "no CUDA device: " + probe.reason +
                                          "; choose --device host, or a host algorithm such as host_parallel");
  return {gpu::Device::host, "no CUDA device: " + probe.reason + "; computing on the host instead"};
}

const gpu::SatAlgorithm& chosen_algorithm(const Settings& settings, gpu::Device device) {
  const auto& name = device == gpu::Device::cuda ? settings.cuda_algorithm : settings.host_algorithm;
  std::vector<std::string_view> names;
  for (const auto* algorithm : gpu::sat_algorithms()) {
    if (algorithm->device != device) continue;
    if (algorithm->name == name) return *algorithm;
    names.push_back(algorithm->name);
  }
  throw std::invalid_argument(std::string(gpu::name(device)) + ": " + no_such("algorithm", name, names));
}

}  // namespace app
