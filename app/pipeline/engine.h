// Engine: the pipeline on the device that the settings choose. Changes of device, algorithm and effect happen here, and
// so does what goes wrong with them: the picture of the frame before stays, and the cause is said once.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <optional>
#include <string>

#include "app/control/settings.h"
#include "app/pipeline/pipeline.h"
#include "app/support/exit_code.h"
#include "gpu/device.h"

namespace app {

class Engine {
 public:
  struct Failure {
    ExitCode code;     // of a program that can do nothing else; ok: a warning, a picture was made all the same
    std::string text;  // one line
  };

  // `probe`: of the GPU to use where one is wanted. `history`: frames that statistics are over.
  Engine(gpu::GpuProbe probe, int history);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // True where `settings` ask for another picture of the same frame than was made last (or tried).
  bool wants(const Settings& settings);
  // Makes the picture of `frame`. False where it could not: failure() says why.
  bool process(const capture::Frame& frame, const Settings& settings);
  std::optional<Failure> take_failure();  // once each; a cause that stays is not said again

  bool has_picture() const { return pipeline_ && pipeline_->size().width > 0; }
  Pipeline& pipeline() { return *pipeline_; }  // where has_picture()
  bool uploaded() const { return !pipeline_ || pipeline_->uploaded(); }
  const Recipe& recipe() const { return recipe_; }  // of the picture
  gpu::Device device() const { return pipeline_ ? pipeline_->device() : gpu::Device::host; }
  const gpu::GpuProbe& probe() const { return probe_; }

 private:
  std::unique_ptr<Pipeline> make_pipeline(gpu::Device device);
  void fail(ExitCode code, const std::string& why);
  void lose_gpu(const std::string& why);

  gpu::GpuProbe probe_;
  int history_;
  cudaStream_t stream_ = nullptr;  // made with the first pipeline on a GPU; outlives it
  std::unique_ptr<Pipeline> pipeline_;
  Recipe recipe_;
  std::optional<Settings> tried_;
  Recipe wanted_;
  std::string warning_;  // of the device, said once
  std::string failing_;  // what was said last, until a frame succeeds
  std::optional<Failure> failure_;
};

}  // namespace app
