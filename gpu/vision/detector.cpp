#include "gpu/vision/detector.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>

#include "gpu/execution/driver.h"
#include "gpu/vision/device_detector.h"
#include "gpu/vision/host_tile.h"
#include "gpu/vision/integer_cascade.h"

namespace gpu::vision {
namespace {

struct LevelPlan {
  std::vector<Blend> columns, rows;
  std::vector<std::uint32_t> failed;  // as HostTile::failed, of all windows
  std::ptrdiff_t failed_stride = 0;
  std::vector<std::uint8_t> depths;
  std::vector<std::uint8_t> pixels;  // of the whole level, for global tables
};

// The windows of a level from a column and a row on. Columns are multiples of 32, so that no two tiles share a word of
// LevelPlan::failed.
struct TilePlan {
  int level, column, row;
  Size size;
};

std::vector<TilePlan> tiles_of(std::span<const Level> levels) {
  std::vector<TilePlan> tiles;
  for (int l = 0; l < static_cast<int>(levels.size()); ++l) {
    const auto& level = levels[static_cast<std::size_t>(l)];
    const int across = HostProgram::tile_side_across / level.step, down = HostProgram::tile_side_down / level.step;
    for (int row = 0; row < level.down; row += down)
      for (int column = 0; column < level.across; column += across)
        tiles.push_back({l, column, row, {std::min(across, level.across - column), std::min(down, level.down - row)}});
  }
  return tiles;
}

constexpr int bands = 16;  // of rows of a level's picture, which threads take

const HostCode& host_code_named(std::string_view name, const IntegerCascade& integers) {
  const auto codes = host_codes_here();
  if (!name.empty() && std::ranges::none_of(codes, [&](const HostCode* code) { return code->name == name; }))
    throw std::invalid_argument("this processor cannot evaluate cascades with the host code '" + std::string(name) + "'");
  if (!integers.exact) return *codes.front();
  return name.empty() ? *codes.back() : **std::ranges::find(codes, name, [](const HostCode* code) { return code->name; });
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

// The pixels of a tile's windows.
ImageView<const std::uint8_t> level_pixels(ImageView<const std::uint8_t> frame, const LevelPlan& plan, const Level& level,
                                           const TilePlan& tile, Size window, std::vector<std::uint8_t>& memory) {
  const int step = level.step, width = (tile.size.width - 1) * step + window.width,
            height = (tile.size.height - 1) * step + window.height;
  const int stride = HostProgram::padded_width(window);
  memory.resize(std::max(memory.size(), Size{stride, height}.pixels()));
  const auto part = [](std::span<const Blend> blends, int first, int count) {
    return blends.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
  };
  const ImageView<std::uint8_t> pixels{memory.data(), width, height, stride};
  resize_rows(frame, part(plan.columns, tile.column * step, width), part(plan.rows, tile.row * step, height), pixels);
  return pixels;
}

bool is_visited(const LevelPlan& plan, const HostHit& window) {
  const auto* row = plan.failed.data() + window.row * plan.failed_stride;
  return vision::is_visited(rejections_before(window.column, [row](int i) { return (row[i / 32] >> i % 32 & 1) != 0; }));
}

}  // namespace

struct Detector::Parts {
  Parts(SharedCascade given, const DetectorOptions& given_options, Size given_frame)
      : prepared(std::move(given)),
        cascade(prepared->cascade()),
        options(given_options),
        frame(given_frame),
        levels(levels_of(given_frame, cascade.window, given_options.levels)),
        code(&host_code_named(given_options.host_code, prepared->integers())),
        tiles(tiles_of(levels)),
        found(tiles.size()) {
    options.host_code = code->name;
    for (const auto& level : levels) {
      LevelPlan plan{blends_of(frame.width, level.size.width),
                     blends_of(frame.height, level.size.height),
                     {},
                     (level.across + 31) / 32,
                     {},
                     {}};
      plans.push_back(std::move(plan));
    }
  }

  void check_size(ImageView<const std::uint8_t> gray) const;
  std::shared_ptr<const DeviceCascade> packed_for(const Context& context) const;
  void make_room();
  HostTile windows_of(const TilePlan& tile);
  void search(int number, ImageView<const std::uint8_t> gray);
  void search_by_global_tables(Context& context, ImageView<const std::uint8_t> gray);
  void collect();
  DeviceDetector& detector_on(const Context& context);
  void search_on_device(Context& context, ImageView<const std::uint8_t> gray);

