#include "app/pipeline/pipeline.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "app/pipeline/lane.h"
#include "app/pipeline/workspace_plan.h"
#include "app/support/simulated_gpu.h"
#include "gpu/readback.h"
#include "gpu/surface.h"
#include "gpu/thread_pool.h"

namespace app {
namespace {

// Spans of a frame besides those of its lanes: upload, wait for the GPU, luma, and those of sinks.
constexpr int spans_around = 16;

// What the frame stage makes.
struct FrameImages {
  FrameImages(gpu::Size size, gpu::Device device) : gray(size, device) {
    // Other devices read the frame where it lies.
    if (device == gpu::Device::cuda) colour = gpu::Image<gpu::Bgr>(size, device);
  }
  std::size_t bytes() const { return colour.span().size_bytes() + gray.span().size_bytes(); }

  gpu::Image<gpu::Bgr> colour;
  gpu::Image<std::uint8_t> gray;
};

gpu::TimingDetail detail_of(TimingChoice timing) {
  switch (timing) {
    case TimingChoice::off: return gpu::TimingDetail::off;
    case TimingChoice::frame: return gpu::TimingDetail::frame;
    default: return gpu::TimingDetail::launches;
  }
}

gpu::Size size_of(const std::shared_ptr<FrameImages>& images) { return images ? images->gray.size() : gpu::Size(); }

}  // namespace

struct Pipeline::State {
  State(gpu::Device device, cudaStream_t stream)
      : device(device),
        stream(stream),
        timeline(device == gpu::Device::cuda ? gpu::cuda_clock(stream) : gpu::host_clock()),
        persistent(device) {
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
    context->set_persistent(&persistent);
  }

  std::span<Lane> lanes_of_frame() { return std::span(lanes).first(lane_count); }
  std::span<const Lane> lanes_of_frame() const { return std::span(lanes).first(lane_count); }

  // Whether `predicate` holds for every lane and its selection; false where their numbers differ.
  template <class Predicate>
  bool all_lanes(std::span<const Selection> wanted, const Predicate& predicate) const {
    return std::ranges::equal(lanes_of_frame(), wanted, predicate);
  }

  // Plans and allocates for frames of `size` and the selections `wanted`. Where it throws, the pictures stay.
  void prepare(gpu::Size size, std::span<const Selection> wanted) {
    const auto ready = [size](const Lane& lane, const Selection& selection) { return lane.is_ready_for(size, selection); };
    if (size == size_of(next) && all_lanes(wanted, ready)) return;
    while (lanes.size() < wanted.size()) lanes.emplace_back(device);
    std::vector<LanePlan> plans;
    for (std::size_t i = 0; i < wanted.size(); ++i) plans.push_back(lanes[i].plan(*context, persistent, size, wanted[i]));
    reserve(size, plans);
    if (size != size_of(next)) next = make_images(size);
    int spans = spans_around;
    for (const auto& plan : plans) spans += plan.spans;
    timeline.reserve(spans);
    lane_count = wanted.size();
    for (std::size_t i = 0; i < lane_count; ++i) lanes[i].adopt(std::move(plans[i]));
  }

  // Allocates a workspace for the plans and for whatever may be chosen next; raises the plans' room for annotations
  // likewise.
  void reserve(gpu::Size size, std::vector<LanePlan>& plans) {
    if (!ahead || ahead->size() != size)
      ahead.emplace(device, context->threads(), size, persistent, workspace_budget(device));
    std::size_t needed = 0, wanted = ahead->bytes();
    for (auto& plan : plans) {
      needed = std::max(needed, plan.workspace_bytes);
      wanted = std::max(wanted, ahead->bytes_under(plan));
      plan.annotation_bytes = std::max(plan.annotation_bytes, ahead->annotation_bytes());
    }
    persistent.reserve();
    try {
      grow(std::max(needed, wanted));
    } catch (const std::exception&) {  // memory is short: from now on only what the plans need
      ahead->give_up();
      grow(needed);
    }
  }
  void grow(std::size_t bytes) {
    if (bytes <= workspace.size()) return;
    gpu::Buffer<std::byte> larger(bytes, device);
    workspace.swap(larger);  // releasing device memory waits for the work that still uses it
    renew_context();
  }

  // On a GPU the work of one frame follows that of the one before, in stream order: one set serves both, and stays in the
  // cache.
  std::shared_ptr<FrameImages> make_images(gpu::Size size) const {
    return device == gpu::Device::cuda && size_of(shown) == size ? shown : std::make_shared<FrameImages>(size, device);
  }

