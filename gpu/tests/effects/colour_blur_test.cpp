// box_blur of colours on the host, which has no tables, against box_blur of each channel, which has one.
#include "gpu/effects/colour_blur.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "gpu/tests/effects/effect_support.h"

namespace gpu::effects {
namespace {

using test::HostFrame;

constexpr struct {
  Border border;
  const char* name;
} borders[] = {{Border::reflect101, "reflect101"},
               {Border::reflect, "reflect"},
               {Border::replicate, "replicate"},
               {Border::constant, "constant"},
               {Border::clip, "clip"}};

struct Case {
  Size window;
  int border, passes;

  std::string text() const {
    return std::to_string(window.width) + 'x' + std::to_string(window.height) + ' ' + borders[border].name + ' ' +
           std::to_string(passes);
  }
};

// The blur of one channel, as the gray of a frame.
test::Picture blur_of_channel(const HostFrame& frame, std::uint8_t Bgr::*channel, const Case& wanted) {
  const auto gray = HostFrame(frame.size(), [&](int x, int y) {
    const auto level = frame.colour.view()(x, y).*channel;
    return Bgr{level, level, level};
  });
  const auto& effect = test::effect_named("box_blur");
  Arguments arguments(effect.parameters);
  arguments.set("window", std::to_string(wanted.window.width) + 'x' + std::to_string(wanted.window.height));
  arguments.set("border", borders[wanted.border].name);
  arguments.set("passes", std::to_string(wanted.passes));
  arguments.set("colour", "off");
  return test::run_on_host(effect, arguments, gray, true);
}

std::vector<std::uint8_t> expected_rgba(const HostFrame& frame, const Case& wanted) {
  const auto b = blur_of_channel(frame, &Bgr::b, wanted), g = blur_of_channel(frame, &Bgr::g, wanted),
             r = blur_of_channel(frame, &Bgr::r, wanted);
  std::vector<std::uint8_t> all;
  for (std::size_t i = 0; i < b.bytes.size(); ++i)
    all.insert(all.end(), {r.bytes[i], g.bytes[i], b.bytes[i], std::uint8_t{255}});
  return all;
}

// Colours whose rows are `pitch` bytes apart, and that begin `offset` bytes behind a cache line.
struct Placed {
  Placed(const HostFrame& frame, int offset, int more)
      : pitch(frame.size().width * 3 + more),
        bytes(static_cast<std::size_t>(offset) +
                  static_cast<std::size_t>(pitch) * static_cast<std::size_t>(frame.size().height),
              Device::host),
        view(reinterpret_cast<const Bgr*>(bytes.data() + offset), frame.size().width, frame.size().height, pitch) {
    for (int y = 0; y < frame.size().height; ++y)
      std::memcpy(bytes.data() + offset + y * pitch, frame.colour.view().row(y),
                  static_cast<std::size_t>(frame.size().width) * 3);
  }

  std::ptrdiff_t pitch;
  Buffer<std::uint8_t> bytes;
  BgrView view;
};

std::vector<std::uint8_t> rgba_of(ThreadPool& pool, const BgrView& colour, const Case& wanted, const Image<Rgba>& out) {
  const auto blur = [&](Context& context) {
    blur_colours_on_host(context, colour, wanted.window, borders[wanted.border].border, wanted.passes, {{}, out.view()});
  };
  auto dry = Context::dry(Device::host, pool.threads());
  blur(dry);
  const Buffer<std::byte> workspace(dry.workspace_bytes(), Device::host);
  auto context = Context::on_host(pool, workspace.span());
  blur(context);
  return test::tight<Rgba>(out.view()).bytes;
}

void expect_blurs(Size size, const std::vector<Case>& cases) {
  const auto frame = HostFrame::noise(size, static_cast<unsigned>(size.width * 100 + size.height));
  ThreadPool pools[] = {ThreadPool(1), ThreadPool(2), ThreadPool(5)};
  const Image<Rgba> out(size, Device::host);
  int number = 0;
  for (const auto& wanted : cases) {
    SCOPED_TRACE(std::to_string(size.width) + 'x' + std::to_string(size.height) + ", " + wanted.text());
    const auto expected = expected_rgba(frame, wanted);
    const Placed colour(frame, number % 16, number % 7);
    for (auto& pool : pools) ASSERT_EQ(rgba_of(pool, colour.view, wanted, out), expected) << pool.threads();
    ++number;
  }
}

TEST(ColourBlurTest, EqualsThatOfEachChannel) {
  for (const Size size : {Size{1, 1}, {1, 29}, {29, 1}, {2, 3}, {5, 7}, {17, 40}, {67, 23}, {130, 9}}) {
    std::vector<Case> cases;
    for (const Size window : {Size{1, 1}, {3, 3}, {2, 6}, {15, 15}, {1, 33}, {64, 2}, {131, 129}})
      for (int border = 0; border < 5; ++border) cases.push_back({window, border, 1});
    expect_blurs(size, cases);
  }
}

// Strips of 257 rows are the last whose sums have 16 bits, and white pixels use all of them.
TEST(ColourBlurTest, TallAndLargeWindowsDoNotOverflow) {
  const HostFrame white({40, 300}, [](int, int) { return Bgr{255, 255, 254}; });
  ThreadPool pool(2);
  const Image<Rgba> out(white.size(), Device::host);
  for (const Size window : {Size{3, 256}, {3, 257}, {3, 258}, {3, 259}, {2047, 2047}})
    for (int border = 0; border < 5; ++border) {
      const Case wanted{window, border, 1};
      EXPECT_EQ(rgba_of(pool, white.colour.view(), wanted, out), expected_rgba(white, wanted)) << wanted.text();
    }
  std::vector<Case> cases;
  for (const int height : {257, 258, 2047})
    for (int border = 0; border < 5; ++border) cases.push_back({{height - 254, height}, border, 1});
  expect_blurs({23, 31}, cases);
}

TEST(ColourBlurTest, RepeatsPasses) {
  for (const Size size : {Size{3, 2}, {61, 45}}) {
    std::vector<Case> cases;
    for (const int passes : {2, 3, 4})
      for (int border = 0; border < 5; ++border) cases.push_back({{5, 9}, border, passes});
    expect_blurs(size, cases);
  }
}

// As a GPU draws it, and as the host does.
TEST(ColourBlurTest, EqualsThatFromTablesOfTheChannels) {
  const auto& effect = test::effect_named("box_blur");
  auto from_tables = effect;
  from_tables.tables = [](const Arguments&, Device) { return Tables{.channels = true}; };
  const auto frame = HostFrame::noise({61, 33}, 9);
  for (const auto& border : borders)
    for (const char* passes : {"1", "3"}) {
      const auto arguments = test::arguments_of(effect, {{"border", border.name}, {"passes", passes}});
      EXPECT_EQ(test::run_on_host(effect, arguments, frame), test::run_on_host(from_tables, arguments, frame))
          << border.name;
    }
}

TEST(ColourBlurTest, AGrayCanvasGetsGreen) {
  const auto frame = HostFrame::noise({37, 21}, 8);
  const auto& effect = test::effect_named("box_blur");
  const Arguments arguments(effect.parameters);
  EXPECT_EQ(test::run_on_host(effect, arguments, frame, true), blur_of_channel(frame, &Bgr::g, {{15, 15}, 0, 1}));
}

}  // namespace
}  // namespace gpu::effects
