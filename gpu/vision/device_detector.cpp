#include "gpu/vision/device_detector.h"

#include <algorithm>
#include <cstring>

#include "gpu/cuda/memory.h"
#include "gpu/execution/driver.h"
#include "gpu/vision/window_search.h"

namespace gpu::vision {
namespace {

// A list on the device, filled once, in the order of the context's stream: copies of the default stream may come later than the
// next work of a stream that does not wait for it.
template <class T>
Buffer<T> upload(const Context& context, std::span<const T> values) {
  Buffer<T> buffer(values.size(), context.device());
  if (!values.empty())
    check(cudaMemcpyAsync(buffer.data(), values.data(), values.size_bytes(), cudaMemcpyHostToDevice, context.stream()));
  return buffer;
}
template <class T>
Buffer<T> upload(const Context& context, const std::vector<T>& values) {
  return upload(context, std::span<const T>(values));
}

const uint4* as_uint4(const Buffer<std::uint32_t>& words) { return reinterpret_cast<const uint4*>(words.data()); }

// What comes back from the device at once: most frames have no more windows, or classes.
constexpr unsigned most_at_once = 1024;
// From how many windows on the device groups them.
constexpr unsigned least_grouped_on_device = 100;

std::vector<LevelScale> scales_of(std::span<const Level> levels) {
  std::vector<LevelScale> scales;
  for (const auto& level : levels) scales.push_back({level.factor, level.step, level.window.width, level.window.height});
  return scales;
}

class PyramidDetector : public DeviceDetector {
 public:
  PyramidDetector(Device device, const DeviceDetectorRequest& request);
  void ask_for(int min_neighbors, bool depths) override;
  void compute_tables_by(const SatAlgorithm& algorithm, const Arguments& arguments) override;
  void run(Context& context, ImageView<const std::uint8_t> gray) override;
  void reserve(Context& context) override;
  void queue(Context& context, ImageView<const std::uint8_t> gray, const DetectionList& detections) override;
  const std::uint8_t* queued_depths(int level) const override {
    return depth_.data() ? depth_.data() + plan_.places[static_cast<std::size_t>(level)].first_depth : nullptr;
  }
  std::vector<Window> hits() override;
  std::vector<Detection> detections() const override { return detections_; }
  std::vector<std::uint8_t> depths(int level) const override;

 private:
  struct Head {
    SearchCounters counters;
    LevelPoint first[most_at_once];
  };
  struct ClassHead {
    std::uint32_t count;
    WindowClass first[most_at_once];
  };
  void allocate(const Context& context, unsigned open, unsigned found);
  void make_room_for_depths();
  void make_room(const Context& context, unsigned open, unsigned found);
  void queue_windows(Context& context, ImageView<const std::uint8_t> gray);
  void queue_grouping(Context& context);
  void fetch();
  void group_on_host();
  void group_on_device();
  Window in_frame(const LevelPoint& window) const;