  gpu::ImageView<const gpu::Bgr> upload(const capture::Frame& frame) {
    if (device != gpu::Device::cuda) return frame.view();
    const auto source = frame.view();
    const auto target = next->colour.view();
    constexpr auto pixel = sizeof(gpu::Bgr);
    context->call({"upload", gpu::SpanKind::transfer}, [&](cudaStream_t queue) {
      return cudaMemcpy2DAsync(target.data, static_cast<std::size_t>(target.stride) * pixel, source.data,
                               static_cast<std::size_t>(source.stride) * pixel,
                               static_cast<std::size_t>(source.width) * pixel, static_cast<std::size_t>(source.height),
                               cudaMemcpyHostToDevice, queue);
    });
    upload_done->record(stream);
    return target;
  }

  void run(const capture::Frame& frame, TimingChoice timing) {
    const FrameViews views{upload(frame), next->gray.view()};
    // Points cost a GPU time, and the host hardly any.
    if (timing == TimingChoice::frame && device == gpu::Device::cuda) return context->group("frame", [&] { make(views); });
    if (timing != TimingChoice::off) gpu::wait_for_gpu(*context, "wait for the GPU");
    make(views);
  }

  void make(const FrameViews& views) {
    gpu::luma(*context, views.colour, next->gray.view());
    if (lane_count == 1) return lanes.front().compute(*context, views);
    int number = 0;
    for (auto& lane : lanes_of_frame())
      context->group(
          "lane " + std::to_string(++number), [&] { lane.compute(*context, views); }, gpu::SpanTiming::parts);
  }

  gpu::Device device;
  cudaStream_t stream;
  std::optional<gpu::ThreadPool> pool;             // on the host
  const gpu::simulated::Driver* driver = nullptr;  // of the simulated GPU
  gpu::Timeline timeline;
  gpu::PersistentMemory persistent;
  gpu::Buffer<std::byte> workspace;
  std::optional<gpu::Context> context;
  std::optional<gpu::Event> upload_done;
  std::shared_ptr<FrameImages> shown, next;  // two sets, as in lanes
  std::vector<Lane> lanes;                   // compute()'s, on any thread
  std::vector<Picture> pictures;             // of the lanes, as published last: those that picture() returns
  std::size_t lane_count = 0;  // of the frame computed last; until it is published, there may be more, of the one before
  std::optional<WorkspacePlan> ahead;
};

Pipeline::Pipeline(gpu::Device device, cudaStream_t stream) : state_(std::make_unique<State>(device, stream)) {}
Pipeline::~Pipeline() = default;  // releasing device memory waits for the work that still uses it

void Pipeline::compute(const capture::Frame& frame, std::span<const Selection> lanes, std::uint64_t id) {
  auto& s = *state_;
  if (frame.size.width <= 0 || frame.size.height <= 0) throw std::invalid_argument("the frame is empty");
  s.prepare(frame.size, lanes);
  const auto timing = lanes.empty() ? TimingChoice::off : lanes.front().timing;
  s.timeline.set_detail(detail_of(timing));
  s.timeline.begin_frame(id);
  try {
    s.run(frame, timing);
  } catch (...) {
    s.persistent.distrust();
    throw;
  }
}

void Pipeline::publish(const PictureSink& sink) {
  auto& s = *state_;
  s.lanes.erase(s.lanes.begin() + static_cast<std::ptrdiff_t>(s.lane_count), s.lanes.end());
  for (auto& lane : s.lanes) lane.publish();
  std::swap(s.shown, s.next);
  if (size_of(s.next) != size_of(s.shown)) s.next = {};  // of the size before
  s.pictures.clear();
  for (const auto& lane : s.lanes) {
    auto& picture = s.pictures.emplace_back(lane.picture());
    picture.gray = s.shown->gray.view();
    picture.lane = static_cast<int>(s.pictures.size()) - 1;
  }
  const struct EndOfFrame {
    gpu::Timeline& timeline;
    ~EndOfFrame() { timeline.end_frame(); }
  } end{s.timeline};
  if (!sink) return;
  for (int lane = 0; lane < static_cast<int>(s.lanes.size()); ++lane) sink(*s.context, picture(lane));
}

void Pipeline::process(const capture::Frame& frame, std::span<const Selection> lanes, const PictureSink& sink) {
  compute(frame, lanes);
  publish(sink);
}

bool Pipeline::uploaded() const { return !state_->upload_done || state_->upload_done->passed(); }
gpu::Device Pipeline::device() const { return state_->device; }
gpu::Size Pipeline::size() const { return size_of(state_->shown); }
gpu::Context& Pipeline::context() { return *state_->context; }
gpu::Timeline& Pipeline::timeline() { return state_->timeline; }

Picture Pipeline::picture(int lane) const {
  return state_->pictures.empty() ? Picture() : state_->pictures.at(static_cast<std::size_t>(lane));
}

std::size_t Pipeline::memory_bytes() const {
  const auto& s = *state_;
  auto bytes = s.workspace.size() + s.persistent.bytes();
  if (s.shown) bytes += s.shown->bytes();
  if (s.next && s.next != s.shown) bytes += s.next->bytes();
  for (const auto& lane : s.lanes) bytes += lane.memory_bytes();
  return bytes;
}

}  // namespace app
