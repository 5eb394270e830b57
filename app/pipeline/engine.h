// Engine: makes the picture that the settings ask for, with one pipeline per device. It follows changes of device, algorithm
// and effect, and handles their errors: where a selection is refused, the last one that worked stays in use, or the picture is
// made without an effect; the cause is there until it is gone.
//
// Work for a GPU is only queued. For the host and the simulated GPU the engine has a worker thread, so that the caller,
// which draws the window, continues meanwhile.
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <chrono>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/control/change.h"
#include "app/control/settings.h"
#include "app/pipeline/pipeline.h"
#include "app/pipeline/preloader.h"
#include "app/support/exit_code.h"
#include "app/support/threads.h"
#include "gpu/cuda/device.h"
#include "gpu/execution/timeline.h"
#include "gpu/user_kernels/kernel_version.h"

namespace app {

// What settings choose on this machine.
struct Choice {
  gpu::Device device = gpu::Device::host;
  std::string warning;     // another device than they choose, one line; else empty
  std::string comparison;  // why nothing is compared, likewise
  Selection selection;
  std::string unusable;  // why no selection can be made of them, likewise
};
// `decided`: the device, where that is known already.
Choice choose(const Settings& settings, const gpu::GpuProbe& probe, const std::optional<DeviceDecision>& decided = {});

class Engine {
 public:
  struct Failure {
    ExitCode code;       // for a program that needs this picture; ok: only a warning, there is a picture
    std::string text;    // one line
    bool plain = false;  // the same picture is made without an effect: nothing that worked before fits it
  };

  // What holds although there is a picture, one line each; empty: nothing.
  struct Warnings {
    std::string device;      // another one than the settings choose computes
    std::string comparison;  // why nothing is compared
    std::string tables;      // another algorithm than the chosen one computes some of them
    std::string waiting;     // a choice is being loaded for long, and the picture is of the one before
    std::string trace;       // why no tiles were recorded, though that was asked for last
  };

