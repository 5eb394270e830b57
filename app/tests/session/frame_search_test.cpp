// What a thread finds in a frame, and what is left when it fails.
#include "app/session/frame_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <random>
#include <stdexcept>
#include <thread>
#include <utility>

#include <opencv2/imgcodecs.hpp>

#include "app/support/files.h"
#include "app/tests/pipeline/frames.h"
#include "app/tests/session/session_steps.h"
#include "app/tests/support/temporary_folder.h"

namespace app {
namespace {

using Search = FrameSearch<int, std::string>;

TEST(FrameSearchTest, WhatWasFoundIsWhatWasAskedFor) {
  Search search;
  search.begin(1, [] { return std::string("one"); });
  EXPECT_TRUE(search.busy());
  search.wait();
  EXPECT_FALSE(search.busy());
  EXPECT_EQ(search.found(), "one");
  EXPECT_EQ(search.found_for(), 1);
}

TEST(FrameSearchTest, AfterAFailureNothingIsFoundAndTheNextSearchWorks) {
  Search search;
  search.set(1, "one");
  search.begin(2, []() -> std::string { throw std::runtime_error("no memory"); });
  EXPECT_THROW(search.wait(), std::runtime_error);
  EXPECT_FALSE(search.busy());
  EXPECT_EQ(search.found_for(), std::nullopt);
  search.wait();
  EXPECT_EQ(search.found_for(), std::nullopt);
  search.begin(3, [] { return std::string("three"); });
  search.wait();
  EXPECT_EQ(search.found(), "three");
}

// The window of a cascade that the settings choose, of the picture that is shown; chosen by hand and by a script.

Settings astronaut_settings() {
  auto settings = host_settings(asset("astronaut.png").string());
  settings.effect = "faces";
  settings.dock = Dock::detector;
  settings.dock_open = true;
  settings.cascade_at = Pointer{225, 115};  // her nose
  return settings;
}

class FrameSearchCascadeViewTest : public testing::Test {
 protected:
  const CascadeWindow* window() { return session_.maker().cascade_view().window().get(); }
  void set(const std::string& path, const std::string& text) { session_.change({path, text}); }

