#include "app/session/race_bench.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <new>
#include <random>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "app/pipeline/lane.h"
#include "app/support/simulated_gpu.h"
#include "app/support/text.h"
#include "gpu/checks/verify.h"
#include "gpu/cuda/error.h"
#include "gpu/pictures/canvas.h"

namespace app {
namespace {

constexpr unsigned char spoiled_byte = 0xCD;
constexpr std::size_t list_at = 256;  // in a result
static_assert(sizeof(gpu::Mismatch) <= list_at);

gpu::ImageView<const std::uint32_t> as_words(gpu::ImageView<const gpu::Rgba> picture) {
  static_assert(sizeof(gpu::Rgba) == sizeof(std::uint32_t));
  return {reinterpret_cast<const std::uint32_t*>(picture.data), picture.width, picture.height, picture.stride};
}

// What annotations say, in an order of their own. Their colours depend on the frames before, too.
auto said_by(std::span<const std::byte> bytes, int capacity) {
  std::vector<std::tuple<gpu::Annotation::Kind, gpu::Annotation::Value, float, float, float, float, double, std::string>>
      all;
  const auto list = gpu::annotations_in(const_cast<std::byte*>(bytes.data()), capacity);
  for (const auto& each : std::span(list.items, static_cast<std::size_t>(std::clamp(*list.count, 0, capacity))))
    all.emplace_back(each.kind, each.has, each.x0, each.y0, each.x1, each.y1, each.value, each.text);
  std::ranges::sort(all);
  return all;
}

}  // namespace

RaceLane EffectBench::reference_lane(gpu::Device device) {
  const auto& algorithm = *gpu::find_sat_algorithm(device == gpu::Device::host ? "host_serial" : "2r2w");
  return {&algorithm, nullptr, gpu::Arguments(algorithm.parameters), std::string(algorithm.name)};
}

EffectBench::EffectBench(gpu::Context& context, const RaceEffect& effect, gpu::Size size)
    : effect_(effect),
      size_(size),
      reference_lane_(reference_lane(context.device())),
      prepared_(gpu::prepare_effect(context, *effect.effect, effect.arguments, size)),
      colour_(size, context.device()),
      picture_(size, context.device()),
      reference_(size, context.device()),
      result_(list_at + gpu::annotation_bytes(capacity()), context.device()),
      reference_list_(context.device(), result_.size()),
      findings_(context.device(), result_.size()) {}

std::size_t EffectBench::memory_bytes(const RaceEffect& effect, gpu::Size size) {
  std::size_t bytes = size.pixels() * (sizeof(gpu::Bgr) + 2 * sizeof(gpu::Rgba));
  for (const auto& table : effect.tables) bytes += table.size.pixels();
  return bytes;
}

void EffectBench::plan(gpu::Context& dry, const RaceLane* lane) const {
  const auto& by = lane ? *lane : reference_lane_;
  replay_lane(dry, size_, {by.algorithm, by.arguments, effect_.effect, effect_.arguments, TimingChoice::off, dry.device()},
              prepared_.get());
}

void EffectBench::take_picture(cudaStream_t stream, gpu::ImageView<const gpu::Bgr> colour,
                               gpu::ImageView<const std::uint8_t> gray) {
  const auto to = colour_.view();
  if (colour_.device() == gpu::Device::cuda) {
    constexpr auto pixel = sizeof(gpu::Bgr);
    return gpu::check(cudaMemcpy2DAsync(
        to.data, static_cast<std::size_t>(to.stride) * pixel, colour.data, static_cast<std::size_t>(colour.stride) * pixel,
        static_cast<std::size_t>(to.width) * pixel, static_cast<std::size_t>(to.height), cudaMemcpyDeviceToDevice, stream));
  }
  for (int y = 0; y < to.height; ++y)
    for (int x = 0; x < to.width; ++x) {
      const auto level = gray(x, y);
      to(x, y) = {level, static_cast<std::uint8_t>(255 - level), static_cast<std::uint8_t>(level ^ 0x55)};
    }
}

std::byte* EffectBench::list() const { return result_.data() + list_at; }

void EffectBench::draw(gpu::Context& context, const Frame& frame, const RaceLane& lane, gpu::ImageView<gpu::Rgba> picture,
                       std::byte* annotations) const {
  gpu::EffectInput input{colour_.view(), frame.gray, {}, prepared_.get(), lane.algorithm, &lane.arguments};
  input.tables.sum = frame.sums;
  gpu::run_effect(context, *effect_.effect, input,
                  {gpu::Canvas::with_surface(picture, {}), gpu::annotations_in(annotations, capacity())}, effect_.arguments);
}

void EffectBench::make_reference(gpu::Context& context, const Frame& frame) {
  spoil(context);
  draw(context, frame, reference_lane_, reference_.view(), list());
  reference_list_.queue(context, "reference", result_.data(), result_.size());
  has_reference_ = true;
}

void EffectBench::spoil(gpu::Context& context) {
  for (const auto memory : {std::as_writable_bytes(picture_.span()), std::as_writable_bytes(result_.span())})
    if (context.device() == gpu::Device::cuda)
      gpu::check(cudaMemsetAsync(memory.data(), spoiled_byte, memory.size(), context.stream()));
    else
      std::memset(memory.data(), spoiled_byte, memory.size());
}

void EffectBench::run(gpu::Context& context, const Frame& frame, const RaceLane& lane) {
  draw(context, frame, lane, picture_.view(), list());
}

void EffectBench::check(gpu::Context& context) {
  auto* const mismatch = result_.data();
  const auto words = as_words(picture_.view()), wanted = as_words(reference_.view());
  const gpu::Comparison<std::uint32_t> comparison{words, wanted, wanted};
  if (context.device() == gpu::Device::cuda) {
    gpu::check(
        cudaMemsetAsync(mismatch + offsetof(gpu::Mismatch, count), 0, sizeof(gpu::Mismatch::count), context.stream()));
    gpu::check(
        cudaMemsetAsync(mismatch + offsetof(gpu::Mismatch, first), 0xFF, sizeof(gpu::Mismatch::first), context.stream()));
    gpu::compare_on_device(context.stream(), comparison, reinterpret_cast<gpu::Mismatch*>(mismatch));
  } else {
    const auto found = gpu::compare_on_host(comparison);
    std::memcpy(mismatch, &found, sizeof found);
  }
  findings_.queue(context, "findings", result_.data(), result_.size());
}

bool EffectBench::comparable() const {
  if (capacity() == 0) return true;
  int count = 0;
  std::memcpy(&count, reference_list_.bytes().data() + list_at, sizeof count);
  return count < capacity();  // a full list may have been cut before it was written
}

std::string EffectBench::problem() const {
  if (capacity() > 0) {
    const auto now = said_by(findings_.bytes().subspan(list_at), capacity()),
               wanted = said_by(reference_list_.bytes().subspan(list_at), capacity());
    if (now.size() != wanted.size())
      return std::to_string(now.size()) + " annotations instead of " + std::to_string(wanted.size());
    if (now != wanted) return "other annotations than with " + reference_lane_.label;
  }
  gpu::Mismatch mismatch;
  std::memcpy(&mismatch, findings_.bytes().data(), sizeof mismatch);
  if (mismatch.count == 0) return {};
  const auto columns = static_cast<unsigned long long>(size_.width);
  return "another picture than with " + reference_lane_.label + ": " + counted(mismatch.count, "pixel") +
         ", the first at (" + std::to_string(mismatch.first % columns) + ", " + std::to_string(mismatch.first / columns) +
         ")";
}

namespace {

constexpr const char* run_span = "run";
constexpr unsigned char spoiled = 0xCD;  // what a table is filled with before a batch: entries that nobody writes are wrong

std::size_t row_bytes(int width, gpu::ElementType type) {
  return static_cast<std::size_t>(gpu::pitched_stride(width, gpu::size_of(type))) * gpu::size_of(type);
}
std::size_t image_bytes(gpu::Size size, gpu::ElementType type) {
  return row_bytes(size.width, type) * static_cast<std::size_t>(size.height);
}

// One run on the timeline, also if it throws.
class TimedRun {
 public:
  explicit TimedRun(gpu::Timeline& timeline) : timeline_(timeline) { timeline_.begin(run_span); }
  ~TimedRun() { timeline_.end(); }
  TimedRun(const TimedRun&) = delete;
  TimedRun& operator=(const TimedRun&) = delete;

