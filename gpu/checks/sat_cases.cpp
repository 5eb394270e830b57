#include "gpu/checks/sat_cases.h"

#include <algorithm>
#include <charconv>

namespace gpu {
namespace {

constexpr int max_square_side = 1024;
constexpr int widest_tile = 256;

std::ptrdiff_t aligned(int width) { return (static_cast<std::ptrdiff_t>(width) + 255) / 256 * 256; }

// Rows as in Image<T>.
Layout usual(Size size) { return {size, aligned(size.width), aligned(size.width)}; }
// A part of a larger image: aligned to one element only.
Layout odd(Size size) { return {size, size.width + 3, size.width + 5, 1, 1}; }

// The values of the numeric choices of an algorithm, sorted.
std::vector<int> numeric_choices(const SatAlgorithm& algorithm) {
  std::vector<int> values;
  for (const auto& parameter : algorithm.parameters)
    for (const auto word : split_choices(parameter.choices)) {
      int value = 0;
      const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
      if (error == std::errc{} && end == word.data() + word.size() && value >= 8) values.push_back(value);
    }
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

// All choices; of a range of real numbers both ends and the initial one.
std::vector<std::string> values_of(const Parameter& parameter) {
  std::vector<std::string> values;
  if (parameter.kind == Parameter::Kind::choice)
    for (const auto value : split_choices(parameter.choices)) values.emplace_back(value);
  if (parameter.kind == Parameter::Kind::real)
    values = {std::string(parameter.initial), std::to_string(parameter.minimum), std::to_string(parameter.maximum)};
  return values;
}

// The values for which a square of that side would be too large, or, without numeric choices, the steps of scans in the
// code: a row scan or a block of warps takes 256, 512 or 1024 pixels per step. Around them lines are tested, not squares.
std::vector<int> long_edges(const SatAlgorithm& algorithm) {
  auto values = numeric_choices(algorithm);
  if (values.empty()) return {256, 512, 1024};
  std::erase_if(values, [](int value) { return value <= max_square_side; });
  return values;
}

}  // namespace

std::string Content::text() const {
  constexpr const char* names[] = {"ones", "ramp", "random", "all max", "impulse", "positive"};
  std::string result = names[static_cast<int>(kind)];
  if (kind == Kind::impulse) result += " at (" + std::to_string(x) + ", " + std::to_string(y) + ")";
  return result;
}

std::string Layout::text() const {
  return std::to_string(size.width) + "x" + std::to_string(size.height) + ", strides " + std::to_string(image_stride) +
         " and " + std::to_string(table_stride) + ", offsets " + std::to_string(image_offset) + " and " +
         std::to_string(table_offset);
}

std::vector<int> edges(const SatAlgorithm& algorithm) {
  auto values = numeric_choices(algorithm);
  std::erase_if(values, [](int value) { return value > max_square_side; });
  if (values.empty()) values = {32, 128};  // a warp, and the usual tile of the papers
  return values;
}

std::vector<Arguments> all_arguments(const SatAlgorithm& algorithm) {
  std::vector<Arguments> all{Arguments(algorithm.parameters)};
  for (const auto& parameter : algorithm.parameters) {
    const auto values = values_of(parameter);
    if (values.empty()) continue;
    std::vector<Arguments> more;
    for (const auto& value : values)
      for (auto arguments : all) {
        arguments.set(parameter.name, value);
        more.push_back(std::move(arguments));
      }
    all = std::move(more);
  }
  return all;
}

std::string text(const Arguments& arguments) {
  std::string text;
  for (const auto& parameter : arguments.parameters())
    text += " " + std::string(parameter.name) + "=" + arguments.text(parameter.name);
  return text;
}

std::vector<Layout> layouts(const SatAlgorithm& algorithm, std::size_t most_pixels) {
  std::vector<Layout> all = {usual({1, 1}), odd({1, 1}), usual({1, 4001}), usual({4001, 1}), odd({1, 257}), odd({257, 1})};
  for (const int w : edges(algorithm)) {
    for (const int side : {w - 1, w, w + 1, 2 * w + 1}) all.push_back(usual({side, side}));
    all.push_back(odd({2 * w + 1, w - 1}));
    all.push_back(odd({w, 3 * w}));
  }
  for (const int w : long_edges(algorithm))
    for (const int length : {w - 1, w, w + 1, 2 * w + 1}) {
      all.push_back(usual({length, 5}));
      all.push_back(odd({7, length}));
    }
  all.push_back({{311, 239}, 320, 320});
  all.push_back(odd({311, 239}));
  all.push_back(usual({1000, 1021}));
  all.push_back({{1920, 1080}, 1920, 1920});
  all.push_back(usual({16400, 33}));
  all.push_back(usual({33, 16400}));
  all.push_back(usual({4112, 4112}));
  std::erase_if(all, [&](const Layout& layout) { return layout.size.pixels() > most_pixels; });
  return all;
}

std::vector<Layout> aligned_layouts(SatType type, Size size) {
  struct Rows {
    std::ptrdiff_t stride;
    int offset;
  };
  const auto rows = [size](ElementType of, int alignment, bool by_offset) {
    const auto element = static_cast<int>(size_of(of)), bytes = (size.width * element + 31) / 32 * 32;
    return by_offset ? Rows{bytes / element, alignment % 16 / element} : Rows{(bytes + alignment) / element, 0};
  };
  std::vector<Layout> all;
  for (const int of_image : {1, 2, 4, 8, 16})
    for (const int of_table : {4, 8, 16}) {
      const auto& [input, sum] = std::pair(info(type).input, info(type).sum);
      if (of_image < static_cast<int>(size_of(input)) || of_table < static_cast<int>(size_of(sum))) continue;
      const bool by_offset = all.size() % 2 != 0;
      const auto image = rows(input, of_image, by_offset), table = rows(sum, of_table, !by_offset);
      all.push_back({size, image.stride, table.stride, image.offset, table.offset});
    }
  return all;
}

std::vector<Layout> reduced_layouts(const SatAlgorithm& algorithm) {
  std::vector<Layout> all = {odd({1, 1}), {{311, 239}, 320, 320}};
  for (const int w : edges(algorithm)) {
    if (w > widest_tile) continue;
    all.push_back(odd({w + 1, 2 * w + 1}));
    all.push_back(usual({2 * w, w}));
  }
  return all;
}

namespace {

// So many bytes that their local sums are added by dot products (visit_dot_products() of tile_sums.cuh).
bool adds_dot_products(const SatTestCase& test) {
  return test.type == SatType::u8_u32 && (test.algorithm->name == "2r1w" || test.algorithm->name == "1_plus_r_r1w");
}
constexpr Size many_bytes{3500, 3433};

}  // namespace

bool has_long_layouts(const SatAlgorithm& algorithm) {
  return numeric_choices(algorithm).empty() || edges(algorithm).back() > widest_tile;
}

// Algorithms without numeric choices get sizes past tall_image (tuning.h) in both directions, so that every scan of rows and
// columns takes a second and a third step.
std::vector<Layout> reduced_long_layouts(const SatTestCase& test) {
  if (adds_dot_products(test)) return {odd(many_bytes)};
  const bool one_per_length = test.type == SatType::u8_u32 || test.type == SatType::f64_f64;
  if (!has_long_layouts(*test.algorithm) || !one_per_length) return {};
  if (numeric_choices(*test.algorithm).empty()) return {odd({69, 6401}), odd({6401, 69})};
  const int w = edges(*test.algorithm).back(), few = 5;  // more than two steps of each smaller choice, too
  return {odd({2 * w + 1, few}), odd({few, w + 1}), usual({few, 2 * w})};
}

std::vector<Content> contents(const SatAlgorithm& algorithm, Size size) {
  using Kind = Content::Kind;
  std::vector<Content> all = {{Kind::random}, {Kind::all_max}, {Kind::ones}, {Kind::ramp}};
  std::vector<std::pair<int, int>> places;
  const auto place = [&](int x, int y) {
    places.emplace_back(std::clamp(x, 0, size.width - 1), std::clamp(y, 0, size.height - 1));
  };
  // Every corner; both sides of the edges of the first tiles, and of the last tile. Host algorithms have no tiles, and
  // get only the corners of large images.
  const bool tiles = algorithm.device == Device::cuda || size.pixels() <= 300'000;
  for (const int x : {0, size.width})
    for (const int y : {0, size.height}) place(x, y);
  for (const int w : tiles ? edges(algorithm) : std::vector<int>{}) {
    for (const int x : {w - 1, w})
      for (const int y : {w - 1, w}) place(x, y);
    const int last_x = (size.width - 1) / w * w, last_y = (size.height - 1) / w * w;
    place(last_x, last_y);
    place(last_x - 1, last_y - 1);
  }
  for (const int w : long_edges(algorithm)) place(w, w);
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  for (const auto& [x, y] : places) all.push_back({Kind::impulse, x, y});
  return all;
}

std::vector<Layout> thin_layouts(const SatAlgorithm& algorithm) {
  constexpr int longest = 3'000'000;
  return {{{1, std::min(longest, algorithm.most_rows)}, 1, 1}, {{longest, 1}, longest, longest}};
}

std::vector<SatTestCase> sat_test_cases(Device device) {
  std::vector<SatTestCase> all;
  for (const auto* algorithm : sat_algorithms())
    if (algorithm->device == device)
      for (const auto type : algorithm->types) all.push_back({algorithm, type});
  return all;
}

std::vector<SatTestCase> sat_test_cases(Device device, std::initializer_list<SatType> types) {
  auto all = sat_test_cases(device);
  std::erase_if(all,
                [&](const SatTestCase& test) { return std::find(types.begin(), types.end(), test.type) == types.end(); });
  return all;
}

std::set<const void*> kernels(const SatTestCase& test, const std::vector<Layout>& layouts, std::size_t shared_bytes) {
  const auto nowhere = [](Size size, ElementType type, std::ptrdiff_t stride, int offset) {
    const auto first = (std::uintptr_t{1} << 20) + static_cast<std::uintptr_t>(offset) * size_of(type);
    return AnyImageView(reinterpret_cast<void*>(first), size.width, size.height, stride, type);
  };
  std::set<const void*> kernels;
  for (const auto& [size, image_stride, table_stride, image_offset, table_offset] : layouts)
    for (const auto& arguments : all_arguments(*test.algorithm)) {
      auto context = Context::dry(test.algorithm->device, 0, GpuLimits{.shared_bytes = shared_bytes});
      compute_sat(context, *test.algorithm, nowhere(size, info(test.type).input, image_stride, image_offset),
                  nowhere(size, info(test.type).sum, table_stride, table_offset), arguments);
      for (const auto& record : context.launches())
        if (record.kind == LaunchRecord::Kind::kernel) kernels.insert(record.kernel);
    }
  return kernels;
}

std::string name(const SatTestCase& test) {
  return std::string(test.algorithm->name) + "_" + std::string(info(test.type).name);
}

}  // namespace gpu
