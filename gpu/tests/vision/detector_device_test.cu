// The detector on a GPU, real or simulated: the same windows, detections and depths as on the host.
#include <algorithm>

#include "gpu/execution/thread_pool.h"
#include "gpu/tests/copy_pixels.h"
#include "gpu/tests/gpu_test.h"
#include "gpu/tests/vision/random_cascade.h"
#include "gpu/vision/detector.h"
#include "gpu/vision/device_detector.h"
#include "gpu/vision/packed_cascade.h"
#include "gpu/vision/window_search.h"

namespace gpu::vision {
namespace {

#ifdef SATSCOPE_SIMULATED
constexpr Size large_frame{230, 170}, crowded_frame{150, 110};
#else
constexpr Size large_frame{1920, 1080}, crowded_frame{640, 480};
#endif

class DetectorDeviceTest : public NeedsGpu<testing::Test> {
 protected:
  // How many windows were found.
  std::size_t check_frame(const Cascade& cascade, DetectorOptions options, Size size, unsigned seed,
                          const SatAlgorithm* tables_by = nullptr) {
    const auto frame = wavy_picture(size, seed);
    const auto there = test::on_device(frame);
    SCOPED_TRACE(std::to_string(size.width) + "x" + std::to_string(size.height) + ", window " +
                 std::to_string(cascade.window.width) + "x" + std::to_string(cascade.window.height));
    options.depths = true;
    Detector on_gpu(cascade, options, size);
    if (tables_by) on_gpu.compute_tables_by(*tables_by, Arguments(tables_by->parameters));
    options.global_tables = false;
    Detector on_host(cascade, options, size);
    options.global_tables = tables_by != nullptr;
    ThreadPool pool;
    auto host = Context::on_host(pool, {});
    on_host.run(host, frame.view());
    // What is evaluated as written needs scratch memory.
    auto dry = Context::dry(Device::cuda);
    on_gpu.run(dry, there.view());
    const Buffer<std::byte> workspace(dry.workspace_bytes(), Device::cuda);
    auto gpu = Context::on_stream(nullptr, workspace.span());
    on_gpu.run(gpu, there.view());
    expect_same(on_gpu, on_host);
    for (int level = 0; level < static_cast<int>(on_host.levels().size()); ++level) {
      const auto expected = on_host.depths(level), found = on_gpu.depths(level);
      for (int y = 0; y < expected.height; ++y)
        for (int x = 0; x < expected.width; ++x)
          if (expected(x, y) != found(x, y)) {
            ADD_FAILURE() << "level " << level << ", window " << x << "," << y << ": depth " << int{found(x, y)}
                          << " instead of " << int{expected(x, y)};
            return 0;
          }
    }
    expect_queued(on_gpu, gpu, there.view(), on_host);
    // Again, without depths, in memory that another frame has used.
    options.depths = false;
    Detector again(cascade, options, size);
    if (tables_by) again.compute_tables_by(*tables_by, Arguments(tables_by->parameters));
    const auto other = test::on_device(wavy_picture(size, seed + 1));
    again.run(gpu, other.view());
    again.run(gpu, there.view());
    expect_same(again, on_host);
    return on_host.hits().size();
  }

  std::size_t check_reduced(const Cascade& cascade) {
    return check_frame(cascade, {.levels = {.scale_factor = 1.5}}, {56, 49}, 5);
  }

