#include "gpu/vision/detector.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>

#include "gpu/vision/host_band.h"
#include "gpu/vision/integer_cascade.h"

namespace gpu::vision {
namespace {

struct LevelPlan {
  std::vector<Blend> columns, rows;
  std::vector<std::uint8_t> depths;
};

// Rows of windows [first, last) of a level.
struct BandPlan {
  int level, first, last;
};

// Bands of about the same work: so many pixels that what they share with their neighbours, a window's height, is a small part of
// them, and so few that every thread gets several.
std::vector<BandPlan> bands_of(std::span<const Level> levels, Size window) {
  std::vector<BandPlan> bands;
  for (int l = 0; l < static_cast<int>(levels.size()); ++l) {
    const auto& level = levels[static_cast<std::size_t>(l)];
    const int rows = std::max((3 * window.height + 16) / level.step, 1), count = (level.down + rows - 1) / rows;
    for (int b = 0; b < count; ++b) bands.push_back({l, level.down * b / count, level.down * (b + 1) / count});
  }
  return bands;
}

const HostCode& host_code_named(std::string_view name, const IntegerCascade& integers) {
  const bool integers_do = integers.exact && integers.packed;
  const HostCode* chosen = nullptr;
  for (const HostCode* code : host_codes_here())
    if ((name.empty() || code->name == name) && (integers_do || !code->needs_integers)) chosen = code;
  if (!chosen) {
    if (std::ranges::none_of(host_codes_here(), [&](const HostCode* code) { return code->name == name; }))
      throw std::invalid_argument("this processor cannot evaluate cascades with the host code '" + std::string(name) + "'");
    return *host_codes_here().front();
  }
  return *chosen;
}

// What threads need while they search, taken and given back.
class MemoryPool {
 public:
  std::unique_ptr<HostMemory> take() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) return std::make_unique<HostMemory>();
    auto memory = std::move(free_.back());
    free_.pop_back();
    return memory;
  }
  void give_back(std::unique_ptr<HostMemory> memory) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(memory));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<HostMemory>> free_;
};

}  // namespace

struct Detector::Parts {
  Parts(Cascade given, const DetectorOptions& given_options, Size given_frame)
      : cascade(std::move(given)),
        options(given_options),
        frame(given_frame),
        levels(levels_of(given_frame, cascade.window, given_options.levels)),
        integers(integer_cascade(cascade)),
        code(&host_code_named(given_options.host_code, integers)),
        bands(bands_of(levels, cascade.window)),
        found(bands.size()) {
    options.host_code = code->name;
    for (const auto& level : levels) {
      plans.push_back({blends_of(frame.width, level.size.width), blends_of(frame.height, level.size.height), {}});
      if (options.depths) plans.back().depths.resize(Size{level.across, level.down}.pixels());
    }
  }

  void search(int number, ImageView<const std::uint8_t> gray);
  void collect();

  Cascade cascade;
  DetectorOptions options;
  Size frame;
  std::vector<Level> levels;
  IntegerCascade integers;
  const HostCode* code;
  std::vector<LevelPlan> plans;  // of each level
  std::vector<BandPlan> bands;
  std::vector<std::vector<Window>> found;  // in each band
  MemoryPool memories;
  std::vector<Window> hits;
  std::vector<Detection> detections;
};

void Detector::Parts::search(int number, ImageView<const std::uint8_t> gray) {
  const auto& band = bands[static_cast<std::size_t>(number)];
  const auto& level = levels[static_cast<std::size_t>(band.level)];
  auto& plan = plans[static_cast<std::size_t>(band.level)];
  auto memory = memories.take();

  const int width = level.size.width, height = (band.last - band.first - 1) * level.step + cascade.window.height;
  memory->pixels.resize(Size{width, height}.pixels());
  const ImageView<std::uint8_t> pixels{memory->pixels.data(), width, height, width};
  resize_rows(
      gray, plan.columns,
      std::span(plan.rows).subspan(static_cast<std::size_t>(band.first * level.step), static_cast<std::size_t>(height)),
      pixels);

  const int rows = band.last - band.first;
  HostBand here{pixels, level.step, level.across, rows, {}};
  if (options.depths)
    here.depths = {plan.depths.data() + std::ptrdiff_t{band.first} * level.across, level.across, rows, level.across};
  memory->hits.clear();
  code->search(cascade, integers, here, *memory);

  auto& windows = found[static_cast<std::size_t>(number)];
  windows.clear();
  const auto in_frame = [&](int at) {
    return static_cast<int>(std::lrint(static_cast<float>(at * level.step) * level.factor));
  };
  for (const auto& [i, j] : memory->hits)
    windows.push_back({in_frame(i), in_frame(band.first + j), level.window.width, level.window.height});
  memories.give_back(std::move(memory));
}

void Detector::Parts::collect() {
  hits.clear();
  for (const auto& windows : found) hits.insert(hits.end(), windows.begin(), windows.end());
  detections = group_windows(hits, options.min_neighbors, frame);
}

std::vector<std::string_view> host_codes() {
  std::vector<std::string_view> names;
  for (const HostCode* code : host_codes_here()) names.push_back(code->name);
  return names;
}

Detector::Detector(Cascade cascade, const DetectorOptions& options, Size frame)
    : parts_(std::make_unique<Parts>(std::move(cascade), options, frame)) {}
Detector::~Detector() = default;
Detector::Detector(Detector&&) noexcept = default;
Detector& Detector::operator=(Detector&&) noexcept = default;

const Cascade& Detector::cascade() const { return parts_->cascade; }
const DetectorOptions& Detector::options() const { return parts_->options; }
Size Detector::frame() const { return parts_->frame; }
std::span<const Level> Detector::levels() const { return parts_->levels; }
std::span<const Window> Detector::hits() const { return parts_->hits; }
std::span<const Detection> Detector::detections() const { return parts_->detections; }

void Detector::run(Context& context, ImageView<const std::uint8_t> gray) {
  if (gray.size() != parts_->frame)
    throw std::invalid_argument("a detector for frames of " + std::to_string(parts_->frame.width) + "x" +
                                std::to_string(parts_->frame.height) + " got one of " + std::to_string(gray.width) + "x" +
                                std::to_string(gray.height));
  for (auto& windows : parts_->found) windows.clear();
  context.parallel("detect", static_cast<int>(parts_->bands.size()), [&](int band) { parts_->search(band, gray); });
  parts_->collect();
}

ImageView<const std::uint8_t> Detector::depths(int level) const {
  const auto& [factor, size, step, across, down, window] = parts_->levels[static_cast<std::size_t>(level)];
  const auto& depths = parts_->plans[static_cast<std::size_t>(level)].depths;
  if (depths.empty()) return {};
  return {depths.data(), across, down, across};
}

}  // namespace gpu::vision