  Session session_{astronaut_settings(), {{}, "no driver"}, app::Run{}, true, [](auto&, auto&) {}};
};

TEST_F(FrameSearchCascadeViewTest, TheWindowAroundAFaceIsFound) {
  ASSERT_TRUE(step_until(session_, [&] { return window(); }));
  EXPECT_TRUE(window()->stages.found());
  EXPECT_EQ(window()->stages.stages.size(), window()->cascade->stages.size());
  EXPECT_EQ(window()->name, "frontalface_alt2");
  const auto& box = window()->stages.window;
  EXPECT_NEAR(box.x + box.width / 2, 225, 9);
  EXPECT_NEAR(box.y + box.height / 2, 115, 9);
  EXPECT_EQ(session_.maker().cascade_view().problem(), "");
}

// Not in its centre alone.
TEST_F(FrameSearchCascadeViewTest, AnyPlaceInAFaceThatWasFoundIsOfItsBestWindow) {
  ASSERT_TRUE(step_until(session_, [&] { return window(); }));
  ASSERT_TRUE(window()->stages.found());
  const auto box = window()->stages.window;
  for (const auto& [x, y] : {std::pair(3, 4), {7, 4}, {5, 8}, {2, 2}}) {  // her eyes, her mouth, her hair
    set("cascade_at", "60,400");
    ASSERT_TRUE(step_until(session_, [&] { return window() && !window()->stages.found(); })) << "outside";
    set("cascade_at", std::to_string(box.x + box.width * x / 10) + "," + std::to_string(box.y + box.height * y / 10));
    ASSERT_TRUE(step_until(session_, [&] { return window() && window()->stages.window.x > 120; }));
    EXPECT_TRUE(window()->stages.found()) << x << ',' << y;
    EXPECT_TRUE(gpu::vision::similar(window()->stages.window, box)) << x << ',' << y;
  }
}

// An eye in a face was found by another cascade.
TEST(FrameSearchCascadeViewDetectionTest, TheFaceIsMeantWhereItsEyeIsClicked) {
  const auto settings = astronaut_settings();
  Session session(settings, {{}, "no driver"}, app::Run{}, true, [](auto&, auto&) {});
  auto& now = session.maker().cascade_view();
  ASSERT_TRUE(step_until(session, [&] { return now.window() != nullptr; }));
  const auto box = now.window()->stages.window;
  const auto rectangle = [](int x, int y, int side) {
    gpu::Annotation a;
    a.x0 = static_cast<float>(x), a.y0 = static_cast<float>(y);
    a.x1 = a.x0 + static_cast<float>(side), a.y1 = a.y0 + static_cast<float>(side);
    return a;
  };
  auto place = settings;
  place.cascade_at = Pointer{box.x + box.width * 3 / 10, box.y + box.height * 4 / 10};
  const auto eye = rectangle(box.x + box.width / 5, box.y + box.height * 3 / 10, box.width / 5);
  CascadeView view;
  view.take_found(PictureAnnotations::List{eye, rectangle(box.x, box.y, box.width)});
  view.wait(*session.feed().last(), 1, session.engine().selection(), place);
  ASSERT_TRUE(view.window());
  EXPECT_TRUE(view.window()->stages.found());
  view.take_found(PictureAnnotations::Source([](bool) { return std::nullopt; }));  // of the next picture
  view.wait(*session.feed().last(), 1, session.engine().selection(), place);
  EXPECT_TRUE(view.window()->stages.found()) << "until another list has arrived";
  view.take_found(PictureAnnotations::List{});
  view.wait(*session.feed().last(), 1, session.engine().selection(), place);
  EXPECT_FALSE(view.window()->stages.found()) << "nothing was found: the window around the place";
}

// No other frame may follow for long.
TEST_F(FrameSearchCascadeViewTest, AThreadEvaluatesTheWindowWhichIsThereWithoutAnotherUpdate) {
  ASSERT_TRUE(step_until(session_, [&] { return session_.pictures() > 0 && !session_.engine().busy(); }));
  CascadeView view;
  view.update(*session_.feed().last(), 1, session_.engine().selection(), session_.settings());
  EXPECT_TRUE(view.busy());
  ASSERT_TRUE(comes_true([&] { return view.window() != nullptr; }));
  EXPECT_TRUE(view.window()->stages.found());
  EXPECT_FALSE(view.busy());
}

// The picture stays, and is not made again for it.
TEST_F(FrameSearchCascadeViewTest, AnotherPlaceOfAPictureThatStaysIsAnotherWindow) {
  ASSERT_TRUE(step_until(session_, [&] { return window(); }));
  const auto pictures = session_.pictures();
  set("cascade_at", "60,400");
  ASSERT_TRUE(step_until(session_, [&] { return window() && !window()->stages.found(); }));
  EXPECT_EQ(session_.pictures(), pictures);
  set("cascade_at", "0,0");
  ASSERT_TRUE(step_until(session_, [&] { return !window(); }));
  EXPECT_NE(session_.maker().cascade_view().problem().find("a pixel further inside"), std::string::npos);
  set("cascade_at", "");
  ASSERT_TRUE(step_until(session_, [&] { return session_.maker().cascade_view().problem().empty(); }));
  EXPECT_FALSE(window());
}

// From the stage that is shown, which the settings do not name at first: the last that the window reached.
TEST_F(FrameSearchCascadeViewTest, CommandsGoFromStageToStage) {
  EXPECT_THROW(session_.act(Action::next_stage), std::invalid_argument) << "no window is shown yet";
  set("cascade_at", "60,400");
  ASSERT_TRUE(step_until(session_, [&] { return window() && !window()->stages.stages.empty(); }));
  const int reached = window()->stages.passed + 1, all = static_cast<int>(window()->stages.stages.size());
  ASSERT_LT(reached, all);
  set("cascade_feature", "2");
  session_.act(Action::next_stage);
  EXPECT_EQ(session_.settings().cascade_stage, reached + 1);
  EXPECT_EQ(session_.settings().cascade_feature, 0) << "it was of the other stage";
  for (int i = 0; i < all; ++i) session_.act(Action::next_stage);
  EXPECT_EQ(session_.settings().cascade_stage, all);
  session_.act(Action::previous_stage);
  EXPECT_EQ(session_.settings().cascade_stage, all - 1);
  for (int i = 0; i < all; ++i) session_.act(Action::previous_stage);
  EXPECT_EQ(session_.settings().cascade_stage, 1);
}

TEST(FrameSearchTest, TheStageThatIsShownIsTheChosenOneOrTheLastThatWasReached) {
  gpu::vision::WindowStages window;
  window.stages.resize(5);
  Settings settings;
  for (const auto& [passed, chosen, shown] : {std::tuple(3, 0, 3), {5, 0, 4}, {0, 0, 0}, {3, 1, 0}, {3, 5, 4}, {3, 6, 4}}) {
    window.passed = passed;
    settings.cascade_stage = chosen;
    EXPECT_EQ(shown_stage(window, settings), shown) << passed << ' ' << chosen;
  }
}

// The tab is closed while a thread still evaluates.
TEST_F(FrameSearchCascadeViewTest, WhatIsFoundWhenNobodyWantsItAnyMoreIsNotShown) {
  ASSERT_TRUE(step_until(session_, [&] { return session_.pictures() > 0 && !session_.engine().busy(); }));
  const auto& selection = session_.engine().selection();
  auto closed = session_.settings();
  closed.cascade_at.reset();
  CascadeView view;
  for (int turn = 0; turn < 2; ++turn) {
    view.update(*session_.feed().last(), 1, selection, session_.settings());
    view.update(*session_.feed().last(), 1, selection, closed);
    ASSERT_TRUE(comes_true([&] { return view.window() || !view.busy(); }));
    EXPECT_FALSE(view.window());
    EXPECT_EQ(view.problem(), "");
    view.wait(*session_.feed().last(), 1, selection, session_.settings());
    EXPECT_TRUE(view.window());
  }
}

TEST_F(FrameSearchCascadeViewTest, ItIsOfTheSizeWhoseDepthsAreShown) {
  set("faces.show", "depth");
  set("faces.level", "3");
  ASSERT_TRUE(step_until(session_, [&] { return window() && window()->stages.level == 2; }));
  set("cascade_at", "256,256");
  set("faces.level", "999");
  ASSERT_TRUE(step_until(session_, [&] { return window() && window()->stages.level == window()->levels - 1; }));
}

TEST_F(FrameSearchCascadeViewTest, NothingIsEvaluatedForATabThatIsNotShown) {
  set("dock", "kernels");
  ASSERT_TRUE(step_until(session_, [&] { return session_.pictures() > 0; }));
  session_.step({});
  EXPECT_FALSE(window());
  set("dock", "cascade");
  ASSERT_TRUE(step_until(session_, [&] { return window(); }));
  set("effect", "box_blur");
  ASSERT_TRUE(step_until(session_, [&] { return !window(); }));
  EXPECT_EQ(session_.maker().cascade_view().problem(), "") << "it has no cascade";
}

TEST(FrameSearchCascadeViewSizeTest, APictureSmallerThanTheWindowHasNoneAnywhere) {
  auto settings = astronaut_settings();
  settings.source = "matrix:6x6";
  settings.cascade_at = Pointer{3, 3};
  Session session(settings, {{}, "no driver"}, app::Run{}, true, [](auto&, auto&) {});
  ASSERT_TRUE(step_until(session, [&] { return !session.maker().cascade_view().problem().empty(); }));
  EXPECT_EQ(session.maker().cascade_view().problem(), "the picture, 6x6, is too small for this cascade's 20x20 window");
}

Settings video_settings() {
  auto settings = astronaut_settings();
  settings.source = "synthetic:160x120";
  settings.max_speed = true;
  settings.cascade_at = Pointer{80, 60};
  return settings;
}

// Each picture of a video has its own; it is of the picture on the screen, which may be the one before.
TEST(FrameSearchCascadeViewVideoTest, EveryPictureOnTheScreenHasItsOwnWindow) {
  for (const bool screen_fails : {false, true}) {
    bool fails = false;
    Session session(video_settings(), {{}, "no driver"}, app::Run{}, true, [&](auto&, auto&) {
      if (std::exchange(fails, screen_fails)) throw std::runtime_error("the screen keeps the picture before");
    });
    const auto& now = [&]() -> const auto& { return session.maker().cascade_view().window(); };
    ASSERT_TRUE(step_until(session, [&] { return now() != nullptr; }));
    const auto first = now();
    if (screen_fails) {
      ASSERT_TRUE(step_until(session, [&] { return session.pictures() > 4; }));
      EXPECT_EQ(now(), first);
    } else {
      ASSERT_TRUE(step_until(session, [&] {
        return now() && !now()->stages.stages.empty() && !first->stages.stages.empty() &&
               now()->stages.stages[0].nodes[0].value != first->stages.stages[0].nodes[0].value;
      }));
    }
  }
}

TEST(FrameSearchCascadeViewScriptTest, AScriptChoosesTheWindow) {
  const TemporaryFolder folder;
  const auto script = (folder.path() / "s.jsonl").string();
  std::ofstream(script) << R"({"set": {"effect": "faces", "dock": "cascade", "cascade_at": "225,115", "cascade_stage": 4}})"
                        << '\n'
                        << R"({"frames": 1})" << '\n'
                        << R"({"set": {"cascade_stage": 255}})";
  app::Run run;
  run.script = script;
  run.offscreen = true;
  Session session(host_settings(asset("astronaut.png").string()), {{}, "no driver"}, run, false, [](auto&, auto&) {});
  ASSERT_TRUE(step_until(session, [&] { return session.done(); }));
  session.finish();
  session.maker().wait_for_tabs();
  const auto& window = session.maker().cascade_view().window();
  ASSERT_TRUE(window);
  EXPECT_TRUE(window->stages.found());
  EXPECT_EQ(session.settings().cascade_stage, 4);
  EXPECT_TRUE(said(session, "s.jsonl:3: ")) << "there is no such stage";
}

struct Frames {
  capture::Frame ramp, noise, narrow, sought;
};
Frames frames_of(gpu::Size size) {
  Frames frames{ramp_frame(size), noise_frame(size), noise_frame({size.height, size.width}, 2), noise_frame(size, 3)};
  frames.noise.sequence = frames.sought.sequence = frames.sought.seek = 1;
  return frames;
}

// What each of them finds in one of several frames after another: one input changes at a time, and comes back.
std::string text_of(CascadeView& view) {
  if (!view.window()) return view.problem();
  const auto& [name, cascade, levels, found] = *view.window();
  std::string text = name + ' ' + std::to_string(levels) + ' ' + std::to_string(found.level) + ' ' +
                     std::to_string(found.window.x) + ',' + std::to_string(found.window.y) + ' ' +
                     std::to_string(found.passed);
  for (const auto& stage : found.stages) text += ' ' + std::to_string(stage.sum);
  return text;
}

TEST(FrameSearchCascadeViewTurnsTest, EachTurnIsThatOfAFreshView) {
  const auto [ramp, noise, narrow, sought] = frames_of({160, 120});
  const struct {
    const capture::Frame& frame;
    std::uint64_t source;
    const char* cascade;
    Pointer at;
  } turns[] = {
      {ramp, 1, "frontalface_alt2", {80, 60}},      {noise, 1, "frontalface_alt2", {80, 60}},
      {noise, 1, "frontalface_default", {80, 60}},  {noise, 1, "frontalface_default", {40, 50}},
      {noise, 1, "no such file", {40, 50}},         {noise, 1, "frontalface_default", {40, 50}},
      {narrow, 2, "frontalface_default", {40, 50}}, {narrow, 2, "frontalface_alt2", {40, 150}},
      {ramp, 3, "frontalface_alt2", {40, 50}},      {narrow, 4, "frontalface_alt2", {40, 50}},
      {noise, 4, "frontalface_alt2", {40, 50}},     {sought, 4, "frontalface_alt2", {40, 50}},
  };
  auto settings = astronaut_settings();
  auto selection = selection_of("host_serial", "faces");
  CascadeView view;
  std::string before;
  for (const auto& turn : turns) {
    settings.cascade_at = turn.at;
    selection.effect_arguments.set("cascade", turn.cascade);
    view.wait(turn.frame, turn.source, selection, settings);
    CascadeView fresh;
    fresh.wait(turn.frame, turn.source, selection, settings);
    EXPECT_EQ(text_of(view), text_of(fresh)) << &turn - turns;
    EXPECT_NE(text_of(view), std::exchange(before, text_of(view))) << &turn - turns << ": the turns differ";
  }
}

TEST(FrameSearchResponseTest, EachTurnIsThatOfAFreshSearch) {
  const auto [ramp, noise, narrow, sought] = frames_of({60, 50});
  const struct {
    const capture::Frame& frame;
    std::uint64_t source;
    int feature, scale;
  } turns[] = {{ramp, 1, 1, 1},        {noise, 1, 1, 1},       {noise, 1, 90'000, 1}, {noise, 1, 90'000, 2},
               {narrow, 2, 90'000, 2}, {narrow, 2, 1, 2},      {noise, 3, 1, 2},      {noise, 3, 1, 1},
               {narrow, 3, 1, 1},      {narrow, 4, 40'000, 1}, {ramp, 5, 40'000, 1},  {noise, 5, 40'000, 1},
               {sought, 5, 40'000, 1}};
  ResponseSearch search;
  std::shared_ptr<const FoundResponses> before;
  for (const auto& turn : turns) {
    ResponseSearch fresh;
    for (auto* each : {&search, &fresh}) {
      each->want(turn.feature, turn.scale);
      each->wait(turn.frame, turn.source);
      EXPECT_TRUE(each->of_shown());
    }
    ASSERT_TRUE(search.found() && fresh.found());
    EXPECT_EQ(search.found()->picture, fresh.found()->picture) << &turn - turns;
    EXPECT_EQ(search.found()->feature.width, fresh.found()->feature.width) << &turn - turns;
    EXPECT_EQ(search.found()->strongest, fresh.found()->strongest) << &turn - turns;
    EXPECT_NE(search.found(), std::exchange(before, search.found())) << &turn - turns;
  }
}

// Frames that follow one another are searched a few times per second; another feature or scale at once.
TEST(FrameSearchResponseTest, FramesThatFollowOneAnotherAreNotAllSearched) {
  constexpr auto period = std::chrono::milliseconds(200);
  auto frame = noise_frame({60, 50});
  ResponseSearch search;
  const auto searches = [&](int feature, int scale) {
    search.wait(frame, 1);
    ++frame.sequence;
    search.want(feature, scale);
    search.update(frame, 1);
    return search.busy();
  };
  search.want(1, 1);
  EXPECT_TRUE(searches(1, 2));
  EXPECT_TRUE(searches(2, 2));
  search.wait(frame, 1);
  const auto start = std::chrono::steady_clock::now();
  int begun = 0;
  while (std::chrono::steady_clock::now() - start < 3 * period) {
    ++frame.sequence;
    search.found();  // takes the one before
    const bool before = search.busy();
    search.update(frame, 1);
    begun += !before && search.busy();
  }
  EXPECT_GE(begun, 1);
  EXPECT_LE(begun, 1 + (std::chrono::steady_clock::now() - start) / period);
}

// A gray picture and its table.
struct Pixels {
  gpu::Size size;
  std::vector<std::uint8_t> gray;
  std::vector<std::uint32_t> sums;

  Pixels(gpu::Size size, int levels, unsigned seed) : size(size), gray(size.pixels()), sums(size.pixels()) {
    std::mt19937 random(seed);
    for (auto& pixel : gray) pixel = static_cast<std::uint8_t>(random() % static_cast<unsigned>(levels) * 255u / 8u);
    for (int y = 0; y < size.height; ++y)
      for (int x = 0; x < size.width; ++x)
        for (int j = 0; j <= y; ++j)
          for (int i = 0; i <= x; ++i) sums[index(x, y)] += gray[index(i, j)];
  }
  std::size_t index(int x, int y) const { return static_cast<std::size_t>(y * size.width + x); }
  gpu::effects::SatView sat() const { return {sums.data(), size.width, size.height, size.width}; }

  // By the definition: no table.
  int value(const HaarFeature& f) const {
    int sum = 0;
    for (int y = 0; y < f.full_height(); ++y)
      for (int x = 0; x < f.full_width(); ++x) {
        const int pixel = gray[index(f.x + x, f.y + y)];
        sum += HaarFeature::positive(x / f.width, y / f.height) ? pixel : -pixel;
      }
    return sum;
  }
  std::vector<Response> strongest(HaarFeature f, std::size_t count) const {
    std::vector<Response> all, chosen;
    for (f.y = 0; f.y + f.full_height() <= size.height; ++f.y)
      for (f.x = 0; f.x + f.full_width() <= size.width; ++f.x) all.push_back({f.x, f.y, value(f)});
    std::ranges::stable_sort(all, std::greater(), [](const Response& r) { return std::abs(r.value); });
    for (const auto& r : all) {
      const bool apart = std::ranges::none_of(chosen, [&](const Response& other) {
        return std::abs(other.x - r.x) < f.full_width() && std::abs(other.y - r.y) < f.full_height();
      });
      if (apart && r.value != 0 && chosen.size() < count) chosen.push_back(r);
    }
    return chosen;
  }
};

TEST(FrameSearchResponseTest, TheStrongestAreThoseByTheDefinition) {
  unsigned seed = 0;
  for (const gpu::Size size : {gpu::Size{1, 1}, {2, 1}, {31, 17}, {12, 40}})
    for (const int levels : {2, 9})  // few: many responses are equal
      for (const auto type : haar_types)
        for (const auto& [width, height] : {std::pair(1, 1), {3, 2}, {2, 5}, {5, 12}}) {
          const Pixels pixels(size, levels, ++seed);
          const HaarFeature feature{type, 0, 0, width, height};
          for (const std::size_t count : {1u, 7u, 2000u})
            EXPECT_EQ(strongest_responses(pixels.sat(), feature, count), pixels.strongest(feature, count))
                << size.width << "x" << size.height << " " << static_cast<int>(type) << " " << width << "x" << height;
        }
}

TEST(FrameSearchResponseTest, APictureOfOneLevelHasNone) {
  EXPECT_TRUE(strongest_responses(Pixels({16, 16}, 1, 1).sat(), {HaarType::type_2_x, 0, 0, 2, 2}, 5).empty());
}

// The value that the picture itself has.
double drawn_value(Session& session) {
  double value = 0;
  const auto picture = session.engine().pipeline().picture();
  picture.annotations.wait();
  for (const auto& each : picture.annotations.list())
    if (each.kind == gpu::Annotation::Kind::label) value = each.value;
  return value;
}

class FrameSearchResponseSessionTest : public ::testing::Test {
 protected:
  void SetUp() override {
    cv::Mat picture(90, 120, CV_8UC3);
    cv::randu(picture, 0, 256);
    const auto path = (folder_.path() / "noise.png").string();
    cv::imwrite(path, picture);
    session_.emplace(host_settings(path), gpu::GpuProbe{{}, "no driver"}, app::Run{}, true, [](auto&, auto&) {});
    ASSERT_TRUE(step_until(*session_, [&] { return session_->maker().has_picture_of_source(); }));
  }
  bool shows_all() {
    return step_until(*session_, [&] {
      const auto& settings = session_->settings();
      session_->maker().responses().want(settings.feature, settings.feature_scale);
      return session_->maker().responses().of_shown() && !session_->engine().busy();
    });
  }

  TemporaryFolder folder_;
  std::optional<Session> session_;
};

TEST_F(FrameSearchResponseSessionTest, TheResponsesAreTheValuesThatTheEffectShows) {
  auto& session = *session_;
  session.change(Change{"feature", std::to_string(number_of({HaarType::type_3_x, 2, 3, 4, 5}))});
  session.change(Change{"feature_scale", "2"});
  session.act(Action::show_feature);
  EXPECT_EQ(session.settings().dock, Dock::detector);
  EXPECT_EQ(session.settings().effect, "haar");
  ASSERT_TRUE(shows_all());
  const auto found = session.maker().responses().found();
  EXPECT_EQ(found->picture, (gpu::Size{120, 90}));
  EXPECT_EQ(found->feature.full_width(), 24);
  ASSERT_GE(found->strongest.size(), 5u);
  for (const auto& [x, y, value] : found->strongest) {
    const auto before = session.pictures();
    session.change(
        changes_to_show_feature(session.settings(), session.settings().feature, 2, found->picture, Pointer{x, y}));
    ASSERT_TRUE(step_until(session, [&] { return session.pictures() > before && !session.engine().busy(); }));
    EXPECT_EQ(drawn_value(session), value) << x << ", " << y;
  }
  ASSERT_TRUE(shows_all());
  EXPECT_EQ(session.maker().responses().found(), found) << "of the same frame: not searched anew";
}

TEST_F(FrameSearchResponseSessionTest, WhatWasFoundIsThereWithoutAnotherUpdate) {
  ResponseSearch search;
  search.want(1, 1);
  search.update(*session_->feed().last(), 1);
  EXPECT_TRUE(search.busy());
  ASSERT_TRUE(comes_true([&] { return search.found() != nullptr; }));
  EXPECT_TRUE(search.of_shown());
  EXPECT_FALSE(search.busy());
}

TEST_F(FrameSearchResponseSessionTest, AnotherFeatureIsSearchedAndNoneWhereNoneIsWanted) {
  auto& session = *session_;
  session.change(Change{"feature", "1"});
  ASSERT_TRUE(shows_all());
  const auto first = session.maker().responses().found();
  session.act(Action::previous_feature);
  EXPECT_EQ(session.settings().feature, all_features);
  ASSERT_TRUE(shows_all());
  EXPECT_NE(session.maker().responses().found()->feature.type, first->feature.type);
  session.maker().responses().want(0, 1);
  ASSERT_TRUE(step_until(session, [&] { return !session.maker().responses().found(); }));
}

}  // namespace

}  // namespace app