  SharedCascade prepared;
  const Cascade& cascade;
  DetectorOptions options;
  Size frame;
  std::vector<Level> levels;
  const HostCode* code;
  std::vector<LevelPlan> plans;  // of each level
  std::vector<TilePlan> tiles;
  std::vector<std::vector<HostHit>> found;  // in each tile; columns and rows are the level's
  MemoryPool memories;
  LevelTables tables;  // of one level after the other, if they are global
  const SatAlgorithm* tables_by = nullptr;
  Arguments tables_arguments;
  std::vector<Window> hits;
  std::vector<Detection> detections;
  // On the device of the latest context that was not the host's.
  std::unique_ptr<DeviceDetector> on_device;
  Device device = Device::host;
  const simulated::Driver* driver = nullptr;
  bool hits_on_device = false;  // those of the last run, not fetched yet
};

// The tile without its pixels.
HostTile Detector::Parts::windows_of(const TilePlan& tile) {
  const auto& level = levels[static_cast<std::size_t>(tile.level)];
  auto& plan = plans[static_cast<std::size_t>(tile.level)];
  HostTile here;
  here.step = level.step;
  here.size = tile.size;
  here.failed = plan.failed.data() + tile.row * plan.failed_stride + tile.column / 32;
  here.failed_stride = plan.failed_stride;
  if (options.depths)
    here.depths = {plan.depths.data() + std::ptrdiff_t{tile.row} * level.across + tile.column, tile.size.width,
                   tile.size.height, level.across};
  return here;
}

// `gray`: without data where the level's global tables are there.
void Detector::Parts::search(int number, ImageView<const std::uint8_t> gray) {
  const auto& tile = tiles[static_cast<std::size_t>(number)];
  const auto& level = levels[static_cast<std::size_t>(tile.level)];
  auto memory = memories.take();
  auto here = windows_of(tile);
  if (gray.data) {
    here.pixels = level_pixels(gray, plans[static_cast<std::size_t>(tile.level)], level, tile, cascade.window,
                               memory->pixels);
  } else {
    here.tables = &tables;
    here.x = tile.column * level.step;
    here.y = tile.row * level.step;
    here.pixels.width = (tile.size.width - 1) * level.step + cascade.window.width;
    here.pixels.height = (tile.size.height - 1) * level.step + cascade.window.height;
  }
  search_tile(*code, *prepared, here, *memory);
  auto& hits_here = found[static_cast<std::size_t>(number)];
  hits_here.clear();
  for (const auto& [column, row] : memory->hits) hits_here.push_back({tile.column + column, tile.row + row});
  memories.give_back(std::move(memory));
}

// As on a GPU (gpu/vision/global_search.cu): the pyramid, then the tables of each level, and its windows.
void Detector::Parts::search_by_global_tables(Context& context, ImageView<const std::uint8_t> gray) {
  const auto& algorithm = tables_by ? *tables_by : *find_sat_algorithm("host_parallel");
  const auto arguments = tables_by ? tables_arguments : Arguments(algorithm.parameters);
  const auto picture_of = [&](std::size_t level) {
    const auto size = levels[level].size;
    return ImageView<std::uint8_t>{plans[level].pixels.data(), size.width, size.height, size.width};
  };
  context.parallel("pyramid", bands, [&](int band) {
    for (std::size_t l = 0; l < levels.size(); ++l) {
      const auto picture = picture_of(l);
      const int first = picture.height * band / bands, last = picture.height * (band + 1) / bands;
      resize_rows(gray, plans[l].columns,
                  std::span(plans[l].rows).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first)),
                  {picture.row(first), picture.width, last - first, picture.stride});
    }
  });
  context.group(
      "levels",
      [&] {
        for (int l = 0, first = 0, end = 0; l < static_cast<int>(levels.size()); ++l, first = end) {
          while (end < static_cast<int>(tiles.size()) && tiles[static_cast<std::size_t>(end)].level == l) ++end;
          tables.compute(context, algorithm, arguments, picture_of(static_cast<std::size_t>(l)), cascade.tilted);
          context.parallel("windows of a level", end - first, [&](int tile) { search(first + tile, {}); });
        }
      },
      SpanTiming::parts);
}

void Detector::Parts::collect() {
  hits.clear();
  for (std::size_t t = 0; t < tiles.size();) {
    const int number = tiles[t].level;
    const auto& level = levels[static_cast<std::size_t>(number)];
    std::vector<HostHit> of_level;
    for (; t < tiles.size() && tiles[t].level == number; ++t)
      for (const auto& hit : found[t])
        if (is_visited(plans[static_cast<std::size_t>(number)], hit)) of_level.push_back(hit);
    std::ranges::sort(of_level, {}, [](const HostHit& hit) { return std::pair(hit.row, hit.column); });
    for (const auto& [column, row] : of_level) hits.push_back(window_in_frame(level, column, row));
  }
  detections = group_windows(hits, options.min_neighbors, frame);
}

std::shared_ptr<const DeviceCascade> Detector::Parts::packed_for(const Context& context) const {
  return options.global_tables ? nullptr : prepared->packed(context.limits());
}

DeviceDetector& Detector::Parts::detector_on(const Context& context) {
  // A dry context has no driver; it changes nothing of a detector that is there.
  if (!on_device || device != context.device() || (driver != context.driver() && !context.is_dry())) {
    on_device = make_device_detector(context,
                                     {prepared, packed_for(context), levels, frame, options.min_neighbors, options.depths});
    if (tables_by) on_device->compute_tables_by(*tables_by, tables_arguments);
    device = context.device(), driver = context.driver();
  }
  on_device->ask_for(options.min_neighbors, options.depths);
  return *on_device;
}

