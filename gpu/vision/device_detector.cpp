#include "gpu/vision/device_detector.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "gpu/cuda/memory.h"
#include "gpu/execution/driver.h"
#include "gpu/vision/window_search.h"

namespace gpu::vision {
namespace {

// Memory of a device that is given back together.
class DeviceMemory {
 public:
  explicit DeviceMemory(Device device) : device_(device) {}

  // Null for nothing.
  template <class T>
  T* take(std::size_t size) {
    return reinterpret_cast<T*>(buffers_.emplace_back(size * sizeof(T), device_).data());
  }
  // Filled in the order of the context's stream: copies of the default stream may come later than the next work of a stream that
  // does not wait for it.
  template <class T>
  T* upload(const Context& context, const std::vector<T>& values) {
    T* const data = take<T>(values.size());
    if (!values.empty())
      check(cudaMemcpyAsync(data, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice, context.stream()));
    return data;
  }

 private:
  Device device_;
  std::vector<Buffer<std::byte>> buffers_;
};

// What comes back from the device at once: most frames have no more windows, or classes.
constexpr unsigned most_at_once = 1024;
// From how many windows on the device groups them.
constexpr unsigned least_grouped_on_device = 100;

class PyramidDetector : public DeviceDetector {
 public:
  PyramidDetector(Device device, const DeviceDetectorRequest& request);
  void ask_for(int min_neighbors, bool depths) override;
  void compute_tables_by(const SatAlgorithm& algorithm, const Arguments& arguments) override;
  void run(Context& context, ImageView<const std::uint8_t> gray) override;
  void reserve(Context& context) override;
  void queue(Context& context, ImageView<const std::uint8_t> gray, const DetectionList& detections) override;
  const std::uint8_t* queued_depths(int level) const override {
    return depth_ ? depth_ + plan_.places[static_cast<std::size_t>(level)].first_depth : nullptr;
  }
  std::vector<Window> hits() override;
  std::vector<Detection> detections() const override { return detections_; }
  std::vector<std::uint8_t> depths(int level) const override;

 private:
  // What comes back from the device. On it, each list goes on as long as there is room.
  struct Found {
    SearchCounters counters;
    LevelPoint first[most_at_once];
  };
  struct Classes {
    std::uint32_t count;
    WindowClass first[most_at_once];
  };
  std::size_t window_count() const;
  void allocate(const Context& context);
  void make_room_for_depths();
  void make_room(const Context& context, std::size_t open, std::size_t found);
  void queue_windows(Context& context, ImageView<const std::uint8_t> gray);
  void queue_grouping(Context& context);
  void fetch();
  std::vector<Window> found_in_frame() const;
  void group_on_device();

