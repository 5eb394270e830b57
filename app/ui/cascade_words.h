// What is said of a cascade's window, of its stages and features, in the tab and over the picture.
#pragma once

#include <string>

#include "app/control/settings.h"
#include "app/session/cascade_view.h"

namespace app::ui {

// Of the stage that is shown: the only feature that is drawn, from 0 on; -1: all.
int shown_feature(const gpu::vision::WindowStages& window, const Settings& settings);

std::string box_words(const CascadeWindow& window);     // "76x76 at (210, 84)"
std::string size_words(const CascadeWindow& window);    // "size 13 of 24"
std::string result_words(const CascadeWindow& window);  // "passes 3 of 20 stages"
// "stage 4: sum 12.31, threshold 15.28: refused"
std::string stage_words(const gpu::vision::WindowStages& window, int index);
std::string feature_words(const gpu::vision::NodeResult& node, int index);
// "white +2, black -1"
std::string weight_words(const gpu::vision::CascadeFeature& feature);

}  // namespace app::ui
