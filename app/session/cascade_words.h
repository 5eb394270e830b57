// What is said of a cascade's window, of its stages and features, in the tab and over the picture.
#pragma once

#include <string>

#include "app/control/settings.h"
#include "app/session/frame_search.h"
#include "gpu/vision/cascade.h"
#include "gpu/vision/window_stages.h"

namespace app {

// The only feature that is drawn of the stage that is shown, from 0 on; -1: all.
int shown_feature(const gpu::vision::WindowStages& window, const Settings& settings);

std::string result_words(const CascadeWindow& window);  // "passes 3 of 20 stages"
std::string place_words(const CascadeWindow& window);   // "40x40 at (130, 110), size 8 of 24, frontalface_alt2"
// "stage 4: sum 12.31, threshold 15.28: rejected"
std::string stage_words(const gpu::vision::WindowStages& window, int stage);
std::string votes_words(const gpu::vision::StageResult& stage);  // "Votes of 6 features: 0.897 + 0.691 + 0.826 = 2.413"
// "feature 1: 0.1250 is not below 0.0000: vote -0.250", "feature 1: code 10110001 is in its set: vote 0.750"
std::string feature_words(const gpu::vision::Cascade& cascade, const gpu::vision::NodeResult& node, int index);
// What is drawn of its feature: "white +2, black -1", "3x3 blocks of 2x4: white where not below the middle, else black"
std::string drawing_words(const gpu::vision::Cascade& cascade, const gpu::vision::NodeResult& node);

}  // namespace app
