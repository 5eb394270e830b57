// faces on the host: drawn faces are found, marked and hidden, and keep their colours. (A photograph: app/tests/pipeline/.)
#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <tuple>

#include "gpu/effects/colour_map.h"
#include "gpu/effects/face_list.h"
#include "gpu/tests/effects/effect_support.h"
#include "gpu/tests/refusal.h"
#include "gpu/tests/vision/cascade_writer.h"
#include "gpu/vision/cascade_files.h"
#include "gpu/vision/detector.h"

namespace gpu::effects {
namespace {

using test::DrawnFace, test::frame_with, test::HostFrame, test::Setting;

const Effect& effect() { return test::effect_named("faces"); }

std::vector<Annotation> annotations(const HostFrame& frame, std::initializer_list<Setting> settings = {}) {
  return test::annotations_on_host(effect(), test::arguments_of(effect(), settings), frame);
}

std::string refusal(const HostFrame& frame, std::initializer_list<Setting> settings) {
  return test::refusal_of<ArgumentError>([&] { annotations(frame, settings); });
}

bool surrounds(const Annotation& box, const DrawnFace& face) {
  const auto x = static_cast<float>(face.x), y = static_cast<float>(face.y), size = static_cast<float>(face.size);
  return box.x0 < x - size / 4 && box.x1 > x + size / 4 && box.y0 < y - size / 4 && box.y1 > y + size / 4 &&
         box.x1 - box.x0 < 2 * size;
}

bool same_colour(Rgba a, Rgba b) { return a.r == b.r && a.g == b.g && a.b == b.b && a.a == b.a; }

void expect_same_places(const std::vector<Annotation>& found, const std::vector<Annotation>& expected) {
  const auto place = [](const Annotation& a) { return std::tuple(a.x0, a.y1, a.value); };
  EXPECT_TRUE(std::ranges::equal(found, expected, {}, place, place)) << found.size() << " and " << expected.size();
}

constexpr DrawnFace left{60, 80, 70}, right{150, 60, 50};

TEST(EffectFacesTest, EachFaceHasARectangleAndItsNumber) {
  const auto all = annotations(frame_with({left, right}));
  ASSERT_EQ(all.size(), 4u);
  for (const auto& [index, face] : {std::pair(0, right), std::pair(2, left)}) {  // by their upper edges
    const auto &box = all[static_cast<std::size_t>(index)], &label = all[static_cast<std::size_t>(index) + 1];
    EXPECT_EQ(box.kind, Annotation::Kind::rectangle);
    EXPECT_EQ(box.fill.a, 0);
    EXPECT_TRUE(surrounds(box, face)) << index;
    EXPECT_EQ(label.kind, Annotation::Kind::label);
    EXPECT_EQ(label.has, Annotation::Value::number);
    EXPECT_GT(label.value, 3);
    EXPECT_EQ(label.x0, box.x0);
    EXPECT_TRUE(same_colour(label.stroke, box.stroke));
  }
  EXPECT_FALSE(same_colour(all[0].stroke, all[2].stroke));
}

TEST(EffectFacesTest, SizesAndNeighboursDecideWhatIsFound) {
  const auto frame = frame_with({left, right});
  EXPECT_EQ(annotations(frame, {{"min_neighbors", "100"}}).size(), 0u);
  const auto large = annotations(frame, {{"min_size", "75"}}), small = annotations(frame, {{"max_size", "70x70"}});
  ASSERT_EQ(large.size(), 2u);
  EXPECT_TRUE(surrounds(large[0], left));
  ASSERT_EQ(small.size(), 2u);
  EXPECT_TRUE(surrounds(small[0], right));
  EXPECT_GT(annotations(frame, {{"min_neighbors", "0"}}).size(), 40u) << "every window";
}

// The same cascade finds each face in itself.
TEST(EffectFacesTest, ASecondCascadeCountsInsideFacesOnly) {
  const auto frame = frame_with({left, right});
  const auto all = annotations(frame, {{"inside", "frontalface_alt2"}});
  ASSERT_EQ(all.size(), 8u);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(all[i + 4].x0, all[i].x0);
    EXPECT_TRUE(same_colour(all[i + 4].stroke, all[i].stroke)) << "of the face that it is inside";
  }
  for (const auto& found : annotations(frame, {{"inside", "frontalface_alt2"}, {"max_size", "70x70"}}))
    EXPECT_TRUE(surrounds(found, right)) << "the larger one is inside nothing";
}

TEST(EffectFacesTest, TablesOfWholeLevelsGiveTheSame) {
  const auto frame = frame_with({left, right});
  const auto local = annotations(frame, {{"inside", "frontalface_alt2"}});
  const auto global = annotations(frame, {{"inside", "frontalface_alt2"}, {"tables", "global"}});
  expect_same_places(global, local);
}

TEST(EffectFacesTest, ShowsTheFrameItself) {
  const auto frame = frame_with({left});
  const auto picture = test::run_on_host(effect(), Arguments(effect().parameters), frame);
  for (int y = 0; y < frame.size().height; ++y)
    for (int x = 0; x < frame.size().width; ++x) {
      const auto pixel = frame.colour.view()(x, y);
      ASSERT_TRUE(same_colour(picture.rgba(x, y), {pixel.r, pixel.g, pixel.b, 255})) << x << "," << y;
    }
}

int mean_of(const HostFrame& frame, const Box& box, std::uint8_t Bgr::*channel) {
  int sum = 0;
  for (int y = box.y0; y < box.y1; ++y)
    for (int x = box.x0; x < box.x1; ++x) sum += frame.colour.view()(x, y).*channel;
  const auto area = static_cast<int>(box.area());
  return (2 * sum + area) / (2 * area);
}

TEST(EffectFacesTest, HidesWhatIsInsideAndNothingElse) {
  const auto frame = frame_with({left, right});
  for (const char* show : {"blurred", "pixelated"}) {
    std::vector<Annotation> all;
    const auto picture = test::run_on_host(effect(), test::arguments_of(effect(), {{"show", show}}), frame, false, 2, &all);
    ASSERT_EQ(all.size(), 4u);
    int hidden = 0;
    for (int y = 0; y < frame.size().height; ++y)
      for (int x = 0; x < frame.size().width; ++x) {
        const auto pixel = frame.colour.view()(x, y);
        Rgba expected{pixel.r, pixel.g, pixel.b, 255};
        for (const auto* annotation : {&all[0], &all[2]}) {
          const Box face{static_cast<int>(annotation->x0), static_cast<int>(annotation->y0),
                         static_cast<int>(annotation->x1), static_cast<int>(annotation->y1)};
          if (!face.contains(x, y)) continue;
          const int reach = face.width() / 6, side = (face.width() + 7) / 8;
          const int across = (x - face.x0) / side, down = (y - face.y0) / side;
          const Box box = std::string_view(show) == "blurred" ? Box{std::max(0, x - reach), std::max(0, y - reach),
                                                                    std::min(frame.size().width, x + reach + 1),
                                                                    std::min(frame.size().height, y + reach + 1)}
                                                              : Box{face.x0 + across * side, face.y0 + down * side,
                                                                    std::min(face.x1, face.x0 + (across + 1) * side),
                                                                    std::min(face.y1, face.y0 + (down + 1) * side)};
          const auto mean = [&](auto channel) { return static_cast<std::uint8_t>(mean_of(frame, box, channel)); };
          expected = {mean(&Bgr::r), mean(&Bgr::g), mean(&Bgr::b), 255};
          ++hidden;
          break;
        }
        ASSERT_TRUE(same_colour(picture.rgba(x, y), expected)) << show << " at " << x << "," << y;
      }
    EXPECT_GT(hidden, 5000);
  }
}

// The depth of each visited window of a level, row by row; -1 for the others.
std::vector<int> visited_depths(ImageView<const std::uint8_t> depths, int stages) {
  std::vector<int> visited;
  for (int j = 0; j < depths.height; ++j)
    for (int i = 0, run = 0; i < depths.width; ++i) {
      const int depth = depths(i, j);
      visited.push_back(run % 2 == 0 && depth <= stages ? depth : -1);
      run = depth == 0 ? run + 1 : 0;
    }
  return visited;
}

TEST(EffectFacesTest, DepthColoursAPixelByTheWindowAroundIt) {
  const auto frame = frame_with({left, right, {256, 90, 80}}, {360, 160});  // the host takes 256 pixels at a time
  vision::DetectorOptions options;
  options.levels.scale_factor = 1.3;
  options.depths = true;
  vision::Detector detector(vision::find_cascade("frontalface_alt2"), options, frame.size());
  ThreadPool pool(1);
  auto context = Context::on_host(pool, {});
  detector.run(context, frame.gray.view());
  const int stages = static_cast<int>(detector.cascade().stages.size()), side = detector.cascade().window.width;
  const auto levels = detector.levels();
  std::vector<std::vector<int>> visited;
  for (std::size_t l = 0; l < levels.size(); ++l)
    visited.push_back(visited_depths(detector.depths(static_cast<int>(l)), stages));

  const auto depth_at = [&](std::size_t l, int x, int y) {
    const auto& level = levels[l];
    const auto nearest = [&](int at) {
      return static_cast<int>(std::floor(((at + 0.5) / double{level.factor} - side / 2.0) / level.step + 0.5));
    };
    const int i = nearest(x), j = nearest(y);
    const bool there = i >= 0 && j >= 0 && i < level.across && j < level.down;
    return there ? visited[l][static_cast<std::size_t>(j * level.across + i)] : -1;
  };
  for (int chosen = 0; chosen <= static_cast<int>(levels.size()) + 1; ++chosen) {
    const auto text = std::to_string(chosen);
    const auto picture = test::run_on_host(
        effect(), test::arguments_of(effect(), {{"show", "depth"}, {"level", text}, {"scale_factor", "1.3"}}), frame);
    int deepest = -1, plain = 0;
    for (int y = 0; y < frame.size().height; ++y)
      for (int x = 0; x < frame.size().width; ++x) {
        int depth = -1;
        if (chosen > 0)
          depth = depth_at(std::min(static_cast<std::size_t>(chosen), levels.size()) - 1, x, y);
        else
          for (std::size_t l = 0; l < levels.size(); ++l) depth = std::max(depth, depth_at(l, x, y));
        deepest = std::max(deepest, depth);
        plain += depth < 0;
        const auto gray = gray_level(frame.gray.view()(x, y));
        const auto expected = depth < 0 ? gray
                                        : mixed(gray, viridis(static_cast<float>(depth) / static_cast<float>(stages)), 160);
        ASSERT_TRUE(same_colour(picture.rgba(x, y), expected)) << x << "," << y << " of level " << chosen;
      }
    EXPECT_GT(plain, 500) << chosen;
    EXPECT_TRUE(chosen > 0 || deepest == stages) << "the faces";
  }
}

// What is remembered lies in what prepare() keeps.
TEST(EffectFacesTest, ARectangleKeepsItsColourWhileItOverlapsItself) {
  const Arguments arguments(effect().parameters);
  ThreadPool pool(1);
  auto context = Context::on_host(pool, {});
  const auto prepared = prepare_effect(context, effect(), arguments, {200, 160});
  const auto shown = [&](std::initializer_list<DrawnFace> faces) {
    std::vector<Annotation> all;
    test::run_on_host(effect(), arguments, frame_with(faces), false, 1, &all, prepared);
    return all;
  };
  const auto both = shown({left, right});
  ASSERT_EQ(both.size(), 4u);
  const auto of_right = both[0].stroke, of_left = both[2].stroke;
  for (int step = 1; step <= 5; ++step) {  // the right one comes to lie below the left one
    const auto all = shown({{60, 80 - 3 * step, 70}, {150, 60 + 8 * step, 50}});
    ASSERT_EQ(all.size(), 4u) << step;
    const bool left_first = surrounds(all[0], {60, 80 - 3 * step, 70});
    EXPECT_TRUE(same_colour(all[left_first ? 0 : 2].stroke, of_left)) << step;
    EXPECT_TRUE(same_colour(all[left_first ? 2 : 0].stroke, of_right)) << step;
  }
  ASSERT_EQ(shown({left}).size(), 2u);
  const auto again = shown({left, right});
  ASSERT_EQ(again.size(), 4u);
  EXPECT_TRUE(same_colour(again[2].stroke, of_left));
}

TEST(EffectFacesTest, OnlyWhatDeterminesDetectionsIsPreparedAgain) {
  ThreadPool pool(1);
  auto context = Context::on_host(pool, {});
  Arguments arguments(effect().parameters);
  const auto first = prepare_effect(context, effect(), arguments, {200, 160});
  arguments.set("show", "blurred");
  EXPECT_EQ(prepare_effect(context, effect(), arguments, {200, 160}, first), first);
  EXPECT_NE(prepare_effect(context, effect(), arguments, {201, 160}, first), first);
  for (const auto& [name, value] :
       {Setting{"scale_factor", "1.2"}, Setting{"min_neighbors", "2"}, Setting{"min_size", "30"}, Setting{"max_size", "90"},
        Setting{"tables", "global"}, Setting{"inside", "frontalface_alt2"}, Setting{"show", "depth"}}) {
    auto other = arguments;
    other.set(name, value);
    EXPECT_NE(prepare_effect(context, effect(), other, {200, 160}, first), first) << name;
  }
}

// Whatever changes from one preparation to the next, and back, the picture is that of a fresh one. The colours of rectangles alone
// are remembered, and are those of the first frame here.
TEST(EffectFacesTest, APreparationFromTheOneBeforeShowsWhatAFreshOneDoes) {
  const auto frame = frame_with({left, right}), small = frame_with({{60, 80, 70}}, {160, 150});
  ThreadPool pool(1);
  auto context = Context::on_host(pool, {});
  const auto other = testing::TempDir() + "effect_faces_kept_" + std::to_string(getpid()) + ".xml";
  std::ofstream(other) << vision::new_format_text(vision::small_cascade());
  const std::vector<Setting> usual{{"scale_factor", "1.3"}};
  const std::vector<Setting> changes{
      {"scale_factor", "1.5"}, {"min_neighbors", "0"}, {"min_size", "75"},   {"min_size", "0x60"},
      {"max_size", "70x70"},   {"max_size", "0x40"},   {"tables", "global"}, {"inside", "frontalface_alt2"},
      {"inside", other},       {"cascade", other},     {"show", "depth"},    {"show", "pixelated"}};
  std::shared_ptr<const void> kept;
  std::size_t different = 0;
  std::vector<Annotation> of_usual;
  const auto check = [&](const std::vector<Setting>& settings, const HostFrame& of) {
    Arguments arguments(effect().parameters);
    for (const auto& [name, value] : settings) arguments.set(name, value);
    kept = prepare_effect(context, effect(), arguments, of.size(), kept);
    std::vector<Annotation> now, expected;
    const auto picture = test::run_on_host(effect(), arguments, of, false, 1, &now, kept);
    const auto fresh = test::run_on_host(effect(), arguments, of, false, 1, &expected);
    expect_same_places(now, expected);
    EXPECT_TRUE(picture == fresh);
    if (settings.size() == usual.size() && &of == &frame) of_usual = now;
    different += now.size() != of_usual.size();
  };
  for (const auto& change : changes) {
    SCOPED_TRACE(std::string(change.first) + "=" + std::string(change.second));
    auto changed = usual;
    changed.push_back(change);
    check(usual, frame);
    check(changed, frame);
    check(changed, small);
    check(changed, frame);
  }
  EXPECT_GT(different, changes.size()) << "the changes show nothing";
  std::remove(other.c_str());
}

TEST(EffectFacesTest, AFrameSmallerThanTheWindowIsShownAsItIs) {
  for (const auto& [width, height] : {std::pair(1, 1), {19, 100}, {100, 19}})
    for (const char* show : {"frame", "blurred", "pixelated", "depth"}) {
      const auto frame = HostFrame::noise({width, height}, 3);
      EXPECT_TRUE(annotations(frame, {{"show", show}}).empty());
      const auto picture = test::run_on_host(effect(), test::arguments_of(effect(), {{"show", show}}), frame);
      const auto shown = std::string_view(show) == "depth" ? frame.gray.view()(0, height - 1)
                                                           : frame.colour.view()(0, height - 1).g;
      EXPECT_EQ(picture.rgba(0, height - 1).g, shown);
    }
}

TEST(EffectFacesTest, RefusesACascadeThatIsNoneWithTheCause) {
  const auto frame = frame_with({left});
  EXPECT_EQ(refusal(frame, {{"cascade", "frontalface_alt3"}}),
            "no cascade 'frontalface_alt3' (did you mean 'frontalface_alt2'?)");
  const auto file = testing::TempDir() + "effect_faces_test_" + std::to_string(getpid()) + ".xml";
  std::ofstream(file) << "<opencv_storage>\n</cascade>";
  for (const char* parameter : {"cascade", "inside"})
    EXPECT_TRUE(refusal(frame, {{parameter, file}}).starts_with(file + ": line 2: ")) << refusal(frame, {{parameter, file}});
  std::ofstream(file) << vision::new_format_text(vision::small_cascade());
  EXPECT_EQ(refusal(frame, {{"cascade", file}}), test::nothing_refused);
  std::remove(file.c_str());
}

// By hand: the parts of the list that drawn faces hardly reach.
std::unique_ptr<FaceMemory> listed(const std::vector<vision::Detection>& found, std::unique_ptr<FaceMemory> memory = {},
                                   std::vector<Annotation>* annotations = {}) {
  if (!memory) memory = std::make_unique<FaceMemory>();
  memory->faces.count = static_cast<int>(found.size());
  std::copy_n(found.begin(), std::min(found.size(), std::size_t{most_faces}), memory->faces.items);
  std::vector<Annotation> room(2 * most_faces);
  int count = 0;
  ListFaces{memory.get(), {room.data(), &count, 2 * most_faces}}(0, 0);
  if (annotations) annotations->assign(room.begin(), room.begin() + std::min(count, 2 * most_faces));
  return memory;
}

TEST(EffectFacesListTest, NewRectanglesGetTheColoursThatAreUsedLeast) {
  std::vector<vision::Detection> row;
  for (int i = 0; i < 10; ++i) row.push_back({i * 20, 0, 10, 10, 4});
  auto memory = listed(row);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(memory->now().colours[i], i % face_colours);
  row.erase(row.begin() + 2);
  row.push_back({300, 0, 10, 10, 4});
  memory = listed(row, std::move(memory));
  EXPECT_EQ(memory->now().colours[2], 3);
  EXPECT_EQ(memory->now().colours[9], 2);
}

TEST(EffectFacesListTest, TwoThatOverlapOneDoNotBothTakeItsColour) {
  const auto memory = listed({{0, 0, 100, 100, 4}, {50, 0, 100, 100, 4}}, listed({{20, 0, 100, 100, 4}}));
  EXPECT_EQ(memory->now().colours[0], 0);
  EXPECT_EQ(memory->now().colours[1], 1);
}

// The colour of the box that overlaps it most, if that is a quarter of what both cover.
TEST(EffectFacesListTest, TheColourIsThatOfTheBoxThatOverlapsMost) {
  const auto colour_after = [](const std::vector<vision::Detection>& before, const vision::Detection& now) {
    return listed({now}, listed(before))->now().colours[0];
  };
  const vision::Detection near{10, 0, 100, 100, 4}, nearer{5, 0, 100, 100, 4}, here{0, 0, 100, 100, 4};
  EXPECT_EQ(colour_after({near, nearer}, here), 1);
  EXPECT_EQ(colour_after({nearer, near}, here), 0);
  EXPECT_EQ(colour_after({near, near}, here), 0) << "of equal ones the first";
  // 60 of 100 columns away two share 40, of 160 that they cover; 61 away 39 of 161.
  EXPECT_EQ(colour_after({{500, 0, 9, 9, 4}, {60, 0, 100, 100, 4}}, here), 1);
  EXPECT_EQ(colour_after({{500, 0, 9, 9, 4}, {61, 0, 100, 100, 4}}, here), 0) << "a new one";
  EXPECT_EQ(colour_after({{500, 0, 9, 9, 4}, {0, 60, 100, 100, 4}}, here), 1);
  EXPECT_EQ(colour_after({{500, 0, 9, 9, 4}, {0, 100, 100, 100, 4}}, here), 0);
}

// One list after another, with none between: whatever was in the lists before.
TEST(EffectFacesListTest, APixelIsInTheFirstBoxThatHasIt) {
  std::unique_ptr<FaceMemory> memory;
  unsigned state = 1;
  const auto below = [&](unsigned most) {
    return static_cast<int>((state = state * 1664525u + 1013904223u) >> 16) % static_cast<int>(most);
  };
  for (const int count : {3, 1, 0, 4, 2, 0, 1, 5}) {
    std::vector<vision::Detection> found;
    for (int i = 0; i < count; ++i) found.push_back({below(40), below(40), 1 + below(12), 1 + below(12), 3});
    memory = listed(found, std::move(memory));
    for (int y = -1; y < 54; ++y)
      for (int x = -1; x < 54; ++x) {
        const auto first = std::ranges::find_if(found, [&](const vision::Detection& box) {
          return x >= box.x && x < box.x + box.width && y >= box.y && y < box.y + box.height;
        });
        const auto* const at = memory->now().at(x, y);
        ASSERT_EQ(at != nullptr, first != found.end()) << x << ',' << y;
        if (at) {
          ASSERT_EQ(at - memory->now().boxes, first - found.begin());
        }
      }
  }
}

// What lies in several faces is in the colour of the first; what reaches out of them is not listed.
TEST(EffectFacesListTest, WhatIsFoundInsideBelongsToTheFirstFaceThatContainsIt) {
  auto memory = std::make_unique<FaceMemory>();
  const vision::Detection inside[] = {{10, 10, 5, 5, 7}, {95, 95, 5, 5, 8}, {96, 95, 5, 5, 9}, {160, 10, 40, 40, 2}};
  std::ranges::copy(inside, memory->inside.items);
  memory->inside.count = static_cast<int>(std::size(inside));
  std::vector<Annotation> all;
  listed({{0, 0, 100, 100, 4}, {5, 5, 60, 60, 4}, {150, 0, 50, 50, 4}}, std::move(memory), &all);
  ASSERT_EQ(all.size(), 12u);
  const std::pair<int, int> expected[] = {{0, 7}, {0, 8}, {2, 2}};  // the face and the number
  for (std::size_t i = 0; i < 3; ++i) {
    const auto& label = all[7 + 2 * i];
    EXPECT_EQ(label.value, expected[i].second);
    EXPECT_TRUE(same_colour(label.stroke, face_colour(expected[i].first))) << i;
  }
}

TEST(EffectFacesListTest, IsBounded) {
  std::vector<vision::Detection> many;
  for (int i = 0; i < most_faces + 5; ++i) many.push_back({i, 0, 1, 1, 1});
  std::vector<Annotation> annotations;
  const auto memory = listed(many, {}, &annotations);
  EXPECT_EQ(memory->now().count, most_faces);
  EXPECT_EQ(annotations.size(), 2u * most_faces);
  EXPECT_EQ(memory->now().at(most_faces, 0), nullptr);
  ASSERT_NE(memory->now().at(7, 0), nullptr);
  EXPECT_EQ(memory->now().at(7, 0)->x0, 7);
}

}  // namespace
}  // namespace gpu::effects