  Device device_;
  std::vector<Level> levels_;
  Size frame_;
  int min_neighbors_ = 0;
  unsigned first_capacity_;
  std::size_t most_entries_;
  bool with_depths_ = false;
  std::shared_ptr<const DeviceCascade> packed_;  // else the cascade as written, and an algorithm
  WrittenCascadeLists lists_;
  const SatAlgorithm* algorithm_ = nullptr;
  Arguments arguments_;
  PyramidPlan plan_;
  std::vector<LevelPoint> tile_plan_;
  // Allocated before the first frame.
  Buffer<LevelPlace> places_;
  Buffer<Blend> blends_;
  Buffer<PyramidPart> parts_;
  Buffer<std::uint32_t> quads_, rejected_;
  Buffer<std::uint8_t> pixels_, depth_;
  Buffer<LevelPoint> tiles_;
  Buffer<std::uint32_t> tile_words_[2], patch_words_, patch_starts_;
  Buffer<OpenWindow> open_;
  Buffer<std::byte> result_;  // the counters, then the windows found
  Buffer<WrittenFeature> features_;
  Buffer<CascadeNode> nodes_;
  Buffer<float> leaves_;
  Buffer<WrittenTree> trees_;
  Buffer<WrittenStage> stages_;
  Buffer<LevelScale> scales_;
  Buffer<Window> windows_;
  Buffer<std::uint64_t> parents_;
  Buffer<WindowClass> sums_;
  Buffer<std::byte> classes_;   // a ClassList
  Buffer<Detection> unsorted_;  // for queue() alone
  PinnedBuffer<Head> head_;     // these two for run() alone
  PinnedBuffer<ClassHead> class_head_;
  Pyramid pyramid_{};
  WindowSearch search_{};
  WrittenCascade written_{};
  WindowGroups groups_{};
  bool many_ = false;  // windows were found in the last frame, so that grouping is queued before their number is known
  std::vector<LevelPoint> found_;  // or the first of them: fetch()
  std::size_t count_ = 0;          // of all
  std::vector<Detection> detections_;
};

PyramidDetector::PyramidDetector(Device device, const DeviceDetectorRequest& request)
    : device_(device),
      levels_(request.levels.begin(), request.levels.end()),
      frame_(request.frame),
      first_capacity_(request.first_capacity),
      most_entries_(request.most_entries),
      packed_(request.packed),
      plan_(plan_pyramid(request.frame, request.levels, request.cascade.window.width + 16)) {
  ask_for(request.min_neighbors, request.depths);
  pyramid_.frame = frame_;
  pyramid_.part_count = static_cast<unsigned>(plan_.parts.size());
  if (packed_) {
    tile_plan_ = plan_tiles(plan_, packed_->shape);
    search_.shape = packed_->shape;
    search_.tile_count = static_cast<unsigned>(tile_plan_.size());
    search_.patch_bytes = packed_->patch_bytes;
    search_.general = packed_->general;
    search_.hand_over_pairs = packed_->patch_bytes > 0 ? 4 : 0;
  } else {
    algorithm_ = find_sat_algorithm("1r1w_skss_lb");
    arguments_ = Arguments(algorithm_->parameters);
    lists_ = WrittenCascadeLists(request.cascade);
    written_ = lists_.view();
    search_.shape.stages = written_.stage_count;
  }
}

// Once; later make_room().
void PyramidDetector::allocate(const Context& context, unsigned open, unsigned found) {
  if (places_.data()) return;
  places_ = upload(context, plan_.places);
  blends_ = upload(context, plan_.blends);
  parts_ = upload(context, plan_.parts);
  tiles_ = upload(context, tile_plan_);
  scales_ = upload(context, scales_of(levels_));
  if (packed_) {
    for (int k = 0; k < 2; ++k) tile_words_[k] = upload(context, packed_->tile_words[k]);
    patch_words_ = upload(context, packed_->patch_words);
    patch_starts_ = upload(context, packed_->patch_starts);
  }
  features_ = upload(context, lists_.features);
  nodes_ = upload(context, lists_.nodes);
  leaves_ = upload(context, lists_.leaves);
  trees_ = upload(context, lists_.trees);
  stages_ = upload(context, lists_.stages);
  quads_ = Buffer<std::uint32_t>(frame_.pixels(), device_);
  rejected_ = Buffer<std::uint32_t>(plan_.bitmap_words, device_);
  // A tile reads more of its pictures' last rows than was written, whatever it is.
  constexpr std::size_t beyond = 4096;
  pixels_ = Buffer<std::uint8_t>(plan_.pixel_bytes + beyond, device_);
  check(cudaMemsetAsync(pixels_.data(), 0, pixels_.size(), context.stream()));

  pyramid_ = {frame_, places_.data(), blends_.data(), parts_.data(), pyramid_.part_count, quads_.data(), pixels_.data()};
  written_.features = features_.data();
  written_.nodes = nodes_.data();
  written_.leaves = leaves_.data();
  written_.trees = trees_.data();
  written_.stages = stages_.data();
  search_.places = places_.data();
  search_.tiles = tiles_.data();
  search_.pixels = pixels_.data();
  for (int k = 0; k < 2; ++k) search_.tile_stages[k] = as_uint4(tile_words_[k]);
  search_.patch_stages = as_uint4(patch_words_);
  search_.patch_starts = patch_starts_.data();
  search_.rejected = rejected_.data();
  make_room(context, open, found);
}

void PyramidDetector::make_room_for_depths() {
  if (with_depths_ && !depth_.data()) depth_ = Buffer<std::uint8_t>(plan_.depth_bytes, device_);
  search_.depth = with_depths_ ? depth_.data() : nullptr;
}

void PyramidDetector::ask_for(int min_neighbors, bool depths) {
  groups_.min_neighbors = min_neighbors_ = min_neighbors;
  with_depths_ = depths;
  search_.depth = with_depths_ ? depth_.data() : nullptr;
}

void PyramidDetector::make_room(const Context& context, unsigned open, unsigned found) {
  if (open > search_.open_capacity) {
    open_ = Buffer<OpenWindow>(open, device_);
    search_.open = open_.data();
    search_.open_capacity = open;
  }
  if (found > search_.found_capacity) {
    // At least as many as come back at once.
    const auto room = std::max(found, most_at_once);
    result_ = Buffer<std::byte>(offsetof(Head, first) + room * sizeof(LevelPoint), device_);
    check(cudaMemsetAsync(result_.data(), 0, sizeof(Head), context.stream()));
    search_.counters = reinterpret_cast<SearchCounters*>(result_.data());
    search_.found = reinterpret_cast<LevelPoint*>(result_.data() + offsetof(Head, first));
    search_.found_capacity = found;
    windows_ = Buffer<Window>(found, device_);
    parents_ = Buffer<std::uint64_t>(found, device_);
    sums_ = Buffer<WindowClass>(found, device_);
    classes_ = Buffer<std::byte>(offsetof(ClassList, classes) + room * sizeof(WindowClass), device_);
    check(cudaMemsetAsync(classes_.data(), 0, sizeof(ClassHead), context.stream()));
    groups_ = {search_.found,   search_.counters, found,
               scales_.data(),  min_neighbors_,   windows_.data(),
               parents_.data(), sums_.data(),     reinterpret_cast<ClassList*>(classes_.data())};
  }
}

void PyramidDetector::queue_grouping(Context& context) {
  queue_groups(context, groups_);
  context.call("classes", [&](cudaStream_t stream) {
    return cudaMemcpyAsync(class_head_.data(), classes_.data(), sizeof(ClassHead), cudaMemcpyDeviceToHost, stream);
  });
}

void PyramidDetector::compute_tables_by(const SatAlgorithm& algorithm, const Arguments& arguments) {
  algorithm_ = &algorithm;
  arguments_ = arguments;
}

void PyramidDetector::queue_windows(Context& context, ImageView<const std::uint8_t> gray) {
  queue_pyramid(context, gray, pyramid_, reinterpret_cast<std::uint32_t*>(search_.counters),
                sizeof(SearchCounters) / sizeof(std::uint32_t));
  if (packed_)
    queue_search(context, search_);
  else
    queue_global_search(context, search_, written_, plan_, most_entries_, *algorithm_, arguments_);
}

void PyramidDetector::reserve(Context& context) {
  // Only a cascade that hardly rejects anything has more.
  constexpr std::size_t most_open = std::size_t{1} << 22, most_found = std::size_t{1} << 20;
  std::size_t windows = 1;
  for (const auto& level : levels_) windows += Size{level.across, level.down}.pixels();
  const auto open = static_cast<unsigned>(std::min(windows, most_open)),
             found = static_cast<unsigned>(std::min(windows, most_found));
  allocate(context, open, found);
  make_room(context, open, found);
  make_room_for_depths();
  if (!unsorted_.data()) unsorted_ = Buffer<Detection>(most_sorted, device_);
}

void PyramidDetector::queue(Context& context, ImageView<const std::uint8_t> gray, const DetectionList& detections) {
  if (!levels_.empty()) queue_windows(context, gray);  // else the counters say that there is no window
  queue_groups(context, groups_);
  queue_detections(context, groups_, frame_, unsorted_.data(), detections);
}

void PyramidDetector::run(Context& context, ImageView<const std::uint8_t> gray) {
  found_.clear();
  count_ = 0;
  detections_.clear();
  if (levels_.empty()) return;
  if (!context.is_dry()) {
    allocate(context, first_capacity_, first_capacity_);
    make_room_for_depths();
    if (!head_.data()) head_ = PinnedBuffer<Head>(1, is_gpu(device_));
    if (!class_head_.data()) class_head_ = PinnedBuffer<ClassHead>(1, is_gpu(device_));
  }
  bool grouped = false;
  while (true) {
    grouped = many_ && min_neighbors_ > 0;
    queue_windows(context, gray);
    if (grouped) queue_grouping(context);
    context.call("windows", [&](cudaStream_t stream) {
      return cudaMemcpyAsync(head_.data(), result_.data(), sizeof(Head), cudaMemcpyDeviceToHost, stream);
    });
    if (context.is_dry()) return;
    check(cudaStreamSynchronize(context.stream()));
    const auto [last_open, found, taken, most_open] = head_.data()->counters;
    const auto open = std::max(last_open, most_open);
    if (open <= search_.open_capacity && found <= search_.found_capacity) break;
    make_room(context, open + open / 2, found + found / 2);
  }
  const auto count = head_.data()->counters.found;
  many_ = count >= least_grouped_on_device;
  found_.assign(head_.data()->first, head_.data()->first + std::min(count, most_at_once));
  count_ = count;
  if (!many_ || min_neighbors_ <= 0) return group_on_host();
  if (!grouped) {
    queue_grouping(context);
    check(cudaStreamSynchronize(context.stream()));
  }
  group_on_device();
}

// All windows, if more were found than came back.
void PyramidDetector::fetch() {
  if (found_.size() == count_) return;
  found_.resize(count_);
  check(cudaMemcpy(found_.data(), search_.found, count_ * sizeof(LevelPoint), cudaMemcpyDeviceToHost));
}

void PyramidDetector::group_on_host() {
  fetch();
  std::vector<Window> windows;
  windows.reserve(found_.size());
  for (const auto& window : found_) windows.push_back(in_frame(window));
  detections_ = group_windows(windows, min_neighbors_, frame_);
}

void PyramidDetector::group_on_device() {
  const auto count = class_head_.data()->count;
  std::vector<WindowClass> classes(class_head_.data()->first, class_head_.data()->first + std::min(count, most_at_once));
  if (count > most_at_once) {
    classes.resize(count);
    check(cudaMemcpy(classes.data(), groups_.classes->classes, count * sizeof(WindowClass), cudaMemcpyDeviceToHost));
  }
  detections_ = detections_of(classes, min_neighbors_, frame_);
}

Window PyramidDetector::in_frame(const LevelPoint& window) const {
  const auto& level = levels_[window.level];
  return {place_in_frame(window.x, level.step, level.factor), place_in_frame(window.y, level.step, level.factor),
          level.window.width, level.window.height};
}

std::vector<Window> PyramidDetector::hits() {
  fetch();
  std::ranges::sort(found_, {}, [](const LevelPoint& window) {
    return std::uint64_t{window.level} << 48 | std::uint64_t{window.y} << 24 | std::uint64_t{window.x};
  });
  std::vector<Window> windows;
  windows.reserve(found_.size());
  for (const auto& window : found_) windows.push_back(in_frame(window));
  return windows;
}

std::vector<std::uint8_t> PyramidDetector::depths(int level) const {
  const auto& place = plan_.places[static_cast<std::size_t>(level)];
  std::vector<std::uint8_t> depths(!with_depths_ ? 0 : Size{place.across, place.down}.pixels());
  if (!depths.empty()) check(cudaMemcpy(depths.data(), queued_depths(level), depths.size(), cudaMemcpyDeviceToHost));
  return depths;
}

}  // namespace

std::unique_ptr<DeviceDetector> make_device_detector(const Context& context, const DeviceDetectorRequest& request) {
  if (const auto there = simulated::elsewhere(context, &simulated::Driver::make_device_detector))
    return there(context, request);
  return std::make_unique<PyramidDetector>(context.device(), request);
}

}  // namespace gpu::vision
