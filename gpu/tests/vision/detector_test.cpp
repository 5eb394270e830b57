// The detector against windows evaluated one by one, each from its own pixels alone; every way to evaluate on the host alike.
// (Against OpenCV: app/tests/vision/.)
#include "gpu/vision/detector.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

#include "gpu/execution/thread_pool.h"
#include "gpu/tests/vision/cascade_writer.h"
#include "gpu/tests/vision/random_cascade.h"

namespace gpu::vision {
namespace {

struct Frame {
  Size size;
  std::vector<std::uint8_t> pixels;
  ImageView<const std::uint8_t> view() const { return {pixels.data(), size.width, size.height, size.width}; }
};

// Noise of a few levels beside flat pixels, which have no deviation.
Frame noisy(Size size, unsigned seed) {
  Frame frame{size, std::vector<std::uint8_t>(size.pixels())};
  std::mt19937 random(seed);
  for (std::size_t i = 0; i < frame.pixels.size(); ++i)
    frame.pixels[i] = static_cast<std::uint8_t>(i % static_cast<std::size_t>(size.width) < 12 ? 77 : random() % 4 * 60);
  return frame;
}

struct Expected {
  std::vector<Window> hits;
  std::vector<std::vector<std::uint8_t>> depths;
};

Expected one_by_one(const Cascade& cascade, const LevelOptions& options, const Frame& frame) {
  Expected expected;
  const auto [width, height] = cascade.window;
  const WrittenCascadeLists lists(cascade);
  const auto written = lists.view();
  for (const auto& level : levels_of(frame.size, cascade.window, options)) {
    std::vector<std::uint8_t> pixels(level.size.pixels());
    const ImageView<std::uint8_t> picture{pixels.data(), level.size.width, level.size.height, level.size.width};
    resize_rows(frame.view(), blends_of(frame.size.width, level.size.width), blends_of(frame.size.height, level.size.height),
                picture);
    auto& depths = expected.depths.emplace_back();
    for (int j = 0; j < level.down; ++j) {
      int run = 0;  // of windows to the left that fail at the first stage: every second one is not visited
      for (int i = 0; i < level.across; ++i) {
        const int x = i * level.step, y = j * level.step;
        const LevelTables tables({picture.row(y) + x, width, height, picture.stride}, cascade.tilted);
        depths.push_back(WindowEvaluation(written, tables, 0, 0).depth());
        const auto in_frame = [&](int at) { return static_cast<int>(std::lrint(static_cast<float>(at) * level.factor)); };
        if (depths.back() == cascade.stages.size() && run % 2 == 0)
          expected.hits.push_back({in_frame(x), in_frame(y), level.window.width, level.window.height});
        run = depths.back() == 0 ? run + 1 : 0;
      }
    }
  }
  return expected;
}

void expect_found(const Cascade& cascade, DetectorOptions options, const Frame& frame, int threads) {
  const auto expected = one_by_one(cascade, options.levels, frame);
  const auto grouped = group_windows(expected.hits, options.min_neighbors, frame.size);
  ThreadPool pool(threads);
  auto context = Context::on_host(pool, {});
  for (const auto code : host_codes())
    for (const bool depths : {true, false}) {
      options.host_code = code;
      options.depths = depths;
      Detector detector(cascade, options, frame.size);
      for (int run = 0; run < 2; ++run) {
        detector.run(context, frame.view());
        ASSERT_EQ(std::vector(detector.hits().begin(), detector.hits().end()), expected.hits) << code;
        ASSERT_EQ(std::vector(detector.detections().begin(), detector.detections().end()), grouped) << code;
      }
      for (std::size_t l = 0; l < detector.levels().size(); ++l) {
        const auto view = detector.depths(static_cast<int>(l));
        ASSERT_EQ(view.data != nullptr, depths);
        if (!depths) continue;
        ASSERT_EQ(view.size(), (Size{detector.levels()[l].across, detector.levels()[l].down}));
        ASSERT_EQ(std::vector(view.data, view.data + view.size().pixels()), expected.depths[l]) << code << ", level " << l;
      }
    }
}

// The same by tables of whole levels.
void expect_found_by_global_tables(const Cascade& cascade, DetectorOptions options, const Frame& frame) {
  options.depths = true;
  const auto expected = one_by_one(cascade, options.levels, frame);
  options.global_tables = true;
  constexpr int threads = 3;
  std::vector<std::pair<std::string_view, std::string_view>> ways{{"", ""}, {"", "host_serial"}};
  for (const auto code : host_codes()) ways.emplace_back(code, "host_parallel");
  for (const auto& [code, name] : ways) {
    options.host_code = code;
    Detector detector(cascade, options, frame.size);
    if (const auto* algorithm = find_sat_algorithm(name))
      detector.compute_tables_by(*algorithm, Arguments(algorithm->parameters));
    auto dry = Context::dry(Device::host, threads);
    detector.run(dry, frame.view());
    const Buffer<std::byte> workspace(dry.workspace_bytes(), Device::host);
    ThreadPool pool(threads);
    auto context = Context::on_host(pool, workspace.span());
    detector.run(context, frame.view());
    ASSERT_EQ(std::vector(detector.hits().begin(), detector.hits().end()), expected.hits) << code << name;
    for (std::size_t l = 0; l < detector.levels().size(); ++l) {
      const auto view = detector.depths(static_cast<int>(l));
      ASSERT_EQ(std::vector(view.data, view.data + view.size().pixels()), expected.depths[l])
          << code << name << ", level " << l;
    }
  }
}

// Frames that reject other windows, one after another: what is found in each is what a new detector finds.
TEST(DetectorTest, NothingIsLeftOfTheFrameBefore) {
  const auto cascade = std::make_shared<const PreparedCascade>(small_cascade());
  const Size size{100, 83};
  ThreadPool pool(2);
  const Frame flat{size, std::vector<std::uint8_t>(size.pixels(), 77)};
  const Frame frames[] = {noisy(size, 1), flat, noisy(size, 2), noisy(size, 3), flat, noisy(size, 1)};
  for (const bool global : {false, true})
    for (const auto code : host_codes()) {
      SCOPED_TRACE(std::string(code) + (global ? ", global tables" : ""));
      const DetectorOptions options{
          .levels = {.scale_factor = 1.2}, .min_neighbors = 1, .depths = true, .host_code = code, .global_tables = global};
      Detector kept(cascade, options, size);
      auto dry = Context::dry(Device::host, pool.threads());
      kept.run(dry, flat.view());
      const Buffer<std::byte> workspace(dry.workspace_bytes(), Device::host);
      auto context = Context::on_host(pool, workspace.span());
      std::size_t found = 0;
      for (const auto& frame : frames) {
        Detector fresh(cascade, options, size);
        fresh.run(context, frame.view());
        kept.run(context, frame.view());
        ASSERT_TRUE(std::ranges::equal(kept.hits(), fresh.hits()));
        ASSERT_TRUE(std::ranges::equal(kept.detections(), fresh.detections()));
        for (int l = 0; l < static_cast<int>(kept.levels().size()); ++l) {
          const auto now = kept.depths(l), expected = fresh.depths(l);
          ASSERT_TRUE(std::equal(now.data, now.data + now.size().pixels(), expected.data)) << "level " << l;
        }
        found += kept.hits().size();
      }
      EXPECT_GT(found, 0u);
    }
}

// Tables of one picture after another, smaller and larger ones, have nothing of those before.
TEST(DetectorTest, TablesOfALevelAreThoseOfNewOnes) {
  ThreadPool pool(2);
  const auto& algorithm = *find_sat_algorithm("host_parallel");
  LevelTables plain, global;
  unsigned seed = 0;
  for (const Size size : {Size{9, 7}, {30, 20}, {5, 33}, {1, 1}, {33, 5}, {30, 20}}) {
    const auto frame = noisy(size, ++seed);
    const LevelTables fresh(frame.view(), true);
    plain.compute(frame.view(), true);
    auto dry = Context::dry(Device::host, pool.threads());
    global.compute(dry, algorithm, Arguments(algorithm.parameters), frame.view(), true);
    const Buffer<std::byte> workspace(dry.workspace_bytes(), Device::host);
    auto context = Context::on_host(pool, workspace.span());
    global.compute(context, algorithm, Arguments(algorithm.parameters), frame.view(), true);
    for (const LevelTables* tables : {&fresh, &std::as_const(plain), &std::as_const(global)}) {
      ASSERT_EQ(tables->stride(), size.width + 1);
      std::uint32_t above = 0;
      for (int y = 0; y <= size.height; ++y)
        for (int x = 0; x <= size.width; ++x) {
          std::uint32_t sum = 0, squares = 0, tilted = 0;
          for (int j = 0; j < y; ++j)
            for (int i = 0; i < size.width; ++i) {
              const std::uint32_t pixel = frame.view()(i, j);
              if (i < x) sum += pixel, squares += pixel * pixel;
              if (std::abs(i - x + 1) <= y - j - 1) tilted += pixel;
            }
          ASSERT_EQ(tables->sum(x, y), sum) << x << ',' << y;
          ASSERT_EQ(tables->square(x, y), squares) << x << ',' << y;
          ASSERT_EQ(tables->triangle(x, y), tilted) << x << ',' << y;
          above = sum;
        }
      EXPECT_GT(above, 0u);
    }
  }
}

TEST(DetectorTest, WhatEachSearchSaysNeedsNoOtherDetector) {
  const auto cascade = std::make_shared<const PreparedCascade>(small_cascade());
  const auto frame = noisy({100, 83}, 100);
  ThreadPool pool(2);
  auto context = Context::on_host(pool, {});
  Detector detector(cascade, {.levels = {.scale_factor = 1.2}}, frame.size);
  EXPECT_EQ(&detector.cascade(), &cascade->cascade());
  const std::uint8_t* depths_at = nullptr;
  for (const auto& [neighbors, depths] : {std::pair(0, true), {1, false}, {2, true}}) {
    Detector other(cascade, {.levels = {.scale_factor = 1.2}, .min_neighbors = neighbors, .depths = depths}, frame.size);
    other.run(context, frame.view());
    detector.group_by(neighbors);
    detector.want_depths(depths);
    detector.reserve(context);
    detector.run(context, frame.view());
    EXPECT_TRUE(std::ranges::equal(detector.detections(), other.detections())) << neighbors;
    const auto here = detector.queued_depths(context, 0), there = other.depths(0);
    ASSERT_EQ(here.data != nullptr, depths);
    ASSERT_EQ(detector.depths(0).data != nullptr, depths);
    if (!depths) continue;
    EXPECT_EQ(std::exchange(depths_at, here.data), neighbors == 0 ? nullptr : here.data);
    EXPECT_TRUE(std::equal(there.data, there.data + there.size().pixels(), here.data)) << neighbors;
  }
}

// Packing takes longer than a frame has time: a thread that reads cascades does it, for all detectors.
TEST(DetectorTest, DetectorsShareThePackedCascade) {
  const auto cascade = std::make_shared<const PreparedCascade>(small_cascade());
  const GpuLimits limits{.shared_bytes = 163 * 1024}, other{.shared_bytes = 64 * 1024};
  auto dry = Context::dry(Device::cuda, 0, limits);
  const ImageView<const std::uint8_t> gray{nullptr, 100, 83, 100};
  std::vector<Detector> detectors;
  for (const double factor : {1.1, 1.2}) {
    detectors.emplace_back(cascade, DetectorOptions{.levels = {.scale_factor = factor}}, gray.size());
    detectors.back().reserve(dry);
    detectors.back().run(dry, gray);
  }
  const auto packed = cascade->packed(limits);
  ASSERT_TRUE(packed);
  EXPECT_EQ(packed.use_count(), 4) << "the cascade, two detectors, and this";
  EXPECT_EQ(packed->tile_words[0], pack(cascade->integers(), limits.shared_bytes)->tile_words[0]);
  EXPECT_LT(cascade->packed(other)->shape.rows[0], packed->shape.rows[0]) << "of a GPU with less shared memory";
  auto fractional = small_cascade();
  fractional.features[0].rectangles[1].weight = 2.75f;
  EXPECT_FALSE(PreparedCascade(fractional).packed(limits)) << "not exact in integers";
}

TEST(DetectorTest, FindsWhatWindowsOneByOneGive) {
  Cascade upright = small_cascade();
  upright.tilted = false;
  upright.features[2].tilted = false;
  upright.features[2].rectangles = {{4, 0, 2, 2, -1}, {4, 0, 1, 2, 2}};
  for (const auto& cascade : {small_cascade(), upright}) {
    std::size_t hits = 0;
    for (const Size size : {Size{8, 6}, Size{9, 7}, Size{61, 6}, Size{100, 83}, Size{140, 37}}) {
      const auto frame = noisy(size, static_cast<unsigned>(size.width));
      expect_found(cascade, {.levels = {.scale_factor = 1.2}, .min_neighbors = 1}, frame, 2);
      expect_found_by_global_tables(cascade, {.levels = {.scale_factor = 1.2}}, frame);
      hits += one_by_one(cascade, {}, frame).hits.size();
    }
    EXPECT_GT(hits, 100u) << "the test finds too little to show anything";
    expect_found_by_global_tables(cascade, {.levels = {.scale_factor = 1.9}}, noisy({530, 340}, 1));  // more than a tile
  }
}

// Stumps and trees of two, three and more nodes on features of every kind. Leaves and thresholds of stages are the floats nearest
// to multiples of 0.1, so that many sums differ from the threshold in their last bits only, which only exact ones tell.
Cascade cascade_of_every_kind(unsigned seed) {
  std::mt19937 random(seed);
  Cascade cascade;
  cascade.window = {24, 24};
  cascade.tilted = true;
  cascade.features = features_of_every_kind();
  const std::vector<std::vector<std::pair<int, int>>> shapes = {// the children of each node
                                                                {{0, -1}},
                                                                {{0, 1}, {-1, -2}},
                                                                {{1, 0}, {-1, -2}},
                                                                {{1, 2}, {0, -1}, {-2, -3}},
                                                                {{1, 0}, {2, -1}, {-2, 3}, {-3, -4}}};
  const auto up_to = [&](unsigned most) { return static_cast<int>(random() % most); };
  const auto tenths = [](int count) { return static_cast<float>(0.1 * count); };
  for (int s = 0; s < 6; ++s) {
    auto& stage = cascade.stages.emplace_back();
    for (int t = 0; t < 12; ++t) {
      auto& tree = stage.trees.emplace_back();
      for (const auto& [left, right] : shapes[random() % shapes.size()]) {
        const float threshold = static_cast<float>(up_to(201) - 100) * 1e-4f;
        tree.nodes.push_back({left, right, up_to(static_cast<unsigned>(cascade.features.size())), threshold});
        if (tree.leaves.empty()) tree.leaves.push_back(tenths(up_to(9) - 4));
        tree.leaves.push_back(tenths(up_to(9) - 4));
      }
    }
    stage.threshold = tenths(-2 * s);
  }
  return cascade;
}

TEST(DetectorTest, EveryKindOfFeatureAndTree) {
  std::size_t hits = 0;
  for (unsigned seed = 0; seed < 6; ++seed) {
    const auto cascade = cascade_of_every_kind(seed);
    const auto frame = noisy({90, 60}, seed);
    expect_found(cascade, {.levels = {.scale_factor = 1.3}, .min_neighbors = 0}, frame, 2);
    hits += one_by_one(cascade, {}, frame).hits.size();
  }
  EXPECT_GT(hits, 20u) << "the test finds too little to show anything";
}

// By the definition, from pixels of few levels, of which many blocks are equal; of flat ones every bit is set.
TEST(DetectorTest, CodesAreThoseOfThePixels) {
  const auto cascade = small_lbp_cascade();
  const WrittenCascadeLists lists(cascade);
  const auto written = lists.view();
  int ties = 0;
  for (unsigned seed = 0; seed < 50; ++seed) {
    const auto frame = noisy({40, 7}, seed);
    const LevelTables tables(frame.view(), false);
    for (int x = 0; x + cascade.window.width <= 40; ++x) {
      const WindowEvaluation window(written, tables, x, 0);
      EXPECT_TRUE(window.valid());
      EXPECT_EQ(window.factor(), 1);
      for (std::size_t f = 0; f < cascade.features.size(); ++f) {
        const auto& block = cascade.features[f].rectangles[0];
        const auto sum = [&](int column, int row) {
          int total = 0;
          for (int j = 0; j < block.height; ++j)
            for (int i = 0; i < block.width; ++i)
              total += frame.view()(x + block.x + column * block.width + i, block.y + row * block.height + j);
          return total;
        };
        const int around[8][2] = {{0, 0}, {1, 0}, {2, 0}, {2, 1}, {2, 2}, {1, 2}, {0, 2}, {0, 1}};
        int code = 0;
        for (const auto& [column, row] : around) {
          code = 2 * code + (sum(column, row) >= sum(1, 1));
          ties += sum(column, row) == sum(1, 1);
        }
        ASSERT_EQ(window.value(static_cast<int>(f)), static_cast<float>(code)) << x << ", feature " << f;
        if (x + cascade.window.width <= 12) {
          ASSERT_EQ(code, 255) << "flat pixels";
        }
      }
    }
  }
  EXPECT_GT(ties, 1000);
}

TEST(DetectorTest, LocalBinaryPatterns) {
  std::size_t hits = 0;
  std::vector<Cascade> cascades{small_lbp_cascade()};
  for (const Size window : {Size{8, 6}, Size{24, 24}, Size{15, 20}, Size{3, 3}, Size{60, 50}})
    for (const bool larger_trees : {false, true})
      cascades.push_back(
          RandomCascade({.window = window, .stages = 5, .larger_trees = larger_trees, .lbp = true}, 4).make());
  for (const auto& cascade : cascades) {
    for (const Size size : {Size{8, 7}, Size{61, 52}, Size{100, 83}}) {
      const auto frame = noisy(size, static_cast<unsigned>(size.width));
      expect_found(cascade, {.levels = {.scale_factor = 1.3}, .min_neighbors = 1}, frame, 2);
      expect_found_by_global_tables(cascade, {.levels = {.scale_factor = 1.3}}, frame);
      hits += one_by_one(cascade, {}, frame).hits.size();
    }
  }
  EXPECT_GT(hits, 100u) << "the test finds too little to show anything";
  expect_found(small_lbp_cascade(), {.levels = {.scale_factor = 1.9}}, noisy({530, 340}, 1), 2);  // more than a tile
  EXPECT_NE(Detector(small_lbp_cascade(), {}, {70, 50}).options().host_code, "as written");
}

// White blocks of 257 pixels are the most that 16 bits count; larger blocks are evaluated as written.
TEST(DetectorTest, LargeBlocks) {
  for (const int width : {17, 63, 64, 70}) {
    Cascade cascade = small_lbp_cascade();
    cascade.window = {3 * width, 13};
    cascade.features[0].rectangles[0] = {0, 1, width, 4, 1};
    Frame frame = noisy({260, 40}, 1);
    for (std::size_t i = 0; i < frame.pixels.size(); ++i)
      if (i % 3 != 0) frame.pixels[i] = 255;
    expect_found(cascade, {.levels = {.scale_factor = 1.2}, .min_neighbors = 0}, frame, 2);
    EXPECT_EQ(Detector(cascade, {}, frame.size).options().host_code == "as written", 4 * width > 257);
  }
}

TEST(DetectorTest, SizesOfWindowsAreLimited) {
  const auto frame = noisy({120, 90}, 3);
  expect_found(small_cascade(), {.levels = {1.1, {12, 10}, {40, 30}}, .min_neighbors = 2}, frame, 3);
  expect_found(small_cascade(), {.levels = {1.1, {90, 80}, {40, 30}}, .min_neighbors = 0}, frame, 1);
}

// What is not exact in integers is evaluated as written, whatever was asked for.
TEST(DetectorTest, FractionalWeights) {
  Cascade cascade = small_cascade();
  cascade.features[0].rectangles[1].weight = 2.75f;
  expect_found(cascade, {.levels = {.scale_factor = 1.3}}, noisy({70, 50}, 9), 2);
  EXPECT_EQ(Detector(cascade, {}, {70, 50}).options().host_code, "as written");
}

// Nor is what is exact, and has a feature that is too large for 16 bits.
TEST(DetectorTest, FeaturesTooLargeForVectors) {
  Cascade cascade;
  cascade.window = {250, 250};
  cascade.features = {{{{0, 0, 250, 250, 1}}, false}, {{{1, 1, 20, 20, -1}, {1, 1, 10, 20, 2}}, false}};
  cascade.stages = {{-0.5f, {{{{0, -1, 1, 0.01f}}, {-1.f, 1.f}}}}};
  expect_found(cascade, {.levels = {.scale_factor = 1.3}, .min_neighbors = 0}, noisy({258, 254}, 9), 2);
  for (const auto code : host_codes())
    EXPECT_EQ(Detector(cascade, {.levels = {}, .host_code = code}, {260, 260}).options().host_code, "as written");
}

// What there is no room for is counted, and written nowhere.
TEST(DetectorTest, AListThatIsTooShort) {
  const auto frame = noisy({100, 83}, 100);
  ThreadPool pool(2);
  auto context = Context::on_host(pool, {});
  Detector detector(small_cascade(), {.levels = {.scale_factor = 1.2}, .min_neighbors = 0}, frame.size);
  detector.run(context, frame.view());
  const std::vector<Detection> all(detector.detections().begin(), detector.detections().end());
  ASSERT_GT(all.size(), 3u);
  const Detection untouched{-1, -2, -3, -4, -5};
  for (const std::size_t capacity : {all.size() + 1, all.size(), std::size_t{3}, std::size_t{0}}) {
    std::vector<Detection> items(all.size() + 1, untouched);
    int count = -1;
    detector.queue(context, frame.view(), {items.data(), &count, static_cast<int>(capacity)});
    EXPECT_EQ(count, static_cast<int>(all.size()));
    for (std::size_t i = 0; i < items.size(); ++i)
      ASSERT_EQ(items[i], i < std::min(capacity, all.size()) ? all[i] : untouched) << i << " of " << capacity;
  }
}

TEST(DetectorTest, FramesWithoutAWindow) {
  for (const Size size : {Size{1, 1}, Size{7, 100}, Size{100, 5}, Size{0, 0}})
    expect_found(small_cascade(), {}, noisy(size, 1), 2);
  EXPECT_TRUE(Detector(small_cascade(), {}, {7, 100}).levels().empty());
}

TEST(DetectorTest, RefusesWhatDoesNotFit) {
  ThreadPool pool(1);
  auto context = Context::on_host(pool, {});
  Detector detector(small_cascade(), {}, {40, 30});
  EXPECT_THROW(detector.run(context, noisy({41, 30}, 1).view()), std::invalid_argument);
  EXPECT_THROW(Detector(small_cascade(), {.levels = {.scale_factor = 1}}, {40, 30}), std::invalid_argument);
  EXPECT_THROW(Detector(small_cascade(), {.levels = {}, .host_code = "abacus"}, {40, 30}), std::invalid_argument);
  Detector moved = std::move(detector);
  moved.run(context, noisy({40, 30}, 1).view());
}

}  // namespace
}  // namespace gpu::vision