void Detector::Parts::search_on_device(Context& context, ImageView<const std::uint8_t> gray) {
  detector_on(context).run(context, gray);
  if (context.is_dry()) return;
  detections = on_device->detections();
  hits_on_device = true;
  if (options.depths)
    for (std::size_t level = 0; level < plans.size(); ++level)
      plans[level].depths = on_device->depths(static_cast<int>(level));
}

std::vector<std::string_view> host_codes() {
  std::vector<std::string_view> names;
  for (const HostCode* code : host_codes_here()) names.push_back(code->name);
  return names;
}

Detector::Detector(SharedCascade cascade, const DetectorOptions& options, Size frame)
    : parts_(std::make_unique<Parts>(std::move(cascade), options, frame)) {}
Detector::~Detector() = default;
Detector::Detector(Detector&&) noexcept = default;
Detector& Detector::operator=(Detector&&) noexcept = default;

const SharedCascade& Detector::shared_cascade() const { return parts_->prepared; }
const DetectorOptions& Detector::options() const { return parts_->options; }
Size Detector::frame() const { return parts_->frame; }
std::span<const Level> Detector::levels() const { return parts_->levels; }
std::span<const Window> Detector::hits() const {
  if (parts_->hits_on_device) parts_->hits = parts_->on_device->hits();
  parts_->hits_on_device = false;
  return parts_->hits;
}
std::span<const Detection> Detector::detections() const { return parts_->detections; }

void Detector::Parts::check_size(ImageView<const std::uint8_t> gray) const {
  if (gray.size() != frame)
    throw std::invalid_argument("a detector for frames of " + std::to_string(frame.width) + "x" +
                                std::to_string(frame.height) + " got one of " + std::to_string(gray.width) + "x" +
                                std::to_string(gray.height));
}

void Detector::group_by(int min_neighbors) { parts_->options.min_neighbors = min_neighbors; }
void Detector::want_depths(bool wanted) { parts_->options.depths = wanted; }

void Detector::compute_tables_by(const SatAlgorithm& algorithm, const Arguments& arguments) {
  parts_->tables_by = &algorithm;
  parts_->tables_arguments = arguments;
  if (parts_->on_device) parts_->on_device->compute_tables_by(algorithm, arguments);
}

// What the host writes: not for dry contexts and devices, because of large frames it is gigabytes.
void Detector::Parts::make_room() {
  for (std::size_t l = 0; l < plans.size(); ++l) {
    const auto& level = levels[l];
    auto& plan = plans[l];
    plan.failed.resize(static_cast<std::size_t>(plan.failed_stride) * static_cast<std::size_t>(level.down));
    if (options.depths) plan.depths.resize(Size{level.across, level.down}.pixels());
    if (options.global_tables) plan.pixels.resize(level.size.pixels());
  }
}

void Detector::run(Context& context, ImageView<const std::uint8_t> gray) {
  parts_->check_size(gray);
  parts_->hits.clear();
  parts_->detections.clear();
  parts_->hits_on_device = false;
  if (context.device() != Device::host) return parts_->search_on_device(context, gray);
  if (!context.is_dry()) parts_->make_room();
  for (auto& hits : parts_->found) hits.clear();
  if (parts_->options.global_tables)
    parts_->search_by_global_tables(context, gray);
  else
    context.parallel("detect", static_cast<int>(parts_->tiles.size()), [&](int tile) { parts_->search(tile, gray); });
  parts_->collect();
}

void Detector::reserve(Context& context) {
  if (context.device() == Device::host && parts_->code->search) parts_->prepared->programs();
  if (context.device() != Device::host) parts_->packed_for(context);
  if (context.is_dry()) return;
  context.device() == Device::host ? parts_->make_room() : parts_->detector_on(context).reserve(context);
}

void Detector::queue(Context& context, ImageView<const std::uint8_t> gray, const DetectionList& list) {
  if (context.device() != Device::host) {
    parts_->check_size(gray);
    return parts_->detector_on(context).queue(context, gray, list);
  }
  run(context, gray);
  if (context.is_dry()) return;
  const auto found = detections();
  *list.count = static_cast<int>(found.size());
  std::copy_n(found.begin(), std::min(found.size(), static_cast<std::size_t>(list.capacity)), list.items);
}

ImageView<const std::uint8_t> Detector::depths(int level) const {
  const auto& [factor, size, step, across, down, window] = parts_->levels[static_cast<std::size_t>(level)];
  const auto& depths = parts_->plans[static_cast<std::size_t>(level)].depths;
  if (depths.empty() || !parts_->options.depths) return {};
  return {depths.data(), across, down, across};
}

ImageView<const std::uint8_t> Detector::queued_depths(const Context& context, int level) const {
  if (!parts_->options.depths) return {};
  const auto at = static_cast<std::size_t>(level);
  const std::uint8_t* const data = context.is_dry()                   ? nullptr
                                   : context.device() == Device::host ? parts_->plans[at].depths.data()
                                                                      : parts_->on_device->queued_depths(level);
  const auto& [factor, size, step, across, down, window] = parts_->levels[at];
  return {data, across, down, across};
}

}  // namespace gpu::vision
