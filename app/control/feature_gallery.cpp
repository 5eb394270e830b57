#include "app/control/feature_gallery.h"

#include <algorithm>
#include <string>

#include "app/control/selection.h"

namespace app {
namespace {

using gpu::effects::haar_columns, gpu::effects::haar_rows;

// The sizes and places that a feature of so many rectangles has along one side of the window.
struct Axis {
  int rectangles;

  int sizes() const { return feature_window / rectangles; }
  int places(int size) const { return feature_window - rectangles * size + 1; }
  int before(int size) const {  // of all smaller sizes
    int count = 0;
    for (int smaller = 1; smaller < size; ++smaller) count += places(smaller);
    return count;
  }
  int all() const { return before(sizes() + 1); }
  // The last size before which there are at most `count` places.
  int size_after(int count) const {
    int size = 1;
    while (size < sizes() && before(size + 1) <= count) ++size;
    return size;
  }
  // Changes a rectangle to the nearest one that lies in the window.
  void fit(int& first, int& size) const {
    size = std::clamp(size, 1, sizes());
    first = std::clamp(first, 0, places(size) - 1);
  }
};
Axis across(HaarType type) { return {haar_columns(type)}; }
Axis along(HaarType type) { return {haar_rows(type)}; }

// The arguments of the effect haar in the settings; none if another effect is chosen.
std::optional<gpu::Arguments> haar_arguments(const Settings& settings) try {
  if (settings.effect != feature_effect) return {};
  return arguments_of(*gpu::find_effect(feature_effect), settings);
} catch (const gpu::ArgumentError&) {
  return {};
}

std::string type_name(HaarType type) {
  return std::string(gpu::split_choices(gpu::effects::haar_choices)[static_cast<std::size_t>(type)]);
}

int inside(int first, int size, int room) { return std::clamp(first, 0, std::max(0, room - size)); }

}  // namespace

int features_of(HaarType type) { return across(type).all() * along(type).all(); }

int first_feature_of(HaarType type) {
  int number = 1;
  for (const auto each : haar_types)
    if (each < type) number += features_of(each);
  return number;
}

HaarFeature feature_at(int number) {
  auto type = HaarType::type_2_x;
  for (const auto each : haar_types)
    if (number >= first_feature_of(each)) type = each;
  int rest = number - first_feature_of(type);
  const auto x = across(type), y = along(type);
  HaarFeature feature{type, 0, 0, 0, 0};
  feature.width = x.size_after(rest / y.all());
  rest -= x.before(feature.width) * y.all();
  feature.height = y.size_after(rest / x.places(feature.width));
  rest -= y.before(feature.height) * x.places(feature.width);
  feature.y = rest / x.places(feature.width);
  feature.x = rest % x.places(feature.width);
  return feature;
}

int number_of(const HaarFeature& feature) {
  const auto x = across(feature.type), y = along(feature.type);
  const int of_narrower = x.before(feature.width) * y.all(), rows = y.before(feature.height) + feature.y;
  return first_feature_of(feature.type) + of_narrower + rows * x.places(feature.width) + feature.x;
}

HaarFeature fitted(const HaarFeature& feature) {
  auto result = feature;
  across(feature.type).fit(result.x, result.width);
  along(feature.type).fit(result.y, result.height);
  return result;
}

HaarFeature on_picture(const HaarFeature& feature, int scale, Pointer at) {
  return {feature.type, at.x + scale * feature.x, at.y + scale * feature.y, scale * feature.width, scale * feature.height};
}

bool draws_chosen_feature(const Settings& settings, gpu::Size picture) {
  const auto chosen = haar_arguments(settings);
  if (!chosen) return false;
  const auto used = gpu::used_arguments(*gpu::find_effect(feature_effect), *chosen, picture);
  const auto feature = on_picture(feature_at(settings.feature), settings.feature_scale);
  return used.text("type") == type_name(feature.type) && used.integer("width") == feature.width &&
         used.integer("height") == feature.height;
}

std::optional<Pointer> place_of_drawn(const Settings& settings, gpu::Size picture) {
  if (!draws_chosen_feature(settings, picture)) return {};
  const auto drawn = on_picture(feature_at(settings.feature), settings.feature_scale, place_of_window(settings, picture));
  return Pointer{drawn.x, drawn.y};
}

Pointer place_of_window(const Settings& settings, gpu::Size picture) {
  const int side = feature_window * settings.feature_scale;
  if (!draws_chosen_feature(settings, picture)) return {(picture.width - side) / 2, (picture.height - side) / 2};
  const auto drawn = gpu::find_effect(feature_effect)->placement(*haar_arguments(settings), picture);
  const auto feature = on_picture(feature_at(settings.feature), settings.feature_scale);
  return {drawn.x - feature.x, drawn.y - feature.y};
}

std::vector<Change> changes_to_show_feature(const Settings& settings, int number, int scale, gpu::Size picture,
                                            std::optional<Pointer> at) {
  if (picture.pixels() == 0) return {{"feature", std::to_string(number)}, {"feature_scale", std::to_string(scale)}};
  const int room = std::min(picture.width, picture.height) / feature_window;
  scale = std::clamp(scale, 1, std::clamp(room, 1, most_feature_scale));
  const int side = feature_window * scale, grown = side - feature_window * settings.feature_scale;
  auto window = place_of_window(settings, picture);  // its centre stays
  window = {inside(window.x - grown / 2, side, picture.width), inside(window.y - grown / 2, side, picture.height)};
  const auto feature = on_picture(feature_at(number), scale, window);
  const auto place = at.value_or(Pointer{feature.x, feature.y});
  return {{"feature", std::to_string(number)},
          {"feature_scale", std::to_string(scale)},
          {"effect", std::string(feature_effect)},
          {"haar.type", type_name(feature.type)},
          {"haar.width", std::to_string(feature.width)},
          {"haar.height", std::to_string(feature.height)},
          {"pointer", std::to_string(place.x) + ',' + std::to_string(place.y)}};
}

int next_feature(int number, int step) { return (number - 1 + step + all_features) % all_features + 1; }

}  // namespace app
