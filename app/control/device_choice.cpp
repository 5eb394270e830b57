#include "app/control/device_choice.h"

#include <stdexcept>
#include <vector>

#include "app/control/names.h"
#include "app/support/exit_code.h"
#include "app/support/near_name.h"
#include "app/support/simulated_gpu.h"

namespace app {
namespace {

DeviceDecision choose_simulated(bool required) {
  if (required) await_simulated_gpu();
  const auto& found = find_simulated_gpu(gpu::simulated::Build::plain);
  if (found.driver) return {gpu::Device::simulated, {}};
  if (required) throw ExitError(ExitCode::no_gpu, found.reason);
  return {gpu::Device::host, found.reason + "; computing on the host instead"};
}

}  // namespace

DeviceDecision choose_device(const Settings& settings, const gpu::GpuProbe& probe, bool required) {
  if (settings.device == DeviceChoice::host) return {};
  if (settings.device == DeviceChoice::simulated) return choose_simulated(required);
  if (probe.gpu) return {gpu::Device::cuda, {}};
  if (settings.device == DeviceChoice::automatic) return {};
  if (required)
    throw ExitError(ExitCode::no_gpu, "no CUDA device: " + probe.reason +
                                          "; --device simulated runs CUDA's algorithms on the CPU, "
                                          "--device host the CPU's own");
  return {gpu::Device::host, "no CUDA device: " + probe.reason + "; computing on the host instead"};
}

const gpu::SatAlgorithm& chosen_algorithm(const Settings& settings, gpu::Device device) {
  const auto& name = device == gpu::Device::host ? settings.host_algorithm : settings.cuda_algorithm;
  std::vector<std::string_view> names;
  for (const auto* algorithm : gpu::sat_algorithms()) {
    const bool here = gpu::runs_on(*algorithm, device);
    if (algorithm->name == name && here) return *algorithm;
    if (algorithm->name == name && device == gpu::Device::simulated && algorithm->device == gpu::Device::cuda)
      throw std::invalid_argument(name + ": " + std::string(algorithm->not_simulated));
    if (!here) continue;
    names.push_back(algorithm->name);
  }
  throw std::invalid_argument(std::string(gpu::name(device)) + ": " + no_such("algorithm", name, names));
}

}  // namespace app
