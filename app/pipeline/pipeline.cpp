#include "app/pipeline/pipeline.h"

#include <optional>
#include <utility>

#include "app/support/simulated_gpu.h"
#include "gpu/sat_runner.h"
#include "gpu/surface.h"
#include "gpu/thread_pool.h"

namespace app {
namespace {

// An algorithm of more launches than this is timed as one: recording costs a few microseconds a launch.
constexpr int launches_timed_alone = 16;

class Event {
 public:
  Event() { gpu::check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming)); }
  ~Event() { cudaEventDestroy(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  void record(cudaStream_t stream) { gpu::check(cudaEventRecord(event_, stream)); }
  bool passed() const {
    const auto code = cudaEventQuery(event_);
    if (code == cudaErrorNotReady) return cudaGetLastError(), false;
    gpu::check(code);
    return true;
  }

 private:
  cudaEvent_t event_ = nullptr;
};

// What is computed on the way to a picture.
struct Tables {
  Tables(gpu::Size size, gpu::Device device) : gray(size, device), sat(size, device) {
    // Else the frame is read where it lies.
    if (device == gpu::Device::cuda) colour = gpu::Image<gpu::Bgr>(size, device);
  }
  std::size_t bytes() const {
    return colour.span().size_bytes() + gray.span().size_bytes() + sat.span().size_bytes();
  }

  gpu::Image<gpu::Bgr> colour;
  gpu::Image<std::uint8_t> gray;
  gpu::Image<std::uint32_t> sat;
};

// All that has the size of a frame.
struct Images {
  gpu::Size size() const { return picture.size(); }

  std::shared_ptr<Tables> tables;
  gpu::Image<gpu::Rgba> picture;
};

// What one frame does after its upload: the lines that run are the lines that are replayed.
void compute(gpu::Context& context, const gpu::EffectInput& input, gpu::ImageView<std::uint8_t> gray,
             gpu::ImageView<std::uint32_t> sat, const gpu::Canvas& canvas, const Selection& selection, bool group) {
  gpu::luma(context, input.colour, gray);
  const auto table = [&] { gpu::compute_sat(context, *selection.algorithm, gray, sat, selection.algorithm_arguments); };
  if (group)
    context.group(selection.algorithm->name, table);
  else
    table();
  const gpu::Context::ScratchScope scope(context);
  gpu::run_effect(context, *selection.effect, input, canvas, selection.effect_arguments);
}

// What a dry replay says about a selection at a size.
struct Plan {
  std::size_t workspace = 0;
  bool group = false;
};

// Views of a size with nothing behind them, for replays.
template <class T>
gpu::ImageView<T> hollow(gpu::Size size) {
  return {nullptr, size.width, size.height, size.width};
}

Plan make_plan(gpu::Device device, int threads, gpu::Size size, const Selection& selection) {
  // Canvas tells its kinds apart by the pointer; a replay follows it nowhere.
  auto pixels = hollow<gpu::Rgba>(size);
  gpu::Rgba pixel{};
  pixels.data = &pixel;
  const gpu::EffectInput input{hollow<const gpu::Bgr>(size), hollow<const std::uint8_t>(size),
                               hollow<const std::uint32_t>(size), selection.algorithm, &selection.algorithm_arguments};
  auto all = gpu::Context::dry(device, threads);
  compute(all, input, hollow<std::uint8_t>(size), hollow<std::uint32_t>(size), {{}, pixels}, selection, false);
  const auto table =
      gpu::plan_sat(device, threads, *selection.algorithm, size, gpu::SatType::u8_u32, selection.algorithm_arguments);
  return {all.workspace_bytes(), !selection.every_kernel && table.launches > launches_timed_alone};
}

}  // namespace

struct Pipeline::State {
  State(gpu::Device device, cudaStream_t stream, int history)
      : device(device),
        stream(stream),
        timeline(device == gpu::Device::cuda ? gpu::cuda_clock(stream, gpu::Timeline::slots)
                                             : gpu::host_clock(gpu::Timeline::slots),
                 history) {
    switch (device) {
      case gpu::Device::cuda: upload_done.emplace(); break;
      case gpu::Device::host: pool.emplace(); break;
      case gpu::Device::simulated: driver = &simulated_gpu(); break;
    }
    renew_context();
  }

  void renew_context() {
    const auto scratch = workspace.span();
    context.emplace(device == gpu::Device::cuda   ? gpu::Context::on_stream(stream, scratch, &timeline)
                    : device == gpu::Device::host ? gpu::Context::on_host(*pool, scratch, &timeline)
                                                  : gpu::Context::on_simulated(*driver, scratch, &timeline));
  }