  Device device_;
  std::vector<Level> levels_;
  std::size_t most_entries_;
  bool with_depths_ = false;
  SharedCascade cascade_;
  std::shared_ptr<const DeviceCascade> packed_;  // else the cascade as written, and an algorithm
  const SatAlgorithm* algorithm_ = nullptr;
  Arguments arguments_;
  PyramidPlan plan_;
  std::vector<LevelPoint> tile_plan_;
  // Allocated before the first frame; what is too short, anew.
  DeviceMemory memory_, open_memory_, found_memory_;
  std::uint8_t* depth_ = nullptr;
  Detection* unsorted_ = nullptr;  // for queue() alone
  PinnedBuffer<Found> head_;       // these two for run() alone
  PinnedBuffer<Classes> class_head_;
  // What kernels read, with pointers once it is allocated.
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
      most_entries_(request.most_entries),
      cascade_(request.cascade),
      packed_(request.packed),
      plan_(plan_pyramid(request.frame, request.levels, cascade_->cascade().window.width + 16)),
      memory_(device),
      open_memory_(device),
      found_memory_(device) {
  ask_for(request.min_neighbors, request.depths);
  pyramid_.frame = request.frame;
  pyramid_.part_count = static_cast<unsigned>(plan_.parts.size());
  if (packed_) {
    tile_plan_ = plan_tiles(plan_, packed_->shape);
    search_.shape = packed_->shape;
    search_.tile_count = static_cast<unsigned>(tile_plan_.size());
    search_.patch_bytes = packed_->patch_bytes;
    search_.form = packed_->form;
    search_.hand_over_pairs = packed_->patch_bytes > 0 ? 4 : 0;
  } else {
    algorithm_ = find_sat_algorithm("1r1w_skss_lb");
    arguments_ = Arguments(algorithm_->parameters);
    written_ = cascade_->written().view();
    search_.shape.stages = written_.stage_count;
  }
}

std::size_t PyramidDetector::window_count() const {
  std::size_t count = 0;
  for (const auto& level : levels_) count += Size{level.across, level.down}.pixels();
  return count;
}

// Once; the lists of windows by make_room().
void PyramidDetector::allocate(const Context& context) {
  if (pyramid_.quads) return;
  memory_ = DeviceMemory(device_);
  const auto upload = [&](const auto& values) { return memory_.upload(context, values); };
  const auto records = [&](const auto& words) { return reinterpret_cast<const uint4*>(upload(words)); };
  // A tile reads more of its pictures' last rows than was written, whatever it is.
  constexpr std::size_t beyond = 4096;
  const auto pixel_bytes = plan_.pixel_bytes + beyond;
  pyramid_.places = search_.places = upload(plan_.places);
  pyramid_.blends = upload(plan_.blends);
  pyramid_.parts = upload(plan_.parts);
  search_.pixels = pyramid_.pixels = memory_.take<std::uint8_t>(pixel_bytes);
  check(cudaMemsetAsync(pyramid_.pixels, 0, pixel_bytes, context.stream()));
  search_.rejected = memory_.take<std::uint32_t>(plan_.bitmap_words);
  groups_.levels = upload(levels_);
  if (packed_) {
    search_.tiles = upload(tile_plan_);
    for (int step : {0, 1}) search_.tile_stages[step] = records(packed_->tile_words[step]);
    search_.patch_stages = records(packed_->patch_words);
    search_.patch_starts = upload(packed_->patch_starts);
  } else {
    const auto& lists = cascade_->written();
    written_.features = upload(lists.features);
    written_.nodes = upload(lists.nodes);
    written_.leaves = upload(lists.leaves);
    written_.trees = upload(lists.trees);
    written_.stages = upload(lists.stages);
    written_.code_sets = upload(lists.code_sets);
  }
  pyramid_.quads = memory_.take<std::uint32_t>(pyramid_.frame.pixels());
}

void PyramidDetector::make_room_for_depths() {
  if (with_depths_ && !depth_ && plan_.depth_bytes > 0) depth_ = memory_.take<std::uint8_t>(plan_.depth_bytes);
  search_.depth = with_depths_ ? depth_ : nullptr;
}

void PyramidDetector::ask_for(int min_neighbors, bool depths) {
  groups_.min_neighbors = min_neighbors;
  with_depths_ = depths;
  search_.depth = with_depths_ ? depth_ : nullptr;
}

void PyramidDetector::make_room(const Context& context, std::size_t open, std::size_t found) {
  if (open > search_.open_capacity) {
    DeviceMemory memory(device_);
    search_.open = memory.take<OpenWindow>(open);
    search_.open_capacity = static_cast<unsigned>(open);
    open_memory_ = std::move(memory);
  }
  if (found > search_.found_capacity) {
    // At least as many as come back at once.
    const auto room = std::max<std::size_t>(found, most_at_once);
    DeviceMemory memory(device_);
    auto* const list = memory.take<std::byte>(offsetof(Found, first) + room * sizeof(LevelPoint));
    auto* const classes = memory.take<std::byte>(offsetof(Classes, first) + room * sizeof(WindowClass));
    check(cudaMemsetAsync(list, 0, sizeof(Found), context.stream()));
    check(cudaMemsetAsync(classes, 0, sizeof(Classes), context.stream()));
    auto groups = groups_;
    groups.windows = memory.take<Window>(found);
    groups.parents = memory.take<std::uint64_t>(found);
    groups.sums = memory.take<WindowClass>(found);
    groups.classes = reinterpret_cast<ClassList*>(classes);
    groups.counters = search_.counters = reinterpret_cast<SearchCounters*>(list);
    groups.found = search_.found = reinterpret_cast<LevelPoint*>(list + offsetof(Found, first));
    groups.found_capacity = search_.found_capacity = static_cast<unsigned>(found);
    groups_ = groups;
    found_memory_ = std::move(memory);
  }
}

void PyramidDetector::queue_grouping(Context& context) {
  queue_groups(context, groups_);
  context.call("classes", [&](cudaStream_t stream) {
    return cudaMemcpyAsync(class_head_.data(), groups_.classes, sizeof(Classes), cudaMemcpyDeviceToHost, stream);
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
  const auto windows = window_count() + 1;
  allocate(context);
  make_room(context, std::min(windows, most_open), std::min(windows, most_found));
  make_room_for_depths();
  if (!unsorted_) unsorted_ = memory_.take<Detection>(most_sorted);
}

void PyramidDetector::queue(Context& context, ImageView<const std::uint8_t> gray, const DetectionList& detections) {
  if (!levels_.empty()) queue_windows(context, gray);  // else the counters say that there is no window
  queue_groups(context, groups_);
  queue_detections(context, groups_, pyramid_.frame, unsorted_, detections);
}

void PyramidDetector::run(Context& context, ImageView<const std::uint8_t> gray) {
  found_.clear();
  count_ = 0;
  detections_.clear();
  if (levels_.empty()) return;
  if (!context.is_dry()) {
    allocate(context);
    constexpr std::size_t most_room = 65536;
    const auto room = std::min(window_count() / windows_per_place + 1, most_room);
    make_room(context, room, room);
    make_room_for_depths();
    if (!head_.data()) head_ = PinnedBuffer<Found>(1, is_gpu(device_));
    if (!class_head_.data()) class_head_ = PinnedBuffer<Classes>(1, is_gpu(device_));
  }
  bool grouped = false;
  while (true) {
    grouped = many_ && groups_.min_neighbors > 0;
    queue_windows(context, gray);
    if (grouped) queue_grouping(context);
    context.call("windows", [&](cudaStream_t stream) {
      return cudaMemcpyAsync(head_.data(), search_.counters, sizeof(Found), cudaMemcpyDeviceToHost, stream);
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
  if (!many_ || groups_.min_neighbors <= 0) {
    fetch();
    detections_ = group_windows(found_in_frame(), groups_.min_neighbors, pyramid_.frame);
    return;
  }
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

std::vector<Window> PyramidDetector::found_in_frame() const {
  std::vector<Window> windows;
  windows.reserve(found_.size());
  for (const auto& window : found_) windows.push_back(window_in_frame(levels_[window.level], window.x, window.y));
  return windows;
}

void PyramidDetector::group_on_device() {
  const auto count = class_head_.data()->count;
  std::vector<WindowClass> classes(class_head_.data()->first, class_head_.data()->first + std::min(count, most_at_once));
  if (count > most_at_once) {
    classes.resize(count);
    check(cudaMemcpy(classes.data(), groups_.classes->classes, count * sizeof(WindowClass), cudaMemcpyDeviceToHost));
  }
  detections_ = detections_of(classes, groups_.min_neighbors, pyramid_.frame);
}

std::vector<Window> PyramidDetector::hits() {
  fetch();
  std::ranges::sort(found_, {}, [](const LevelPoint& window) {
    return std::uint64_t{window.level} << 48 | std::uint64_t{window.y} << 24 | std::uint64_t{window.x};
  });
  return found_in_frame();
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