  // What queue() leaves on the device: as many detections as there is room for.
  static void expect_queued(Detector& detector, Context& gpu, ImageView<const std::uint8_t> gray, const Detector& expected) {
    struct Room {
      int count;
      Detection items[40];
    };
    const Buffer<Room> room(1, Device::cuda);
    check(cudaMemsetAsync(room.data(), 0, sizeof(Room), gpu.stream()));
    detector.reserve(gpu);
    detector.queue(gpu, gray, {room.data()->items, &room.data()->count, 40});
    check(cudaStreamSynchronize(gpu.stream()));
    Room found;
    check(cudaMemcpy(&found, room.data(), sizeof found, cudaMemcpyDeviceToHost));
    const auto all = expected.detections();
    EXPECT_EQ(found.count, static_cast<int>(all.size()));
    for (int level = 0; level < static_cast<int>(expected.levels().size()); ++level) {
      const auto right = expected.depths(level), there = detector.queued_depths(gpu, level);
      std::vector<std::uint8_t> depths(there.size().pixels());
      check(cudaMemcpy(depths.data(), there.data, depths.size(), cudaMemcpyDeviceToHost));
      EXPECT_TRUE(std::equal(depths.begin(), depths.end(), right.data, right.data + right.size().pixels())) << level;
    }
    const auto first = all.first(std::min<std::size_t>(all.size(), 40));
    EXPECT_TRUE(std::equal(first.begin(), first.end(), found.items));
  }
  static void expect_same(const Detector& found, const Detector& expected) {
    EXPECT_EQ(std::vector(found.hits().begin(), found.hits().end()),
              std::vector(expected.hits().begin(), expected.hits().end()));
    EXPECT_EQ(std::vector(found.detections().begin(), found.detections().end()),
              std::vector(expected.detections().begin(), expected.detections().end()));
  }
};

Cascade random_cascade(const RandomCascadeKind& kind, unsigned seed) { return RandomCascade(kind, seed).make(); }

// Weights that are no integers, and leaves whose sums depend on the order.
Cascade inexact_cascade(const RandomCascadeKind& kind, unsigned seed) {
  auto cascade = random_cascade(kind, seed);
  cascade.features[1].rectangles[1].weight = 2.75f;
  for (auto& stage : cascade.stages)
    for (auto& tree : stage.trees)
      for (auto& leaf : tree.leaves) leaf *= 1.0f + 0x1p-23f * static_cast<float>(tree.nodes.size());
  EXPECT_FALSE(integer_cascade(cascade).exact);
  return cascade;
}

TEST_F(DetectorDeviceTest, UprightCascades) {
  std::size_t hits = 0;
  for (const Size window : {Size{20, 20}, Size{24, 24}, Size{15, 21}, Size{8, 6}, Size{61, 13}})
    for (const bool grids : {false, true})
      hits += check_frame(random_cascade({.window = window, .grids = grids}, 3), {.levels = {.scale_factor = 1.2}},
                          {131, 97}, 5);
  EXPECT_GT(hits, 20u) << "the test finds too little to show anything";
}

TEST_F(DetectorDeviceTest, TiltedCascades) {
  std::size_t hits = 0;
  for (const Size window : {Size{20, 20}, Size{19, 23}, Size{36, 18}, Size{64, 16}})
    hits += check_frame(random_cascade({.window = window, .tilted = true}, 4), {.levels = {.scale_factor = 1.2}}, {140, 83},
                        6);
  EXPECT_GT(hits, 20u) << "the test finds too little to show anything";
}

TEST_F(DetectorDeviceTest, TreesOfEveryShape) {
  for (const bool tilted : {false, true})
    EXPECT_GT(check_frame(random_cascade({.stages = 14, .tilted = tilted, .larger_trees = true}, 8), {}, {99, 77}, 7), 2u);
}

TEST_F(DetectorDeviceTest, LocalBinaryPatterns) {
  std::size_t hits = 0;
  for (const Size window : {Size{24, 24}, Size{20, 34}, Size{12, 80}, Size{45, 45}, Size{8, 6}, Size{3, 3}})
    for (const bool larger_trees : {false, true})
      hits += check_frame(random_cascade({.window = window, .larger_trees = larger_trees, .lbp = true}, 3),
                          {.levels = {.scale_factor = 1.2}}, {131, 97}, 5);
  EXPECT_GT(hits, 20u) << "the test finds too little to show anything";
  // Blocks whose sums come near 2^16, and past it, where the cascade is evaluated as written.
  for (const int width : {31, 32, 40}) {
    auto cascade = random_cascade({.window = {120, 60}, .stages = 6, .lbp = true}, 3);
    for (auto& feature : cascade.features) feature.rectangles = {{0, 3, width, 8, 1}};
    EXPECT_EQ(integer_cascade(cascade).exact, 8 * width <= 257);
    check_frame(cascade, {.levels = {.scale_factor = 1.3}}, {170, 80}, 4);
  }
}

TEST_F(DetectorDeviceTest, LocalBinaryPatternsByGlobalTables) {
  const auto cascade = random_cascade({.window = {24, 20}, .stages = 10, .larger_trees = true, .lbp = true}, 3);
  EXPECT_GT(check_frame(cascade, {.levels = {.scale_factor = 1.2}, .global_tables = true}, {120, 90}, 5,
                        find_sat_algorithm("2r1w")),
            2u);
}

// Stages that only tiles evaluate, and one so long that patches begin early.
TEST_F(DetectorDeviceTest, FewStagesAndLongOnes) {
  check_frame(random_cascade({.stages = 1}, 1), {}, {70, 60}, 1);
  check_frame(random_cascade({.stages = 4, .trees = 120}, 2), {}, {70, 60}, 2);
  check_frame(random_cascade({.stages = 2, .trees = 130, .larger_trees = true}, 2), {}, {70, 60}, 2);
}

// What a detector fills once is there, also on a stream that does not wait for the default one.
TEST_F(DetectorDeviceTest, TheFirstFrameOfAStreamOfItsOwn) {
  constexpr Size size{99, 77};
  const RandomCascadeKind kind{.stages = 14, .tilted = true, .larger_trees = true};
  const auto frame = wavy_picture(size, 7);
  const auto there = test::on_device(frame);
  check(cudaDeviceSynchronize());
  for (const auto& cascade : {random_cascade(kind, 8), inexact_cascade(kind, 8)}) {
    const DetectorOptions options{.levels = {}, .depths = true};
    Detector on_host(cascade, options, size);
    ThreadPool pool;
    auto host = Context::on_host(pool, {});
    on_host.run(host, frame.view());
    EXPECT_GT(on_host.hits().size(), 2u);
    for (const bool queues : {false, true}) {
      Detector detector(cascade, options, size);
      auto dry = Context::dry(Device::cuda);
      detector.run(dry, there.view());
      const Buffer<std::byte> workspace(dry.workspace_bytes(), Device::cuda);
      const Stream stream;
      auto gpu = Context::on_stream(stream, workspace.span());
      if (queues) {
        expect_queued(detector, gpu, there.view(), on_host);
      } else {
        detector.run(gpu, there.view());
        expect_same(detector, on_host);
      }
    }
  }
}

TEST_F(DetectorDeviceTest, FramesFromTheWindowsSizeOn) {
  const auto cascade = random_cascade({.window = {20, 20}, .stages = 6}, 9);
  for (const Size size : {Size{1, 1}, Size{20, 20}, Size{21, 20}, Size{20, 23}, Size{25, 200}, Size{201, 27}, Size{64, 65}})
    check_frame(cascade, {.levels = {.scale_factor = 1.05}, .min_neighbors = 1}, size, 3);
}

TEST_F(DetectorDeviceTest, ScaleFactorsAndSizeLimits) {
  const auto cascade = random_cascade({.stages = 8}, 11);
  check_frame(cascade, {.levels = {.scale_factor = 1.05}}, {80, 60}, 2);
  for (const double factor : {1.3, 2.0}) check_frame(cascade, {.levels = {.scale_factor = factor}}, {120, 90}, 2);
  check_frame(cascade, {.levels = {1.1, {30, 30}, {50, 60}}, .min_neighbors = 0}, {120, 90}, 2);
  check_frame(cascade, {.levels = {1.1, {70, 70}, {71, 71}}, .min_neighbors = 2}, {120, 90}, 2);
}

TEST_F(DetectorDeviceTest, LargeFrames) {
  check_frame(random_cascade({}, 3), {}, large_frame, 5);
  check_frame(random_cascade({.tilted = true}, 3), {}, large_frame, 5);
}

// Frames of more pixels, windows and rows of blocks.
TEST_F(DetectorDeviceTest, FramesLongerThan16BitsSay) {
  const auto cascade = random_cascade({.window = {8, 6}, .stages = 5}, 3);
  for (const Size size : {Size{131'100, 8}, Size{9, 131'100}})
    EXPECT_GT(check_frame(cascade, {.levels = {.scale_factor = 1.3}}, size, 5), 100u);
}

// So many windows that the device groups them.
TEST_F(DetectorDeviceTest, Crowds) {
  for (const int neighbors : {0, 3, 40})
    EXPECT_GT(check_frame(random_cascade({.stages = 3}, 3), {.levels = {1.1, {}, {45, 45}}, .min_neighbors = neighbors},
                          crowded_frame, 5),
              1500u);
}

// More than the device sorts at once: those that are listed are the first of all, in whatever order threads find them.
TEST_F(DetectorDeviceTest, MoreDetectionsThanAreSorted) {
  const auto cascade = random_cascade({.window = {5, 5}, .stages = 1, .trees = 1}, 3);
  const auto frame = wavy_picture({300, 180}, 5);
  const auto there = test::on_device(frame);
  ThreadPool pool;
  auto host = Context::on_host(pool, {});
  auto gpu = Context::on_stream(nullptr, {});
  for (const int neighbors : {0, 1}) {
    const DetectorOptions options{.levels = {1.3, {}, {7, 7}}, .min_neighbors = neighbors};
    Detector on_host(cascade, options, frame.size()), on_gpu(cascade, options, frame.size());
    on_host.run(host, frame.view());
    EXPECT_GT(on_host.detections().size(), most_sorted) << neighbors;
    expect_queued(on_gpu, gpu, there.view(), on_host);
  }
}

// For how many windows the lists have room at first.
std::size_t first_room(std::span<const Level> levels) {
  std::size_t windows = 0;
  for (const auto& level : levels) windows += Size{level.across, level.down}.pixels();
  return windows / windows_per_place + 1;
}

// Lists that have no room are made larger, and the frame is searched again.
TEST_F(DetectorDeviceTest, ListsThatOverflow) {
  const Size size{90, 80};
  const auto cascade = random_cascade({.stages = 3}, 3);
  EXPECT_GT(check_frame(cascade, {}, size, 5), 2 * first_room(levels_of(size, cascade.window, {})));
}

// Levels whose tables are in memory one after another, some together, or all together.
TEST_F(DetectorDeviceTest, GlobalTablesOfSomeLevelsAtATime) {
  const auto cascade = random_cascade({.stages = 4, .tilted = true}, 3);
  const auto frame = wavy_picture({130, 90}, 3);
  const auto there = test::on_device(frame);
  const auto levels = levels_of(frame.size(), cascade.window, {.scale_factor = 1.5});
  const auto prepared = std::make_shared<const PreparedCascade>(cascade);
  std::vector<Window> hits;
  for (const std::size_t entries : {1u << 24, 40000u, 1u}) {
    DeviceDetectorRequest request{prepared, nullptr, levels, frame.size(), 3, false};
    request.most_entries = entries;
    auto dry = Context::dry(Device::cuda);
    make_device_detector(dry, request)->run(dry, there.view());
    const auto searches = std::ranges::count(dry.launches(), "windows left", &LaunchRecord::name);
    if (hits.empty()) {
      EXPECT_EQ(searches, 1);
    } else {
      EXPECT_GT(searches, 1);
    }
    const Buffer<std::byte> workspace(dry.workspace_bytes(), Device::cuda);
    auto context = Context::on_stream(nullptr, workspace.span());
    const auto detector = make_device_detector(context, request);
    detector->run(context, there.view());
    if (hits.empty()) hits = detector->hits();
    EXPECT_EQ(detector->hits(), hits) << entries;
  }
  EXPECT_GT(hits.size(), levels.size() * first_room(levels)) << "there is room for any group of levels";
}

// Evaluated as written.
TEST_F(DetectorDeviceTest, WhatIsNotExactInIntegers) {
  for (const bool tilted : {false, true})
    EXPECT_GT(check_frame(inexact_cascade({.stages = 8, .tilted = tilted, .larger_trees = true}, 5),
                          {.levels = {.scale_factor = 1.2}}, {90, 70}, 4),
              2u);
}

// A warp takes the trees of a stage 32 at a time.
TEST_F(DetectorDeviceTest, LongStagesAsWritten) {
  EXPECT_GT(check_frame(inexact_cascade({.stages = 6, .trees = 40}, 5), {.levels = {.scale_factor = 1.2}}, {60, 50}, 4), 0u);
}

TEST_F(DetectorDeviceTest, WindowsTooLargeForTiles) {
  check_frame(random_cascade({.window = {130, 20}, .stages = 5}, 5), {.levels = {.scale_factor = 1.3}}, {170, 40}, 4);
}

// The same by tables in the device's memory, by an algorithm.
TEST_F(DetectorDeviceTest, GlobalTables) {
  const auto cascade = random_cascade({.stages = 10, .tilted = true}, 3);
  for (const auto* name : {"2r1w", "scanrow_brlt"}) {
    const auto* algorithm = find_sat_algorithm(name);
    ASSERT_TRUE(algorithm);
    EXPECT_GT(check_frame(cascade, {.levels = {.scale_factor = 1.2}, .global_tables = true}, {120, 90}, 5, algorithm), 2u)
        << name;
  }
}

// Two cascades take turns: nothing of one remains for the other.
TEST_F(DetectorDeviceTest, TwoCascadesTakeTurns) {
  const Size size{101, 75};
  const auto frame = wavy_picture(size, 5);
  const auto there = test::on_device(frame);
  ThreadPool pool;
  auto host = Context::on_host(pool, {});
  auto gpu = Context::on_stream(nullptr, {});
  const Cascade cascades[] = {random_cascade({.stages = 16}, 3), random_cascade({.window = {24, 22}, .stages = 13}, 7),
                              random_cascade({.stages = 16, .lbp = true}, 3)};
  std::vector<Detector> expected, found;
  for (const auto& cascade : cascades) {
    expected.emplace_back(cascade, DetectorOptions{}, size).run(host, frame.view());
    found.emplace_back(cascade, DetectorOptions{}, size);
  }
  for (int turn = 0; turn < 2; ++turn)
    for (std::size_t k = 0; k < 3; ++k) {
      found[k].run(gpu, there.view());
      expect_same(found[k], expected[k]);
    }
}

// Grouped in other ways in turn, on the device and, of few windows, on the host: as by a detector that was made so.
TEST_F(DetectorDeviceTest, EachGroupingIsThatOfAFreshDetector) {
  const Size size{101, 75};
  const auto frame = wavy_picture(size, 5);
  const auto there = test::on_device(frame);
  ThreadPool pool;
  auto host = Context::on_host(pool, {});
  auto gpu = Context::on_stream(nullptr, {});
  for (const int stages : {2, 16}) {
    const auto cascade = random_cascade({.stages = stages}, 3);
    Detector found(cascade, DetectorOptions{}, size);
    for (const int neighbors : {3, 1, 0, 40, 3}) {
      DetectorOptions options;
      options.min_neighbors = neighbors;
      Detector expected(cascade, options, size);
      expected.run(host, frame.view());
      found.group_by(neighbors);
      found.run(gpu, there.view());
      expect_same(found, expected);
      expect_queued(found, gpu, there.view(), expected);
    }
  }
}

TEST_F(DetectorDeviceTest, ADryRunLaunchesWhatARunDoes) {
  auto dry = Context::dry(Device::cuda);
  Detector detector(random_cascade({}, 3), {}, {160, 120});
  detector.run(dry, view_without_memory<const std::uint8_t>({160, 120}));
  std::vector<std::string> names;
  for (const auto& launch : dry.launches()) names.push_back(launch.name);
  EXPECT_EQ(names, (std::vector<std::string>{"quads", "pyramid", "tiles", "patches", "windows"}));
  EXPECT_TRUE(detector.hits().empty());
}

// For compute-sanitizer, which slows kernels down greatly: together these run every kernel of the search, at both steps, on small
// frames.
TEST_F(DetectorDeviceTest, ReducedGrids) {
  const auto cascade = random_cascade({.stages = 13, .grids = true}, 3);
  const auto packed = pack(integer_cascade(cascade), Context::on_stream(nullptr, {}).limits().shared_bytes);
  EXPECT_EQ(packed->form, RecordForm::grids);
  EXPECT_GT(check_reduced(cascade), 2u);
}
TEST_F(DetectorDeviceTest, ReducedTiltedTrees) {
  EXPECT_GT(check_reduced(random_cascade({.window = {19, 20}, .stages = 13, .tilted = true, .larger_trees = true}, 4)), 2u);
}
TEST_F(DetectorDeviceTest, ReducedCodes) {
  const auto cascade = random_cascade({.stages = 13, .larger_trees = true, .lbp = true}, 3);
  const auto packed = pack(integer_cascade(cascade), Context::on_stream(nullptr, {}).limits().shared_bytes);
  EXPECT_EQ(packed->form, RecordForm::codes);
  EXPECT_GT(check_reduced(cascade), 0u);
}
TEST_F(DetectorDeviceTest, ReducedAsWritten) {
  EXPECT_GT(check_reduced(inexact_cascade({.stages = 3, .tilted = true, .larger_trees = true}, 5)), 2u);
}
TEST_F(DetectorDeviceTest, ReducedCrowd) { EXPECT_GT(check_reduced(random_cascade({.stages = 1}, 3)), 100u); }

}  // namespace
}  // namespace gpu::vision
