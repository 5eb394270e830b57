// The gallery of features: every Haar-like feature of a window of 24 x 24 pixels, from which detectors of faces are learned
// (Viola and Jones 2001), numbered from 1 on; and the changes that show one of them on the picture, by the effect haar.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "app/control/change.h"
#include "gpu/effects/haar_feature.h"

namespace app {

using gpu::effects::HaarFeature, gpu::effects::HaarType;

inline constexpr HaarType haar_types[] = {HaarType::type_2_x, HaarType::type_2_y, HaarType::type_3_x, HaarType::type_3_y,
                                          HaarType::type_4};

inline constexpr std::string_view feature_effect = "haar";  // which draws them on the picture
inline constexpr int feature_window = 24;                   // both sides, in pixels
inline constexpr int all_features = 162'336;
// Pixels of the picture per pixel of the window: rectangles stay within what the effect can sum.
inline constexpr int most_feature_scale = gpu::effects::haar_max_side / feature_window;

// The features of a type follow one another; within a type those of one size, the narrow ones first; of one size the places,
// row by row.
int features_of(HaarType type);
int first_feature_of(HaarType type);
HaarFeature feature_at(int number);              // `number`: from 1 to all_features
int number_of(const HaarFeature& feature);       // of one that lies inside the window
HaarFeature fitted(const HaarFeature& feature);  // into the window: smaller and moved, as far as it must be

// A feature of the window on a picture: so many times as large, in the window whose corner is `at`.
HaarFeature on_picture(const HaarFeature& feature, int scale, Pointer at = {});

// Where the window lies whose feature the settings choose: where the effect draws that feature; else in the picture's middle.
Pointer place_of_window(const Settings& settings, gpu::Size picture);
bool draws_chosen_feature(const Settings& settings, gpu::Size picture);              // the effect does
std::optional<Pointer> place_of_drawn(const Settings& settings, gpu::Size picture);  // its corner there; none: it does not

// Makes this feature the chosen one, and the effect draw it: in the window that stays where it is, as far as the picture has
// room; or with its own corner at `at`. `scale` is smaller in a picture that has no room for such a window.
std::vector<Change> changes_to_show_feature(const Settings& settings, int number, int scale, gpu::Size picture,
                                            std::optional<Pointer> at = {});
// The number `step` features away, cyclically.
int next_feature(int number, int step);

}  // namespace app
