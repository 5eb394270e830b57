#include "gpu/vision/evaluation.h"

#include <algorithm>
#include <cmath>

#include "gpu/choice/fastest_algorithm.h"

namespace gpu::vision {
namespace {

// The corners of an upright rectangle in a table, from the entry of its window's corner on.
std::uint32_t box(const std::uint32_t* table, std::ptrdiff_t stride, int x, int y, int width, int height) {
  const auto* top = table + y * stride + x;
  const auto* bottom = top + height * stride;
  return top[0] - top[width] - bottom[0] + bottom[width];
}

std::uint32_t tilted_box(const std::uint32_t* table, std::ptrdiff_t stride, const WeightedRectangle& r) {
  const auto* top = table + r.y * stride + r.x;
  const auto *left = top + r.height * (stride - 1), *right = top + r.width * (stride + 1);
  return top[0] - left[0] - right[0] + right[r.height * (stride - 1)];
}

}  // namespace

void LevelTables::make_room(Size size) {
  stride_ = size.width + 1;
  const auto entries = static_cast<std::size_t>(stride_) * static_cast<std::size_t>(size.height + 1);
  sums_.resize(entries);
  squares_.resize(entries);
  std::fill_n(sums_.begin(), stride_, 0);
  std::fill_n(squares_.begin(), stride_, 0);
}

void LevelTables::compute(ImageView<const std::uint8_t> pixels, bool with_tilted) {
  make_room(pixels.size());
  for (int y = 0; y < pixels.height; ++y) {
    const auto* row = pixels.row(y);
    auto* sums = sums_.data() + (y + 1) * stride_;
    auto* squares = squares_.data() + (y + 1) * stride_;
    std::uint32_t sum = 0, sum_of_squares = 0;
    sums[0] = squares[0] = 0;
    for (int x = 0; x < pixels.width; ++x) {
      sum += row[x];
      sum_of_squares += std::uint32_t{row[x]} * row[x];
      sums[x + 1] = sums[x + 1 - stride_] + sum;
      squares[x + 1] = squares[x + 1 - stride_] + sum_of_squares;
    }
  }
  if (with_tilted) compute_tilted(pixels);
}

void LevelTables::compute(Context& host, const SatAlgorithm& algorithm, const Arguments& arguments,
                          ImageView<const std::uint8_t> pixels, bool with_tilted) {
  const auto [width, height] = pixels.size();
  if (!host.is_dry()) make_room(pixels.size());
  const Context::ScratchScope scope(host);
  const auto sums = host.scratch_image<std::uint32_t>(pixels.size());
  const auto squares = host.scratch_image<std::uint64_t>(pixels.size());
  compute_sat(host, algorithm, pixels, AnyImageView(sums), arguments);
  const auto& by = table_algorithm(algorithm, SatType::u8_u64, height, host.device());
  compute_sat(host, by, pixels, AnyImageView(squares), &by == &algorithm ? arguments : Arguments(by.parameters));
  constexpr int bands = 16;
  host.parallel("tables of a level", bands, [&](int band) {
    for (int y = height * band / bands; y < height * (band + 1) / bands; ++y) {
      auto* const row_of_sums = sums_.data() + (y + 1) * stride_;
      auto* const row_of_squares = squares_.data() + (y + 1) * stride_;
      row_of_sums[0] = row_of_squares[0] = 0;
      std::copy_n(sums.row(y), width, row_of_sums + 1);
      std::transform(squares.row(y), squares.row(y) + width, row_of_squares + 1,
                     [](std::uint64_t entry) { return static_cast<std::uint32_t>(entry); });
    }
  });
  if (with_tilted) host.parallel("tilted", 1, [&](int) { compute_tilted(pixels); });
}

// The triangle of (x, y) is those of (x - 1, y - 1) and (x + 1, y - 1), less that of (x, y - 2), which both contain, plus the two
// pixels that neither does. Outside the image entry (0, y) equals (1, y - 1), and (width + 1, y) equals (width, y - 1).
void LevelTables::compute_tilted(ImageView<const std::uint8_t> pixels) {
  const int width = pixels.width;
  tilted_.resize(sums_.size());
  std::fill_n(tilted_.begin(), stride_, 0);
  for (int y = 1; y <= pixels.height; ++y) {
    auto* row = tilted_.data() + y * stride_;
    const auto* above = row - stride_;
    const auto* pixel = pixels.row(y - 1);
    if (y == 1) {
      row[0] = 0;
      for (int x = 1; x <= width; ++x) row[x] = pixel[x - 1];
      continue;
    }
    const auto* two_above = above - stride_;
    const auto* pixel_above = pixels.row(y - 2);
    row[0] = above[1];
    for (int x = 1; x < width; ++x) row[x] = above[x - 1] + above[x + 1] - two_above[x] + pixel[x - 1] + pixel_above[x - 1];
    row[width] = above[width - 1] + pixel[width - 1] + pixel_above[width - 1];
  }
}

std::optional<float> factor_of(int area, std::uint32_t sum, std::uint32_t sum_of_squares) {
  const double deviation = static_cast<double>(area) * sum_of_squares - static_cast<double>(sum) * sum;
  if (!(deviation > 0)) return {};
  const auto factor = static_cast<float>(1. / std::sqrt(deviation));
  if (!(area * factor < 1e-1)) return {};
  return factor;
}

WindowEvaluation::WindowEvaluation(const Cascade& cascade, const LevelTables& tables, int x, int y)
    : cascade_(cascade), tables_(tables), x_(x), y_(y) {
  const int width = cascade.window.width - 2, height = cascade.window.height - 2;
  const auto stride = tables.stride();
  factor_ = factor_of(width * height, box(tables.sums(x, y), stride, 1, 1, width, height),
                      box(tables.squares(x, y), stride, 1, 1, width, height));
}

float WindowEvaluation::value(const CascadeFeature& feature) const {
  float total = 0;
  for (const auto& r : feature.rectangles) {
    const auto sum = feature.tilted ? tilted_box(tables_.tilted(x_, y_), tables_.stride(), r)
                                    : box(tables_.sums(x_, y_), tables_.stride(), r.x, r.y, r.width, r.height);
    total += r.weight * static_cast<float>(static_cast<std::int32_t>(sum));
  }
  return total * *factor_;
}

int WindowEvaluation::leaf(const CascadeTree& tree) const {
  int at = 0;
  do {
    const auto& node = tree.nodes[static_cast<std::size_t>(at)];
    at = value(cascade_.features[static_cast<std::size_t>(node.feature)]) < node.threshold ? node.left : node.right;
  } while (at > 0);
  return -at;
}

double WindowEvaluation::sum(const CascadeStage& stage) const {
  double total = 0;
  for (const auto& tree : stage.trees) total += sum(tree);
  return total;
}

std::uint8_t WindowEvaluation::depth() const {
  if (!factor_) return refused_depth;
  std::uint8_t passed = 0;
  for (const auto& stage : cascade_.stages) {
    if (!passes(stage)) break;
    ++passed;
  }
  return passed;
}

}  // namespace gpu::vision