  // Makes ready for frames of `size` made by `selection`. Changes nothing where it throws.
  void prepare(gpu::Size size, const Selection& wanted) {
    if (size == next.size() && size == planned_size && selection == wanted) return;
    const auto plan = make_plan(device, context->threads(), size, wanted);  // throws what running would throw
    if (size != next.size()) next = make_images(size);
    if (plan.workspace > workspace.size()) {
      gpu::Buffer<std::byte> larger(plan.workspace, device);
      workspace.swap(larger);  // releasing device memory waits for the work that still uses it
      renew_context();
    }
    if (size != planned_size || !same_work(wanted, selection)) timeline.reset();
    group = plan.group;
    planned_size = size;
    selection = wanted;
  }

  // On a GPU nobody reads tables while the next ones are made: one set serves, and stays in its cache.
  Images make_images(gpu::Size size) {
    const bool shared = device == gpu::Device::cuda && shown.size() == size;
    return {shared ? shown.tables : std::make_shared<Tables>(size, device), gpu::Image<gpu::Rgba>(size, device)};
  }

  gpu::ImageView<const gpu::Bgr> upload(const capture::Frame& frame, const Tables& to) {
    if (device != gpu::Device::cuda) return frame.view();
    const auto source = frame.view();
    const auto target = to.colour.view();
    constexpr auto pixel = sizeof(gpu::Bgr);
    context->call("upload", [&](cudaStream_t queue) {
      return cudaMemcpy2DAsync(target.data, static_cast<std::size_t>(target.stride) * pixel, source.data,
                               static_cast<std::size_t>(source.stride) * pixel,
                               static_cast<std::size_t>(source.width) * pixel,
                               static_cast<std::size_t>(source.height), cudaMemcpyHostToDevice, queue);
    });
    upload_done->record(stream);
    gpu::wait_for_gpu(*context, "wait for the GPU");
    return target;
  }

  gpu::Device device;
  cudaStream_t stream;
  std::optional<gpu::ThreadPool> pool;             // on the host
  const gpu::simulated::Driver* driver = nullptr;  // of the simulated GPU
  gpu::Timeline timeline;
  gpu::Buffer<std::byte> workspace;
  std::optional<gpu::Context> context;
  std::optional<Event> upload_done;
  Images shown, next;  // two, so that one that is drawn while something fails is not shown
  Selection selection;
  gpu::Size planned_size;
  bool group = false;
};

Pipeline::Pipeline(gpu::Device device, cudaStream_t stream, int history)
    : state_(std::make_unique<State>(device, stream, history)) {}
Pipeline::~Pipeline() = default;  // releasing device memory waits for the work that still uses it

void Pipeline::compute(const capture::Frame& frame, const Selection& selection) {
  auto& s = *state_;
  if (frame.size.width <= 0 || frame.size.height <= 0) throw std::invalid_argument("the frame is empty");
  s.prepare(frame.size, selection);
  const auto& tables = *s.next.tables;

  s.timeline.begin_frame();
  const auto colour = s.upload(frame, tables);
  const gpu::EffectInput input{colour, tables.gray.view(), tables.sat.view(), s.selection.algorithm,
                               &s.selection.algorithm_arguments};
  app::compute(*s.context, input, tables.gray.view(), tables.sat.view(), {{}, s.next.picture.view()}, s.selection, s.group);
}

void Pipeline::publish(const PictureSink& sink) {
  auto& s = *state_;
  std::swap(s.shown, s.next);
  if (s.next.size() != s.shown.size()) s.next = {};  // of the size before
  const struct EndOfFrame {
    gpu::Timeline& timeline;
    ~EndOfFrame() { timeline.end_frame(); }
  } end{s.timeline};
  if (sink) sink(*s.context, picture());
}

bool Pipeline::uploaded() const { return !state_->upload_done || state_->upload_done->passed(); }
gpu::Device Pipeline::device() const { return state_->device; }
gpu::Size Pipeline::size() const { return state_->shown.size(); }
gpu::Context& Pipeline::context() { return *state_->context; }
gpu::Timeline& Pipeline::timeline() { return state_->timeline; }

Picture Pipeline::picture() const {
  const auto& shown = state_->shown;
  if (!shown.tables) return {};
  return {shown.picture.view(), shown.tables->gray.view(), shown.tables->sat.view()};
}

std::size_t Pipeline::memory_bytes() const {
  const auto& s = *state_;
  auto bytes = s.workspace.size() + s.shown.picture.span().size_bytes() + s.next.picture.span().size_bytes();
  if (s.shown.tables) bytes += s.shown.tables->bytes();
  if (s.next.tables && s.next.tables != s.shown.tables) bytes += s.next.tables->bytes();
  return bytes;
}

}  // namespace app