  // `probe`: the GPU to use where the settings want one.
  // `kernels`: how those of a device are loaded ahead; none: those of the GPU of `probe`, if there is one. `make`: another way
  // to get the pipeline of a device, for tests.
  using MakePipeline = std::function<std::unique_ptr<Pipeline>(gpu::Device)>;
  explicit Engine(gpu::GpuProbe probe, std::optional<KernelLoader> kernels = {}, MakePipeline make = {});
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // Pictures of a GPU are drawn on the surface of a texture where `surface` gives one.
  void draw_on(PictureSurface surface) { surface_ = std::move(surface); }
  // Whether the device that `settings` choose is known: for the simulated GPU a library is loaded, by a thread of its own.
  // Waits up to `patience`. Until then the caller asks for no picture; one who asks all the same waits. If there is no such
  // library, changed settings have it looked for again, at most once per second, while pictures are made without it.
  bool is_ready(const Settings& settings, std::chrono::microseconds patience);
  // For whoever needs the pixels of the picture that begin() begins next: without that it may be on the surface alone.
  void pixels_next() { pixels_wanted_ = true; }
  // The next picture also records the tiles of its algorithm, or need not any more. Without a picture of an algorithm that has
  // tiles, warnings() say why not.
  void trace_next(bool wanted = true) { trace_wanted_ = wanted, warnings_.trace.clear(); }
  bool trace_wanted() const { return trace_wanted_; }
  // Tiles were asked for: they are still to be recorded, or on their way.
  bool traces() const { return trace_wanted_ || (busy_ && attempt_.traces) || shown_.traces; }
  // The tiles recorded last, once; nothing where there are none, or they have not arrived.
  std::shared_ptr<const TileHistory> take_trace();
  // Takes over the choices of `settings`. True where the same frame has another picture now: they choose another device,
  // algorithm, effect or parameter than before, or what the choice was waiting for has come.
  bool follow(const Settings& settings);
  // Begins the picture of `frame`, whose pixels must stay as they are until frame_is_free(). Not while busy(). `id`: of the
  // frame in the timeline. False where nothing was begun: failure() has the reason.
  bool begin(const capture::Frame& frame, const Settings& settings, std::uint64_t id = 0);
  // In place of begin(), where all that follow() found to differ from the last picture is its wipe: that picture with the new
  // one. Else nothing.
  std::optional<Published> move_wipe();
  // Whether kernels of other choices than the first are loaded ahead, too: by default. Before the first picture.
  void expect_choices(bool on) { expects_choices_ = on; }
  // Kernels of users' files may harm the program on pictures of another size than those on which they were tried. `trial` says whether
  // a selection with such kernels may make pictures of a size: it returns why not, empty where it may, and nothing while that is not
  // known, for which it waits up to `patience`. Meanwhile, and where it may not, pictures are made without them.
  // `failed` gets a selection with such kernels that failed on a picture all the same, and why.
  using Trial = std::function<std::optional<std::string>(const Selection&, gpu::Size, std::chrono::microseconds patience)>;
  using Failed = std::function<void(const Selection&, gpu::Size, const std::string& why)>;
  void try_first(Trial trial, Failed failed = {}) { trial_ = std::move(trial), failed_ = std::move(failed); }
  // One that does not end on some picture, however well it did on others, is stopped, and refused: by the driver of the
  // simulated GPU. For tests: by another one, and after `longest`.
  void stop_kernels_by(std::function<void(bool on)> stop, std::chrono::milliseconds longest) {
    stop_ = std::move(stop), longest_ = longest;
  }
  // Asks that, for others who compute with a selection.
  std::optional<std::string> may_run(const Selection& selection, gpu::Size size,
                                     std::chrono::microseconds patience = {}) const {
    return !trial_ || user_kernels_of(selection).empty() ? "" : trial_(selection, size, patience);
  }
  // These will be set later: files that they name are read ahead, one after another.
  void expect(std::span<const Change> changes) { preloader_.expect(changes); }
  // What is chosen while its kernels or files are still being loaded: pictures go on with the choice before until they are
  // there; or, if not `on`, the next picture waits for them.
  void keep_going(bool on) { keeps_going_ = on; }
  bool awaits_choice() const { return awaited_since_.has_value(); }  // the picture begun last is of the choice before
  // Completes what begin() began: waits up to `patience` for the worker thread. For a GPU it does not wait: the picture is
  // queued, and so is what is done with it. The picture, once, where it is there; nothing while it is not, or where it failed.
  // It must be destroyed before explain() is called with an error of its sink.
  std::optional<Published> finish(std::chrono::microseconds patience = {});
  // begin() and finish(), waiting as long as the picture takes. Throws what the sink throws.
  bool process(const capture::Frame& frame, const Settings& settings, const PictureSink& sink = {});
  // From begin() until finish() has returned its picture or the work has failed. The worker thread may use the pipeline
  // meanwhile; others may call only its picture() and size(), which stay those of the picture before.
  bool busy() const { return busy_; }
  // busy(), and finish() need not wait.
  bool queued() const { return busy_ && attempt_.pipeline->device() == gpu::Device::cuda; }
  // The frame of the last begin() has been read: its pixels may change. On a GPU that is when they have been uploaded.
  bool frame_is_free();
  // What went wrong last, until there is a picture of what was chosen.
  const std::optional<Failure>& failure() const { return failure_; }
  const Warnings& warnings() const { return warnings_; }  // now
  // Why the selection of the settings is not in use, while another one is, or none; else empty. Of the last settings that
  // follow() or begin() was given: has_followed().
  const std::string& refusal() const { return unusable_.empty() ? refusal_ : unusable_; }
  bool has_followed(const Settings& settings) const {
    return followed_ && followed_->devices == devices_ && followed_->kernels == gpu::user_kernel_changes() &&
           followed_->settings == settings;
  }
  // The last picture is the one that `settings` choose.
  bool shows(const Settings& settings) const;
  // The picture begun last was refused, and the same frame may have one with another selection.
  bool has_substitute() const { return has_substitute_; }

