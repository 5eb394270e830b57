// Comparisons: two lanes of one frame, made into one picture with one list of annotations.
#include "app/pipeline/picture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "app/pipeline/picture_drawing.h"
#include "app/pipeline/pipeline.h"
#include "app/support/simulated_gpu.h"
#include "app/tests/pipeline/frames.h"

namespace app {
namespace {

using gpu::Annotation;
using Mode = Composition::Mode;

Selection comparison(std::vector<Selection> sides, const Composition& composition = {}) {
  auto whole = sides.back();
  int number = 0;
  for (auto& side : sides) side.name = "side " + std::to_string(++number);
  whole.sides = std::move(sides);
  whole.composition = composition;
  return whole;
}

Selection original(gpu::Device device = gpu::Device::host) {
  auto side = selection_of("host_serial", "none", device);
  side.algorithm = nullptr;
  side.algorithm_arguments = {};
  return side;
}

// One of a known place, from its corner and its size.
Selection haar_at(const char* x, const char* y, const char* size, const char* algorithm = "host_serial") {
  auto haar = selection_of(algorithm, "haar");
  for (const auto& [name, value] : {std::pair{"x", x}, {"y", y}, {"width", size}, {"height", size}})
    haar.effect_arguments.set(name, value);
  return haar;
}

// The paths of the timeline's spans of the frame computed last.
std::multiset<std::string> paths_of(Pipeline& pipeline) {
  std::multiset<std::string> paths;
  while (const auto times = pipeline.take_times()) {
    paths.clear();
    for (const auto& span : times->spans) paths.insert(times->path(span));
  }
  return paths;
}

TEST(ComparisonPictureTest, TheEdgeOfAWipeIsAWholeColumnWithinThePicture) {
  const auto edge = [](double wipe, int width) { return Composition{Mode::wipe, wipe}.edge(width); };
  EXPECT_EQ(edge(0, 640), 0);
  EXPECT_EQ(edge(1, 640), 640);
  EXPECT_EQ(edge(0.5, 641), 321);
  EXPECT_EQ(edge(0.4999, 2), 1);
}

TEST(ComparisonPictureTest, AWipeShowsEachLaneOnItsSide) {
  const auto frame = noise_frame({65, 40});
  Pipeline pipeline(gpu::Device::host), blurred(gpu::Device::host), plain(gpu::Device::host);
  const auto blur = selection_of("host_parallel", "box_blur");
  blurred.process(frame, blur);
  plain.process(frame, selection_of("host_serial", "none"));
  for (const double wipe : {0.5, 0.1, 1.0, 0.0}) {
    int pictures = 0;
    pipeline.process(frame, comparison({original(), blur}, {Mode::wipe, wipe, 8}), [&](auto&, const Picture& picture) {
      ++pictures;
      ASSERT_TRUE(picture.compared);
      EXPECT_EQ(picture.compared->a, "side 1");
      const int edge = picture.compared->composition.edge(65);
      for (int y = 0; y < 40; ++y)
        for (int x = 0; x < 65; ++x) {
          const auto expected = (x < edge ? plain : blurred).picture().pixels;
          ASSERT_EQ(picture.pixels(x, y).r, expected(x, y).r) << x << "," << y << ", wipe " << wipe;
        }
      EXPECT_TRUE(same(picture.sat, blurred.picture().sat));  // of the side that has a table
      EXPECT_TRUE(same(picture.gray, blurred.picture().gray));
    });
    EXPECT_EQ(pictures, 1);
  }
  pipeline.process(frame, blur);
  EXPECT_FALSE(pipeline.picture().compared);
  EXPECT_TRUE(same(pipeline.picture().pixels, blurred.picture().pixels));
}

TEST(ComparisonPictureTest, NothingIsComputedWhereTheWipeMoves) {
  const auto frame = noise_frame({65, 40});
  auto haar = haar_at("0", "0", "8", "host_parallel");
  haar.check = true;
  const auto at = [&](double wipe) { return comparison({original(), haar}, {Mode::wipe, wipe, 8}); };
  Pipeline pipeline(gpu::Device::host), all_anew(gpu::Device::host);
  pipeline.process(frame, at(0.5));
  const auto before = pipeline.picture().pixels;
  while (pipeline.take_times()) {}
  for (const double wipe : {0.1, 1.0, 0.0, 0.9}) {
    const auto published = pipeline.move_wipe(wipe);
    const auto& picture = published.picture();
    all_anew.process(frame, at(wipe));
    const auto expected = all_anew.picture();
    EXPECT_TRUE(same(picture.pixels, expected.pixels)) << wipe;
    EXPECT_TRUE(same(pipeline.picture().pixels, expected.pixels)) << "whoever comes later sees the same";
    EXPECT_EQ(picture.pixels.left.data, before.left.data) << "it is not drawn anew";
    EXPECT_EQ(picture.pixels.right.data, before.right.data);
    EXPECT_TRUE(same(picture.sat, expected.sat));
    EXPECT_EQ(picture.annotations.list().size(), expected.annotations.list().size()) << wipe;
    EXPECT_EQ(picture.compared->composition.wipe, wipe);
    EXPECT_TRUE(picture.check.none()) << "its answer was handed on";
  }
  EXPECT_FALSE(pipeline.take_times()) << "it is no frame";
}

TEST(ComparisonPictureTest, TwoAlgorithmsDoNotDiffer) {
  Pipeline pipeline(gpu::Device::host);
  pipeline.process(noise_frame({70, 33}),
                   comparison({selection_of("host_parallel", "box_blur"), selection_of("host_serial", "box_blur")},
                              {Mode::difference, 0.5, gpu::most_amplification}));
  const auto picture = pipeline.picture();
  for (int y = 0; y < 33; ++y)
    for (int x = 0; x < 70; ++x) {
      const auto pixel = picture.pixels(x, y);
      ASSERT_EQ(pixel.r + pixel.g + pixel.b, 0) << x << "," << y;
    }
}

TEST(ComparisonPictureTest, LanesAreNamedAndATableIsComputedOnce) {
  Pipeline pipeline(gpu::Device::host);
  const auto frame = noise_frame({64, 48});
  const auto gray_blur = [](const char* algorithm) {
    auto selection = selection_of(algorithm, "box_blur");
    selection.effect_arguments.set("colour", "off");  // in colour each side has tables of its own
    return selection;
  };
  const auto blur = gray_blur("host_serial"), threshold = selection_of("host_serial", "adaptive_threshold");
  pipeline.process(frame, comparison({blur, threshold}));
  using Counts = std::vector<std::pair<const char*, std::size_t>>;
  auto paths = paths_of(pipeline);
  EXPECT_TRUE(std::ranges::none_of(paths, [](const auto& path) { return path.find("/host_serial") != path.npos; }));
  const auto expect = [&](const Counts& counts) {
    for (const auto& [path, count] : counts) EXPECT_EQ(paths.count(path), count) << path;
  };
  // The table is before both, and nothing composes a wipe.
  expect({{"host_serial", 1}, {"A: side 1/box blur", 1}, {"A: side 1", 1}, {"B: side 2", 1}, {"compose", 0}});
  const std::pair<Selection, Counts> others[] = {
      {comparison({blur, gray_blur("host_parallel")}),
       {{"A: side 1/host_serial", 1}, {"B: side 2/host_parallel", 1}, {"host_serial", 0}}},
      {comparison({original(), blur}), {{"host_serial", 1}, {"A: side 1/none", 1}}},
      {comparison({original(), blur}, {Mode::difference}), {{"compose", 1}}}};
  for (const auto& [selection, counts] : others) {
    pipeline.process(frame, selection);
    paths = paths_of(pipeline);
    expect(counts);
  }

  // Sides that shared a table have their own again, and right ones.
  Pipeline alone(gpu::Device::host);
  alone.process(frame, selection_of("host_parallel", "adaptive_threshold"));
  pipeline.process(frame, comparison({blur, selection_of("host_parallel", "adaptive_threshold")}, {Mode::wipe, 0, 8}));
  EXPECT_TRUE(same(pipeline.picture().pixels, alone.picture().pixels));
}

TEST(ComparisonPictureTest, MemoryIsThatOfTwoLanesUntilItEnds) {
  Pipeline pipeline(gpu::Device::host);
  const auto frame = noise_frame({320, 200});
  const auto blur = selection_of("host_serial", "box_blur");
  const auto make = [&](const Selection& selection) {
    for (int i = 0; i < 3; ++i) pipeline.process(frame, selection);
    return pipeline.memory_bytes();
  };
  const auto one = make(blur);
  const auto two = make(comparison({original(), blur}));
  EXPECT_GT(two, one);
  EXPECT_EQ(make(comparison({original(), blur}, {Mode::wipe, 0.1, 8})), two);
  EXPECT_EQ(make(blur), one);
}

TEST(ComparisonPictureTest, AFailureOfOneSideKeepsThePicture) {
  Pipeline pipeline(gpu::Device::host);
  const auto frame = noise_frame({64, 64});
  pipeline.process(frame, selection_of("host_serial", "none"));
  auto too_wide = selection_of("host_serial", "haar");
  too_wide.effect_arguments.set("width", "100");
  EXPECT_THROW(pipeline.process(frame, comparison({original(), too_wide})), gpu::ArgumentError);
  EXPECT_EQ(pipeline.picture().size(), (gpu::Size{64, 64}));
  EXPECT_FALSE(pipeline.picture().compared);
}

TEST(ComparisonPictureTest, TheSimulatedGpuMakesTheSamePicture) {
  if (!why_no_simulated_gpu().empty()) GTEST_SKIP() << why_no_simulated_gpu();
  const auto frame = noise_frame({40, 30});
  for (const auto mode : {Mode::wipe, Mode::difference}) {
    Pipeline host(gpu::Device::host), simulated(gpu::Device::simulated);
    host.process(frame, comparison({original(), selection_of("host_serial", "box_blur")}, {mode, 0.4, 5}));
    simulated.process(
        frame, comparison({original(gpu::Device::simulated), selection_of("2r1w", "box_blur", gpu::Device::simulated)},
                          {mode, 0.4, 5}));
    EXPECT_TRUE(same(host.picture().pixels, simulated.picture().pixels));
  }
}

Annotation annotation(Annotation::Kind kind, float x0, float x1) {
  Annotation a;
  a.kind = kind;
  a.x0 = x0, a.x1 = x1, a.y0 = 10, a.y1 = 20;
  a.fill.a = 100;
  return a;
}

TEST(ComparisonPictureAnnotationsTest, AWipeKeepsThemOnTheirSide) {
  const Composition half{Mode::wipe, 0.5, 8};
  const auto rectangle = annotation(Annotation::Kind::rectangle, 40, 60), left = annotation(Annotation::Kind::label, 10, 20);
  const auto kept = [&](const Annotation& one, bool first) {
    const std::vector<Annotation> list{one}, none;
    return first ? composed_annotations(list, none, half, 100) : composed_annotations(none, list, half, 100);
  };
  EXPECT_EQ(kept(left, true).size(), 1u);
  EXPECT_TRUE(kept(left, false).empty());
  // A label that the wipe cuts is on the side where most of it is, and begins there, at the wipe.
  for (const auto& [x0, x1, first] : {std::tuple(30.f, 60.f, true), {45.f, 75.f, false}, {40.f, 60.f, false}}) {
    const auto cut = annotation(Annotation::Kind::label, x0, x1);
    EXPECT_TRUE(kept(cut, !first).empty()) << x0;
    const auto label = kept(cut, first);
    ASSERT_EQ(label.size(), 1u) << x0;
    EXPECT_EQ(label[0].x0, first ? x0 : 50) << "it covers nothing of the other side";
    EXPECT_EQ(label[0].x1, x1);
    EXPECT_EQ(label[0].y0, cut.y0);
  }
  EXPECT_TRUE(kept(annotation(Annotation::Kind::rectangle, 60, 70), true).empty());
  EXPECT_EQ(kept(annotation(Annotation::Kind::rectangle, 60, 70), false).size(), 1u);
  // One that the wipe cuts: its fill, and three of its edges.
  for (const bool first : {true, false}) {
    const auto parts = kept(rectangle, first);
    ASSERT_EQ(parts.size(), 4u);
    for (const auto& part : parts) {
      EXPECT_GE(part.x0, first ? 40 : 50);
      EXPECT_LE(part.x1, first ? 50 : 60);
    }
    EXPECT_EQ(parts[0].stroke.a, 0);
    EXPECT_EQ(parts[3].x0, first ? 40 : 60);
  }
  // Up to the picture's last column, or to the wipe itself, it has its edge there.
  for (const auto& [x0, x1, first] : {std::tuple(40.f, 100.f, false), {-10.f, 50.f, true}}) {
    const auto parts = kept(annotation(Annotation::Kind::rectangle, x0, x1), first);
    ASSERT_EQ(parts.size(), 4u);
    EXPECT_EQ(parts[3].x0, x1);
  }
  // A line, and the same one from its other end.
  auto line = annotation(Annotation::Kind::line, 40, 60), backwards = line;
  std::swap(backwards.x0, backwards.x1), std::swap(backwards.y0, backwards.y1);
  for (const auto& one : {line, backwards}) {
    const auto cut = kept(one, true);
    ASSERT_EQ(cut.size(), 1u);
    EXPECT_EQ(std::tuple(cut[0].x0, cut[0].y0, cut[0].x1, cut[0].y1), std::tuple(40, 10, 50, 15));
  }
}

TEST(ComparisonPictureAnnotationsTest, ADifferenceHasThoseOfBothOnce) {
  const std::vector<Annotation> a{annotation(Annotation::Kind::rectangle, 1, 2), annotation(Annotation::Kind::line, 3, 4)};
  const std::vector<Annotation> b{annotation(Annotation::Kind::rectangle, 1, 2), annotation(Annotation::Kind::line, 5, 6)};
  EXPECT_EQ(composed_annotations(a, b, {Mode::difference, 0.5, 8}, 100).size(), 3u);
}

// Whichever comes last, or has none.
TEST(ComparisonPictureAnnotationsTest, ThoseOfAPictureHaveArrivedOnceBothHave) {
  const std::vector<Annotation> list{annotation(Annotation::Kind::line, 3, 4)};
  const auto whole = comparison({original(), original()}, {Mode::difference, 0.5, 8});
  enum Comes { now, later, never };
  for (const auto a : {now, later, never})
    for (const auto b : {now, later, never}) {
      bool there = false;
      const auto side = [&](Comes comes) {
        Picture picture;
        if (comes == now) picture.annotations = list;
        if (comes == later)
          picture.annotations = PictureAnnotations::Source([&](bool wait) -> std::optional<PictureAnnotations::List> {
            return there || wait ? std::optional(list) : std::nullopt;
          });
        return picture;
      };
      const auto picture = composed(whole, side(a), side(b), {});
      EXPECT_EQ(picture.annotations.none(), a == never && b == never);
      EXPECT_EQ(picture.annotations.arrived(), a != later && b != later) << a << b;
      there = true;
      EXPECT_TRUE(picture.annotations.arrived());
      EXPECT_EQ(picture.annotations.list().size(), a == never && b == never ? 0u : 1u);
    }
}

TEST(ComparisonPictureAnnotationsTest, ThoseOfBothLanesComeWithThePicture) {
  Pipeline pipeline(gpu::Device::host);
  const auto count = [&](double wipe) {
    pipeline.process(noise_frame({64, 48}),
                     comparison({haar_at("50", "0", "8"), haar_at("0", "0", "8")}, {Mode::wipe, wipe, 8}));
    return pipeline.picture().annotations.list().size();
  };
  EXPECT_EQ(count(0), 4u);  // those of the right side alone
  EXPECT_EQ(count(1), 4u);
  EXPECT_EQ(count(0.5), 0u) << "each is on the other's side";
}

// The line of the wipe and its handle begin in the middle of the picture, where what an effect marks is, too.
TEST(ComparisonPictureAnnotationsTest, BesideAnEffectWithoutAnyTheyAreWholeOnBothSides) {
  const auto haar = haar_at("20", "8", "24");  // across the middle
  Pipeline pipeline(gpu::Device::host);
  pipeline.process(noise_frame({64, 48}), haar);
  const auto whole = pipeline.picture().annotations.list();
  for (const double wipe : {0.0, 0.5, 1.0})
    for (const bool first : {true, false}) {
      const auto sides = first ? std::vector{haar, original()} : std::vector{original(), haar};
      pipeline.process(noise_frame({64, 48}), comparison({sides[0], sides[1]}, {Mode::wipe, wipe, 8}));
      const auto list = pipeline.picture().annotations.list();
      ASSERT_EQ(list.size(), whole.size()) << wipe;
      for (std::size_t i = 0; i < list.size(); ++i) EXPECT_EQ(list[i].x1, whole[i].x1) << wipe;
    }
}

TEST(ComparisonPictureSideLabelsTest, NameBothSidesOfTheWipeWhereTheyFit) {
  const auto names = [](const Compared& compared, gpu::Size size) {
    std::string all;
    for (const auto& a : side_labels(compared, size))
      if (a.kind == Annotation::Kind::label) all += std::string(a.text) + ';';
    return all;
  };
  const gpu::Size size{640, 480};
  EXPECT_EQ(names({"original", "box_blur", {Mode::wipe, 0.5, 8}}, size), "Original;Box blur;");
  EXPECT_EQ(names({"original", "box_blur", {Mode::wipe, 0.02, 8}}, size), "Box blur;");
  EXPECT_EQ(names({"original", "box_blur", {Mode::wipe, 1, 8}}, size), "Original;");
  EXPECT_EQ(names({"original", "box_blur", {Mode::wipe, 0.5, 8}}, {40, 30}), "");
  EXPECT_EQ(names({"2r1w", "1r1w", {Mode::difference, 0.5, 16}}, size), "|A - B| x 16;A 2r1w;B 1r1w;");
  const auto list = side_labels({"original", "box_blur", {Mode::wipe, 0.5, 8}}, size);
  EXPECT_EQ(list[0].kind, Annotation::Kind::line);
  EXPECT_EQ(list[0].x0, 320);
  EXPECT_LT(list[1].x0 + static_cast<float>(label_size("Original", 480).width), 321);
  EXPECT_GT(list[2].x0, 320);
}

// OpenCV's window has its lines at the upper edge.
TEST(ComparisonPictureSideLabelsTest, MayBeAtTheLowerEdge) {
  for (const gpu::Size size : {gpu::Size{640, 480}, {1920, 1080}, {640, 10}}) {
    const auto list = side_labels({"original", "box_blur", {Mode::wipe, 0.5, 8}}, size, false, true);
    ASSERT_EQ(list.size(), 3u);
    const auto bottom = list[1].y0 + static_cast<float>(label_size("Original", size.height).height);
    EXPECT_EQ(list[1].y0, list[2].y0);
    const bool fits = size.height > 100;
    EXPECT_TRUE(!fits || std::abs(bottom - (static_cast<float>(size.height) - 4)) <= 1) << bottom;
  }
}

// The matrix is drawn in squares: labels lie between the rows of numbers, and on the sheet.
TEST(ComparisonPictureSideLabelsTest, HideNoNumberOfAMatrix) {
  for (const gpu::Size size : {gpu::Size{3, 3}, {8, 8}, {16, 9}, {64, 64}, {8, 1}})
    for (const auto mode : {Mode::wipe, Mode::difference}) {
      const auto square = static_cast<float>(side_of_square(size)),
                 number = static_cast<float>(height_of_number(side_of_square(size)));
      const auto sheet = size_in_squares(size);
      int labels = 0;
      for (const auto& a : side_labels({"none", "haar", {mode, 0.5, 8}}, size, true)) {
        if (a.kind != Annotation::Kind::label) continue;
        ++labels;
        const auto set = label_size(a.text, sheet.height);
        const float top = a.y0 * square, bottom = top + static_cast<float>(set.height) + 2;
        EXPECT_LE(bottom, static_cast<float>(sheet.height));
        EXPECT_GE(a.x0 * square, 0);
        EXPECT_LE(a.x0 * square + static_cast<float>(set.width), static_cast<float>(sheet.width));
        for (int y = 0; y < size.height; ++y) {
          const auto first = (static_cast<float>(y) + 0.5f) * square - number / 2;
          EXPECT_TRUE(bottom <= first + 1 || top >= first + number - 1)
              << a.text << " in row " << y << " of " << size.height;
        }
      }
      const bool room = size.height > 1 && size.height < 20;  // elsewhere they are left out
      if (room && mode == Mode::difference) {
        EXPECT_EQ(labels, 3) << size.height;
      } else if (room && size.width > 3) {
        EXPECT_EQ(labels, 2) << size.height;
      }
    }
}

}  // namespace
}  // namespace app
