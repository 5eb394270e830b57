#include "gpu/vision/evaluation.h"

#include <algorithm>

#include "gpu/choice/fastest_algorithm.h"

namespace gpu::vision {

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

WrittenCascadeLists::WrittenCascadeLists(const Cascade& cascade) : window(cascade.window), has_tilted(cascade.tilted) {
  for (const auto& feature : cascade.features) {
    WrittenFeature written{static_cast<int>(feature.rectangles.size()), feature.tilted, {}};
    std::ranges::copy(feature.rectangles, written.rectangle);
    features.push_back(written);
  }
  for (const auto& stage : cascade.stages) {
    stages.push_back({static_cast<int>(trees.size()), static_cast<int>(stage.trees.size()), stage.threshold});
    for (const auto& tree : stage.trees) {
      trees.push_back({static_cast<int>(nodes.size()), static_cast<int>(leaves.size())});
      nodes.insert(nodes.end(), tree.nodes.begin(), tree.nodes.end());
      leaves.insert(leaves.end(), tree.leaves.begin(), tree.leaves.end());
      code_sets.insert(code_sets.end(), tree.code_sets.begin(), tree.code_sets.end());
    }
  }
}

WrittenCascade WrittenCascadeLists::view() const {
  return {window,          has_tilted,    static_cast<int>(stages.size()),
          features.data(), nodes.data(),  leaves.data(),
          trees.data(),    stages.data(), code_sets.empty() ? nullptr : code_sets.data()};
}

}  // namespace gpu::vision
