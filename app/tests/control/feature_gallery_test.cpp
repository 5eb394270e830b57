#include "app/control/feature_gallery.h"

#include <gtest/gtest.h>

#include <set>
#include <tuple>

#include "app/control/selection.h"
#include "gpu/effect.h"

namespace app {
namespace {

class FeatureGalleryTest : public ::testing::Test {
 protected:
  static constexpr gpu::Size picture_{640, 480};

  static auto key(const HaarFeature& f) { return std::tuple(f.type, f.x, f.y, f.width, f.height); }
  void show(int number, int scale = 4, std::optional<Pointer> at = {}) {
    app::apply(settings_, changes_to_show_feature(settings_, number, scale, picture_, at));
  }
  gpu::Placement drawn() const {
    const auto& effect = *gpu::find_effect("haar");
    return effect.placement(arguments_of(effect, settings_), picture_);
  }

  Settings settings_;
};

// Every feature of the window is one of them: there are as many as loops over all types, sizes and places find.
TEST_F(FeatureGalleryTest, TheNumbersAreThoseOfAllFeaturesOfTheWindow) {
  std::set<std::tuple<HaarType, int, int, int, int>> features;
  for (int number = 1; number <= all_features; ++number) {
    const auto feature = feature_at(number);
    ASSERT_EQ(number_of(feature), number);
    ASSERT_GE(std::min({feature.x, feature.y, feature.width - 1, feature.height - 1}), 0) << number;
    ASSERT_LE(feature.x + feature.full_width(), feature_window) << number;
    ASSERT_LE(feature.y + feature.full_height(), feature_window) << number;
    ASSERT_EQ(key(fitted(feature)), key(feature)) << number;
    features.insert(key(feature));
  }
  EXPECT_EQ(features.size(), 162'336u);
  int count = 0;
  for (const auto type : haar_types)
    for (int width = 1; width <= feature_window; ++width)
      for (int height = 1; height <= feature_window; ++height) {
        const HaarFeature feature{type, 0, 0, width, height};
        const int across = feature_window - feature.full_width() + 1, down = feature_window - feature.full_height() + 1;
        if (across > 0 && down > 0) count += across * down;
      }
  EXPECT_EQ(count, all_features);
}

TEST_F(FeatureGalleryTest, EveryTypeHasItsOwn) {
  const int counts[] = {43'200, 43'200, 27'600, 27'600, 20'736};
  int first = 1;
  for (const auto type : haar_types) {
    EXPECT_EQ(features_of(type), counts[static_cast<std::size_t>(type)]);
    EXPECT_EQ(first_feature_of(type), first);
    EXPECT_EQ(feature_at(first).type, type);
    first += features_of(type);
    EXPECT_EQ(feature_at(first - 1).type, type);
  }
  EXPECT_EQ(first - 1, all_features);
  EXPECT_EQ(next_feature(all_features, 1), 1);
  EXPECT_EQ(next_feature(1, -1), all_features);
}

TEST_F(FeatureGalleryTest, TheFirstOneToSeeIsOfEyesAndCheeks) {
  EXPECT_EQ(key(feature_at(Settings().feature)), key({HaarType::type_2_y, 4, 5, 16, 5}));
}

TEST_F(FeatureGalleryTest, WhatDoesNotFitIsMadeSmallerAndMoved) {
  EXPECT_EQ(key(fitted({HaarType::type_3_x, 20, -3, 9, 30})), key({HaarType::type_3_x, 0, 0, 8, 24}));
  EXPECT_EQ(key(fitted({HaarType::type_4, 20, 2, 3, 0})), key({HaarType::type_4, 18, 2, 3, 1}));
}

TEST_F(FeatureGalleryTest, TheEffectDrawsTheFeatureWhereItIsInTheWindow) {
  EXPECT_FALSE(draws_chosen_feature(settings_, picture_));
  const HaarFeature feature{HaarType::type_3_y, 5, 2, 7, 4};
  show(number_of(feature));
  EXPECT_TRUE(draws_chosen_feature(settings_, picture_));
  EXPECT_EQ(place_of_window(settings_, picture_), (Pointer{272, 192})) << "in the middle";
  const auto place = drawn();
  EXPECT_EQ(std::tuple(place.x, place.y, place.width, place.height), std::tuple(292, 200, 28, 16));
  EXPECT_EQ(std::tuple(place.columns, place.rows), std::tuple(1, 3));
  apply(settings_, Change{"haar.width", "29"});
  EXPECT_FALSE(draws_chosen_feature(settings_, picture_)) << "the user made it wider";
}

TEST_F(FeatureGalleryTest, AFeatureThatIsAutomaticIsTheChosenOneWhereItIsDrawnSo) {
  settings_.effect = "haar";
  settings_.effect_values.clear();
  settings_.feature_scale = 32;
  settings_.feature = number_of({HaarType::type_2_x, 3, 1, 1, 2});  // 32 x 64
  EXPECT_TRUE(draws_chosen_feature(settings_, picture_));
  EXPECT_FALSE(draws_chosen_feature(settings_, {40, 480})) << "there it is narrower";
  EXPECT_FALSE(draws_chosen_feature(settings_, {})) << "no picture yet";
  const auto drawn = gpu::find_effect("haar")->placement(arguments_of(*gpu::find_effect("haar"), settings_), picture_);
  EXPECT_EQ(place_of_window(settings_, picture_), (Pointer{drawn.x - 96, drawn.y - 32}));
}

TEST_F(FeatureGalleryTest, TheWindowStaysWhereTheUserMovesItsFeature) {
  show(number_of({HaarType::type_2_x, 0, 0, 1, 1}));
  apply(settings_, Change{"pointer", "100,50"});
  EXPECT_EQ(place_of_window(settings_, picture_), (Pointer{100, 50}));
  show(number_of({HaarType::type_2_x, 3, 2, 1, 1}));
  EXPECT_EQ(settings_.pointer, (Pointer{112, 58}));
  show(settings_.feature, 2);
  EXPECT_EQ(place_of_window(settings_, picture_), (Pointer{124, 74})) << "around the same centre";
  show(settings_.feature, 2, Pointer{0, 0});
  EXPECT_EQ(settings_.pointer, (Pointer{0, 0}));
  show(number_of({HaarType::type_2_x, 0, 0, 1, 1}), 2);
  EXPECT_EQ(settings_.pointer, (Pointer{0, 0})) << "the window is moved into the picture";
  show(settings_.feature, 1);
  apply(settings_, Change{"pointer", "616,456"});
  show(settings_.feature, 4);
  EXPECT_EQ(settings_.pointer, (Pointer{640 - 96, 480 - 96})) << "at its lower right corner, too";
}

TEST_F(FeatureGalleryTest, AWindowIsNotLargerThanThePicture) {
  show(1, most_feature_scale);
  EXPECT_EQ(settings_.feature_scale, 20);
  app::apply(settings_, changes_to_show_feature(settings_, 1, most_feature_scale, {4096, 2160}));
  EXPECT_EQ(settings_.feature_scale, most_feature_scale);
}

}  // namespace
}  // namespace app