  bool has_picture() const { return shown_.pipeline != nullptr; }
  Pipeline& pipeline() { return *shown_.pipeline; }  // the one that made the last picture, where there is one
  // The size of the last picture; empty: there is none.
  gpu::Size size() const { return shown_.pipeline ? shown_.pipeline->size() : gpu::Size(); }
  // Decides what goes on after an error of the picture begun last: turns the exception into failure(). The frame is given up,
  // or the selection; where the GPU is lost, the host takes over.
  void explain(std::exception_ptr thrown);
  // Does `use` of the last picture, which a GPU may have made. False where that threw CudaError, which is explained likewise.
  bool attempt(const std::function<void()>& use);
  const Selection& selection() const { return shown_.selection; }  // of the last picture
  gpu::Device device() const { return shown_.pipeline ? shown_.pipeline->device() : gpu::Device::host; }  // likewise
  const gpu::GpuProbe& probe() const { return probe_; }
  // The times of a finished frame, of any pipeline that the worker thread does not use now; nothing where there is none.
  std::optional<gpu::TimelineFrame> take_times();

 private:
  using Clock = std::chrono::steady_clock;

  struct Refused {
    Selection selection;
    gpu::Size size;
    std::string why;
  };

  // A picture that was begun: of what, and where.
  struct Attempt {
    Selection selection;
    gpu::Size size;
    Pipeline* pipeline = nullptr;  // null: none was begun yet, or it is lost
    bool traces = false;           // its tiles are recorded, and were not taken
    Clock::time_point looked{};    // whether it is there
    Clock::duration took{};        // until then
  };

  // The settings taken over last, on which devices, and with which versions of users' kernels, which settings know by name alone.
  struct Followed {
    Settings settings;
    unsigned devices;
    std::uint64_t kernels;
  };

  bool take_over(const Settings& settings);
  void choose_attempt(gpu::Size size);
  void await_choice();
  void await_trial();
  bool has_arrived(const Selection& selection);
  bool await_worker(std::chrono::microseconds patience);
  std::function<void(bool on)> stop_of_kernels() const;
  Clock::duration longest_attempt() const;
  Pipeline& pipeline_for(gpu::Device device);
  const Refused* refused(const Selection& selection, gpu::Size size) const;
  Selection selection_for(gpu::Size size) const;
  void want(Selection selection);
  void give_up_trace();
  void note_tables();
  void explain(std::exception_ptr thrown, const Attempt& of);
  void refuse(const Attempt& of, ExitCode code, const std::string& why);
  void fail(ExitCode code, const std::string& why, bool plain = false);
  void lose_gpu(const std::string& why);

  gpu::GpuProbe probe_;
  MakePipeline make_;                                   // empty: the usual way
  cudaStream_t stream_ = nullptr;                       // created with the pipeline of the GPU; outlives it
  std::array<std::unique_ptr<Pipeline>, 3> pipelines_;  // by gpu::Device; null: not used yet
  Selection wanted_;
  Attempt attempt_, shown_;  // begun last, under way while busy; of the last picture
  bool busy_ = false, trace_wanted_ = false, pixels_wanted_ = false;
  std::optional<Followed> followed_;
  unsigned devices_ = 0;                           // how often it has changed which of them can be used
  std::future<DeviceDecision> loading_;            // of settings that choose the simulated GPU
  std::optional<DeviceDecision> without_library_;  // its result, which holds while the library is not loaded
  std::chrono::steady_clock::time_point decided_at_;
  std::vector<Refused> refused_;    // of pictures of one size, since another selection was wanted
  std::string refusal_, unusable_;  // unusable_: no selection can be made of the settings; wanted_ is the one before
  bool has_substitute_ = false;
  Warnings warnings_;
  std::optional<Failure> failure_;
  PictureSurface surface_;
  Trial trial_;
  Failed failed_;
  std::function<void(bool on)> stop_;  // null: the usual one
  std::optional<std::chrono::milliseconds> longest_;
  bool stopping_ = false;  // the picture under way takes too long
  bool expects_choices_ = true, keeps_going_ = true;
  std::optional<std::chrono::steady_clock::time_point> awaited_since_;  // what was chosen is not there since then
  Preloader preloader_;
  TaskThread worker_;  // last: its tasks use what is above
};

}  // namespace app
