#include "app/session/response_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <opencv2/imgcodecs.hpp>
#include <random>
#include <thread>

#include "app/tests/session/session_steps.h"
#include "app/tests/support/temporary_folder.h"

namespace app {
namespace {

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

TEST(ResponseSearchTest, TheStrongestAreThoseByTheDefinition) {
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

TEST(ResponseSearchTest, APictureOfOneLevelHasNone) {
  EXPECT_TRUE(strongest_responses(Pixels({16, 16}, 1, 1).sat(), {HaarType::type_2_x, 0, 0, 2, 2}, 5).empty());
}

// The value that the picture itself has.
double drawn_value(Session& session) {
  double value = 0;
  session.engine().show([&](gpu::Context&, const Picture& picture) {
    picture.annotations.wait();
    for (const auto& each : picture.annotations.list())
      if (each.kind == gpu::Annotation::Kind::label) value = each.value;
  });
  return value;
}

class ResponseSearchSessionTest : public ::testing::Test {
 protected:
  void SetUp() override {
    cv::Mat picture(90, 120, CV_8UC3);
    cv::randu(picture, 0, 256);
    const auto path = (folder_.path() / "noise.png").string();
    cv::imwrite(path, picture);
    session_.emplace(host_settings(path), gpu::GpuProbe{{}, "no driver"}, app::Run{}, true, [](auto&, auto&) {});
    ASSERT_TRUE(step_until(*session_, [&] { return session_->shows_its_source(); }));
  }
  bool shows_all() {
    return step_until(*session_, [&] {
      const auto& settings = session_->settings();
      session_->responses().want(settings.feature, settings.feature_scale);
      return session_->responses().of_shown() && !session_->engine().busy();
    });
  }

  TemporaryFolder folder_;
  std::optional<Session> session_;
};

TEST_F(ResponseSearchSessionTest, TheResponsesAreTheValuesThatTheEffectShows) {
  auto& session = *session_;
  session.change(Change{"feature", std::to_string(number_of({HaarType::type_3_x, 2, 3, 4, 5}))});
  session.change(Change{"feature_scale", "2"});
  session.act(Action::show_feature);
  EXPECT_EQ(session.settings().dock, Dock::features);
  EXPECT_EQ(session.settings().effect, "haar");
  ASSERT_TRUE(shows_all());
  const auto found = session.responses().found();
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
  EXPECT_EQ(session.responses().found(), found) << "of the same frame: not searched anew";
}

TEST_F(ResponseSearchSessionTest, WhatWasFoundIsThereWithoutAnotherUpdate) {
  ResponseSearch search;
  search.want(1, 1);
  search.update(*session_->feed().last(), 1);
  EXPECT_TRUE(search.busy());
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!search.found() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  EXPECT_TRUE(search.of_shown());
  EXPECT_FALSE(search.busy());
}

TEST_F(ResponseSearchSessionTest, AnotherFeatureIsSearchedAndNoneWhereNoneIsWanted) {
  auto& session = *session_;
  session.change(Change{"feature", "1"});
  ASSERT_TRUE(shows_all());
  const auto first = session.responses().found();
  session.act(Action::previous_feature);
  EXPECT_EQ(session.settings().feature, all_features);
  ASSERT_TRUE(shows_all());
  EXPECT_NE(session.responses().found()->feature.type, first->feature.type);
  session.responses().want(0, 1);
  ASSERT_TRUE(step_until(session, [&] { return !session.responses().found(); }));
}

}  // namespace
}  // namespace app
