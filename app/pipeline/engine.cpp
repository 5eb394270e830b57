#include "app/pipeline/engine.h"

#include <new>
#include <utility>

#include "app/control/device_choice.h"
#include "gpu/error.h"

namespace app {
namespace {

// After errors such as an illegal address, every further call fails: the GPU is gone for this process.
bool gpu_is_lost() { return cudaDeviceSynchronize() != cudaSuccess; }

}  // namespace

Engine::Engine(gpu::GpuProbe probe, int history) : probe_(std::move(probe)), history_(history) {}

Engine::~Engine() {
  pipeline_.reset();
  if (stream_) cudaStreamDestroy(stream_);
}

std::unique_ptr<Pipeline> Engine::make_pipeline(gpu::Device device) {
  if (device == gpu::Device::cuda && !stream_) {
    gpu::check(cudaSetDevice(probe_.gpu->index));
    gpu::check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
  }
  return std::make_unique<Pipeline>(device, stream_, history_);
}

bool Engine::wants(const Settings& settings) {
  if (tried_ == settings) return false;
  tried_ = settings;
  const auto decision = choose_device(settings, probe_, false);
  if (decision.warning != warning_ && !decision.warning.empty()) failure_ = {ExitCode::ok, decision.warning};
  warning_ = decision.warning;
  try {
    auto recipe = make_recipe(settings, decision.device);
    if (recipe == wanted_) return false;
    wanted_ = std::move(recipe);
    return true;
  } catch (const std::invalid_argument& error) {
    fail(ExitCode::usage, error.what());
    return false;
  }
}

bool Engine::process(const capture::Frame& frame, const Settings& settings) {
  wants(settings);
  if (!wanted_.algorithm) return false;
  try {
    const auto device = wanted_.device;
    if (pipeline_ && pipeline_->device() == device) {
      pipeline_->process(frame, wanted_);
    } else {
      auto next = make_pipeline(device);
      next->process(frame, wanted_);
      pipeline_ = std::move(next);  // only now: what was shown stays until there is something else to show
    }
    recipe_ = wanted_;
    failing_.clear();
    return true;
  } catch (const gpu::CudaError& error) {
    if (error.out_of_memory())
      fail(ExitCode::failed, "the GPU's memory is exhausted: choose a smaller picture, or compute on the host");
    else if (gpu_is_lost())
      lose_gpu(error.what());
    else
      fail(ExitCode::failed, std::string("the GPU failed: ") + error.what());
  } catch (const std::bad_alloc&) {
    fail(ExitCode::failed, "memory is exhausted: choose a smaller picture");
  } catch (const std::invalid_argument& error) {  // ArgumentError too
    fail(ExitCode::usage, error.what());
  } catch (const std::exception& error) {
    fail(ExitCode::failed, error.what());
  }
  return false;
}

void Engine::fail(ExitCode code, const std::string& why) {
  if (why == failing_) return;
  failing_ = why;
  failure_ = {code, why};
}

void Engine::lose_gpu(const std::string& why) {
  fail(ExitCode::ok, "the GPU failed and is given up: " + why + "; computing on the host");
  probe_ = {{}, "it failed: " + why};
  pipeline_.reset();
  tried_.reset();  // so that the next frame is made on the host
  recipe_ = wanted_ = {};
}

std::optional<Engine::Failure> Engine::take_failure() { return std::exchange(failure_, {}); }

}  // namespace app