 private:
  gpu::Timeline& timeline_;
};

// The table of a peer, in scratch memory.
gpu::ImageView<std::uint32_t> framed_table(gpu::Context& context, gpu::Size size) {
  return context.scratch_image<std::uint32_t>({size.width + 1, size.height + 1});
}

// What a lane needs: counted by the code that later runs.
std::size_t planned_bytes(gpu::Context& dry, const RaceLane& lane, gpu::AnyConstImageView image, gpu::AnyImageView table) {
  if (lane.algorithm)
    gpu::compute_sat(dry, *lane.algorithm, image, table, lane.arguments);
  else if (lane.peer)
    framed_table(dry, image.size());
  else
    lane.bound->run(dry, image, table);
  return dry.workspace_bytes();
}

}  // namespace

std::string why_no_race() {
  try {
    throw;
  } catch (const gpu::CudaError& error) {
    if (!error.out_of_memory()) throw;
    return "the GPU has not enough free memory";
  } catch (const std::bad_alloc&) {
    return "there is not enough free memory";
  } catch (const std::exception& error) {
    return error.what();
  }
}

RaceBench::RaceBench(gpu::Device device, cudaStream_t stream, gpu::Size size, RaceLanes& lanes, Compute compute)
    : device_(device),
      stream_(stream),
      size_(size),
      compute_(std::move(compute)),
      persistent_(device),
      timeline_(device == gpu::Device::cuda ? gpu::cuda_clock(stream) : gpu::host_clock()),
      findings_(device, sizeof(gpu::TableFindings)) {
  if (device == gpu::Device::host) pool_.emplace();
  if (device == gpu::Device::simulated) driver_ = &simulated_gpu();
  const auto& types = gpu::info(race_type);
  pair_ = gpu::Buffer<std::byte>(image_bytes(size, types.input) + image_bytes(size, types.sum), device);

  const int threads = pool_ ? pool_->threads() : 0;
  auto check = gpu::Context::dry(device, threads);
  gpu::check_table(check, image().as<const std::uint8_t>(), table().as<std::uint32_t>());
  auto most = check.workspace_bytes();
  const auto budget = workspace_budget(device);
  std::erase_if(lanes.lanes, [&](const RaceLane& lane) {
    auto dry = gpu::Context::dry(device, threads);
    gpu::PersistentMemory asked(device);
    dry.set_persistent(&asked);
    try {
      const auto scratch = planned_bytes(dry, lane, image(), table());
      const auto bytes = scratch + asked.noted_bytes();
      if (persistent_.noted_bytes_with(asked) + std::max(most, scratch) <= budget) {
        most = std::max(most, scratch);
        persistent_.note(asked);
        return false;
      }
      lanes.absent.push_back({lane.label, "needs " + std::to_string(bytes >> 20) + " MB of scratch memory"});
    } catch (const std::invalid_argument& error) {
      lanes.absent.push_back({lane.label, error.what()});
    }
    return true;
  });
  if (lanes.effect.effect && device != gpu::Device::simulated) add_effect(lanes, most);
  workspace_ = gpu::Buffer<std::byte>(most, device);
  persistent_.reserve();
}

// With every lane, or not at all. On the simulated GPU it is not drawn: that takes seconds with each.
void RaceBench::add_effect(RaceLanes& lanes, std::size_t& most) {
  const auto give_up = [&](const std::string& why) {
    effect_.reset();
    lanes.effect = {};
    lanes.effect_problem = why;
  };
  const auto exceeds_budget = [&, budget = workspace_budget(device_), own = EffectBench::memory_bytes(lanes.effect, size_)](
                                  std::size_t scratch, std::size_t asked) {
    if (own + scratch <= budget) return false;
    give_up("it needs " + std::to_string((own + asked) >> 20) + " MB of memory");
    return true;
  };
  if (exceeds_budget(0, 0)) return;
  std::size_t needed = 0;
  gpu::PersistentMemory asked(device_);
  const auto plan = [&](const RaceLane* lane) {
    auto dry = gpu::Context::dry(device_, pool_ ? pool_->threads() : 0);
    dry.set_persistent(&asked);
    effect_->plan(dry, lane);
    needed = std::max(needed, dry.workspace_bytes());
  };
  try {
    auto context = this->context();
    effect_.emplace(context, lanes.effect, size_);
    plan(nullptr);
    for (const auto& lane : lanes.lanes)
      if (lane.algorithm) plan(&lane);
  } catch (const std::exception&) {
    return give_up(why_no_race());
  }
  if (exceeds_budget(persistent_.noted_bytes_with(asked) + std::max(most, needed), asked.noted_bytes() + needed)) return;
  persistent_.note(asked);
  most = std::max(most, needed);
}

gpu::AnyConstImageView RaceBench::image() const {
  const auto type = gpu::info(race_type).input;
  return {pair_.data(), size_.width, size_.height, gpu::pitched_stride(size_.width, gpu::size_of(type)), type};
}

gpu::AnyImageView RaceBench::table() const {
  const auto& types = gpu::info(race_type);
  return {pair_.data() + image_bytes(size_, types.input), size_.width, size_.height,
          gpu::pitched_stride(size_.width, gpu::size_of(types.sum)), types.sum};
}

// Without a timeline: only whole runs are timed.
gpu::Context RaceBench::context() {
  auto context = device_ == gpu::Device::cuda   ? gpu::Context::on_stream(stream_, workspace_.span())
                 : device_ == gpu::Device::host ? gpu::Context::on_host(*pool_, workspace_.span())
                                                : gpu::Context::on_simulated(*driver_, workspace_.span());
  context.set_persistent(&persistent_);
  return context;
}

void RaceBench::take_picture(const Picture& picture) {
  const auto gray = picture.gray;
  if (effect_) effect_->take_picture(stream_, picture.colour, gray);
  const auto pitch = row_bytes(size_.width, gpu::ElementType::u8), width = static_cast<std::size_t>(size_.width);
  if (device_ == gpu::Device::cuda)
    return gpu::check(cudaMemcpy2DAsync(pair_.data(), pitch, gray.data, static_cast<std::size_t>(gray.stride), width,
                                        static_cast<std::size_t>(size_.height), cudaMemcpyDeviceToDevice, stream_));
  for (int y = 0; y < size_.height; ++y) std::memcpy(pair_.data() + static_cast<std::size_t>(y) * pitch, gray.row(y), width);
}

void RaceBench::spoil() {
  const auto bytes = image_bytes(size_, table().type);
  if (device_ == gpu::Device::cuda)
    gpu::check(cudaMemsetAsync(table().data, spoiled, bytes, stream_));
  else
    std::memset(table().data, spoiled, bytes);
}

// A few random bytes, copied on and on: nothing large goes to a GPU. Rows do not repeat, because their pitch is no multiple.
void RaceBench::fill() {
  constexpr std::size_t few = 65'521;
  const auto bytes = image_bytes(size_, image().type);
  const auto copy = [&](std::size_t to, const std::byte* from, std::size_t count) {
    if (device_ == gpu::Device::cuda)
      gpu::check(cudaMemcpyAsync(pair_.data() + to, from, count, cudaMemcpyDefault, stream_));
    else
      std::memcpy(pair_.data() + to, from, count);
  };
  std::vector<std::byte> random(std::min(few, bytes));
  std::minstd_rand generator;
  for (auto& byte : random) byte = static_cast<std::byte>(generator() >> 8);
  copy(0, random.data(), random.size());
  for (auto done = random.size(); done < bytes; done += std::min(done, bytes - done))
    copy(done, pair_.data(), std::min(done, bytes - done));
}

void RaceBench::compute(gpu::Context& context, const RaceLane& lane) {
  if (!lane.algorithm) return lane.bound->run(context, image(), table());
  if (compute_) return compute_(context, *lane.algorithm, image(), table(), lane.arguments);
  gpu::compute_sat(context, *lane.algorithm, image(), table(), lane.arguments);
}

// Its table, in its own layout, is then copied to where those of the algorithms are: that is not part of its time.
void RaceBench::time_peer(gpu::Context& context, const RacePeer& peer, int runs, const std::atomic<bool>& stop) {
  const gpu::Context::ScratchScope scope(context);
  const auto framed = framed_table(context, size_);
  const auto sums = table().as<std::uint32_t>();
  std::memset(framed.data, spoiled, static_cast<std::size_t>(framed.stride * framed.height) * sizeof(std::uint32_t));
  for (int i = 0; i < runs && !stop; ++i) {
    const TimedRun run(timeline_);
    peer.run(image().as<const std::uint8_t>(), framed);
  }
  for (int y = 0; y < sums.height; ++y) std::copy_n(framed.row(y + 1) + 1, sums.width, sums.row(y));
}

void RaceBench::run_table(gpu::Context& context, const RaceLane& lane, int runs, const std::atomic<bool>& stop) {
  if (std::exchange(fills_, false)) fill();
  spoil();
  gpu::wait_for_gpu(context, "wait for the GPU");
  if (lane.peer) time_peer(context, *lane.peer, runs, stop);
  for (int i = 0; i < runs && !lane.peer && !stop; ++i) {
    const TimedRun run(timeline_);
    compute(context, lane);
  }
  if (lane.bound || stop) return;
  outcome_->checked = true;
  const gpu::Context::ScratchScope scope(context);
  findings_.queue(context, "findings",
                  gpu::check_table(context, image().as<const std::uint8_t>(), table().as<const std::uint32_t>()),
                  sizeof(gpu::TableFindings));
}

// The frame's table, which the effect may use, is not part of its time: it has a time of its own.
void RaceBench::run_effect(gpu::Context& context, const RaceLane& lane, int runs, const std::atomic<bool>& stop) {
  const EffectBench::Frame frame{image().as<const std::uint8_t>(), table().as<const std::uint32_t>()};
  const auto sum_by = [&](const RaceLane& by) { gpu::compute_sat(context, *by.algorithm, image(), table(), by.arguments); };
  if (!effect_->has_reference()) {
    sum_by(EffectBench::reference_lane(device_));
    effect_->make_reference(context, frame);
  }
  sum_by(lane);
  effect_->spoil(context);
  gpu::wait_for_gpu(context, "wait for the GPU");
  for (int i = 0; i < runs && !stop; ++i) {
    const TimedRun run(timeline_);
    effect_->run(context, frame, lane);
  }
  if (stop) return;
  outcome_->checked = true;
  effect_->check(context);
}

void RaceBench::run(const RaceLane& lane, Part part, int runs, const std::atomic<bool>& stop) {
  outcome_ = Outcome{part};
  timeline_.begin_frame();
  const auto fail = [&](const std::exception& error) {
    outcome_ = Outcome{part, {}, error.what(), false, part == Part::effect && !effect_->has_reference()};
  };
  try {
    auto context = this->context();
    part == Part::table ? run_table(context, lane, runs, stop) : run_effect(context, lane, runs, stop);
  } catch (const gpu::CudaError& error) {
    // If the GPU refused a launch, only this lane fails; after worse errors it cannot be used any more.
    persistent_.invalidate();
    if (device_ == gpu::Device::cuda && cudaDeviceSynchronize() != cudaSuccess) throw;
    fail(error);
  } catch (const std::exception& error) {
    persistent_.invalidate();
    fail(error);
  }
  timeline_.end_frame();
}

std::optional<RaceBench::Outcome> RaceBench::take() {
  if (!outcome_) return {};
  auto& outcome = *outcome_;
  const bool of_effect = outcome.part == Part::effect;
  if (outcome.checked && !(of_effect ? effect_->checked() : findings_.arrived())) return {};
  const auto frame = timeline_.take();
  if (!frame) return {};
  for (const auto& span : frame->spans)
    if (span.timed && outcome.problem.empty() && frame->path(span) == run_span) outcome.us.push_back(span.microseconds());
  if (outcome.checked && of_effect) outcome.checked = effect_->comparable();
  if (outcome.checked && of_effect) outcome.problem = effect_->problem();
  if (outcome.checked && !of_effect) {
    gpu::TableFindings findings;
    std::memcpy(&findings, findings_.bytes().data(), sizeof findings);
    if (const auto wrong = gpu::wrong_table(findings, size_.width)) outcome.problem = gpu::text(*wrong);
  }
  return std::exchange(outcome_, {});
}

}  // namespace app
