// Images that do not fit are refused before anything is queued, by every function that takes images.
#include "gpu/pictures/check_views.h"

#include <gtest/gtest.h>

#include "gpu/checks/verify.h"
#include "gpu/execution/thread_pool.h"
#include "gpu/pictures/composition.h"
#include "gpu/tests/effects/effect_support.h"
#include "gpu/tests/refusal.h"

namespace gpu::test {
namespace {

class CheckViewsTest : public testing::Test {
 protected:
  std::string refusal(std::initializer_list<ViewArgument> views) {
    return refusal_of([&] { check_views(context, "f", views); });
  }

  ThreadPool pool{1};
  Buffer<std::byte> memory{1 << 20, Device::host};
  Context context = Context::on_host(pool, memory.span());
  std::uint32_t numbers[64] = {};
};

TEST_F(CheckViewsTest, NamesBothImagesThatDiffer) {
  const ImageView<std::uint32_t> wide{numbers, 4, 2, 4}, high{numbers, 2, 4, 4};
  EXPECT_EQ(refusal({{"a", wide}, {"b", wide}}), nothing_refused);
  EXPECT_EQ(refusal({{"a", wide}, {"b", high}}), "f: a has 4x2 pixels and b 2x4");
  for (const auto [width, height] : {Size{0, 2}, Size{2, 0}, Size{2, -1}})
    EXPECT_EQ(refusal({{"a", ImageView<std::uint32_t>{numbers, width, height, 4}}}), "f: a is empty");
}

TEST_F(CheckViewsTest, RefusesRowsThatOverlapAndMemoryThatIsNotThere) {
  auto* const inside = reinterpret_cast<std::uint32_t*>(reinterpret_cast<std::byte*>(numbers) + 2);
  EXPECT_EQ(refusal({{"a", ImageView<std::uint32_t>{numbers, 4, 2, 3}}}),
            "f: a row of a has 16 bytes, and the next one begins after 12");
  EXPECT_EQ(refusal({{"a", ImageView<std::uint32_t>{numbers, 4, 2, -4}}}),
            "f: a row of a has 16 bytes, and the next one begins after -16");
  EXPECT_EQ(refusal({{"a", ImageView<std::uint32_t>{nullptr, 4, 2, 4}}}), "f: a has no memory");
  EXPECT_EQ(refusal({{"a", ImageView<std::uint32_t>{inside, 4, 2, 4}}}),
            "f: a row of a does not begin at a multiple of 4 bytes");
  auto dry = Context::dry(Device::cuda);
  EXPECT_NO_THROW(check_views(dry, "f", {{"a", ImageView<std::uint32_t>{nullptr, 4, 2, 4}}}));
  EXPECT_THROW(check_views(dry, "f", {{"a", ImageView<std::uint32_t>{nullptr, 4, 2, 3}}}), std::invalid_argument);
}

TEST_F(CheckViewsTest, AnEffectNeedsRoomForItsAnnotations) {
  const auto& effect = effect_named("haar");
  const Arguments arguments(effect.parameters);
  const auto frame = HostFrame::noise({100, 80}, 1);
  const Image<Rgba> picture({100, 80}, Device::host);
  EffectInput input{frame.colour.view(), frame.gray.view(), {}};
  input.tables.sum = frame.sat.view();
  const int wanted = effect.annotation_capacity(arguments);
  ASSERT_GT(wanted, 1);
  const Buffer<std::byte> list(annotation_bytes(wanted), Device::host);
  for (const int room : {wanted, wanted - 1}) {
    const EffectOutput output{Canvas{{}, picture.view()}, annotations_in(list.data(), room)};
    EXPECT_EQ(refusal_of([&] { run_effect(context, effect, input, output, arguments); }),
              room == wanted ? nothing_refused : "haar: there is no room for its annotations");
  }
}

// Only bytes in common count: a picture's halves lie between each other.
TEST_F(CheckViewsTest, WhatIsWrittenSharesNoPixel) {
  const auto at = [&](int first, int width, int height, int stride) {
    return ImageView<std::uint32_t>{numbers + first, width, height, stride};
  };
  const auto shares = [&](ImageView<std::uint32_t> a, ImageView<std::uint32_t> b) {
    const auto why = refusal({{"a", a}, {"b", b, ViewArgument::written}});
    EXPECT_EQ(refusal({{"a", b, ViewArgument::written}, {"b", a}}), why);
    EXPECT_TRUE(why == "f: a and b overlap" || why == nothing_refused) << why;
    return why == "f: a and b overlap";
  };
  EXPECT_TRUE(shares(at(0, 4, 4, 8), at(0, 4, 4, 8)));
  EXPECT_FALSE(shares(at(0, 4, 4, 8), at(4, 4, 4, 8))) << "left and right half";
  EXPECT_TRUE(shares(at(0, 4, 4, 8), at(3, 4, 4, 8)));
  EXPECT_FALSE(shares(at(0, 4, 4, 16), at(8, 4, 4, 16))) << "even and odd rows";
  EXPECT_FALSE(shares(at(0, 4, 4, 4), at(16, 4, 4, 4))) << "one below the other";
  EXPECT_TRUE(shares(at(0, 4, 4, 4), at(15, 4, 4, 4)));
  EXPECT_TRUE(shares(at(0, 4, 4, 8), at(4, 4, 4, 5))) << "different strides";
  EXPECT_FALSE(shares(at(0, 4, 3, 8), at(4, 4, 3, 20))) << "where the lower one's next row would be";
  const auto both = at(0, 4, 4, 8);
  EXPECT_EQ(refusal({{"a", both}, {"b", both}}), nothing_refused) << "both are read";
}

// Within one step of the largest int, algorithms would count beyond it.
TEST_F(CheckViewsTest, NoSideIsLongerThanAnyAlgorithmCanCount) {
  const auto& doubling = *find_sat_algorithm("prefix_doubling");
  const auto replay = [&](Size size) {
    auto dry = Context::dry(Device::cuda);
    compute_sat(dry, doubling, view_without_memory(size, ElementType::u8), view_without_memory(size, ElementType::u32),
                Arguments(doubling.parameters));
    return dry.launches().size();
  };
  const auto refused = [&](Size size) { return refusal_of([&] { replay(size); }); };
  EXPECT_EQ(replay({most_side, 1}), 32u);
  EXPECT_EQ(refused({most_side + 1, 1}),
            "prefix_doubling: the image has 1073741825x1 pixels, and a side can have at most 1073741824");
  EXPECT_EQ(refused({1, std::numeric_limits<int>::max()}),
            "prefix_doubling: the image has 1x2147483647 pixels, and a side can have at most 1073741824");
  for (const auto* algorithm : sat_algorithms()) {
    SCOPED_TRACE(algorithm->name);
    if (algorithm->device != Device::cuda || algorithm->most_rows < most_side) continue;
    auto dry = Context::dry(Device::cuda);
    constexpr Size flat{most_side, 1};
    EXPECT_NO_THROW(compute_sat(dry, *algorithm, view_without_memory(flat, ElementType::u8),
                                view_without_memory(flat, ElementType::u32), Arguments(algorithm->parameters)));
  }
}

TEST_F(CheckViewsTest, EveryFunctionChecksItsImages) {
  const auto large = HostFrame::noise({8, 6}, 1), small = HostFrame::noise({4, 3}, 1);
  const auto& gray = small.gray;
  const Image<Rgba> a({8, 6}, Device::host), b({8, 6}, Device::host);
  EXPECT_EQ(refusal_of([&] { luma(context, large.colour.view(), gray.view()); }),
            "luma: colour has 8x6 pixels and gray 4x3");
  EXPECT_EQ(refusal_of([&] {
              split_channels(context, large.colour.view(), {large.gray.view(), small.gray.view(), small.gray.view()});
            }),
            "split_channels: colour has 8x6 pixels and green 4x3");
  EXPECT_EQ(refusal_of([&] { compute_tilted(context, large.gray.view(), small.sat.view()); }),
            "compute_tilted: the image has 8x6 pixels and its table 4x3");
  EXPECT_EQ(refusal_of([&] {
              check_table(context, large.gray.view(), ImageView<const std::uint32_t>{nullptr, 8, 6, 8});
            }),
            "check_table: its table has no memory");
  EXPECT_EQ(refusal_of([&] { compute_sat(context, host_algorithm(), large.colour.view(), small.sat.view(), Arguments()); }),
            "host_serial: the image has 8x6 pixels and its table 4x3");
  EXPECT_EQ(refusal_of([&] {
              draw_difference(context, a.view(), b.view(), Canvas{{}, a.view()}, 8);
            }),
            "draw_difference: a and the canvas overlap");
  EXPECT_EQ(refusal_of([&] {
              draw_wipe(context, {a.view(), b.view(), 3}, Canvas{gray.view(), {}});
            }),
            "draw_wipe: left has 8x6 pixels and the canvas 4x3");

  const auto& effect = effect_named("none");
  EffectInput input{large.colour.view(), large.gray.view(), {}};
  const auto drawn = [&](const Canvas& canvas) {
    return refusal_of([&] { run_effect(context, effect, input, canvas, Arguments(effect.parameters)); });
  };
  EXPECT_EQ(drawn(Canvas{{}, a.view()}), nothing_refused) << "it reads no table";
  EXPECT_EQ(drawn(Canvas()), "none: the canvas is empty");
  EXPECT_EQ(drawn(Canvas{gray.view(), {}}), "none: colour has 8x6 pixels and the canvas 4x3");
  input.tables.sum = small.sat.view();
  EXPECT_EQ(drawn(Canvas{{}, a.view()}), "none: gray has 8x6 pixels and its table 4x3");
  EXPECT_EQ(drawn(Canvas::on_surface(0, {8, 6})),
            "none: only a GPU can draw on a surface: give the canvas pixels in memory alone");
}

// A GPU draws on a surface, on memory, or on both: whatever of it has a size has the frame's.
TEST_F(CheckViewsTest, ACanvasOfAGpuHasTheSizeOfTheFrame) {
  auto gpu = Context::dry(Device::cuda);
  const auto frame = view_without_memory<Rgba>({8, 6});
  const auto refused = [&](const Canvas& canvas) {
    return refusal_of([&] { check_canvas(gpu, "f", canvas, {{"the frame", frame}}); });
  };
  std::vector<Rgba> pixels(64);
  EXPECT_EQ(refused(Canvas::on_surface(0, {8, 6})), nothing_refused);
  EXPECT_EQ(refused(Canvas::on_surface(0, {6, 8})), "f: the frame has 8x6 pixels and the canvas 6x8");
  EXPECT_EQ(refused(Canvas::with_surface({pixels.data(), 8, 6, 8}, 1)), nothing_refused);
  EXPECT_EQ(refused(Canvas::with_surface({pixels.data(), 6, 8, 8}, 1)), "f: the frame has 8x6 pixels and the canvas 6x8");
  EXPECT_EQ(refused(Canvas::with_surface({pixels.data(), 8, 6, 7}, 1)),
            "f: a row of the canvas has 32 bytes, and the next one begins after 28");
}

// As cudaMallocPitch() returns: rows at multiples of 512 bytes, which no number of pixels fills.
TEST_F(CheckViewsTest, ColourRowsMayHaveAnyPitch) {
  const auto frame = HostFrame::noise({7, 5}, 3);
  constexpr std::size_t pitch = 512;
  std::vector<std::uint8_t> pitched(5 * pitch);
  for (int y = 0; y < 5; ++y)
    std::memcpy(&pitched[static_cast<std::size_t>(y) * pitch], frame.colour.view().row(y), 7 * sizeof(Bgr));
  const BgrView view(reinterpret_cast<const Bgr*>(pitched.data()), 7, 5, pitch);
  const Image<std::uint8_t> gray({7, 5}, Device::host);
  const Image<std::uint32_t> sat({7, 5}, Device::host);
  luma(context, view, gray.view());
  compute_sat(context, host_algorithm(), view, sat.view(), Arguments());
  for (int y = 0; y < 5; ++y)
    for (int x = 0; x < 7; ++x) {
      EXPECT_EQ(gray.view()(x, y), frame.gray.view()(x, y));
      EXPECT_EQ(sat.view()(x, y), frame.sat.view()(x, y));
    }
  EXPECT_EQ(refusal_of([&] { luma(context, BgrView(view.data, 7, 5, 20), gray.view()); }),
            "luma: a row of colour has 21 bytes, and the next one begins after 20");
}

}  // namespace
}  // namespace gpu::test
