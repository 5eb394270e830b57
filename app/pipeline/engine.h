// Engine: a pipeline for each device that the settings have chosen. Changes of device, algorithm and effect happen here,
// and so does what goes wrong with them: the last good selection goes on, and the cause is said once.
//
// A GPU works by itself. The host and the simulated GPU work on a thread of the engine's, so that whoever asked may go on.
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <chrono>
#include <exception>
#include <future>
#include <memory>
#include <optional>
#include <string>

#include "app/control/settings.h"
#include "app/pipeline/pipeline.h"
#include "app/pipeline/task_thread.h"
#include "app/support/exit_code.h"
#include "gpu/device.h"

namespace app {

class Engine {
 public:
  struct Failure {
    ExitCode code;     // of a program that can do nothing else; ok: a warning, a picture was made all the same
    std::string text;  // one line
  };

  // `probe`: of the GPU to use where one is wanted.
  explicit Engine(gpu::GpuProbe probe);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // Whether the device that `settings` choose is known: for the simulated GPU a library is loaded, by a thread of its own.
  // Waits up to `patience`. Until then the caller asks for no picture; one who asks all the same waits.
  bool is_ready(const Settings& settings, std::chrono::microseconds patience);
  // True where `settings` ask for another picture of the same frame than was asked for last.
  bool wants(const Settings& settings);
  // Asks for the picture of `frame`, whose pixels must stay until frame_is_free(). Nothing else may be under way. False
  // where nothing was begun: take_failure() says why.
  bool begin(const capture::Frame& frame, const Settings& settings, std::uint64_t id = 0);  // id: in the timeline
  // True, once, where the picture that was asked for is there now, or queued on the GPU; `sink` has it then. A picture with
  // annotations is there when these have come to the host. Waits for it up to `patience`. Throws what the sink throws.
  bool finish(std::chrono::microseconds patience = {}, const PictureSink& sink = {});
  // The two together, for whoever has nothing else to do.
  bool process(const capture::Frame& frame, const Settings& settings, const PictureSink& sink = {});
  bool busy() const {
    return making_ != nullptr;
  }                                       // between begin() and the end of the work: nobody may use pipeline()
                                          // but for what publish() protects
  bool frame_is_free();                   // nobody reads the frame's pixels any more
  std::optional<Failure> take_failure();  // once each; a cause that stays is not said again
  // Why the selection in the settings is not the one that runs, for as long as that is so; else empty.
  std::string refusal() const { return refused_ ? refused_->why : std::string(); }

  bool has_picture() const { return shown_ && shown_->size().width > 0; }
  void show(const PictureSink& sink) { sink(shown_->context(), shown_->picture()); }  // it once more; where has_picture()
  Pipeline& pipeline() { return *shown_; }  // that made the picture; where has_picture()
  // What went wrong with a picture, from what was thrown: take_failure() says it once, and a lost GPU is left.
  void explain(std::exception_ptr thrown);
  bool making_on_gpu() const { return making_ && making_->device() == gpu::Device::cuda; }
  const Selection& selection() const { return selection_; }                             // of the picture
  gpu::Device device() const { return shown_ ? shown_->device() : gpu::Device::host; }  // of the picture
  const gpu::GpuProbe& probe() const { return probe_; }
  // The times of a frame that has finished, of whatever device that no other thread uses now; nothing where there is none.
  std::optional<gpu::TimelineFrame> take_times();

 private:
  struct Refused {
    Selection selection;
    gpu::Size size;
    std::string why;
  };

  Pipeline& pipeline_for(gpu::Device device);
  const Selection& selection_for(gpu::Size size) const;
  bool is_complete(std::chrono::steady_clock::time_point deadline) const;
  void note_tables();
  void refuse(ExitCode code, const std::string& why);
  void fail(ExitCode code, const std::string& why);
  void lose_gpu(const std::string& why);

  gpu::GpuProbe probe_;
  cudaStream_t stream_ = nullptr;                       // made with the first pipeline on a GPU; outlives it
  std::array<std::unique_ptr<Pipeline>, 3> pipelines_;  // by gpu::Device
  Pipeline *shown_ = nullptr, *making_ = nullptr;
  Selection selection_, wanted_, making_selection_;
  gpu::Size making_size_;
  std::optional<Settings> tried_;
  std::future<DeviceDecision> loading_;    // of settings that choose the simulated GPU
  std::optional<DeviceDecision> decided_;  // its result, until wants() takes it
  std::optional<Refused> refused_;
  std::string warning_;  // of the device, said once
  std::string note_;     // of the tables, likewise
  std::string failing_;  // what was said last, until a frame succeeds
  std::optional<Failure> failure_;
  TaskThread worker_;  // last: its task uses what is above
};

}  // namespace app
